/* terms.c - the penalty lambda r(z), z = F x, as pieces (interior.h).
 *   l1     z = s_high - s_low, with distances lambda - y and y + lambda
 *   group  a second-order cone: cone.c
 *   linf   y = s_+ - s_- and sum of s_+ + s_- = lambda, with distances t - z and t + z. Eliminating dt:
 *              E_e = s_+/g_+ + s_-/g_-
 *              V_e = s_+/g_+ - s_-/g_-
 *              y at dz = k_+ - k_- + E dz - V dt
 *              dt = ( sum(k_+ + k_-) - lambda + V'dz )/sum E */
#include "interior/interior.h"

enum { HALVINGS = 200 };

/* |z| (lambda^2 - y^2) = 2 mu |y| */
static void centre_l1(spd_interior *a, const spd_part *B) {
    const int64_t e = spd_part_at(B, 0);
    const double lambda = B->t->lambda, z = a->z[e],
                 y = lambda * (lambda * z / (a->mu + sqrt(a->mu * a->mu + lambda * lambda * z * z)));
    a->y[e] = fmax(fmin(y, lambda * (1 - 1e-8)), -lambda * (1 - 1e-8));
    spd_pair_centre(a, spd_part_pair(B, 0), lambda + a->y[e]);
    spd_pair_centre(a, spd_part_pair(B, 0) + 1, lambda - a->y[e]);
}

static void centre_group(spd_interior *a, const spd_part *B) {
    for (int64_t i = 0; i < 2 * B->size; i++) spd_pair_centre(a, spd_part_pair(B, i / 2) + i % 2, INFINITY);
    spd_cone_centre(a, B);
}

/* The t with sum of 2t/(t^2 - z^2) = lambda/mu, by bisection. */
static void centre_linf(spd_interior *a, const spd_part *B) {
    double most = 0;
    for (int64_t i = 0; i < B->size; i++) most = fmax(most, fabs(a->z[spd_part_at(B, i)]));
    double low = 0, high = 2 * a->mu * (double)B->size / B->t->lambda + most; /* of t - most */
    for (int h = 0; h < HALVINGS; h++) {
        const double t = 0.5 * (low + high);
        double sum = 0;
        if (t <= low || t >= high) break;
        for (int64_t i = 0; i < B->size; i++)
            sum += 1 / (t + most - a->z[spd_part_at(B, i)]) + 1 / (t + most + a->z[spd_part_at(B, i)]);
        if (a->mu * sum > B->t->lambda)
            low = t;
        else
            high = t;
    }
    for (int64_t i = 0; i < B->size; i++) {
        const double z = a->z[spd_part_at(B, i)];
        spd_pair_centre(a, spd_part_pair(B, i), high + (most - z));
        spd_pair_centre(a, spd_part_pair(B, i) + 1, high + (most + z));
        a->y[spd_part_at(B, i)] = a->s[spd_part_pair(B, i)] - a->s[spd_part_pair(B, i) + 1];
    }
}

static void centre_none(spd_interior *a, const spd_part *B) {
    for (int64_t i = 0; i < B->size; i++) {
        a->y[spd_part_at(B, i)] = 0;
        spd_pair_centre(a, spd_part_pair(B, i), INFINITY);
        spd_pair_centre(a, spd_part_pair(B, i) + 1, INFINITY);
    }
}

void spd_interior_terms_each(spd_interior *a, spd_part_task *l1, spd_part_task *group, spd_part_task *linf, spd_part_task *none) {
    const spdhg_problem *p = a->p;
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        spd_part_task *const own = !(term->lambda > 0)             ? none
                                   : term->penalty->sum_of_sizes   ? l1
                                   : spd_part_is_group(term, p->K) ? group
                                                                   : linf;
        for (int64_t b = 0; b < spd_parts_of(term, p->K) && own; b++) {
            const spd_part B = spd_part_of(a, term, b);
            own(a, &B);
        }
    }
}

void spd_interior_terms_centre(spd_interior *a) { spd_interior_terms_each(a, centre_l1, centre_group, centre_linf, centre_none); }

static void prepare_l1(spd_interior *a, const spd_part *B) {
    const int64_t e = spd_part_at(B, 0), i = spd_part_pair(B, 0);
    a->weight[e] = 1 / (spd_pair_ratio(a, i) + spd_pair_ratio(a, i + 1));
    a->next_y[e] = a->y[e] + a->weight[e] * (a->z[e] + a->k[i] - a->k[i + 1]);
}

static double sum_ratios(const spd_interior *a, const spd_part *B) {
    double sum = 0;
    for (int64_t q = 0; q < B->size; q++)
        sum += spd_pair_ratio(a, spd_part_pair(B, q)) + spd_pair_ratio(a, spd_part_pair(B, q) + 1);
    return sum;
}

