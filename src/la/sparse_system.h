/* sparse_system.h - symmetric systems M x = b with M = diag(d) + G'diag(w)G, G sparse. The pattern is fixed; d, w and the values
 * of G change. The unknowns are ordered once (AMD: Amestoy, Davis and Duff 1996); M is factored LDL' repeatedly (LDL: Davis
 * 2005).
 *
 * A long row of G would fill M. It is kept out of M and gets an unknown of its own:
 *
 *     ( diag(d) + S'diag(w)S    B' ) (x)   (b)      S: the short rows,   B: sqrt|w_r| g_r of every long one,
 *     ( B                       -E ) (t) = (0)      E = diag(sign w_r)
 *
 * Eliminating t gives M x = b. */
#ifndef SPD_SPARSE_SYSTEM_H
#define SPD_SPARSE_SYSTEM_H
#include "la/la.h"

/* G and the order of elimination; computed once. */
typedef struct spd_sparse_pattern {
    int64_t n, rows;
    int64_t *ptr; /* rows + 1: G by rows, each column at most once per row */
    int32_t *idx;
    int32_t *node; /* rows: the unknown of a long row, n or more; -1: a short row. Set by spd_sparse_analyse */
    /* nodes: n plus the number of long rows; node q is eliminated as place[q]-th. Then the upper triangle in that order, by
     * columns with the diagonal first, and where row r adds to it: the product (a, b <= a) of a short row at
     * slot_ptr[r] + a (a + 1)/2 + b, entry a of a long row at slot_ptr[r] + a. */
    int32_t nodes, *place, *column, *above;
    int64_t *slot_ptr;
    int32_t *slot;
    int32_t *factor_column, *parent; /* of L */
    bool band;                       /* no row is long, and every column is full from its first entry to the diagonal */
    int64_t fill;                    /* entries of L below the diagonal */
    double work;                     /* multiplications of a factorisation */
} spd_sparse_pattern;

/* Allocates G, which the caller fills. */
spdhg_status spd_sparse_pattern_new(spd_sparse_pattern *s, int64_t n, int64_t rows, int64_t entries, spdhg_error *err);
/* Rows with more than `most` entries are long. Also fails with SPDHG_MEMORY if M or L would have more than 2^31 entries, or if
 * stop says so before the order is found. */
spdhg_status spd_sparse_analyse(spd_sparse_pattern *s, int64_t most, spd_stop *stop, spdhg_error *err);
/* ---- sparse_aside.c: keeps the results of an analysis with this `most`, so that another may be tried. */
void spd_sparse_set_aside(spd_sparse_pattern *s, spd_sparse_pattern *results);
void spd_sparse_take_back(spd_sparse_pattern *s, spd_sparse_pattern *results, int64_t most);
void spd_sparse_forget(spd_sparse_pattern *s);                    /* frees the results */
bool spd_sparse_number_rows(spd_sparse_pattern *s, int64_t most); /* the first part of an analysis; false: too many */
/* ---- sparse_order.c: the upper triangle by columns, without the diagonal. LEFT: stop said so. */
typedef enum spd_ordered { SPD_ORDERED, SPD_ORDER_FAILED, SPD_ORDER_LEFT } spd_ordered;
spd_ordered spd_sparse_order(int32_t nodes, const int32_t *first, const int32_t *other, int32_t *order, spd_stop *stop);
void spd_sparse_pattern_free(spd_sparse_pattern *s);

/* The numerical values; all arrays come from the caller's arena. */
typedef struct spd_sparse_system {
    const spd_sparse_pattern *pattern;
    double *diagonal, *weight, *value; /* n, rows, entries of G: filled by the caller */
    double *shift;                     /* n, filled by the caller: added to the diagonal of the factored matrix, relative to it */
    double *M, *L, *D, *Y, *x, *whole; /* upper triangle, factor; scratch: nodes each; whole: diagonal of M, long rows included */
    spd_twofold *fine, *fine_x;        /* fine_system.c: factor by columns, solution; of a band only */
    double *single;                    /* n: the diagonal with the rows of one entry, set by spd_sparse_factor */
    double *cg;                        /* 4 n */
    int32_t *row, *count, *list, *flag;
} spd_sparse_system;

void spd_sparse_layout(spd_sparse_system *s, const spd_sparse_pattern *pattern, spd_arena *work);
/* `times` multiplies shift. False: not positive definite, as far as the pivots tell, or stopped. */
bool spd_sparse_factor(spd_sparse_system *s, double times, spd_stop *stop);
bool spd_sparse_numbers(spd_sparse_system *s,
                        spd_stop *stop); /* sparse_factor.c: L and D of M; false: a pivot is 0, or stopped */
void spd_sparse_apply(const spd_sparse_system *s, const double *x, double *out); /* out = M x, for the M factored last */
/* Solves M x = b by conjugate gradients preconditioned with the factor: at most `most` iterations, until
 * |b - M x| <= tolerance |b|. Returns the number of iterations. */
int spd_sparse_solve(spd_sparse_system *s, const double *b, double *x, double tolerance, int most, spd_stop *stop);

/* ---- fine_system.c: the same with twice the digits, if the pattern is a band. No shift. */
enum { SPD_FINE_LOOKS = 4096 };                              /* columns between questions whether to stop */
void spd_fine_layout(spd_sparse_system *s, spd_arena *work); /* called by spd_sparse_layout */
bool spd_fine_factor(spd_sparse_system *s, spd_stop *stop);  /* false: not positive definite, or stopped */
void spd_fine_solve(spd_sparse_system *s, const double *b, double *x);
double spd_fine_row(const spd_sparse_system *s, int64_t r); /* g_r'x of the x solved last, all its digits used */
#endif
