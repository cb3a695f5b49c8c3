/* slack_flow.h - a y along rows of a graph that balances a residual and stays within the balls where there is room. */
#ifndef SPD_SLACK_FLOW_H
#define SPD_SLACK_FLOW_H
#include "face/tree_flow.h"

/* One block of memory. */
typedef struct spd_slack_flow {
    spd_arena arena;
    spd_tied B;
    spd_tree_flow flow;
    double *open;   /* m x K: 0 for rows of the forest */
    double *slack;  /* m x K: lambda - |y| of rows that join two coordinates; 0 for the others */
    int64_t *order; /* their indices in y, the largest slack first; count of them */
    int64_t count;
} spd_slack_flow;
bool spd_slack_flow_new(spd_slack_flow *f, const spdhg_problem *p); /* false: out of memory */
void spd_slack_flow_free(spd_slack_flow *f);
/* Adds to y, along a spanning forest of the rows with most slack, what balances r as far as such rows can; y may leave its ball.
 * r becomes what is left. */
void spd_slack_flow_balance(spd_slack_flow *f, const spdhg_problem *p, double *r, double *y);
#endif
