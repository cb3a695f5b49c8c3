/* tree_flow.h - the y along closed rows of F that balances a residual, exactly where these rows form trees. */
#ifndef SPD_TREE_FLOW_H
#define SPD_TREE_FLOW_H
#include "face/tied_coordinates.h"

/* Scratch, one entry for each coordinate of x. */
typedef struct spd_tree_flow {
    int32_t *rows; /* closed rows that still wait */
    int32_t *leaf; /* coordinates with a single one, in the order in which they became so */
    int64_t *row;  /* exclusive or of their places in y: of a leaf, the place of its only row */
    double *sum;   /* of each unknown t */
} spd_tree_flow;

void spd_tree_flow_layout(spd_tree_flow *f, const spdhg_problem *p, spd_arena *work);
/* y grows by dy along closed rows (open is 0 there) and r becomes r - F'dy; r: the coordinates' dK numbers. B: the ties that the
 * same closed rows make. On trees r becomes its projection onto F x = 0, to rounding. Returns how many closed rows are not part
 * of a tree and were left alone: rows on cycles or with other than two entries. */
int64_t spd_tree_flow_balance(const spd_tree_flow *f, const spdhg_problem *p, const spd_tied *B, const double *open, double *r,
                              double *y);
#endif
