/* descent.h - solves the quadratic model of proximal Newton by block coordinate descent, column by column, for F = identity. */
#ifndef SPD_DESCENT_H
#define SPD_DESCENT_H
#include "newton/newton.h"

/* A block is a column: its K coefficients. The intercepts form one more column, of ones, after the others. */
typedef struct spd_descent {
    spd_newton *b;
    const int64_t *ptr; /* A by columns, d + 1: as they were given, or ... */
    const int32_t *row;
    const double *val;
    int64_t *made_ptr; /* ... work: made of the rows at every step */
    int32_t *made_row;
    double *made_val;
    double *share; /* work: n: w_i/W */
    double *C;     /* work: n x K: phi'' (coupled losses: probabilities) */
    double *along; /* work: n x K: A dx */
    double *push;  /* work: n x K: (w_i/W) C_i (A dx)_i, so that the slope of the model is g + A'push + ridge dx */
    double *h;     /* work: d x K and the intercepts: bound on the model's curvature in a block, one for each output */
    double *ridge; /* work: d + 1: gamma plus the damping, which is damp times the column's largest possible curvature */
    double *dx;    /* work: d x K and the intercepts */
    double *slope; /* work: three vectors of length K */
    int32_t *set;  /* work: the columns that may move, ascending */
    int64_t size;
    int64_t *place;       /* work: positions of a face's unknowns */
    double *dense;        /* work: the factor of a face's matrix */
    double *face;         /* work: eight vectors of d x K and the intercepts: descent_face.c */
    double *ray, *thrust; /* work: n x K each: A e along a direction e; (w_i/W) C_i (A e)_i */
    double touched;       /* entries of A read or written since the model was made */
} spd_descent;

void spd_descent_layout(spd_run *run, spd_descent *a, spd_newton *b);
/* Chooses the columns: all nonzero ones and, among the zero ones, those with the largest pull of the gradient.
 * Then computes C and h and sets dx = 0. */
void spd_descent_model(spd_descent *a, const spdhg_problem *p, double damp);
/* Minimises g'dx + dx'H dx/2 + lambda r(x + dx) over the chosen columns until a sweep gains at most the fraction `rest` of the
 * total gain. */
void spd_descent_solve(spd_descent *a, const spdhg_problem *p, double rest);

static inline bool spd_descent_l1(const spdhg_problem *p) { return p->term[0].penalty->sum_of_sizes; }
static inline double spd_descent_lambda(const spdhg_problem *p, int64_t j) { return j < p->d ? p->term[0].lambda : 0; }

/* Column j of A. The intercept's column is all ones: row and val are NULL. */
typedef struct spd_column {
    int64_t count;
    const int32_t *row;
    const double *val;
} spd_column;
spd_column spd_descent_column(const spd_descent *a, const spdhg_problem *p, int64_t j);

/* ---- descent_face.c */
int64_t spd_descent_dense(const spdhg_problem *p); /* largest number of unknowns for which a face's matrix is written out */
/* One Newton step of the model on its face, where the zeros of x + dx stay zero. Returns twice the gain. */
double spd_descent_face(spd_descent *a, const spdhg_problem *p);
#endif
