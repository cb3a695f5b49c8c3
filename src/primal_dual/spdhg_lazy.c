/* spdhg_lazy.c - the step of SPDHG in O(nnz(batch) + nnz(F)) for any number of features; the same iterates as the plain form.
 *
 * A feature outside the support of F is idle: between two batches that contain it only the ridge and, for a ball, its projection
 * act, and both multiply x_j by a number common to all idle features. Hence, with one scalar shrink,
 *     x_j = shrink v_j
 * and, with sweep = sum over steps of weight * shrink, the weighted sum of the iterates is
 *     sweep v_j + u_j
 * When a batch moves v_j by delta, this sum is preserved by
 *     u_j -= sweep delta
 * v is stored in x, u in x_sum. When shrink has become small everything is written out (flush). x and x_sum are in the problem's
 * places: first the support, contiguously, then the idle features. */
#include "primal_dual/spdhg.h"

static const double SHRINK_LEAST = 0.01; /* below this, cancellation would cost digits: flush */

/* The projection leaves an idle x_j, which only shrinks towards 0, unchanged (sides), or scales it like all others (length). */
static bool lazy_allowed(const spdhg_problem *p) {
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    return p->set.kind->length || (p->set.kind->separable && (p->gamma == 0 || (low <= 0 && high >= 0)));
}

spd_form spd_spdhg_choose_form(const spd_run *run) {
    const spdhg_problem *p = run->problem;
    if (run->param[SPD_SPDHG_PARAM_PLAIN] != 0) return SPD_FORM_PLAIN;
    if (!p->place) return SPD_FORM_FUSED;
    if (lazy_allowed(p)) {
        spd_run_log(run, "%s: lazy updates of the %lld features that F does not touch", run->kind->name,
                    (long long)(p->d - p->supports));
        return SPD_FORM_LAZY;
    }
    spd_run_log(run, "%s: the set %s allows no lazy updates, every step touches all %lld features", run->kind->name,
                p->set.kind->name, (long long)p->d);
    return SPD_FORM_FUSED;
}

/* slope[i] = weight_i phi'(z_i) / B at x^k, where idle entries are multiplied by shrink. */
static void batch_slopes(const spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch) {
    const int64_t K = p->K;
    const double shrink = self->scalar[SPD_SHRINK];
    double *z = self->slope + batch->size * K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        double *slope = self->slope + i * K;
        for (int64_t k = 0; k < K; k++) z[k] = self->c[k] + (row->offset ? row->offset[k] : 0);
        for (int64_t q = 0; q < row->nnz; q++) {
            const int64_t at = p->place[row->idx ? row->idx[q] : q];
            const double a = at < p->supports ? row->val[q] : shrink * row->val[q];
            for (int64_t k = 0; k < K; k++) z[k] += a * self->x[at * K + k];
        }
        spd_loss_slope(p->loss, p->loss_arg, K, z, row->b, slope);
        for (int64_t k = 0; k < K; k++) slope[k] *= row->weight / (double)batch->size;
    }
}

/* v[q] += delta for an idle entry q, keeping the represented sum and the sum of squares. */
static inline void move_idle(spd_spdhg *self, int64_t q, double delta) {
    self->x_sum[q] -= self->scalar[SPD_SWEEP] * delta;
    self->scalar[SPD_SQUARE] += delta * (2 * self->x[q] + delta);
    self->scalar[SPD_TOUCHED] += 1;
    self->x[q] += delta;
}

/* Writes out what the scalars represent, so that sweep = 0 and shrink = 1, and sums the squares afresh. */
static void flush(spd_spdhg *self, const spdhg_problem *p) {
    double *scalar = self->scalar, square = 0;
    for (int64_t q = p->supports * p->K; q < p->dK; q++) {
        self->x_sum[q] += scalar[SPD_SWEEP] * self->x[q];
        self->x[q] *= scalar[SPD_SHRINK];
        square += self->x[q] * self->x[q];
    }
    scalar[SPD_SWEEP] = 0;
    scalar[SPD_SHRINK] = 1;
    scalar[SPD_SQUARE] = square;
    scalar[SPD_TOUCHED] = 0;
}

