/* tree_flow.h - the y along closed rows of F that balances a residual, exactly where these rows form trees. */
#ifndef SPD_TREE_FLOW_H
#define SPD_TREE_FLOW_H
#include "face/tied_coordinates.h"

/* Scratch, one entry for each coordinate of x. */
typedef struct spd_tree_flow {
    int32_t *rows; /* number of unprocessed closed rows */
    int32_t *leaf; /* coordinates with a single such row, in the order in which they became leaves */
    int64_t *row;  /* exclusive or of the rows' indices in y: for a leaf, the index of its only row */
    double *sum;   /* one for each unknown t */
} spd_tree_flow;

void spd_tree_flow_layout(spd_tree_flow *f, const spdhg_problem *p, spd_arena *work);
/* Adds dy to y along closed rows (where open is 0) and subtracts F'dy from r (dK entries). B: the ties made by the same closed
 * rows. On trees r becomes its projection onto F x = 0, up to rounding. Returns the number of closed rows that are not part of a
 * tree and were left unchanged: rows on cycles, or without exactly two entries. */
int64_t spd_tree_flow_balance(const spd_tree_flow *f, const spdhg_problem *p, const spd_tied *B, const double *open, double *r,
                              double *y);
#endif
