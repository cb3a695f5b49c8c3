/* base_system.h - that alpha can take up what the routes leave at their bases (base_system.c, base_rows.c, null_vectors.c). */
#ifndef SPD_BASE_SYSTEM_H
#define SPD_BASE_SYSTEM_H
#include "certify/routes.h"

typedef struct spd_base_system {
    const spdhg_problem *problem;
    const uint8_t *forced; /* rows whose alpha is 0, or NULL */
    const double *alpha;   /* of the point at hand, n x K */
    int64_t n;             /* unknowns: the bases, then the intercept */
    bool rowless;          /* of F alone: what alpha cannot change, the mean over the outputs of a coupled loss */
    int64_t most;          /* n may become: what the arrays are made for */
    double *G, *copy;      /* n x n; NULL: too many unknowns */
    double *unit, *scale;  /* of each unknown: a power of two, and 1/sqrt of G's diagonal in it */
    double *off;           /* what rounding may have done to its part of G */
    double *D, *share;     /* n: how far each alpha may go; its part of G */
    double top, least;     /* largest and smallest w_i D_i / W that is not 0 */
    double root;           /* sqrt(mu); 0: nothing is proven */
    bool *rest;            /* a term's rows that are not all routes' */
    double *lambda;        /* of the terms, when G was made */
    double *null;          /* nulls x n whole numbers: directions that every row has a 0 for */
    double *null_square;   /* their squared lengths */
    int64_t nulls, failures;
    bool passing; /* some of them only for the alpha at hand */
    bool measured, hopeless;
    spd_twofold *sum; /* one row: h_ib, */
    double *size;     /* the sizes added up in it, */
    int32_t *touched;
    double *vector, *line, *work;
    spd_stop *stop; /* asked on the way; what is stopped proves nothing */
} spd_base_system;
/* False: G could not be shown to be positive. room: of each alpha. cut: rows with less than this of the largest share are left. */
bool spd_base_prove(spd_base_system *s, const spd_routes *r, const double *room, double cut, int threads);
bool spd_base_holds(const spd_base_system *s, const double *room); /* what was proven last is enough here, too */
/* E with r'G^-1 r <= E^2 for every r of K columns no larger than residual (n x K). */
double spd_base_energy(const spd_base_system *s, int64_t K, const double *residual);
bool spd_base_in_null(const spd_base_system *s, int64_t b);
void spd_base_find_units(spd_base_system *s, const spd_routes *r);
bool spd_base_assemble(spd_base_system *s, const spd_routes *r, int threads); /* false: stopped */
int64_t spd_base_row(spd_base_system *s, const spd_routes *r, int64_t i);     /* fills sum, size, touched; returns how many */
void spd_base_clear(spd_base_system *s, int64_t count);
int64_t spd_base_find_nulls(spd_base_system *s, const spd_routes *r); /* how many are known then */
double spd_dual_nu(const spd_term *t); /* a small part of lambda: y moves little against its ball */
#endif
