/* base_system.h - proves that alpha can absorb what the routes leave at their bases (base_system.c, base_rows.c,
 * null_vectors.c). */
#ifndef SPD_BASE_SYSTEM_H
#define SPD_BASE_SYSTEM_H
#include "problem/problem.h"

/* ---- routes.c: routes along rows of F by which the residual of v reaches a row that can absorb it. */
enum { SPD_GROUNDED = -1, SPD_UNREACHED = -2, SPD_BY_INTERCEPT = -3 };
typedef struct spd_routes {
    int64_t bases;     /* components of columns whose residual no row absorbs, so that alpha has to */
    bool joined;       /* some base stands for several columns */
    int32_t *order;    /* columns, each after the one it sends to */
    int32_t *to;       /* the column j sends to; -1: none */
    int64_t *at;       /* first entry of y for the row it sends along; -1: j is the root of a base */
    double *size;      /* |F_ej| of that row */
    int32_t *base;     /* index of its base, the intercept last; SPD_GROUNDED: a row with one entry absorbs everything */
    int64_t *row;      /* the row of A that absorbs what arrives at j (anchors.c); -1: none; NULL: no row of A does */
    signed char *sign; /* of j in the direction of its base, along which F x = 0 */
} spd_routes;
bool spd_routes_is_link(const spd_csr_row *row); /* two entries of equal size */
/* anchor: for each column a row of A with one entry, -1: none; NULL: no rows of A are used. weight: w_i a_ij / W of each. */
bool spd_routes_new(spd_routes *r, const spdhg_problem *p, const int64_t *anchor, const double *weight);
bool spd_routes_end_at_once(const spd_routes *r, int64_t d); /* at rows of F with one entry, all of one size */
void spd_routes_absorb(const spd_routes *r, const spdhg_problem *p, const double *v, double *y); /* y_e += v_j/F_ej there */
bool spd_routes_none(spd_routes *r, const spdhg_problem *p); /* every column is a base: only alpha absorbs */
/* Sends excess (d x K), known up to an error of doubt, along the routes and adds it up on the way.
 * dy (m x K, 0 before) receives the most that each row carries. */
void spd_routes_carry(const spd_routes *r, int64_t d, int64_t K, double *excess, double *doubt, double *dy);
void spd_routes_free(spd_routes *r);

/* ---- base_system.c, base_rows.c, null_vectors.c, uniform_nulls.c */

typedef struct spd_base_system {
    const spdhg_problem *problem;
    const uint8_t *forced; /* rows whose alpha is 0, or NULL */
    const double *alpha;   /* of the current dual point, n x K */
    int64_t blocks;        /* the bases, then the intercept */
    int64_t outputs;       /* 1: the outputs have the same G; K: a coupled loss, whose rows may each move some outputs only */
    int64_t n;             /* unknowns: blocks x outputs */
    bool rowless;          /* made of F alone: for the mean over the outputs of a coupled loss, which alpha cannot change */
    int64_t most;          /* largest n the arrays can hold */
    double *G, *copy;      /* n x n; NULL: too many unknowns */
    double *unit, *scale;  /* of each unknown: a power of two, and 1/sqrt of G's diagonal in that unit */
    double *off;           /* bound on the rounding error in its part of G */
    double *D, *share;     /* one per row: how far its alpha may move; its weight in G */
    double top, least;     /* largest and smallest w_i D_i / W that is not 0 */
    double root;           /* sqrt(mu); 0: nothing is proven */
    bool *rest;            /* of each term: some of its rows are not part of a route */
    double *lambda;        /* of the terms, when G was assembled */
    double *null;          /* nulls x n integers: directions whose product with every row is 0 */
    double *null_square;   /* their squared lengths */
    int64_t nulls, failures;
    bool passing; /* some null directions hold only for the current alpha */
    bool inexact; /* the null directions are those of uniform_nulls.c, rounded */
    bool measured, hopeless;
    bool plain; /* every column is its own base, of one output: G is the matrix of a Newton step */
    double *vector, *line;
    double *work;   /* spd_base_work numbers; plain: at least spd_problem_normal_work */
    spd_stop *stop; /* asked in loops; a stopped computation proves nothing */
} spd_base_system;
/* False: G could not be shown to be positive definite. slack: of each alpha. cut: rows whose share is below this fraction of the
 * largest one are left out. */
bool spd_base_prove(spd_base_system *s, const spd_routes *r, const double *slack, double cut, int threads);
bool spd_base_holds(const spd_base_system *s, const double *slack); /* the last proof also holds for this slack */
/* E with r'G^-1 r <= E^2 for every r of K columns no larger than residual (n x K). */
double spd_base_energy(const spd_base_system *s, int64_t K, const double *residual);
bool spd_base_in_null(const spd_base_system *s, int64_t b);
int64_t spd_base_work(const spd_base_system *s, int threads);
void spd_base_find_units(spd_base_system *s, const spd_routes *r, int threads);
bool spd_base_assemble(spd_base_system *s, const spd_routes *r, int threads); /* false: stopped */
/* Whether output k of row i of a coupled loss has a probability above 0, so that its alpha may move. */
bool spd_base_is_open(const spd_base_system *s, int64_t i, int64_t k);
int64_t spd_base_find_nulls(spd_base_system *s, const spd_routes *r); /* returns how many are known */
/* ---- uniform_nulls.c: the null directions of a coupled loss that are equal in all outputs, rounded. False: none, or not all. */
bool spd_base_find_uniform(spd_base_system *s, const spd_routes *r);
double spd_base_tilt(const spd_base_system *s, double lost); /* how much G sees of them: an upper bound of |G Q| */
double spd_dual_nu(const spd_term *t); /* a small part of lambda, so that y moves little compared with its ball */
#endif
