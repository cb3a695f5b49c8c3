/* online.h - learning from rows that pass by once: a pipe of unknown length, in constant memory. */
#ifndef SPD_ONLINE_H
#define SPD_ONLINE_H
#include "run/run.h"
#include "tune/recipe.h"

typedef struct spd_online spd_online;

/* What is known before the first row is learned. */
typedef struct spd_online_start {
    const spd_recipe
        *recipe; /* what only all rows together could tell is refused: standardize, class weights, a learned F, ... */
    int64_t features;
    int index_base, hash;      /* as in spdhg_read_options; for the model */
    const double *class_value; /* the labels, ascending; NULL for a regression */
    int64_t classes;
    int64_t batch;      /* rows a step; 0: by counts, from the entries per row given next */
    double row_entries; /* of a row, on average */
    double reach;       /* spdhg-free's parameters; NAN: their defaults */
    double s;
    uint64_t seed;
} spd_online_start;

/* How well each block was predicted before it was learned, by the model that would have been handed out then. */
typedef struct spd_online_score {
    int64_t rows, iterations;
    double loss;  /* mean */
    double right; /* classes: the part of the rows whose label was predicted; otherwise NAN */
} spd_online_score;

/* The labels of a block, ascending; for start. The caller frees *value. SPDHG_DATA if there are none. */
spdhg_status spd_online_classes(const spdhg_data *block, double **value, int64_t *classes, spdhg_error *err);
spdhg_status spd_online_new(spd_online **out, const spd_online_start *start, spdhg_error *err);
/* Scores the block, then learns from it. SPDHG_DATA: a label that is not among the classes, or a target that the loss refuses. */
spdhg_status spd_online_learn(spd_online *online, const spdhg_data *block, spdhg_error *err);
const spd_online_score *spd_online_all(const spd_online *online);
bool spd_online_diverged(const spd_online *online); /* the iterate is no longer finite */
const spdhg_problem *spd_online_problem(const spd_online *online);
int64_t spd_online_batch(const spd_online *online);
double spd_online_bytes(const spd_online *online);
/* The averaged iterate as a model; its train_loss is the score's loss, it has no gap. */
spdhg_status spd_online_model(spdhg_model **out, spd_online *online, spdhg_outcome outcome, double seconds, spdhg_error *err);
void spd_online_free(spd_online *online);

/* ---- online_save.c: checkpoints. After resume, learning goes on with other rows as if they had followed at once. */
spdhg_status spd_online_save(spd_online *online, double seconds, const char *path, spdhg_error *err);
/* start needs no classes, batch, index_base; *previous: the newest checkpoint is damaged, the one before it was taken. */
spdhg_status spd_online_resume(spd_online **out, const spd_online_start *start, const char *path, double *seconds, bool *previous,
                               spdhg_error *err);
int spd_online_index_base(const spd_online *online);
#endif
