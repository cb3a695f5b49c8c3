/* prepare.h - the steps of spd_problem_freeze, in their order. Only problem.c and subset.c call them. */
#ifndef SPD_PREPARE_H
#define SPD_PREPARE_H
#include "problem/problem.h"

spdhg_status spd_prepare_weights(spdhg_problem *p, spdhg_error *err); /* row weights times class weights; W */
/* Columns far from 0 centred, --standardize: all divided by their deviation. base: of a subset; the centre is the base's, so that
 * c means the same, and so are the values unless they are scaled. */
spdhg_status spd_prepare_values(spdhg_problem *p, const spdhg_problem *base, spdhg_error *err);
spdhg_status spd_prepare_centre(spdhg_problem *p, spdhg_error *err); /* which columns, and where their centre is */
void spd_centre_values(const spdhg_problem *p, double *val);         /* val: as stored in the data, becomes a_ij - s_j */
spdhg_status spd_prepare_rows(spdhg_problem *p, spdhg_error *err);   /* nonzeros, largest row norm */
spdhg_status spd_prepare_terms(spdhg_problem *p, spdhg_error *err);  /* blocks of the penalties, place in y, support of F */
/* SPDHG_DATA where the loss of an output falls for ever with the intercept alone, as with counts that are all 0. */
spdhg_status spd_problem_check_falling(const spdhg_problem *p, spdhg_error *err);
#endif
