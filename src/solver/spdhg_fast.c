/* spdhg_fast.c - SPDHG's step in O(what must be touched); the same iterates as the plain form in spdhg.c, which tests compare against.
 *
 * Fused: the dual half-step and F'y in one pass over the rows of F. For r = l1, F = identity, X = R^d everything is one vector loop.
 *
 * Lazy (features j outside the support of F): between two batches that contain j only the ridge and, for a ball, its projection act,
 * both multiply x_j by a number common to all such features. So x_j = shrink v_j with one scalar shrink, and with
 * sweep = sum over steps of weight * shrink the weighted sum of the iterates is x_sum_j = sweep v_j + u_j; when a batch moves v_j by
 * delta, u_j -= sweep delta keeps it. Stored: v in x, u in x_sum. When shrink has become small everything is written out (flush). */
#include "solver/spdhg.h"

static const double SHRINK_LEAST = 0.01; /* below it cancellation would cost digits: flush */

static bool is(const spdhg_problem *p, const spd_set_kind *kind) { return p->set.kind == kind; }

/* The projection leaves an idle x_j, which only shrinks towards 0, where it is (box, nonneg), or scales it like all others (ball). */
static bool lazy_allowed(const spdhg_problem *p) {
    if (is(p, &spd_set_all) || is(p, &spd_set_nonneg) || is(p, &spd_set_ball)) return true;
    return is(p, &spd_set_box) && (p->gamma == 0 || (p->set.arg[0] <= 0 && p->set.arg[1] >= 0));
}

spd_form spd_spdhg_choose_form(const spd_run *run, const spd_spdhg *self) {
    (void)self;
    const spdhg_problem *p = run->problem;
    if (run->param[SPD_SPDHG_PARAM_PLAIN] != 0) return SPD_FORM_PLAIN;
    if (!p->in_support) return SPD_FORM_FUSED;
    if (lazy_allowed(p)) {
        spd_run_log(run, "%s: lazy updates of the %lld features that F does not touch", run->kind->name, (long long)(p->d - p->supports));
        return SPD_FORM_LAZY;
    }
    spd_run_log(run, "%s: the set %s allows no lazy updates, every step touches all %lld features", run->kind->name, p->set.kind->name,
                (long long)p->d);
    return SPD_FORM_FUSED;
}

/* ---- pieces both forms share */

/* slope[i] = weight_i phi'(z_i) / B for the rows of the batch at x^k; x_j counts `shrink` times outside the support. */
static void batch_slopes(const spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, bool lazy) {
    const int64_t K = p->K;
    const double shrink = self->scalar[SPD_SHRINK];
    double *z = self->slope + batch->size * K;
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        double *slope = self->slope + i * K;
        for (int64_t k = 0; k < K; k++) z[k] = self->c[k] + (row->offset ? row->offset[k] : 0);
        if (K == 1 && !row->idx && !lazy)
            z[0] += spd_dot(row->nnz, row->val, self->x);
        else if (K == 1 && !lazy) {
            double sum = 0;
            for (int64_t q = 0; q < row->nnz; q++) sum += row->val[q] * self->x[row->idx[q]];
            z[0] += sum;
        } else
            for (int64_t q = 0; q < row->nnz; q++) {
                const int64_t j = row->idx ? row->idx[q] : q;
                const double a = lazy && !p->in_support[j] ? shrink * row->val[q] : row->val[q];
                for (int64_t k = 0; k < K; k++) z[k] += a * self->x[j * K + k];
            }
        spd_loss_slope(p->loss, p->loss_arg, K, z, row->b, slope);
        for (int64_t k = 0; k < K; k++) slope[k] *= row->weight / (double)batch->size;
    }
}

static void intercept_update(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, double beta, double weight) {
    if (p->intercept)
        for (int64_t i = 0; i < batch->size; i++) spd_axpy(p->K, -beta, self->slope + i * p->K, self->c);
    for (int64_t k = 0; k < p->K; k++) self->c_sum[k] += weight * self->c[k];
    self->scalar[SPD_TOTAL] += weight;
}

static void dual_steps(spd_spdhg *self, const spdhg_problem *p, double weight) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        spd_term_dual_step(term, p->K, self->s, self->x, self->y + term->first, weight, self->y_sum + term->first, self->g, self->term);
    }
}

/* ---- fused */

