/* prepare.c - what a solver needs to know about the rows of a problem: weights, values, norms (docs/problem.md, Intercept,
 * weights, scaling). */
#include "problem/prepare.h"
#include "problem/rows.h"

/* ---- weights */

static int64_t class_number(const spdhg_problem *p, int64_t i) {
    if (!p->loss->value) return (int64_t)p->b[i];
    return p->classes == 2 && p->b[i] > 0;
}

/* balanced: W / (classes * weight of the class), so that every class has the same weight. */
static spdhg_status balanced(const spdhg_problem *p, double *factor, spdhg_error *err) {
    double *mass = SPD_NEW(double, p->classes), sum = 0;
    if (!mass) return spd_fail_memory(err, 8.0 * (double)p->classes);
    for (int64_t i = 0; i < p->n; i++) {
        const double w = p->data->weight ? p->data->weight[spd_problem_id(p, i)] : 1;
        mass[class_number(p, i)] += w;
        sum += w;
    }
    for (int64_t k = 0; k < p->classes; k++) factor[k] = sum / ((double)p->classes * mass[k]);
    spd_free(mass);
    return SPDHG_OK;
}

/* One LABEL=W of the list; the label is a number, or a text if the labels are texts. */
static spdhg_status one_class_weight(const spdhg_problem *p, const char *item, size_t length, double *factor, spdhg_error *err) {
    char text[256], *equals;
    if (length < sizeof text) {
        memcpy(text, item, length);
        text[length] = '\0';
    }
    double label, weight;
    if (length >= sizeof text || !(equals = strrchr(text, '=')) || !spd_to_double(equals + 1, &weight) || weight < 0)
        return spd_fail(err, SPDHG_USAGE, "class weights: expected 'balanced' or LABEL=WEIGHT,... with weights >= 0, not '%.*s'",
                        (int)(length < 100 ? length : 100), item);
    *equals = '\0';
    for (int64_t k = 0; k < p->classes; k++) {
        const bool same = p->data->label ? strcmp(text, p->data->label[(int64_t)p->class_value[k]]) == 0
                                         : spd_to_double(text, &label) && label == p->class_value[k];
        if (same) {
            factor[k] = weight;
            return SPDHG_OK;
        }
    }
    return spd_fail(err, SPDHG_USAGE, "class weights: no row has the label '%s'", text);
}

static spdhg_status class_factors(const spdhg_problem *p, double *factor, spdhg_error *err) {
    if (strcmp(p->class_weight, "balanced") == 0) return balanced(p, factor, err);
    for (int64_t k = 0; k < p->classes; k++) factor[k] = 1;
    for (const char *item = p->class_weight;;) {
        const char *comma = strchr(item, ',');
        SPD_TRY(one_class_weight(p, item, comma ? (size_t)(comma - item) : strlen(item), factor, err));
        if (!comma) return SPDHG_OK;
        item = comma + 1;
    }
}

spdhg_status spd_prepare_weights(spdhg_problem *p, spdhg_error *err) {
    p->W = (double)p->n;
    if (!p->data->weight && !p->class_weight) return SPDHG_OK;
    if (p->class_weight && !p->loss->classify)
        return spd_fail(err, SPDHG_USAGE, "class weights need a classification loss, not %s", p->loss->name);
    double *factor = SPD_NEW(double, p->classes + 1);
    p->weight = SPD_NEW(double, p->n);
    if (!factor || !p->weight) {
        spd_free(factor);
        return spd_fail_memory(err, 8.0 * (double)p->n);
    }
    const spdhg_status status = p->class_weight ? class_factors(p, factor, err) : SPDHG_OK;
    bool equal = true;
    for (int64_t i = 0; status == SPDHG_OK && i < p->n; i++) {
        const double w = p->data->weight ? p->data->weight[spd_problem_id(p, i)] : 1;
        p->weight[i] = p->class_weight ? w * factor[class_number(p, i)] : w;
        equal = equal && p->weight[i] == 1;
    }
    spd_free(factor);
    SPD_TRY(status);
    p->W = spd_sum(p->n, p->weight);
    if (!(p->W > 0) || !isfinite(p->W)) return spd_fail(err, SPDHG_DATA, "the weights of the rows must be finite and not all 0");
    if (equal) {
        spd_free(p->weight);
        p->weight = NULL;
    }
    return SPDHG_OK;
}

/* ---- values */

typedef struct column {
    double low, high, mean, square; /* square: sum of w ((a - mean)/largest)^2 */
    spd_twofold weight;             /* of the rows with an entry; that of the others is a small difference */
} column;

/* Calls visit(column, value, weight) for every stored entry of the rows that count. */
static void each_entry(const spdhg_problem *p, column *col, void (*visit)(column *, double, double)) {
    for (int64_t i = 0; i < p->n; i++) {
        const double w = spd_problem_weight(p, i);
        if (w == 0) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) visit(&col[row.idx ? row.idx[q] : q], row.val[q], w);
    }
}

static double largest(const column *c) { return fmax(fabs(c->low), fabs(c->high)); }

static void visit_range(column *c, double a, double w) {
    if (c->weight.high == 0 || a < c->low) c->low = a;
    if (c->weight.high == 0 || a > c->high) c->high = a;
    c->weight = spd_twofold_add(c->weight, w);
}

static void visit_mean(column *c, double a, double w) {
    if (a != 0) c->mean += w * (a / largest(c));
}

static void visit_square(column *c, double a, double w) {
    const double e = a / largest(c) - c->mean;
    c->square += w * e * e;
}

