/* fine_trial.c - f at (x, c) again, where rounding errors dominate: scores and F x are summed in twice the precision. A score
 * with k summands s_q is
 *   z* = high + low + rest
 *   |rest| <= off = 16 (k + 8) u^2 sum_q |s_q|
 * and its loss is
 *   phi(z*) = phi(high) + phi'(high) low + more
 *   |more| <= |phi'(high)| off + kappa (|low| + off)^2 / 2
 * so f is accurate to a few units in the last place however much cancels in a_i'x + o_i + c - b_i and in F x.
 * An entry of F x has an error of |low| <= u |high| plus its own rest; r of these errors is at most the sum of their sizes. */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

static const double UNIT = 0.5 * DBL_EPSILON;

/* A running sum, the sum of its summands' absolute values, and their number. */
typedef struct fine_sum {
    spd_twofold sum;
    double size;
    int64_t count;
} fine_sum;

static void add(fine_sum *s, double a, double b) {
    s->sum = spd_twofold_add_product(s->sum, a, b);
    s->size += fabs(a * b);
    s->count++;
}

static double off(const fine_sum *s) { return 16 * ((double)s->count + 8) * (UNIT * UNIT * s->size * (1 + 1e-9) + DBL_MIN); }

/* The x that a model stands for, without rounding. */
static spd_twofold penalised(const spdhg_problem *p, const double *x, int64_t q) {
    if (!p->scale) return (spd_twofold){x[q], 0};
    return spd_twofold_add_product((spd_twofold){0, 0}, p->scale[q / p->K], spd_written(p, x, q));
}

static fine_sum score(const spdhg_problem *p, const spd_row *row, const spd_trial *at, int64_t k) {
    fine_sum s = {0};
    if (row->offset) add(&s, 1, row->offset[k]);
    if (p->intercept) add(&s, 1, at->constants[k]);
    for (int64_t q = 0; q < row->nnz; q++) {
        const int64_t j = row->idx ? row->idx[q] : q;
        add(&s, spd_problem_undivided(p, row, q), spd_written(p, at->x, j * p->K + k));
    }
    return s;
}

typedef struct pass {
    const spdhg_problem *p;
    const spd_trial *at;
    const spd_fine_trial *f;
    bool open; /* one shard after the other, in a pass over rows that are made of columns */
} pass;

/* sum: W times their loss, as a pair; then K slopes. */
static void add_rows(void *context, int64_t first, int64_t end, double *sum) {
    const pass *a = context;
    const spdhg_problem *p = a->p;
    const spd_fine_trial *f = a->f;
    spd_twofold total = {0, 0};
    double *slope = sum + 2;
    for (int64_t i = first; i < end; i++) {
        const double w = spd_problem_weight(p, i);
        double *z = f->z + i * p->K;
        spd_row row;
        spd_pass_row(p, a->open, i, &row);
        for (int64_t k = 0; k < p->K; k++) {
            const fine_sum s = score(p, &row, a->at, k);
            z[k] = s.sum.high;
            f->low[i * p->K + k] = s.sum.low;
            f->off[i * p->K + k] = off(&s);
        }
        if (!(w > 0)) continue;
        spd_loss_slope(p->loss, p->loss_arg, p->K, z, row.b, slope);
        total = spd_twofold_add_product(total, w, spd_loss_value(p->loss, p->loss_arg, p->K, z, row.b));
        total = spd_twofold_add_product(total, w, spd_dot(p->K, slope, f->low + i * p->K));
    }
    sum[0] = total.high;
    sum[1] = total.low;
}

/* The mean loss; false: not finite. */
static bool fine_loss(const spd_certifier *c, const spd_trial *at, const spd_fine_trial *f, double *loss) {
    const spdhg_problem *p = c->problem;
    const bool open = spd_pass_begin(p);
    pass a = {p, at, f, open};
    spd_row_sum sum = spd_sum_of_rows(p, spd_problem_shards(p), 2, 2 + p->K, add_rows, &a);
    sum.join = spd_join_twofold;
    spd_row_sum_run(&sum, open ? 1 : c->threads, c->work);
    spd_pass_end(p, open);
    spd_row_sum_share(&sum, f->z, p->K);
    spd_row_sum_share(&sum, f->low, p->K);
    spd_row_sum_share(&sum, f->off, p->K);
    *loss = c->work[0] / p->W;
    return isfinite(*loss) && spd_all_finite(p->n * p->K, f->z) && spd_all_finite(p->n * p->K, f->off);
}

/* F x, and the bound on the errors of lambda r(F x) and y'F x: twice lambda times the sum of the errors of F x,
 * times the steepest slope of r. */
static void fine_structure(const spd_certifier *c, const spd_trial *at, spd_fine_trial *f) {
    const spdhg_problem *p = c->problem;
    f->structure = 0;
    for (spd_rows r = spd_rows_of(p); spd_rows_next(&r);) {
        const bool exact = !p->scale && r.row.n == 1 && fabs(r.row.val[0]) == 1; /* an entry of x itself */
        for (int64_t k = 0; k < p->K; k++) {
            fine_sum s = {0};
            for (int64_t q = 0; q < r.row.n; q++) {
                const int64_t j = r.row.idx[q];
                const spd_twofold x = penalised(p, at->x, j * p->K + k);
                add(&s, r.row.val[q], x.high);
                if (p->scale) add(&s, r.row.val[q], x.low);
            }
            f->Fx[r.at + k] = s.sum.high;
            if (!exact) f->structure += 2.02 * r.term->lambda * r.term->steepest * (UNIT * fabs(s.sum.high) + off(&s));
        }
    }
}

static bool allocate(spd_fine_trial *f, const spdhg_problem *p) {
    const int64_t nK = p->n * p->K;
    if (!f->z) f->z = SPD_NEW(double, 3 * nK + p->m * p->K);
    if (!f->z) return false;
    f->low = f->z + nK;
    f->off = f->low + nK;
    f->Fx = f->off + nK;
    return true;
}

bool spd_fine_trial_make(spd_certifier *c, const spd_trial *at, spd_trial *out) {
    const spdhg_problem *p = c->problem;
    spd_fine_trial *f = &c->fine_trial;
    *out = *at;
    if (!allocate(f, p) || !fine_loss(c, at, f, &out->loss)) return false;
    fine_structure(c, at, f);
    out->z = f->z;
    out->Fx = f->Fx;
    out->fine = f;
    out->penalty = spd_problem_penalty(p, f->Fx, c->work);
    out->objective = out->loss + 0.5 * p->gamma * spd_dot(p->dK, at->x, at->x) + out->penalty;
    return isfinite(out->objective) && isfinite(f->structure);
}
