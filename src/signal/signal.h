/* signal.h - a signal, an image or a function on a graph, and the problem that denoises it: A = rows of the identity. On a line
 * the coefficients are the observed points in order of position; otherwise they are all points. */
#ifndef SPD_SIGNAL_H
#define SPD_SIGNAL_H
#include "tune/tune.h"

typedef struct spd_signal {
    spdhg_signal given;
    spdhg_denoise_options options;
    int64_t order;            /* order of a line's trend, 0: chain; -1: not a line */
    int64_t *place;           /* the points in order of position; if not a line, in their own order */
    spdhg_structure *made;    /* if not a line: F, if the caller gave none */
    const spdhg_structure *F; /* if not a line */
} spd_signal;

/* Checks values, positions and weights, but does not copy them. */
spdhg_status spd_signal_open(spd_signal *s, const spdhg_signal *given, const spdhg_denoise_options *options, spdhg_error *err);
void spd_signal_close(spd_signal *s);
bool spd_signal_observed(const spd_signal *s, int64_t point);
double spd_signal_position(const spd_signal *s, int64_t point);
static inline double spd_signal_weight(const spd_signal *s, int64_t point) {
    return s->given.weight ? s->given.weight[point] : 1;
}

/* ---- problem.c: the observed points, except those of one fold, as a problem whose lambda is the user's. */
typedef struct spd_signal_problem {
    int64_t count, *point; /* the observed points, in the order of `place`; row i is point[i] */
    double W;
    spdhg_data *data;
    spdhg_structure *F; /* of a line */
    spdhg_problem *problem;
} spd_signal_problem;
/* fold: the fold of every point; NULL: none is left out. without: the fold that is left out. */
spdhg_status spd_signal_problem_new(spd_signal_problem *out, const spd_signal *s, const int32_t *fold, int32_t without,
                                    spdhg_error *err);
void spd_signal_problem_free(spd_signal_problem *p);

/* ---- line.c: every point of the signal from the problem's x; unobserved points of a line are filled in. */
void spd_signal_fill(const spd_signal *s, const spd_signal_problem *p, const double *x, double *out);
/* Linear interpolation at a point that was left out, between its two fitted neighbours, both of which must exist. */
double spd_line_between(const spd_signal *s, const spd_signal_problem *p, const double *x, int64_t after, int64_t point);
/* ---- pieces.c: knots of a line and segments of a chain. zero: which rows of F x are 0. */
spdhg_status spd_line_knots(const spd_signal *s, const spd_signal_problem *p, const bool *zero, int64_t **knot, int64_t *knots,
                            spdhg_error *err);
spdhg_status spd_chain_segments(const spd_signal *s, const spd_signal_problem *p, const bool *zero, const double *x,
                                spdhg_segment **segment, int64_t *segments, spdhg_error *err);

/* ---- held_out.c: the fold of every point, 1 to folds; 0: never held out. Then the cross-validation of a path, as required by
 * spd_path_ways. */
spdhg_status spd_signal_folds(const spd_signal *s, int32_t **fold, spdhg_error *err);
typedef struct spd_held_out {
    const spd_signal *signal;
    const spd_signal_problem *whole;
} spd_held_out;
spdhg_status spd_signal_validate(spdhg_path *path, void *held_out, bool *stopped, spdhg_error *err);
#endif
