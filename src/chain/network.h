/* network.h - total variation on any graph, exactly, by maximum flows.
 *
 *   minimise over x, low <= x_k <= high:   sum_k [ q_k/2 (x_k - m_k)^2 + g_k x_k + mu_k |x_k| ]  +  sum_e w_e |x_i - x_j|
 *
 * The flow along the edges is the dual point. Nodes are the columns. */
#ifndef SPD_NETWORK_H
#define SPD_NETWORK_H
#include "chain/chain.h"

/* ---- network.c: the graph that the terms of a problem form on its columns, and the flow on it. */
typedef struct spd_network {
    int64_t d, rows;    /* rows: those of F that join two columns */
    bool sparse;        /* some mu is not 0 */
    double *mu;         /* sum of lambda |F_ek| over the rows whose only entry is that of column k */
    int32_t *start;     /* d + 1: the arcs of each node */
    int32_t *to, *back; /* of each arc: the node at its other end; the arc in the other direction */
    double *residual;   /* of each arc: how much more flow it can take; w less what flows */
    int32_t *arc;       /* of each row that joins: its arc from the column of its first entry */
} spd_network;
/* NULL, or the reason why the terms are not supported. They must be l1 penalties of single coefficients and of differences of two
 * coefficients. */
const char *spd_network_refuses(const spdhg_problem *p);
void spd_network_layout(spd_network *n, const spdhg_problem *p, spd_arena *work);
void spd_network_fill(spd_network *n, const spdhg_problem *p); /* to be repeated when lambda has changed */
/* The flow of output k is that of y, as far as the rows allow it. */
void spd_network_begin(spd_network *n, const spdhg_problem *p, int64_t k, const double *y);
/* y of output k from the flow; the rows of one column k take s_k, in proportion to lambda |F|. */
void spd_network_dual(const spd_network *n, const spdhg_problem *p, int64_t k, const double *s, double *y);

/* ---- maximum_flow.c: a maximum flow among some of the nodes. */
typedef struct spd_flow {
    spd_network *network;
    double *excess;   /* of each node; negative: it can take that much. Stays where it cannot flow to such a node */
    int32_t *height;  /* arcs from a node that can take flow; SPD_CUT_OFF: none can be reached; SPD_OUTSIDE: not among them */
    int32_t *current; /* of each node: its first arc that may take flow */
    int32_t *bucket, *behind; /* lists of nodes with excess, by height */
    int32_t *queue;
} spd_flow;
enum { SPD_CUT_OFF = 0x3fffffff, SPD_OUTSIDE = 0x3fffffff + 1 };
void spd_flow_layout(spd_flow *f, spd_network *n, spd_arena *work);
/* Afterwards the nodes that are SPD_CUT_OFF hold all excess that is left, and all arcs from them to the others are full. All
 * nodes outside must have the height SPD_OUTSIDE. False: interrupted. */
bool spd_flow_push(spd_flow *f, int64_t nodes, const int32_t *node, spd_stop *stop);

/* ---- balance.c: a y in its ball, near the given one, with F'(y - the given one) = r as far as any has. One block of memory. */
typedef struct spd_balance {
    spd_arena arena;
    spd_network network;
    spd_flow flow;
    int32_t *node; /* all of them */
    double *none;  /* d zeros */
} spd_balance;
bool spd_balance_new(spd_balance *b, const spdhg_problem *p); /* false: the terms form no network, or out of memory */
void spd_balance_free(spd_balance *b);
/* False: interrupted, or coefficients have rows of their own, which could take r as well. */
bool spd_balance_move(spd_balance *b, const spdhg_problem *p, const double *r, double *y, spd_stop *stop);

/* ---- cuts.c: the levels of x, by dividing the nodes. */
typedef struct spd_cuts {
    spd_flow flow;
    int32_t *order, *spare; /* the nodes, those of a part side by side */
    int32_t *first, *last;  /* stack of the parts that are not yet done */
    double *level;          /* of each of these parts */
    int32_t *group;         /* of each node: one node of the flat part that it belongs to, -1: held at 0 by mu */
} spd_cuts;
void spd_cuts_layout(spd_cuts *c, spd_network *n, spd_arena *work);
/* Minimises from the flow that the network has. Nodes of a flat part are bitwise equal. False: interrupted. */
bool spd_cuts_solve(spd_cuts *c, const spd_unary *f, double low, double high, double *x, spd_stop *stop);
/* s_k, the force of the rows of node k alone at x, with
 *     v_k = q_k (x_k - m_k) + g_k + s_k + (what flows from k)
 *     v_k = 0, but v_k >= 0 where x_k = low and v_k <= 0 where x_k = high */
void spd_cuts_single(const spd_cuts *c, const spd_unary *f, const double *x, double *s);
#endif