static void prepare_linf(spd_interior *a, const spd_part *B) {
    const double E = sum_ratios(a, B);
    double sum = -B->t->lambda;
    for (int64_t q = 0; q < B->size; q++) sum += a->k[spd_part_pair(B, q)] + a->k[spd_part_pair(B, q) + 1];
    for (int64_t q = 0; q < B->size; q++) {
        const int64_t e = spd_part_at(B, q), i = spd_part_pair(B, q);
        const double up = spd_pair_ratio(a, i), down = spd_pair_ratio(a, i + 1);
        a->weight[e] = up + down;
        a->normal[e] = (up - down) / sqrt(E);
        a->next_y[e] = a->k[i] - a->k[i + 1] - (up - down) * (sum / E);
    }
    a->dt[spd_part_at(B, 0)] = sum / E;
}

static void prepare_none(spd_interior *a, const spd_part *B) {
    for (int64_t q = 0; q < B->size; q++) a->weight[spd_part_at(B, q)] = a->next_y[spd_part_at(B, q)] = 0;
}

void spd_interior_terms_prepare(spd_interior *a) {
    spd_interior_terms_each(a, prepare_l1, spd_cone_prepare, prepare_linf, prepare_none);
}

static void follow_l1(spd_interior *a, const spd_part *B) {
    const int64_t e = spd_part_at(B, 0), i = spd_part_pair(B, 0);
    a->next_y[e] += a->weight[e] * a->dz[e] - a->y[e];
    a->dg[i] = a->next_y[e];
    a->dg[i + 1] = -a->next_y[e];
}

/* The change of y, without its part along the normal; returns normal'dz. */
static double follow_block(spd_interior *a, const spd_part *B) {
    double along = 0;
    for (int64_t q = 0; q < B->size; q++) along += a->normal[spd_part_at(B, q)] * a->dz[spd_part_at(B, q)];
    for (int64_t q = 0; q < B->size; q++) {
        const int64_t e = spd_part_at(B, q);
        a->next_y[e] += a->weight[e] * a->dz[e] - along * a->normal[e] - a->y[e];
    }
    return along;
}

static void follow_group(spd_interior *a, const spd_part *B) {
    follow_block(a, B);
    spd_cone_follow(a, B);
}

static void follow_linf(spd_interior *a, const spd_part *B) {
    const double along = follow_block(a, B), dt = a->dt[spd_part_at(B, 0)] + along / sqrt(sum_ratios(a, B));
    for (int64_t q = 0; q < B->size; q++) {
        a->dg[spd_part_pair(B, q)] = dt - a->dz[spd_part_at(B, q)];
        a->dg[spd_part_pair(B, q) + 1] = dt + a->dz[spd_part_at(B, q)];
    }
}

void spd_interior_terms_shift(spd_interior *a, double *Fdu) {
    const int64_t rows = spd_interior_loss_rows(a->p), mK = a->p->m * a->p->K;
    if (!a->fine) spd_problem_apply(a->p, a->du, Fdu);
    if (a->fine && !a->stack) spd_interior_fine_terms(a, Fdu);
    for (int64_t e = 0; e < mK && a->fine && a->stack; e++) Fdu[e] = spd_fine_row(&a->system, rows + e);
}

void spd_interior_terms_follow(spd_interior *a) {
    spd_interior_terms_shift(a, a->dz);
    spd_interior_terms_each(a, follow_l1, follow_group, follow_linf, NULL);
}

void spd_interior_terms_move(spd_interior *a, double step) {
    spd_axpy(a->p->m * a->p->K, step, a->next_y, a->y);
    a->step = step;
    spd_interior_terms_each(a, NULL, spd_cone_move, NULL, NULL);
}

static bool is_cone(const spd_term *t, int64_t K) { return spd_part_is_group(t, K) && t->lambda > 0; }

void spd_cones_aim(spd_interior *a, double mu, bool corrected) {
    for (int64_t t = 0; t < a->p->terms; t++)
        for (int64_t b = 0; b < a->p->term[t].blocks && is_cone(&a->p->term[t], a->p->K); b++) {
            const spd_part B = spd_part_of(a, &a->p->term[t], b);
            spd_cone_aim(a, &B, mu, corrected);
        }
}

double spd_cones_longest(const spd_interior *a, double most) {
    for (int64_t t = 0; t < a->p->terms; t++)
        for (int64_t b = 0; b < a->p->term[t].blocks && is_cone(&a->p->term[t], a->p->K); b++) {
            const spd_part B = spd_part_of(a, &a->p->term[t], b);
            most = spd_cone_reach(a, &B, most);
        }
    return most;
}

double spd_cones_sum(const spd_interior *a, double step, int64_t *count) {
    double sum = 0;
    *count = 0;
    for (int64_t t = 0; t < a->p->terms; t++)
        for (int64_t b = 0; b < a->p->term[t].blocks && is_cone(&a->p->term[t], a->p->K); b++) {
            const spd_part B = spd_part_of(a, &a->p->term[t], b);
            sum += spd_cone_product(a, &B, step);
            (*count)++;
        }
    return sum;
}
