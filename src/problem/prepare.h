/* prepare.h - the steps of spd_problem_freeze, in their order. Only problem.c and subset.c call them. */
#ifndef SPD_PREPARE_H
#define SPD_PREPARE_H
#include "problem/problem.h"

spdhg_status spd_prepare_weights(spdhg_problem *p, spdhg_error *err); /* row weights times class weights; W */
/* Centres columns that are far from 0; with --standardize divides all columns by their deviation. base: the base of a subset.
 * A subset uses the centre of its base, so that c means the same, and also its values unless they are scaled. */
spdhg_status spd_prepare_values(spdhg_problem *p, const spdhg_problem *base, spdhg_error *err);
spdhg_status spd_prepare_centre(spdhg_problem *p, spdhg_error *err); /* which columns, and their centres */
void spd_centre_values(const spdhg_problem *p, double *val);         /* val: as stored in the data, becomes a_ij - s_j */
spdhg_status spd_measure_rows(spdhg_problem *p, spdhg_error *err);   /* measure.c: nonzeros, norms of rows */
spdhg_status spd_prepare_terms(spdhg_problem *p, spdhg_error *err);  /* blocks of the penalties, positions in y, support of F */
/* SPDHG_DATA if the loss of an output keeps falling as the intercept alone moves, as with counts that are all 0. */
spdhg_status spd_problem_check_falling(const spdhg_problem *p, spdhg_error *err);
#endif
