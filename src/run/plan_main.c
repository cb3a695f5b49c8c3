/* plan_main.c - the stage of a plan that does the work: the first one that has others waiting behind it, or the last. Those before
 * it lead to it from a far start, those behind it take over what it gives up. */
#include "run/run.h"

const spd_stage *spd_plan_main(const spd_plan *plan) {
    for (int i = 0; i < plan->stages; i++)
        if (plan->stage[i].rescue != SPD_ALONE) return &plan->stage[i];
    return &plan->stage[plan->stages - 1];
}

void spd_plan_leave_out(spd_plan *plan, int stage) {
    const int behind = --plan->stages - stage;
    memmove(plan->stage + stage, plan->stage + stage + 1, (size_t)behind * sizeof *plan->stage);
    if (behind == 0 && stage > 0) plan->stage[stage - 1].rescue = SPD_ALONE; /* nobody waits: it is not to give up */
}

void spd_plan_begin_with_main(spd_plan *plan) {
    while (spd_plan_main(plan) != plan->stage) spd_plan_leave_out(plan, 0);
    plan->why[0] = '\0'; /* the caller says what it does */
}
