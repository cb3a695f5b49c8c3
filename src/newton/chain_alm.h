/* chain_alm.h - shared by chain_alm.c, the inner problem (chain_alm_point.c) and its Newton systems (chain_alm_system.c). */
#ifndef SPD_CHAIN_ALM_H
#define SPD_CHAIN_ALM_H
#include "chain/chain.h"
#include "face/tied_coordinates.h"
#include "newton/newton.h"

enum { SPD_CHAIN_DENSE_MOST = 2000 }; /* unknowns of a dense system */
/* Scalars of the state. BEST: the least f so far. IDLE: outer iterations since then. */
enum { SPD_CHAIN_SIGMA, SPD_CHAIN_BEST, SPD_CHAIN_IDLE, SPD_CHAIN_SCALARS };

/* The inner problem at scores z; chain_alm.c has the formulas. */
typedef struct spd_chain_point {
    double *z, *alpha, *curve; /* n x K: z, phi'(z), phi''(z) (coupled losses: z) */
    double *u, *score;         /* (u, c) of length (d + 1) K, at the first column of each node; its scores A u + c + o, n x K */
    double *R, *CR;            /* n x K: score - z, phi''(z) R */
    double psi, gap;           /* value of the dual of the inner problem; the inner problem's duality gap at u */
    double moved, f;           /* (1/2)||(u, c) - centre||^2 in the metric D/sigma; f at (u, c) */
} spd_chain_point;

typedef struct spd_chain_alm {
    const spdhg_problem *p;
    int threads;
    spd_stop *stop;
    spd_forest *whole;  /* prepared: all columns; */
    spd_merged *merged; /* and those that can differ, */
    spd_forest *forest; /* which are the nodes of everything below */
    spd_variation variation;
    int64_t most;                                /* largest dense system */
    double *x, *y, *z, *D, *scalar;              /* state: the centre (x_j, c_j); y; z; the metric, (d + 1) K; the scalars */
    spd_chain_point now, trial;                  /* work */
    double *g;                                   /* work: A'alpha/W and the intercepts' part, of the last point evaluated */
    double *q, *m, *zero, *node, *t, *s, *range; /* work, by nodes of one output; range: 4 d */
    int32_t *group;                              /* work, by nodes */
    spd_tied B;                                  /* work: the groups that move together, u = B t */
    double *Q;                                   /* work: for each group the sum of q */
    double *dz;                                  /* work, n x K: Newton's direction */
    double *step, *rhs, *solution, *diagonal;    /* work, (d + 1) K */
    double *wide, *cg;                           /* the same; cg: four times as long */
    double *M, *M_work;                          /* work: the dense system */
    double *term, *scratch;                      /* work */
} spd_chain_alm;

/* ---- chain_alm_point.c */
void spd_chain_point_layout(const spdhg_problem *p, spd_chain_point *at, spd_arena *work);
/* Computes everything else of a point from z. */
void spd_chain_point_evaluate(spd_chain_alm *a, spd_chain_point *at);
/* The groups that move together at the point evaluated last: B and Q. */
void spd_chain_point_groups(spd_chain_alm *a, const spd_chain_point *at);
/* y of the inner problem at the point evaluated last. */
void spd_chain_point_dual(spd_chain_alm *a, const spd_chain_point *at, double *y);

/* ---- chain_alm_system.c */
void spd_chain_system_layout(spd_chain_alm *a, spd_arena *work);
/* dz at a point with its groups. tolerance: of conjugate gradients. False: a matrix was not definite, or stopped.
 * passes: grows by the passes over the data that were made. */
bool spd_chain_system_solve(spd_chain_alm *a, const spd_chain_point *at, double tolerance, int64_t *passes);
#endif
