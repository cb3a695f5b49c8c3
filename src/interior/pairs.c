/* pairs.c - pairs s, g > 0 whose product goes to 0: targets, step lengths, moves (interior.h). */
#include "interior/interior.h"

void spd_pair_centre(spd_interior *a, int64_t i, double g) {
    a->g[i] = g;
    a->s[i] = isfinite(g) ? a->mu / g : 0;
    a->k[i] = a->dg[i] = 0;
}

/* corrected: dg and k are those of the step to mu = 0, and its second-order term ds dg is subtracted from the target. */
void spd_pairs_aim(spd_interior *a, double mu, bool corrected) {
    for (int64_t i = 0; i < spd_pairs_all(a); i++)
        if (isfinite(a->g[i])) a->k[i] = (mu - (corrected ? spd_pair_change(a, i) * a->dg[i] : 0)) / a->g[i];
}

double spd_pairs_longest(const spd_interior *a, double most) {
    double step = most;
    for (int64_t i = 0; i < spd_pairs_all(a); i++) {
        if (!isfinite(a->g[i])) continue;
        const double ds = spd_pair_change(a, i);
        if (a->dg[i] < 0) step = fmin(step, -a->g[i] / a->dg[i]);
        if (ds < 0) step = fmin(step, -a->s[i] / ds);
    }
    return step;
}

double spd_pairs_sum(const spd_interior *a, double step) {
    double sum = 0;
    for (int64_t i = 0; i < spd_pairs_all(a); i++)
        if (isfinite(a->g[i])) sum += (a->s[i] + step * spd_pair_change(a, i)) * (a->g[i] + step * a->dg[i]);
    return sum;
}

int64_t spd_pairs_count(const spd_interior *a) {
    int64_t count = 0;
    for (int64_t i = 0; i < spd_pairs_all(a); i++) count += isfinite(a->g[i]);
    return count;
}

void spd_pairs_move(spd_interior *a, double step) {
    for (int64_t i = 0; i < spd_pairs_all(a); i++) {
        if (!isfinite(a->g[i])) continue;
        a->s[i] += step * spd_pair_change(a, i);
        a->g[i] += step * a->dg[i];
    }
}
