/* subset.c - some rows of a frozen problem as a problem of its own. Folds share values, label map and structures with their base.
 * What is learned from the rows alone, the scale of the columns or F, must come from the rows of the subset.
 *     f_S(x,c) = (1/W_S) sum_{i in S} w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + sum_t lambda_t r_t(F_t x) */
#include "problem/prepare.h"

static spdhg_status share_terms(spdhg_problem *p, const spdhg_problem *base, const spdhg_structure *first, spdhg_error *err) {
    p->term = SPD_NEW(spd_term, base->terms);
    if (!p->term) return spd_fail_memory(err, (double)sizeof *p->term * (double)base->terms);
    for (; p->terms < base->terms; p->terms++) {
        const spd_term *from = &base->term[p->terms];
        spd_term *t = &p->term[p->terms];
        *t = (spd_term){.penalty = from->penalty,
                        .F = first && p->terms == 0 ? first : from->F,
                        .lambda = from->lambda_given,
                        .lambda_given = from->lambda_given,
                        .m = first && p->terms == 0 ? first->F.m : from->m};
        if (from->group_asked && !(t->group_asked = spd_copy(from->group_asked, t->m, sizeof *t->group_asked)))
            return spd_fail_memory(err, 8.0 * (double)t->m);
    }
    return SPDHG_OK;
}

static spdhg_status share_rows(spdhg_problem *p, const spdhg_problem *base, const int64_t *position, spdhg_error *err) {
    p->row = SPD_NEW(int64_t, p->n);
    p->b = p->b_made = SPD_NEW(double, p->n * p->targets);
    p->weight = base->weight ? SPD_NEW(double, p->n) : NULL;
    if (!p->row || !p->b || (base->weight && !p->weight))
        return spd_fail_memory(err, 8.0 * (double)p->n * (double)(2 + p->targets));
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t at = position[i];
        p->row[i] = base->row ? base->row[at] : at;
        memcpy(p->b_made + i * p->targets, base->b + at * p->targets, (size_t)p->targets * sizeof *p->b);
        if (p->weight) p->weight[i] = base->weight[at];
    }
    p->W = p->weight ? spd_sum(p->n, p->weight) : (double)p->n;
    if (!(p->W > 0)) return spd_fail(err, SPDHG_DATA, "all rows of a part of the data have weight 0");
    SPD_TRY(spd_prepare_values(p, base, err));
    return spd_measure_rows(p, err);
}

static spdhg_status share(spdhg_problem *p, const spdhg_problem *base, const int64_t *position, const spdhg_structure *first,
                          spdhg_error *err) {
    if (base->class_value && !(p->class_value = spd_copy(base->class_value, base->classes, sizeof *p->class_value)))
        return spd_fail_memory(err, 8.0 * (double)base->classes);
    SPD_TRY(share_rows(p, base, position, err));
    SPD_TRY(spd_problem_find_curvature(p, err));
    SPD_TRY(share_terms(p, base, first, err));
    SPD_TRY(spd_prepare_terms(p, err));
    p->frozen = true;
    return SPDHG_OK;
}

spdhg_status spd_problem_subset(spdhg_problem **out, const spdhg_problem *base, const int64_t *position, int64_t count,
                                const spdhg_structure *first, spdhg_error *err) {
    *out = NULL;
    if (first && (base->term[0].owned || base->term[0].group_asked))
        return spd_fail(err, SPDHG_USAGE,
                        "weights or groups of the rows of F cannot be used with an F that every fold learns from its own rows");
    spdhg_problem *p = SPD_NEW(spdhg_problem, 1);
    if (!p) return spd_fail_memory(err, sizeof *p);
    *p = (spdhg_problem){.data = base->data,
                         .n = count,
                         .d = base->d,
                         .K = base->K,
                         .dK = base->dK,
                         .loss = base->loss,
                         .loss_arg = base->loss_arg,
                         .gamma = base->gamma,
                         .gamma_given = base->gamma_given,
                         .ridge_follows = base->ridge_follows,
                         .set = base->set,
                         .intercept = base->intercept,
                         .standardize = base->standardize,
                         .one_class_ok = base->one_class_ok,
                         .targets = base->targets,
                         .classes = base->classes};
    const spdhg_status status = share(p, base, position, first, err);
    if (status != SPDHG_OK) {
        spdhg_problem_free(p);
        return status;
    }
    *out = p;
    return SPDHG_OK;
}

spdhg_status spd_problem_thin(spdhg_problem **out, const spdhg_problem *base, int64_t stride, uint64_t seed, spdhg_error *err) {
    const int64_t count = (base->n + stride - 1) / stride;
    int64_t *position = SPD_NEW(int64_t, count);
    *out = NULL;
    if (!position) return spd_fail_memory(err, 8.0 * (double)count);
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = i * stride, size = first + stride < base->n ? stride : base->n - first;
        uint64_t bits[2];
        spd_random(seed, SPD_STREAM_ROWS, (uint64_t)i, bits);
        int64_t at = spd_below(bits[0], size);
        for (int64_t tries = 0; base->weight && base->weight[first + at] == 0 && tries < size; tries++) at = (at + 1) % size;
        position[i] = first + at;
    }
    const spdhg_status status = spd_problem_subset(out, base, position, count, NULL, err);
    for (int64_t t = 0; status == SPDHG_OK && t < base->terms; t++) (*out)->term[t].lambda = base->term[t].lambda;
    spd_free(position);
    return status;
}
