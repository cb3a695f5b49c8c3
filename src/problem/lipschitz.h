/* lipschitz.h - the constant L of Assumption 1 with the ridge, from above: a number, or the word for a rule. */
#ifndef SPD_LIPSCHITZ_H
#define SPD_LIPSCHITZ_H
#include "problem/problem.h"

/* f_i = p_i/q_i of a row of that length under norm sampling (sample.c): q_i = p_i (1 + ||a_i||/m)/2, m the mean length. */
static inline double spd_problem_norm_factor(const spdhg_problem *p, double length) {
    return length > 0 ? 2 * p->row_norm_mean / (p->row_norm_mean + length) : 2;
}
/* ||a_i||, with a last entry 1 for the intercept. */
static inline double spd_problem_row_norm(const spdhg_problem *p, int64_t i) {
    spd_row row;
    spd_problem_row(p, i, &row);
    return sqrt(spd_dot(row.nnz, row.val, row.val) + p->intercept);
}
/* sample.c: f_i of all rows, 1 for iid; a_i has a last entry 1 for the intercept. */
void spd_problem_factors(const spdhg_problem *p, spdhg_sampling sampling, double *f);
/* kappa max_i f_i (||a_i||^2 [+1]): bounds the curvature of every drawn row; f_i: the factor of its draw, 1 for iid. */
double spd_problem_row_curvature(const spdhg_problem *p, spdhg_sampling sampling);
double spd_problem_lipschitz(const spdhg_problem *p, spdhg_sampling sampling); /* the same + gamma */

/* As the value of a parameter L, a word is its number here. */
typedef enum spd_smoothness {
    SPD_L_NUMBER = 0,
    SPD_L_EXPECTED = -1,
    SPD_L_MAX = -2,
    SPD_L_MEAN = -3,
    SPD_L_BY_RIDGE = -4
} spd_smoothness;
const char *spd_smoothness_word(double code);            /* NULL: a number, not a word */
spd_smoothness spd_smoothness_find(const char *name);    /* SPD_L_NUMBER: no such word */
bool spd_problem_bounded_slopes(const spdhg_problem *p); /* sup |phi'| is finite: so is the noise of a gradient, for every x */
/* `usual` where the slopes are bounded, else MAX. BY_RIDGE, for steps that shrink as 1/(gamma t) if gamma > 0: MEAN then, else
 * EXPECTED. */
spd_smoothness spd_problem_smoothness_by_rule(const spdhg_problem *p, spd_smoothness usual);
/* work: spd_problem_smoothness_work doubles; only EXPECTED needs it. */
double spd_problem_smoothness(const spdhg_problem *p, spd_smoothness which, spdhg_sampling sampling, double *work);
int64_t spd_problem_smoothness_work(const spdhg_problem *p);
#endif
