/* fine.c - the dense system of a step with twice the digits (interior.h). Where F x = 0, F'DF has entries of lambda^2/mu. If the
 * losses are far flatter than that, as huber:1e-9 is beside lambda = 1, M as a matrix of doubles has no digit left of what
 * determines x along F x = 0. It is therefore summed row by row, factored and solved as numbers of two doubles each:
 *     M = U'DU,   D_i U_ij = M_ij - sum_{k<i} U_ki D_k U_kj
 * F du and A du are computed from the same solution: D times the rounding of du would be no small change of y.
 * Only where the rows of the loss are in the model: P is made of doubles, and what they have lost does not come back. Along
 * columns that are almost the same the step would follow the rounding of P. */
#include <float.h>

#include "interior/interior.h"
#include "problem/rows.h"

/* Operations of a factor, each about 20 of doubles: some ten milliseconds; a tenth of one. */
static const double WORK_MOST = 1e6, WORK_LITTLE = 1e4;
static const double LITTLE = DBL_EPSILON * DBL_EPSILON; /* relative to the diagonal: added to it */
static const double WEAK = 1e3; /* times that: a pivot below this, relative to the diagonal, is hardly more than what was added */

static double operations(const spdhg_problem *p) {
    const double n = (double)spd_problem_normal_size(p);
    return n * n * (n / 6 + 0.5 * (double)((p->n + p->m) * p->K));
}

bool spd_interior_fine_fits(const spdhg_problem *p) { return operations(p) <= WORK_MOST; }
bool spd_interior_fine_is_free(const spdhg_problem *p) { return operations(p) <= WORK_LITTLE; }

static spd_twofold *row_of(const spd_interior *a, int64_t i) { return a->doubled + i * a->n; }

/* M += weight e e' for an e with a few entries. */
static void add_square(spd_interior *a, int64_t count, const int32_t *idx, const double *val, int64_t K, int64_t k,
                       double weight) {
    for (int64_t q = 0; q < count && weight != 0; q++) {
        const spd_twofold own = spd_two_product(-weight, val[q]);
        const int64_t i = (idx ? idx[q] : q) * K + k;
        for (int64_t r = 0; r < count; r++) {
            const int64_t j = (idx ? idx[r] : r) * K + k;
            if (j <= i) row_of(a, i)[j] = spd_twofold_minus(row_of(a, i)[j], own, (spd_twofold){val[r], 0});
        }
    }
}

/* The rows of the loss; the intercept of output k has the index dK + k. */
static void add_rows(spd_interior *a) {
    const spdhg_problem *p = a->p;
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t k = 0; k < p->K; k++) {
            const double weight = a->curve[i * p->K + k] * spd_problem_share(p, i);
            add_square(a, row.nnz, row.idx, row.val, p->K, k, weight);
            if (!p->intercept) continue;
            spd_twofold *last = row_of(a, p->dK + k);
            last[p->dK + k] = spd_twofold_add(last[p->dK + k], weight);
            for (int64_t q = 0; q < row.nnz; q++) {
                spd_twofold *at = &last[(row.idx ? row.idx[q] : q) * p->K + k];
                *at = spd_twofold_add_product(*at, weight, row.val[q]);
            }
        }
    }
}

static void add_terms(spd_interior *a) {
    for (spd_rows f = spd_rows_of(a->p); spd_rows_next(&f);)
        for (int64_t k = 0; k < a->p->K; k++) add_square(a, f.row.n, f.row.idx, f.row.val, a->p->K, k, a->weight[f.at + k]);
}

/* Subtracts a block's part along its normal: e = F_b'normal. */
static void take_radial(spd_interior *a, const spd_part *B) {
    spd_twofold *e = a->doubled_x;
    memset(e, 0, (size_t)a->n * sizeof *e);
    for (int64_t i = 0; i < B->size; i++) {
        spd_csr_row row;
        spd_csr_take(&B->t->F->F, spd_term_block_row(B->t, B->b, i / B->K), &row);
        for (int64_t q = 0; q < row.n; q++) {
            spd_twofold *at = &e[row.idx[q] * B->K + i % B->K];
            *at = spd_twofold_add_product(*at, row.val[q], a->normal[spd_part_at(B, i)]);
        }
    }
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j <= i && e[i].high != 0; j++) row_of(a, i)[j] = spd_twofold_minus(row_of(a, i)[j], e[i], e[j]);
}

