/* reduce.h - x on the manifold where chosen entries of F x are zero: x = B t, far fewer numbers than x. */
#ifndef SPD_REDUCE_H
#define SPD_REDUCE_H
#include "solver/newton.h"

/* x_q = coef_q t_label(q), 0 where label is -1; the intercepts are the last K unknowns. Rows of F with one entry make zeros, rows
 * with two tie two coordinates; longer rows are left to the penalty. All of it is scratch, made anew in every step. */
typedef struct spd_reduction {
    int64_t size;    /* unknowns t */
    int32_t *parent; /* union-find over coordinates and, last, zero */
    int32_t *label;
    double *coef;
    double *weight; /* sum of coef^2 of each unknown, room for `most` */
} spd_reduction;

void spd_reduction_layout(spd_run *run, spd_reduction *r, int64_t most);
void spd_reduction_whole(spd_reduction *r, const spdhg_problem *p); /* t = x */
bool spd_reduction_make(spd_reduction *r, const spdhg_problem *p, const double *open,
                        int64_t most); /* false: more than `most` unknowns */
void spd_reduction_expand(const spd_reduction *r, const spdhg_problem *p, const double *t, double *x);   /* x = B t */
void spd_reduction_gather(const spd_reduction *r, const spdhg_problem *p, const double *g, double *out); /* out = B'g */
void spd_reduction_nearest(const spd_reduction *r, const spdhg_problem *p, const double *x, double *t);  /* t = (B'B)^{-1} B'x */

/* ---- reduce_hessian.c: lower triangles, size x size. */
bool spd_reduction_hessian(const spd_reduction *r, const spdhg_problem *p, const double *curve, double *H, double *work,
                           spd_stop *stop); /* false: stopped, H is not whole */
int64_t spd_reduction_hessian_work(const spdhg_problem *p, int64_t most);
/* Entry q of row e of F B, output k: its unknown, or -1, and its value. */
int32_t spd_reduction_entry(const spd_reduction *r, const spd_csr *F, int64_t e, int64_t q, int64_t K, int64_t k, double *value);
/* S = diag(scale): 1 / (row of FB)(diag H)^{-1}(row of FB)', one number for each block the penalty couples. */
void spd_reduction_scale(const spd_reduction *r, const spdhg_problem *p, const double *H, double *scale);
void spd_reduction_gram(const spd_reduction *r, const spdhg_problem *p, const double *scale, double *M); /* B'F'S F B */

/* ---- working_set.c: which entries of F x may become nonzero. */
/* Improves y on the entries that are zero at x (b->Fx) so that g + F'y falls; then opens the entries whose dual wants out of its
 * ball, at most so many that `most` unknowns result, and those that are not zero already. False if these alone are more, or,
 * with ridge, nearly fill it and others want in. */
bool spd_working_set(const spdhg_problem *p, spd_newton *b, spd_reduction *r, int64_t most, double *work);
/* For a start whose F x is zero almost nowhere, such as a stochastic method leaves: where `most` unknowns do not hold it, x moves
 * to the nearest point with F x = 0 wherever y lies inside its ball, if that one fits; true then. */
bool spd_working_set_enter(const spdhg_problem *p, spd_newton *b, spd_reduction *r, int64_t most, double *work);
int64_t spd_working_set_work(const spdhg_problem *p);
#endif
