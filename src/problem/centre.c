/* centre.c - columns whose distance from 0 is large compared with their width are shifted by a value s_j within their range. With
 * a free intercept
 *     a_i'x + c = (a_i - s)'x + c~,   c~ = c + s'x
 * so that the problem in (x, c~) is the same, but its columns are no longer nearly parallel to the intercept's. The differences
 * a_ij - s_j are exact: s_j lies within the range of the column, whose ends differ by less than a factor of two (Sterbenz), so
 * that rounding does not change the problem. Only columns without implicit zeros qualify: a column with a fraction q of zeros has
 * a width of at least sqrt(q) times its size. Sparse columns therefore stay sparse. */
#include "problem/prepare.h"
#include "problem/rows.h"

enum { FAR = 16 }; /* distance from 0 in widths; at least 1, so that the differences are exact. Ordinary columns are nearer */

typedef struct range {
    int32_t column;
    double low, high, mean; /* mean: above low */
} range;

static bool is_far(const range *r) {
    return (r->low > 0 || r->high < 0) && FAR * (r->high - r->low) <= fmin(fabs(r->low), fabs(r->high));
}

/* The entry of this column at or after position *q, which advances; false: there is none. */
static bool entry(const spd_row *row, int32_t column, int64_t *q, double *a) {
    while (row->idx && *q < row->nnz && row->idx[*q] < column) (*q)++;
    if (row->idx && (*q == row->nnz || row->idx[*q] != column)) return false;
    *a = row->val[row->idx ? *q : column];
    return true;
}

/* Keeps the columns that are still far from 0 after this row. In ordinary data none is left after a few rows. */
static int64_t narrow(const spd_row *row, range *found, int64_t count) {
    int64_t left = 0, q = 0;
    for (int64_t e = 0; e < count; e++) {
        range r = found[e];
        double a;
        if (!entry(row, r.column, &q, &a)) continue;
        r.low = fmin(r.low, a);
        r.high = fmax(r.high, a);
        if (is_far(&r)) found[left++] = r;
    }
    return left;
}

static int64_t begin(const spd_row *row, range *found) {
    for (int64_t q = 0; q < row->nnz; q++)
        found[q] = (range){.column = row->idx ? row->idx[q] : (int32_t)q, .low = row->val[q], .high = row->val[q]};
    return row->nnz;
}

/* A constant column that is no larger than the intercept's does no harm. */
static int64_t drop_constants(range *found, int64_t count) {
    int64_t left = 0;
    for (int64_t e = 0; e < count; e++)
        if (found[e].low < found[e].high || fabs(found[e].low) > 1) found[left++] = found[e];
    return left;
}

static void add_means(const spdhg_problem *p, range *found, int64_t count) {
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n; i++) {
        const double part = spd_problem_share(p, i);
        spd_row row;
        int64_t q = 0;
        double a = 0;
        spd_pass_row(p, open, i, &row);
        for (int64_t e = 0; e < count && part > 0; e++)
            if (entry(&row, found[e].column, &q, &a)) found[e].mean += part * (a - found[e].low);
    }
    spd_pass_end(p, open);
}

/* found must hold d columns. */
static int64_t find(const spdhg_problem *p, range *found) {
    int64_t count = -1;
    const bool open = spd_pass_begin(p);
    for (int64_t i = 0; i < p->n && count != 0; i++) {
        if (p->weight && p->weight[i] == 0) continue;
        spd_row row;
        spd_pass_row(p, open, i, &row);
        if (count < 0) count = begin(&row, found);
        count = narrow(&row, found, count);
    }
    spd_pass_end(p, open);
    count = drop_constants(found, count);
    if (count > 0) add_means(p, found, count);
    return count;
}

spdhg_status spd_prepare_centre(spdhg_problem *p, spdhg_error *err) {
    if (!p->intercept) return SPDHG_OK;
    range *found = SPD_NEW(range, p->d);
    if (!found) return spd_fail_memory(err, (double)sizeof *found * (double)p->d);
    const int64_t count = find(p, found);
    const spdhg_status status = count > 0 ? spd_centre_new(&p->centre, count, err) : SPDHG_OK;
    for (int64_t e = 0; e < p->centre.count; e++) {
        p->centre.column[e] = found[e].column;
        p->centre.value[e] = fmin(found[e].low + found[e].mean, found[e].high);
    }
    spd_free(found);
    return status;
}

void spd_centre_values(const spdhg_problem *p, double *val) {
    const spdhg_data *data = p->data;
    for (int64_t i = 0; i < data->rows; i++) {
        const int64_t first = data->idx ? data->ptr[i] : i * data->features;
        const spd_row row = {.nnz = data->idx ? data->ptr[i + 1] - first : data->features,
                             .idx = data->idx ? data->idx + first : NULL,
                             .val = data->val + first};
        int64_t q = 0;
        double a;
        for (int64_t e = 0; e < p->centre.count; e++)
            if (entry(&row, p->centre.column[e], &q, &a))
                val[first + (row.idx ? q : p->centre.column[e])] = a - p->centre.value[e];
    }
}

/* x is on the penalised scale: scale_j times that of the data. */
static void move(const spdhg_problem *p, const double *x, double sign, double *c) {
    for (int64_t e = 0; e < p->centre.count; e++) {
        const int64_t j = p->centre.column[e];
        const double s = p->centre.value[e] / (p->scale ? p->scale[j] : 1);
        spd_axpy(p->K, sign * s, x + j * p->K, c);
    }
}
void spd_problem_c_inward(const spdhg_problem *p, const double *x, double *c) { move(p, x, 1, c); }
void spd_problem_c_outward(const spdhg_problem *p, const double *x, double *c) { move(p, x, -1, c); }

double spd_problem_undivided(const spdhg_problem *p, const spd_row *row, int64_t q) {
    if (!p->scale) return row->val[q];
    const int32_t j = row->idx ? row->idx[q] : (int32_t)q;
    double a = p->data->val[row->val - p->val + q];
    for (int64_t e = 0; e < p->centre.count; e++)
        if (p->centre.column[e] == j) a -= p->centre.value[e]; /* exact */
    return a;
}
