/* tied_coordinates.h - x on the subspace where chosen entries of F x are zero: x = B t, where t has far fewer entries than x. */
#ifndef SPD_TIED_COORDINATES_H
#define SPD_TIED_COORDINATES_H
#include "problem/problem.h"

/* x_q = coef_q t_label(q), or 0 where label is -1; the intercepts are the last K unknowns. Rows of F with one entry make zeros,
 * rows with two entries tie two coordinates, and longer rows are left to the penalty. Everything is scratch, rebuilt in every
 * step. */
typedef struct spd_tied {
    int64_t size;   /* unknowns t */
    spd_joins ties; /* of the coordinates */
    int32_t *label;
    double *coef;   /* ties.ratio */
    double *weight; /* sum of coef^2 for each unknown, up to `most` of them */
} spd_tied;

void spd_tied_layout(const spdhg_problem *p, spd_arena *work, spd_tied *r, int64_t most);
void spd_tied_whole(spd_tied *r, const spdhg_problem *p);                                  /* t = x */
bool spd_tied_make(spd_tied *r, const spdhg_problem *p, const double *open, int64_t most); /* false: more than `most` unknowns */
void spd_tied_expand(const spd_tied *r, const spdhg_problem *p, const double *t, double *x);   /* x = B t */
void spd_tied_gather(const spd_tied *r, const spdhg_problem *p, const double *g, double *out); /* out = B'g */
/* The same for a dense row of the data, which has no entry for the intercept: 0 there. */
void spd_tied_gather_row(const spd_tied *r, const spdhg_problem *p, const double *a, double *out);
void spd_tied_nearest(const spd_tied *r, const spdhg_problem *p, const double *x, double *t); /* t = (B'B)^{-1} B'x */

/* ---- tied_hessian.c: lower triangles, size x size. */
/* most: at least r->size, and what work was made for. False: stopped, H is incomplete. */
bool spd_tied_hessian(const spd_tied *r, const spdhg_problem *p, int threads, const double *curve, int64_t most, double *H,
                      double *work, spd_stop *stop);
int64_t spd_tied_hessian_work(const spdhg_problem *p, int64_t most, int threads);
/* Its diagonal. work: 2 size + 2 K. */
void spd_tied_diagonal(const spd_tied *r, const spdhg_problem *p, const double *curve, double *diagonal, double *work);
/* S = diag(scale), constant over each block that the penalty couples:
 *     1 / ( (row of FB)(diag H)^{-1}(row of FB)' ) */
void spd_tied_scale(const spd_tied *r, const spdhg_problem *p, const double *H, double *scale);
void spd_tied_gram(const spd_tied *r, const spdhg_problem *p, const double *scale, double *M); /* B'F'S F B */
/* M -= factor hh',   h = B'F_b'normal
 * for block b of a term; normal: m x K. sum: a zero for each unknown, restored to zeros; list: scratch of the same length. */
void spd_tied_take_block(const spd_tied *r, const spdhg_problem *p, const spd_term *t, int64_t b, const double *normal,
                         double factor, double *M, double *sum, int32_t *list);

#endif
