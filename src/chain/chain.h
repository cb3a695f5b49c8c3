/* chain.h - total variation on lines and trees, exactly, by dynamic programming.
 *
 *   minimise over x, low <= x_k <= high:   sum_k [ q_k/2 (x_k - m_k)^2 + g_k x_k + mu_k |x_k| ]  +  sum_k w_k |x_k - x_parent(k)|
 *
 * Nodes are numbered such that a node's parent comes before it. q_k >= 0. If all q of a tree are 0, all its g must be 0 as
 * well. */
#ifndef SPD_CHAIN_H
#define SPD_CHAIN_H
#include "problem/problem.h"

/* ---- forest.c: the forest that the terms of a problem form on its columns. */
typedef struct spd_forest {
    int64_t d;
    bool line;             /* every parent is the previous node: O(d); else O(d log d) */
    bool ordered;          /* only neighbouring columns are joined: a line, known before filling */
    bool sparse;           /* some mu is not 0 */
    int32_t *column;       /* of each node */
    int32_t *parent;       /* -1: a root */
    double *weight;        /* w: lambda |F_ek| of the row that joins node and parent; 0 at a root */
    signed char *flip;     /* the column's coefficient is flip x_k: the sign changes at a row of F that is a sum */
    double *entry;         /* F_ek, for x_k */
    int64_t *at;           /* index of that row in y */
    double *mu;            /* sum of lambda |F_ek| over the rows whose only entry is that of node k */
    int32_t *start, *near; /* scratch: d + 1 and 2 m entries */
    int64_t *edge;         /* scratch: 2 m */
    double *far;           /* scratch: 2 m */
} spd_forest;
/* NULL, or the reason why the terms are not supported. They must be l1 penalties of single coefficients and of differences or
 * sums of two coefficients that form no cycle. */
const char *spd_forest_refuses(const spdhg_problem *p);
void spd_forest_layout(spd_forest *f, const spdhg_problem *p, spd_arena *work);
void spd_forest_fill(spd_forest *f, const spdhg_problem *p); /* to be repeated when lambda has changed */
/* Output k of y from the forces t along the edges and s at the nodes (dual.c), which are overwritten. Rows of F with one entry
 * share the force on their column in proportion to lambda |F|. */
void spd_forest_write_dual(const spd_forest *f, const spdhg_problem *p, int64_t k, double *t, const double *s, double *y);

/* ---- merge.c: a forest of fewer nodes. On a line, columns that no row of A has move together, as far as their weights allow. */
typedef struct spd_merged {
    spd_forest forest; /* column: the first of a node's. No entry, at and scratch. d is at first that of the whole forest */
    int32_t *first;    /* d + 1: its first node in the whole forest */
    signed char *seen; /* for each column: a row of A has it */
} spd_merged;
void spd_merged_layout(spd_merged *m, const spd_forest *whole, spd_arena *work);
void spd_merged_fill(spd_merged *m, const spd_forest *whole, const spdhg_problem *p); /* after spd_forest_fill of `whole` */
/* Output k of x, of K: the coefficient of every node's first column is copied to its other columns. */
void spd_merged_spread(const spd_merged *m, const spd_forest *whole, int64_t K, int64_t k, double *x);
/* Forces t and s (dual.c) of the merged nodes become those of all nodes, in place. */
void spd_merged_spread_dual(const spd_merged *m, const spd_forest *whole, double *t, double *s);

/* ---- variation.c, knots.c: the dynamic program. Arrays are indexed by node. */
typedef struct spd_variation {
    const spd_forest *forest;
    double *low, *high;      /* x_k = x_parent clipped to low_k..high_k */
    double *at, *step;       /* knots of the derivative of a message: position and change of slope, 2 d + 2 */
    int32_t *child[2][2];    /* of two heaps of knots, in rising and falling order of position; trees only */
    int32_t *top[2], *count; /* of each node: the roots of its heaps, and their number of knots */
    double *end[2];          /* of each node: sum of its children's messages at -infinity and infinity */
    bool *gone;              /* of each knot: already removed from the other heap */
    double *shift, *below;   /* d each: scratch of spd_variation_prox */
} spd_variation;
/* The unary terms: q, m, g as above. */
typedef struct spd_unary {
    const double *q, *m, *g;
} spd_unary;
void spd_variation_layout(spd_variation *v, const spd_forest *f, spd_arena *work);
/* The solution for mu = 0 and no bounds. Equal neighbours are bitwise equal. */
void spd_variation_solve(spd_variation *v, const spd_unary *f, double *x);
/* The solution of the whole problem above. */
void spd_variation_prox(spd_variation *v, const spd_unary *f, double low, double high, double *x);
/* group[k]: the first node of the group that x_k moves with; -1: x_k is held at 0 by mu or at a bound. The derivative of x with
 * respect to m is the mean over each group, weighted by q, and 0 outside the groups. */
void spd_variation_groups(const spd_forest *f, const double *x, double low, double high, int32_t *group);

/* ---- dual.c: t_k = F_ek y_e for the row that joins node and parent (0 at roots), and s_k for the rows of node k alone, with
 *     v_k = q_k (x_k - m_k) + g_k + s_k + t_k - sum of the children's t
 *     v_k = 0, but v_k >= 0 where x_k = low and v_k <= 0 where x_k = high
 *     |t_k| <= w_k, with equality where x_k and x_parent(k) differ
 *     |s_k| <= mu_k, with equality where x_k is not 0
 * Rounding errors stay at the node where they arise. s is not written if all mu are 0 and there are no bounds. range: scratch,
 * 4 d. */
void spd_variation_dual(const spd_forest *f, const spd_unary *u, double low, double high, const double *x, double *t, double *s,
                        double *range);
#endif