/* What is in M besides: the ridge; X; prox. */
static void add_rest(spd_interior *a, double add) {
    const int64_t n = a->n, d = a->p->dK;
    double *diagonal = a->fix;
    memset(diagonal, 0, (size_t)n * sizeof *diagonal);
    spd_interior_set_matrix(a, diagonal, 1);
    for (int64_t i = 0; i < n; i++) {
        spd_twofold *own = row_of(a, i);
        for (int64_t j = 0; j <= i && i < d && add != 0; j++)
            own[j] = spd_twofold_minus(own[j], spd_two_product(-add, a->column[i]), (spd_twofold){a->column[j], 0});
        own[i] = spd_twofold_add(own[i], diagonal[i]);
        own[i] = spd_twofold_add(own[i], (i < d ? a->p->gamma : 0) + a->prox);
    }
}

static void assemble(spd_interior *a, double add) {
    memset(a->doubled, 0, (size_t)(a->n * a->n) * sizeof *a->doubled);
    add_rows(a);
    add_terms(a);
    spd_interior_terms_each(a, NULL, take_radial, take_radial, NULL);
    add_rest(a, add);
    for (int64_t i = 0; i < a->n; i++) {
        spd_twofold *at = &row_of(a, i)[i];
        *at = spd_twofold_add(*at, at->high > 0 ? LITTLE * at->high : 1);
    }
}

/* The entries left of the diagonal become D_i U_ij, then U_ij. */
static bool factor_row(spd_interior *a, int64_t j) {
    spd_twofold *own = row_of(a, j);
    const double whole = own[j].high;
    for (int64_t i = 0; i < j; i++)
        for (int64_t k = 0; k < i; k++) own[i] = spd_twofold_minus(own[i], row_of(a, i)[k], own[k]);
    for (int64_t i = 0; i < j; i++) {
        const spd_twofold u = spd_twofold_over(own[i], row_of(a, i)[i]);
        own[j] = spd_twofold_minus(own[j], u, own[i]);
        own[i] = u;
    }
    return isfinite(own[j].high) && own[j].high > WEAK * LITTLE * whole;
}

bool spd_interior_fine_factor(spd_interior *a, double add) {
    int64_t done = 0;
    assemble(a, add);
    while (done < a->n && factor_row(a, done)) done++;
    return done == a->n;
}

void spd_interior_fine_solve(spd_interior *a, const double *b, double *out) {
    spd_twofold *t = a->doubled_x;
    for (int64_t j = 0; j < a->n; j++) {
        t[j] = (spd_twofold){b[j], 0};
        for (int64_t k = 0; k < j; k++) t[j] = spd_twofold_minus(t[j], row_of(a, j)[k], t[k]);
    }
    for (int64_t j = 0; j < a->n; j++) t[j] = spd_twofold_over(t[j], row_of(a, j)[j]);
    for (int64_t j = a->n - 1; j >= 0; j--) {
        for (int64_t k = 0; k < j; k++) t[k] = spd_twofold_minus(t[k], row_of(a, j)[k], t[j]);
        out[j] = t[j].high;
    }
}

static double product(const spd_interior *a, int64_t count, const int32_t *idx, const double *val, int64_t k, spd_twofold sum) {
    for (int64_t q = 0; q < count; q++)
        sum = spd_twofold_minus(sum, (spd_twofold){-val[q], 0}, a->doubled_x[(idx ? idx[q] : q) * a->p->K + k]);
    return sum.high;
}

void spd_interior_fine_terms(const spd_interior *a, double *Fdu) {
    for (spd_rows f = spd_rows_of(a->p); spd_rows_next(&f);)
        for (int64_t k = 0; k < a->p->K; k++) Fdu[f.at + k] = product(a, f.row.n, f.row.idx, f.row.val, k, (spd_twofold){0, 0});
}

void spd_interior_fine_rows(const spd_interior *a, double *Adu) {
    const spdhg_problem *p = a->p;
    for (int64_t i = 0; i < p->n; i++) {
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t k = 0; k < p->K; k++)
            Adu[i * p->K + k] =
                product(a, row.nnz, row.idx, row.val, k, p->intercept ? a->doubled_x[p->dK + k] : (spd_twofold){0, 0});
    }
}
