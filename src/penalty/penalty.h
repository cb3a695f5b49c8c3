/* penalty.h - norms r(z) = max { <y,z> : y in Y }: value, and projection onto lambda Y, on one block of rows of Fx.
 * A block has `rows` x K entries, row-major. Different blocks do not constrain each other's y. */
#ifndef SPD_PENALTY_H
#define SPD_PENALTY_H
#include "core/core.h"

typedef enum spd_block {
    SPD_BLOCK_ROW,   /* every row separately (its K outputs together) */
    SPD_BLOCK_GROUP, /* a group of rows; a single row for K > 1 without groups */
    SPD_BLOCK_WHOLE  /* all rows, or the groups if given */
} spd_block;

/* Which entries of Fx vanish together at a minimiser: where y is inside lambda Y, z is 0. */
typedef enum spd_zeros {
    SPD_ZEROS_NONE,   /* no part of a block */
    SPD_ZEROS_NUMBER, /* every entry separately */
    SPD_ZEROS_BLOCK   /* a block as a whole */
} spd_zeros;

/* At most one of sum_of_sizes, length, largest_size and singular_values is set; methods that depend on the form of r use these
 * flags. */
typedef struct spd_penalty {
    const char *name, *help;
    spd_block block;
    bool groups_ok;       /* accepts groups */
    bool sum_of_sizes;    /* r(z) = sum |z_i| */
    bool length;          /* r(z) = ||z||_2 */
    bool largest_size;    /* r(z) = max |z_i| */
    bool singular_values; /* r(z) = sum of the singular values of z, rows x K: the length of z if either is 1 */
    spd_zeros zeros;
    double (*value)(int64_t rows, int64_t K, const double *z, double *work);          /* r(z) */
    void (*project)(int64_t rows, int64_t K, double lambda, double *y, double *work); /* onto lambda Y, in place */
    /* out = DPi(v) dir, the (generalised) derivative of the projection onto lambda Y at v; NULL: not available.
     * out may be dir. */
    void (*slide)(int64_t rows, int64_t K, double lambda, const double *v, const double *dir, double *out, double *work);
    double (*polar)(int64_t rows, int64_t K, const double *y, double *work); /* smallest t with y in t Y */
    double (*radius)(int64_t rows, int64_t K);                               /* max ||y||_2 over Y */
    int64_t (*work)(int64_t rows, int64_t K);                                /* doubles of work that the functions need */
} spd_penalty;

extern const spd_penalty spd_penalty_l1, spd_penalty_group, spd_penalty_linf, spd_penalty_nuclear;

const spd_penalty *const *spd_penalty_table(int *entries);
spdhg_status spd_penalty_find(const char *name, const spd_penalty **out, spdhg_error *err);
/* simplex.c, shared with the sets: exact projections in expected O(n), also with ties and zeros; work has n entries. */
void spd_project_l1_ball(int64_t n, double radius, double *v, double *work); /* onto { ||v||_1 <= radius } */
void spd_project_simplex(int64_t n, double radius, double *v, double *work); /* onto { v >= 0, sum v = radius } */
#endif
