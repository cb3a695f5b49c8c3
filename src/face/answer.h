/* answer.h - an answer that may still gain exact zeros or digits. What is found is offered to whoever has it: he judges it. */
#ifndef SPD_ANSWER_H
#define SPD_ANSWER_H
#include "problem/problem.h"

typedef struct spd_answer {
    const spdhg_problem *p;
    int threads;
    const double *x, *c, *y; /* as it is; an offer that is kept takes its place */
    double passes, factors;  /* over the data, and of dense Hessians, that it has cost: what more digits may cost follows */
    spd_stop *stop;
    /* Evaluates (x, c) with the same y, c becoming the best for x; keeps it if it is no worse. */
    spdhg_status (*offer)(void *context, const double *x, double *c, bool *kept, spdhg_error *err);
    void (*keep_old)(void *context, double *c); /* none was kept: evaluates the answer again; c: K numbers of scratch */
    void *context;
} spd_answer;

/* ---- exact_zeros.c: exact zeros of F x. */
spdhg_status spd_answer_exact_zeros(const spd_answer *a, spdhg_error *err);
/* ---- face.c: the last digits of x, by Newton's method among the x with the same zeros of F x. tol: what was asked for, 0:
 * nothing. */
spdhg_status spd_answer_last_digits(const spd_answer *a, double tol, spdhg_error *err);
/* ---- settled.c: zero[row of the stack]: F x is 0 there in output k, in PROBLEM's sense. */
void spd_zero_rows(const spdhg_problem *p, const double *x, const double *Fx, int64_t k, bool *zero);
/* Whether the zeros of F x are those of the optimum: known to be so, or no sign of the contrary in y. c: the problem's own. */
spdhg_status spd_answer_settled(const spdhg_problem *p, int threads, const double *x, const double *c, const double *y,
                                bool *settled, spdhg_error *err);
#endif
