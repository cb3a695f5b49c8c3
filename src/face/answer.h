/* answer.h - an answer that may still gain exact zeros or digits. Each improvement is offered to the answer's owner, who accepts
 * or rejects it. */
#ifndef SPD_ANSWER_H
#define SPD_ANSWER_H
#include "problem/problem.h"

typedef struct spd_answer {
    const spdhg_problem *p;
    int threads;
    const double *x, *c, *y; /* the current answer; replaced by an accepted proposal */
    double passes, factors;  /* passes over the data and factorisations so far; they limit what more digits may cost */
    spd_stop *stop;
    /* Evaluates (x, c) with the same y, replacing c by the best one for x; keeps it if it is no worse. */
    spdhg_status (*propose)(void *context, const double *x, double *c, bool *kept, spdhg_error *err);
    void (*keep_old)(void *context, double *c); /* no proposal was kept: evaluates the answer again; c: K doubles of scratch */
    void *context;
} spd_answer;

/* ---- exact_zeros.c: exact zeros of F x. */
spdhg_status spd_answer_exact_zeros(const spd_answer *a, spdhg_error *err);
/* ---- face.c: the last digits of x, by Newton's method among the x with the same zeros of F x. tol: the requested tolerance,
 * 0: none. */
spdhg_status spd_answer_last_digits(const spd_answer *a, double tol, spdhg_error *err);
/* ---- settled.c: zero[row of the stack]: whether F x is 0 there in output k, up to spd_zero_within. */
void spd_zero_rows(const spdhg_problem *p, const double *x, const double *Fx, int64_t k, bool *zero);
/* Whether the zeros of F x are those of the optimum: either proven, or not contradicted by y. c: the problem's own. slope:
 * phi' at (x, c), NULL: not known. */
spdhg_status spd_answer_settled(const spdhg_problem *p, int threads, const double *x, const double *c, const double *slope,
                                const double *y, bool *settled, spdhg_error *err);
#endif