/* Weighted population standard deviation, scaled by the largest entry against overflow; exactly constant columns get 1. */
static spdhg_status deviations(spdhg_problem *p, spdhg_error *err) {
    column *col = SPD_NEW(column, p->d);
    if (!col) return spd_fail_memory(err, (double)sizeof *col * (double)p->d);
    int64_t counted = 0;
    for (int64_t i = 0; i < p->n; i++) counted += spd_problem_weight(p, i) > 0;
    int64_t *entries = SPD_NEW(int64_t, p->d); /* exact: a column with a missing entry also has the value 0 */
    if (!entries) {
        spd_free(col);
        return spd_fail_memory(err, 8.0 * (double)p->d);
    }
    spd_twofold W = {0, 0};
    for (int64_t i = 0; i < p->n; i++) W = spd_twofold_add(W, spd_problem_weight(p, i));
    each_entry(p, col, visit_range);
    for (int64_t i = 0; i < p->n; i++) {
        if (p->weight && p->weight[i] == 0) continue;
        spd_row row;
        spd_problem_row(p, i, &row);
        for (int64_t q = 0; q < row.nnz; q++) entries[row.idx ? row.idx[q] : q]++;
    }
    for (int64_t j = 0; j < p->d; j++)
        if (entries[j] < counted) {
            col[j].low = fmin(col[j].low, 0);
            col[j].high = fmax(col[j].high, 0);
        }
    spd_free(entries);
    each_entry(p, col, visit_mean);
    for (int64_t j = 0; j < p->d; j++) col[j].mean /= p->W;
    each_entry(p, col, visit_square);
    for (int64_t j = 0; j < p->d; j++) {
        const column *c = &col[j];
        const double absent = fmax((W.high - c->weight.high) + (W.low - c->weight.low), 0);
        const double deviation = largest(c) * sqrt((c->square + absent * c->mean * c->mean) / p->W);
        p->scale[j] = c->low == c->high || !(deviation > 0) ? 1 : deviation;
    }
    spd_free(col);
    return SPDHG_OK;
}

spdhg_status spd_prepare_values(spdhg_problem *p, const spdhg_problem *base, spdhg_error *err) {
    const spdhg_data *data = p->data;
    const int64_t stored = data->idx ? data->ptr[data->rows] : data->rows * data->features;
    p->val = data->val;
    SPD_TRY(base ? spd_centre_copy(&p->centre, &base->centre, err) : spd_prepare_centre(p, err));
    if (base && !p->standardize) p->val = base->val;
    if (!p->standardize && (base || p->centre.count == 0)) return SPDHG_OK;
    if (data->disk)
        return spd_fail(err, SPDHG_USAGE,
                        "%s: its entries stay on disk, and %s would need a second copy of them; scale and centre the columns "
                        "before the data are converted",
                        data->source ? data->source : "the data",
                        p->standardize ? "--standardize" : "an intercept with columns far from 0");
    spd_data_whole(data);
    if (!(p->own = spd_copy(data->val, stored, sizeof *p->own))) return spd_fail_memory(err, 8.0 * (double)stored);
    p->val = p->own;
    spd_centre_values(p, p->own);
    if (!p->standardize) return SPDHG_OK;
    if (!(p->scale = SPD_NEW(double, p->d))) return spd_fail_memory(err, 8.0 * (double)p->d);
    SPD_TRY(deviations(p, err));
    for (int64_t q = 0; q < stored; q++) p->own[q] /= p->scale[data->idx ? data->idx[q] : q % p->d];
    return SPDHG_OK;
}

/* ---- rows */

/* Short rows, the most common in sparse data, are summed here because a call would cost more. */
static double sum_of_squares(const spd_row *row) {
    enum { SHORT = 16 };
    double sum = 0;
    if (row->nnz > SHORT) return spd_dot(row->nnz, row->val, row->val);
    for (int64_t q = 0; q < row->nnz; q++) sum += row->val[q] * row->val[q];
    return sum;
}

static spdhg_status measure_row(spdhg_problem *p, int64_t i, const spd_row *row, spdhg_error *err) {
    p->nnz += row->nnz;
    for (int64_t q = 0; q < row->nnz && p->ones; q++) p->ones = row->val[q] == 1;
    const double w = spd_problem_weight(p, i);
    if (w == 0) return SPDHG_OK;
    const double square = sum_of_squares(row) + p->intercept;
    if (!isfinite(square))
        return spd_fail(err, SPDHG_DATA, "row %lld: its squared norm overflows; scale the columns (--standardize)",
                        (long long)spd_problem_id(p, i) + 1);
    p->row_norm2_max = fmax(p->row_norm2_max, square);
    p->weight_factor_max = fmax(p->weight_factor_max, (double)p->n * w / p->W * square);
    p->row_norm2_mean += w / p->W * square;
    p->row_norm_mean += w / p->W * sqrt(square);
    return SPDHG_OK;
}

spdhg_status spd_prepare_rows(spdhg_problem *p, spdhg_error *err) {
    spdhg_status status = SPDHG_OK;
    const bool open = spd_pass_begin(p);
    p->ones = p->data->idx != NULL;
    for (int64_t i = 0; i < p->n && status == SPDHG_OK; i++) {
        spd_row row;
        spd_pass_row(p, open, i, &row);
        status = measure_row(p, i, &row, err);
    }
    spd_pass_end(p, open);
    p->full = p->data->idx && (double)p->nnz == (double)p->n * (double)p->d;
    p->ones = p->ones && !p->full;
    if (p->full) spd_data_whole(p->data); /* full rows are read several at a time */
    return status;
}

bool spd_problem_is_signal(const spdhg_problem *p) {
    for (int64_t i = 0; i < p->n && p->nnz <= p->n; i++) {
        spd_row row;
        spd_pass_row_in_memory(p, i, &row); /* its length alone */
        if (row.nnz > 1) return false;
    }
    return p->nnz <= p->n;
}
