/* step_rule.h - the paper's table of step sizes and weights of the average. */
#ifndef SPD_STEP_RULE_H
#define SPD_STEP_RULE_H
#include "core/core.h"

typedef struct spd_step_rule {
    const char *name;
    double (*beta)(int64_t k, double L, double mu); /* beta^{k+1} */
    double (*weight)(int64_t k);                    /* alpha^{k+1} before normalisation: 1 or k+1; 0: last iterate */
    bool strongly_convex;                           /* needs mu > 0 */
} spd_step_rule;
extern const spd_step_rule spd_rule_gc, spd_rule_sc1, spd_rule_sc2, spd_rule_sc1h, spd_rule_sc2h, spd_rule_constant;
#endif