/* r = l1, F = identity, X = R^d: y, x and both sums in one loop; the batch's entries follow by themselves. */
__attribute__((target_clones("avx2", "default"))) static void
lasso_loop(int64_t n, double lambda, double s, double keep, double beta, double weight, double *restrict x, double *restrict y,
           double *restrict x_sum, double *restrict y_sum) {
    for (int64_t j = 0; j < n; j++) {
        double v = y[j] + s * x[j];
        v = v > lambda ? lambda : v;
        v = v < -lambda ? -lambda : v;
        const double moved = keep * x[j] - beta * v;
        y[j] = v;
        y_sum[j] += weight * v;
        x[j] = moved;
        x_sum[j] += weight * moved;
    }
}

static bool is_plain_lasso(const spdhg_problem *p) {
    return p->terms == 1 && p->term[0].penalty == &spd_penalty_l1 && spd_csr_is_identity(&p->term[0].F->F) && is(p, &spd_set_all);
}

static void lasso_step(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, double beta, double weight) {
    const int64_t K = p->K;
    lasso_loop(p->dK, p->term[0].lambda, self->s, 1 - beta * p->gamma, beta, weight, self->x, self->y, self->x_sum, self->y_sum);
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const double *slope = self->slope + i * K;
        for (int64_t q = 0; q < row->nnz; q++) {
            const int64_t j = row->idx ? row->idx[q] : q;
            for (int64_t k = 0; k < K; k++) {
                const double move = -beta * row->val[q] * slope[k];
                self->x[j * K + k] += move;
                self->x_sum[j * K + k] += weight * move;
            }
        }
    }
}

static void add_batch(const spdhg_problem *p, const spd_batch *batch, const double *slopes, double *g) {
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        for (int64_t q = 0; q < row->nnz; q++)
            for (int64_t k = 0; k < p->K; k++)
                g[(row->idx ? row->idx[q] : q) * p->K + k] += row->val[q] * slopes[i * p->K + k];
    }
}

__attribute__((target_clones("avx2", "default"))) static void descend(int64_t n, double keep, double beta, const double *restrict g,
                                                                      double *restrict x) {
    for (int64_t j = 0; j < n; j++) x[j] = keep * x[j] - beta * g[j];
}

__attribute__((target_clones("avx2", "default"))) static void descend_and_sum(int64_t n, double keep, double beta, double weight,
                                                                              const double *restrict g, double *restrict x,
                                                                              double *restrict x_sum) {
    for (int64_t j = 0; j < n; j++) {
        x[j] = keep * x[j] - beta * g[j];
        x_sum[j] += weight * x[j];
    }
}

void spd_spdhg_fused_step(spd_run *run, int64_t k, const spd_batch *batch) {
    spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    const double beta = self->rule->beta(k, self->L, self->mu), weight = self->rule->weight(k), keep = 1 - beta * p->gamma;
    batch_slopes(self, p, batch, false);
    if (is_plain_lasso(p))
        lasso_step(self, p, batch, beta, weight);
    else {
        memset(self->g, 0, (size_t)p->dK * sizeof(double));
        dual_steps(self, p, weight);
        add_batch(p, batch, self->slope, self->g);
        if (is(p, &spd_set_all))
            descend_and_sum(p->dK, keep, beta, weight, self->g, self->x, self->x_sum);
        else {
            descend(p->dK, keep, beta, self->g, self->x);
            p->set.kind->project(p->dK, p->set.arg, self->x, self->projection);
            spd_axpy(p->dK, weight, self->x, self->x_sum);
        }
    }
    intercept_update(self, p, batch, beta, weight);
}

/* ---- lazy */

/* v[q] += delta for an idle coordinate q, keeping the represented sum and the sum of squares. */
static inline void move_idle(spd_spdhg *self, int64_t q, double delta) {
    self->x_sum[q] -= self->scalar[SPD_SWEEP] * delta;
    self->scalar[SPD_SQUARE] += delta * (2 * self->x[q] + delta);
    self->scalar[SPD_TOUCHED] += 1;
    self->x[q] += delta;
}

/* Writes out what the scalars stand for, so that sweep = 0 and shrink = 1, and sums the squares afresh. */
static void flush(spd_spdhg *self, const spdhg_problem *p) {
    double *scalar = self->scalar, square = 0;
    for (int64_t j = 0; j < p->d; j++) {
        if (p->in_support[j]) continue;
        for (int64_t q = j * p->K; q < (j + 1) * p->K; q++) {
            self->x_sum[q] += scalar[SPD_SWEEP] * self->x[q];
            self->x[q] *= scalar[SPD_SHRINK];
            square += self->x[q] * self->x[q];
        }
    }
    scalar[SPD_SWEEP] = 0;
    scalar[SPD_SHRINK] = 1;
    scalar[SPD_SQUARE] = square;
    scalar[SPD_TOUCHED] = 0;
}

