/* chain.h - total variation on lines and trees, exactly, by dynamic programming.
 *
 *   minimise over x, low <= x_k <= high:   sum_k [ q_k/2 (x_k - m_k)^2 + g_k x_k + mu_k |x_k| ]  +  sum_k w_k |x_k - x_parent(k)|
 *
 * Nodes are numbered such that a node's parent comes before it. q_k >= 0; where all q of a tree are 0, so have to be its g. */
#ifndef SPD_CHAIN_H
#define SPD_CHAIN_H
#include "problem/problem.h"

/* ---- forest.c: what the terms of a problem make of its columns. */
typedef struct spd_forest {
    int64_t d;
    bool line;             /* every parent is the node before: O(d); else O(d log d) */
    bool ordered;          /* only neighbouring columns are joined: a line, known before it is filled */
    bool sparse;           /* some mu is not 0 */
    int32_t *column;       /* of each node */
    int32_t *parent;       /* -1: a root */
    double *weight;        /* w: lambda |F_ek| of the row that joins node and parent; 0 at a root */
    signed char *flip;     /* the column's coefficient is flip x_k: -1 behind a row of F that is a sum */
    double *entry;         /* F_ek, for x_k */
    int64_t *at;           /* place in y of that row */
    double *mu;            /* sum of lambda |F_ek| over the rows whose one entry is k's */
    int32_t *start, *near; /* scratch: d + 1 and 2 m numbers */
    int64_t *edge;         /* scratch: 2 m */
    double *far;           /* scratch: 2 m */
} spd_forest;
/* NULL, or why the terms are not this: l1 of differences or sums of two coefficients that form no circle, and of single coefficients. */
const char *spd_forest_refuses(const spdhg_problem *p);
void spd_forest_layout(spd_forest *f, const spdhg_problem *p, spd_arena *work);
void spd_forest_fill(spd_forest *f, const spdhg_problem *p); /* also after lambda has changed */

/* ---- variation.c, knots.c: the dynamic programme. All arrays by nodes. */
typedef struct spd_variation {
    const spd_forest *forest;
    double *low, *high;      /* where x_k stays whatever its parent does */
    double *at, *step;       /* knots of the derivative of a message: position and change of slope, 2 d + 2 */
    int32_t *child[2][2];    /* of two heaps of knots, by their position and against it; trees only */
    int32_t *top[2], *count; /* of each node: the heaps' roots, knots in them */
    double *end[2];          /* of each node: value of its children's messages at -infinity and infinity */
    bool *gone;              /* of each knot: taken from the other heap */
    double *shift, *below;   /* d each: of spd_variation_prox */
} spd_variation;
/* The unary parts: q, m, g as above. */
typedef struct spd_unary {
    const double *q, *m, *g;
} spd_unary;
void spd_variation_layout(spd_variation *v, const spd_forest *f, spd_arena *work);
/* x for mu = 0 and no bounds. Equal neighbours are equal to the bit. */
void spd_variation_solve(spd_variation *v, const spd_unary *f, double *x);
/* x of the whole problem above. */
void spd_variation_prox(spd_variation *v, const spd_unary *f, double low, double high, double *x);
/* group[k]: the first node of those that x_k moves with; -1: x_k is held at 0 by mu or at a bound. The derivative of x by m is the
 * mean, weighted by q, over each group, and 0 outside of groups. */
void spd_variation_groups(const spd_forest *f, const double *x, double low, double high, int32_t *group);

/* ---- dual.c: t_k = F_ek y_e of the row that joins node and parent (0 at roots), s_k that of the rows of node k alone, such that
 *     q_k (x_k - m_k) + g_k + s_k + t_k - sum of the children's t  = 0,  >= 0 where x_k = low, <= 0 where x_k = high,
 * up to rounding, which stays where it arises: |t_k| <= w_k, |s_k| <= mu_k, with equality where x differs, or is not 0. s is not
 * written where all mu are 0 and there are no bounds. range: scratch, 4 d. */
void spd_variation_dual(const spd_forest *f, const spd_unary *u, double low, double high, const double *x, double *t, double *s,
                        double *range);
#endif
