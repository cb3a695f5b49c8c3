/* prepare.h - the steps of spd_problem_freeze, in their order. Only problem.c and subset.c call them. */
#ifndef SPD_PREPARE_H
#define SPD_PREPARE_H
#include "problem/problem.h"

spdhg_status spd_prepare_weights(spdhg_problem *p, spdhg_error *err); /* row weights times class weights; W */
spdhg_status spd_prepare_scale(spdhg_problem *p, spdhg_error *err);   /* --standardize: columns divided by their deviation */
spdhg_status spd_prepare_rows(spdhg_problem *p, spdhg_error *err);    /* nonzeros, largest row norm */
spdhg_status spd_prepare_terms(spdhg_problem *p, spdhg_error *err);   /* blocks of the penalties, place in y, support of F */
#endif
