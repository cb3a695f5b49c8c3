/* descent.h - the quadratic model of proximal Newton by block coordinate descent, F = identity: only columns are touched. */
#ifndef SPD_DESCENT_H
#define SPD_DESCENT_H
#include "newton/newton.h"

/* One block is a column: its K coefficients. The intercepts are a column of ones behind the others. */
typedef struct spd_descent {
    spd_newton *b;
    int64_t *ptr; /* work: A by columns, d + 1 */
    int32_t *row;
    double *val;
    double *share; /* work: n: w_i/W */
    double *C;     /* work: n x K: phi'' (coupled losses: probabilities) */
    double *along; /* work: n x K: A dx */
    double *push;  /* work: n x K: (w_i/W) C_i (A dx)_i, so that the model's slope is g + A'push + ridge dx */
    double *h;     /* work: d x K and the intercepts': bound of the model's curvature in a block, one number for each output */
    double *ridge; /* work: d + 1: gamma and the damping, damp times the largest curvature the column can have */
    double *dx;    /* work: d x K and the intercepts' */
    double *slope; /* work: K numbers, three times */
    int32_t *set;  /* work: columns that may move, ascending */
    int64_t size;
    int64_t *place;       /* work: of a face's unknowns */
    double *dense;        /* work: the factor of a face's matrix */
    double *face;         /* work: eight times d x K and the intercepts': descent_face.c */
    double *ray, *thrust; /* work: n x K each: A e along a direction e, and (w_i/W) C_i of it */
    double touched;       /* entries of A, read or written, since the model was made */
} spd_descent;

void spd_descent_layout(spd_run *run, spd_descent *a, spd_newton *b);
/* Chooses the columns: those that are not zero and, of the others, those that the gradient pulls at by most; then C, h, dx = 0.
 */
void spd_descent_model(spd_descent *a, const spdhg_problem *p, double damp);
/* Minimises g'dx + dx'H dx/2 + lambda r(x + dx) over the columns chosen, until a sweep gains no more than `rest` of all. */
void spd_descent_solve(spd_descent *a, const spdhg_problem *p, double rest);

static inline bool spd_descent_l1(const spdhg_problem *p) { return p->term[0].penalty->sum_of_sizes; }
static inline double spd_descent_lambda(const spdhg_problem *p, int64_t j) { return j < p->d ? p->term[0].lambda : 0; }

/* Column j of A; the intercept's is of ones: row and val NULL. */
typedef struct spd_column {
    int64_t count;
    const int32_t *row;
    const double *val;
} spd_column;
spd_column spd_descent_column(const spd_descent *a, const spdhg_problem *p, int64_t j);

/* ---- descent_face.c */
int64_t spd_descent_dense(const spdhg_problem *p); /* unknowns up to which a face's matrix is written out */
/* Newton's step of the model on its face, where the zeros of x + dx stay: twice what it gains. */
double spd_descent_face(spd_descent *a, const spdhg_problem *p);
#endif
