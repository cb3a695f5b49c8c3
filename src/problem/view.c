/* view.c - what a problem came to: sizes, classes and scale, for callers who hold only the handle. */
#include "problem/problem.h"

spdhg_status spdhg_problem_look(spdhg_problem *p, spdhg_problem_view *out, spdhg_error *err) {
    SPD_TRY(spd_problem_freeze(p, err));
    *out = (spdhg_problem_view){.rows = p->n,
                                .features = p->d,
                                .outputs = p->K,
                                .dual = p->m * p->K,
                                .classes = p->classes,
                                .class_value = p->class_value,
                                .scale = p->scale};
    return SPDHG_OK;
}