/* The ridge's share of the step for all idle features: shrink *= keep, flushed when it would become small (or 0). */
static void shrink_idle(spd_spdhg *self, const spdhg_problem *p, double keep) {
    if (self->scalar[SPD_SHRINK] * keep >= SHRINK_LEAST) {
        self->scalar[SPD_SHRINK] *= keep;
        return;
    }
    flush(self, p); /* first the sums, which belong to the old x; then x itself */
    self->scalar[SPD_SHRINK] = keep;
    flush(self, p);
}

/* The batch's entries: into g where F acts, at once into v elsewhere; then the part of the projection that acts on touched idle ones. */
static void lazy_batch(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch, double beta) {
    const int64_t K = p->K;
    const double over = beta / self->scalar[SPD_SHRINK];
    for (int64_t i = 0; i < batch->size; i++) {
        const spd_row *row = &batch->row[i];
        const double *slope = self->slope + i * K;
        for (int64_t q = 0; q < row->nnz; q++) {
            const int64_t j = row->idx ? row->idx[q] : q;
            for (int64_t k = 0; k < K; k++) {
                if (p->in_support[j])
                    self->g[j * K + k] += row->val[q] * slope[k];
                else
                    move_idle(self, j * K + k, -over * row->val[q] * slope[k]);
            }
        }
    }
}

static void lazy_clamp(spd_spdhg *self, const spdhg_problem *p, const spd_batch *batch) {
    const double low = is(p, &spd_set_box) ? p->set.arg[0] : 0, high = is(p, &spd_set_box) ? p->set.arg[1] : INFINITY;
    const double shrink = self->scalar[SPD_SHRINK];
    for (int64_t i = 0; i < batch->size; i++)
        for (int64_t q = 0; q < batch->row[i].nnz; q++) {
            const int64_t j = batch->row[i].idx ? batch->row[i].idx[q] : q;
            if (p->in_support[j]) continue;
            for (int64_t at = j * p->K; at < (j + 1) * p->K; at++) {
                const double value = shrink * self->x[at], inside = value < low ? low : value > high ? high : value;
                if (inside != value) move_idle(self, at, inside / shrink - self->x[at]);
            }
        }
}

/* Ball: scale everything when the norm of support and idle part together exceeds R. */
static void lazy_ball(spd_spdhg *self, const spdhg_problem *p) {
    double *scalar = self->scalar, square = 0;
    if (scalar[SPD_TOUCHED] >= (double)p->dK) flush(self, p); /* amortised O(1): against drift of the running sum */
    for (int64_t i = 0; i < p->supports; i++)
        for (int64_t q = (int64_t)p->support[i] * p->K; q < ((int64_t)p->support[i] + 1) * p->K; q++) square += self->x[q] * self->x[q];
    const double norm = sqrt(square + scalar[SPD_SHRINK] * scalar[SPD_SHRINK] * scalar[SPD_SQUARE]), R = p->set.arg[0];
    if (norm <= R) return;
    scalar[SPD_SHRINK] *= R / norm;
    for (int64_t i = 0; i < p->supports; i++) spd_scale(p->K, R / norm, self->x + (int64_t)p->support[i] * p->K);
}

void spd_spdhg_lazy_step(spd_run *run, int64_t k, const spd_batch *batch) {
    spd_spdhg *self = run->self;
    const spdhg_problem *p = run->problem;
    const int64_t K = p->K;
    const double beta = self->rule->beta(k, self->L, self->mu), weight = self->rule->weight(k), keep = 1 - beta * p->gamma;
    for (int64_t i = 0; i < p->supports; i++) memset(self->g + p->support[i] * K, 0, (size_t)K * sizeof(double));
    batch_slopes(self, p, batch, true);
    dual_steps(self, p, weight);
    shrink_idle(self, p, keep);
    lazy_batch(self, p, batch, beta);
    for (int64_t i = 0; i < p->supports; i++) {
        const int64_t first = (int64_t)p->support[i] * K;
        for (int64_t q = first; q < first + K; q++) self->x[q] = keep * self->x[q] - beta * self->g[q];
    }
    if (is(p, &spd_set_ball))
        lazy_ball(self, p);
    else if (!is(p, &spd_set_all)) {
        lazy_clamp(self, p, batch);
        for (int64_t i = 0; i < p->supports; i++)
            p->set.kind->project(K, p->set.arg, self->x + (int64_t)p->support[i] * K, self->projection);
    }
    self->scalar[SPD_SWEEP] += weight * self->scalar[SPD_SHRINK];
    for (int64_t i = 0; i < p->supports; i++) {
        const int64_t first = (int64_t)p->support[i] * K;
        for (int64_t q = first; q < first + K; q++) self->x_sum[q] += weight * self->x[q];
    }
    intercept_update(self, p, batch, beta, weight);
}
