/* race_set.h - one data set of a race in progress: its splits, problems and tuning folds. */
#ifndef SPD_RACE_SET_H
#define SPD_RACE_SET_H
#include "race/race.h"

/* One repeat: its own split, and its own F if that is learned. */
typedef struct spd_race_split {
    bool needed;
    int64_t *train, trains, *test_row, tests;
    spdhg_data *test;
    spdhg_structure *F;
    spd_recipe_problem made[SPD_RACE_TASKS]; /* in the order of race->task */
    uint64_t hash[SPD_RACE_TASKS];           /* of these problems */
} spd_race_split;

/* One fold of the tuning: some of the first repeat's training rows. */
typedef struct spd_race_fold {
    spdhg_problem *problem[SPD_RACE_TASKS];
    spdhg_data *test;
    double part; /* its number of rows relative to that of a run */
} spd_race_fold;

typedef struct spd_race_set {
    spd_race *race;
    const spd_race_source *source;
    spd_race_problem *problem; /* results, one per race->tasks */
    spdhg_data *data;
    spd_race_split *split; /* one per repeat */
    spd_race_fold *fold;   /* NULL: nothing left to tune */
} spd_race_set;

typedef enum spd_piece_kind { SPD_PIECE_OPTIMUM, SPD_PIECE_TUNE, SPD_PIECE_RUN } spd_piece_kind;
typedef struct spd_race_piece {
    spd_piece_kind kind;
    int task, solver, point; /* task: position in race->task; point: of the grid */
    int64_t repeat;
} spd_race_piece;

/* ---- race_piece.c */
int spd_race_piece_worker(const spd_race_set *set, const spd_race_piece *p); /* number of the solver; race->solvers: an optimum */
double spd_race_piece_weight(const spd_race_set *set, const spd_race_piece *p); /* its part of the work */
bool spd_race_piece_found(spd_race_set *set, const spd_race_piece *p);          /* if true, it is now among the results */
spdhg_status spd_race_piece_save(const spd_race_set *set, const spd_race_piece *p, json_t *object,
                                 spdhg_error *err); /* takes ownership of object */
json_t *spd_race_tune_json(const spd_race_entry *entry, int point);
/* ---- race_split.c */
/* Reads the data and makes the splits that are needed and do not exist yet; with tuning, also the folds of the first. */
spdhg_status spd_race_set_prepare(spd_race_set *set, bool tuning, spdhg_error *err);
void spd_race_set_clear(spd_race_set *set);
#endif
