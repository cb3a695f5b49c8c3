/* star_system.h - solves ( diag(D) + rho N'N ) x = b by elimination, for N like a star or a few stars. */
#ifndef SPD_STAR_SYSTEM_H
#define SPD_STAR_SYSTEM_H
#include "la/la.h"

enum { SPD_CORNER_MOST = 64 }; /* shared columns, and heavy rows */
typedef struct spd_star_system {
    int64_t n, paired, own;  /* columns; in this order, the first are in one light row, the next in none, ... */
    int64_t shared, heavies; /* ... the last in several; number of heavy rows */
    double rho;
    /* constant */
    spd_csr light, U; /* the rows with few entries; the heavy rows, by columns */
    int32_t *column;  /* column of N */
    int32_t *row;     /* the light row of a paired column ... */
    double *p;        /* ... and its entry there */
    /* work */
    double *inverse, *y, *sum, *w;
    double *K, *zeta, *t;                /* the corner, its right-hand side and solution */
    int32_t *position, *source, *placed; /* for the start */
} spd_star_system;
void spd_star_system_layout(spd_star_system *a, spd_arena *state, spd_arena *work, int64_t rows, int64_t columns,
                            int64_t entries);
bool spd_star_system_start(spd_star_system *a, const spd_csr *N, double rho); /* false: N is not like a star */
/* False if rounding makes a pivot vanish or change its sign. */
bool spd_star_system_solve(spd_star_system *a, const double *D, const double *b, double *x);
#endif
