/* signal_newton.h - Newton's method for signals: each row of A has one entry, X is separable. How a model is minimised depends on
 * the graph that F makes of the columns: chain_newton.c, cut_newton.c. */
#ifndef SPD_SIGNAL_NEWTON_H
#define SPD_SIGNAL_NEWTON_H
#include "chain/chain.h"
#include "newton/newton.h"

typedef struct spd_signal_newton spd_signal_newton;

/* Minimises the models of one output after the other. Arrays are indexed by node. */
typedef struct spd_signal_way {
    /* Before the models of output k, or NULL. y: the dual point so far. */
    void (*begin)(spd_signal_newton *self, const spdhg_problem *p, int64_t k, const double *y);
    /* u of a model; stops early if asked to. */
    void (*minimise)(spd_signal_newton *self, const spd_unary *f, double low, double high, double *u, spd_stop *stop);
    /* group[k]: the first node of the group that u_k moves with; -1: none (chain.h). */
    void (*groups)(spd_signal_newton *self, double low, double high, const double *u, int32_t *group);
    /* Writes y of output k for the model that was minimised last. */
    void (*dual)(spd_signal_newton *self, const spdhg_problem *p, int64_t k, const spd_unary *f, double low, double high,
                 const double *u, double *y);
} spd_signal_way;

/* The first member of each solver's own structure. */
struct spd_signal_newton {
    spd_newton base;
    const spd_signal_way *way;
    const int32_t *column;   /* of each node; NULL: the same number */
    const signed char *flip; /* the column's coefficient is flip u; NULL: 1 */
    double *damp;            /* state */
    double *curve, *q, *m;   /* work: d x K with the intercepts; the others by nodes of one output */
    double *g, *u;           /* work: by nodes */
    double *B, *dx;          /* work: d x K with the intercepts */
    double *Fu;              /* work */
    double *bound;           /* work: d + 1: largest curvature of a column */
    int32_t *group;          /* work: by nodes */
    double *sum_B, *sum_q;   /* work: by groups */
};
/* NULL, or the reason why losses, sets or rows of A do not fit. */
const char *spd_signal_newton_refuses(const spdhg_problem *p);
void spd_signal_newton_layout(spd_run *run, spd_signal_newton *self, const spd_signal_way *way);
void spd_signal_newton_start(spd_run *run, const double *x0, const double *c0, const double *y0);
spd_step spd_signal_newton_step(spd_run *run, int64_t k, const spd_batch *batch);
#endif
