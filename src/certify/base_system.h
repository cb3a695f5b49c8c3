/* base_system.h - proves that alpha can absorb what the routes leave at their bases (base_system.c, base_rows.c,
 * null_vectors.c). */
#ifndef SPD_BASE_SYSTEM_H
#define SPD_BASE_SYSTEM_H
#include "certify/routes.h"

typedef struct spd_base_system {
    const spdhg_problem *problem;
    const uint8_t *forced; /* rows whose alpha is 0, or NULL */
    const double *alpha;   /* of the current dual point, n x K */
    int64_t blocks;        /* the bases, then the intercept */
    int64_t outputs;       /* 1: the outputs have the same G; K: a coupled loss, whose rows may each move some outputs only */
    int64_t n;             /* unknowns: blocks x outputs */
    bool rowless;          /* made of F alone: for the mean over the outputs of a coupled loss, which alpha cannot change */
    int64_t most;          /* largest n that the arrays have room for */
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
/* False: G could not be shown to be positive definite. room: of each alpha. cut: rows whose share is below this fraction of the
 * largest one are left out. */
bool spd_base_prove(spd_base_system *s, const spd_routes *r, const double *room, double cut, int threads);
bool spd_base_holds(const spd_base_system *s, const double *room); /* the last proof also holds for this room */
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
