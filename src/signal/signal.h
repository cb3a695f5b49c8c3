/* signal.h - a signal, an image or a function on a graph, and the problem that denoises it: A = rows of the identity. On a line
 * the coefficients are the values that are there, by rising position; else they are all of the points. */
#ifndef SPD_SIGNAL_H
#define SPD_SIGNAL_H
#include "tune/tune.h"

typedef struct spd_signal {
    spdhg_signal given;
    spdhg_denoise_options options;
    int64_t order;            /* of a line's trend, 0: chain; -1: no line */
    int64_t *place;           /* the points by rising position; no line: in their own order */
    spdhg_structure *made;    /* no line: F, where the caller gave none */
    const spdhg_structure *F; /* no line */
} spd_signal;

/* Checks values, positions and weights; copies nothing of them. */
spdhg_status spd_signal_open(spd_signal *s, const spdhg_signal *given, const spdhg_denoise_options *options, spdhg_error *err);
void spd_signal_close(spd_signal *s);
bool spd_signal_observed(const spd_signal *s, int64_t point);
double spd_signal_position(const spd_signal *s, int64_t point);
static inline double spd_signal_weight(const spd_signal *s, int64_t point) {
    return s->given.weight ? s->given.weight[point] : 1;
}

/* ---- problem.c: the points that are observed, but those of one fold, as a problem whose lambda is that of the user. */
typedef struct spd_signal_problem {
    int64_t count, *point; /* the observed points, in order of place; row i is point[i] */
    double W;
    spdhg_data *data;
    spdhg_structure *F; /* of a line */
    spdhg_problem *problem;
} spd_signal_problem;
/* fold: of every point, NULL: none is left out; without: which is. */
spdhg_status spd_signal_problem_new(spd_signal_problem *out, const spd_signal *s, const int32_t *fold, int32_t without,
                                    spdhg_error *err);
void spd_signal_problem_free(spd_signal_problem *p);

/* ---- line.c: every point of the signal from the problem's x; what is not observed on a line is filled. */
void spd_signal_fill(const spd_signal *s, const spd_signal_problem *p, const double *x, double *out);
/* The line between the fitted neighbours of a point that is left out, both of which are there. */
double spd_line_between(const spd_signal *s, const spd_signal_problem *p, const double *x, int64_t after, int64_t point);
/* ---- pieces.c: knots of a line and segments of a chain. zero: the rows of F x that are 0. */
spdhg_status spd_line_knots(const spd_signal *s, const spd_signal_problem *p, const bool *zero, int64_t **knot, int64_t *knots,
                            spdhg_error *err);
spdhg_status spd_chain_segments(const spd_signal *s, const spd_signal_problem *p, const bool *zero, const double *x,
                                spdhg_segment **segment, int64_t *segments, spdhg_error *err);

/* ---- held_out.c: the fold of every point, 1 to folds; 0: never held out. Then the cross-validation of a path, as spd_path_ways
 * wants it. */
spdhg_status spd_signal_folds(const spd_signal *s, int32_t **fold, spdhg_error *err);
typedef struct spd_held_out {
    const spd_signal *signal;
    const spd_signal_problem *whole;
} spd_held_out;
spdhg_status spd_signal_validate(spdhg_path *path, void *held_out, bool *stopped, spdhg_error *err);
#endif