/* The effect of the ridge on all idle features: shrink *= keep, flushed before it becomes small (or 0). */
static void shrink_idle(spd_spdhg *self, const spdhg_problem *p, double keep) {
    if (self->scalar[SPD_SHRINK] * keep >= SHRINK_LEAST) {
        self->scalar[SPD_SHRINK] *= keep;
        return;
    }
    flush(self, p); /* first the sums, which belong to the old x; then x itself */
    self->scalar[SPD_SHRINK] = keep;
    flush(self, p);
}

/* The entries of the batch: added to g where F acts, directly to v elsewhere. */
static void add_batch(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, double beta) {
    const int64_t K = p->K;
    const double over = beta / self->scalar[SPD_SHRINK];
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const double *slope = self->slope + i * K;
        for (int64_t q = 0; q < row->nnz; q++) {
            const int64_t at = p->place[row->idx ? row->idx[q] : q];
            for (int64_t k = 0; k < K; k++) {
                if (at < p->supports)
                    self->g[at * K + k] += row->val[q] * slope[k];
                else
                    move_idle(self, at * K + k, -over * row->val[q] * slope[k]);
            }
        }
    }
}

/* Sides: only idle features in the batch can have left the set. */
static void clamp_batch(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch) {
    const double shrink = self->scalar[SPD_SHRINK];
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    for (int64_t i = 0; i < batch->size; i++)
        for (int64_t q = 0; q < batch->row[i].nnz; q++) {
            const int64_t at = p->place[batch->row[i].idx ? batch->row[i].idx[q] : q];
            for (int64_t v = at * p->K; at >= p->supports && v < (at + 1) * p->K; v++) {
                const double value = shrink * self->x[v], inside = value < low ? low : value > high ? high : value;
                if (inside != value) move_idle(self, v, inside / shrink - self->x[v]);
            }
        }
}

/* Ball: scales everything if the norm of support and idle part together exceeds R. */
static void project_ball(spd_spdhg *self, const spdhg_problem *p) {
    double *scalar = self->scalar;
    const int64_t n = p->supports * p->K;
    if (scalar[SPD_TOUCHED] >= (double)p->dK) flush(self, p); /* amortised O(1): prevents drift of the running sum */
    const double idle = scalar[SPD_SHRINK] * scalar[SPD_SHRINK] * scalar[SPD_SQUARE], R = p->set.arg[0];
    const double norm = sqrt(spd_dot(n, self->x, self->x) + idle);
    if (norm <= R) return;
    scalar[SPD_SHRINK] *= R / norm;
    spd_scale(n, R / norm, self->x);
}

void spd_spdhg_lazy_step(spd_run *run, int64_t k, const spd_batch *batch) {
    spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t n = p->supports * p->K;
    const double beta = spd_spdhg_beta(self, k), weight = self->rule->weight(k), keep = 1 - beta * p->gamma;
    batch_slopes(self, p, batch);
    memset(self->g, 0, (size_t)n * sizeof(double));
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        spd_term_dual_step(term, &term->placed, p->K, self->s, self->x, self->y + term->first, weight, self->y_sum + term->first,
                           self->g, self->term);
    }
    shrink_idle(self, p, keep);
    add_batch(self, p, batch, beta);
    spd_spdhg_descend(n, keep, beta, self->g, self->x);
    if (p->set.kind->length)
        project_ball(self, p);
    else if (!p->set.kind->whole) {
        clamp_batch(self, p, batch);
        p->set.kind->project(n, p->set.arg, self->x, self->projection);
    }
    self->scalar[SPD_SWEEP] += weight * self->scalar[SPD_SHRINK];
    spd_axpy(n, weight, self->x, self->x_sum);
    spd_spdhg_finish(self, p, batch, beta, weight);
}
