/* measure.c - what a solver needs to know about the rows of a problem: how many entries they have, and their norms. */
#include "problem/prepare.h"
#include "problem/rows.h"

/* Short rows, the most common in sparse data, are summed here because a call would cost more. */
static double sum_of_squares(const spd_row *row) {
    enum { SHORT = 16 };
    double sum = 0;
    if (row->nnz > SHORT) return spd_dot(row->nnz, row->val, row->val);
    for (int64_t q = 0; q < row->nnz; q++) sum += row->val[q] * row->val[q];
    return sum;
}

/* What is known of some rows: sums, then largest values. The number of the first row whose norm overflows is counted from the
 * end. */
enum { NNZ, MEAN_NORM2, MEAN_NORM, SUMS, MOST_NORM2 = SUMS, MOST_FACTOR, OTHER_VALUES, OVERFLOW, MEASURES };

typedef struct measuring {
    const spdhg_problem *p;
    bool open;
} measuring;

static void measure_rows(void *context, int64_t first, int64_t end, double *of) {
    const measuring *a = context;
    const spdhg_problem *p = a->p;
    for (int64_t i = first; i < end; i++) {
        spd_row row;
        spd_pass_row(p, a->open, i, &row);
        of[NNZ] += (double)row.nnz;
        for (int64_t q = 0; q < row.nnz && of[OTHER_VALUES] == 0; q++) of[OTHER_VALUES] = row.val[q] != 1;
        const double w = spd_problem_weight(p, i);
        if (w == 0) continue;
        const double square = sum_of_squares(&row) + p->intercept;
        if (!isfinite(square)) {
            of[OVERFLOW] = fmax(of[OVERFLOW], (double)(p->n - i));
            continue;
        }
        of[MOST_NORM2] = fmax(of[MOST_NORM2], square);
        of[MOST_FACTOR] = fmax(of[MOST_FACTOR], (double)p->n * w / p->W * square);
        of[MEAN_NORM2] += w / p->W * square;
        of[MEAN_NORM] += w / p->W * sqrt(square);
    }
}

static void join_measures(void *context, int64_t at, int64_t count, const double *from, double *into) {
    (void)context, (void)at, (void)count; /* few enough to come at once */
    for (int q = 0; q < SUMS; q++) into[q] += from[q];
    for (int q = SUMS; q < MEASURES; q++) into[q] = fmax(into[q], from[q]);
}

spdhg_status spd_measure_rows(spdhg_problem *p, spdhg_error *err) {
    double of[SPD_SHARDS_MOST * MEASURES] = {0};
    measuring a = {.p = p, .open = spd_pass_begin(p)};
    spd_row_sum sum = spd_sum_of_rows(p, spd_shards(p->n, SPD_SHARDS_MOST), MEASURES, MEASURES, measure_rows, &a);
    sum.join = join_measures;
    spd_row_sum_run(&sum, a.open ? 1 : p->threads, of);
    spd_pass_end(p, a.open);
    if (of[OVERFLOW] > 0)
        return spd_fail(err, SPDHG_DATA, "row %lld: its squared norm overflows; scale the columns (--standardize)",
                        (long long)spd_problem_id(p, p->n - (int64_t)of[OVERFLOW]) + 1);
    p->nnz = (int64_t)of[NNZ];
    p->row_norm2_max = of[MOST_NORM2];
    p->weight_factor_max = of[MOST_FACTOR];
    p->row_norm2_mean = of[MEAN_NORM2];
    p->row_norm_mean = of[MEAN_NORM];
    p->full = p->data->idx && (double)p->nnz == (double)p->n * (double)p->d;
    p->ones = p->data->idx && of[OTHER_VALUES] == 0 && !p->full;
    if (p->full) spd_data_whole(p->data); /* full rows are read several at a time */
    return SPDHG_OK;
}

bool spd_problem_is_signal(const spdhg_problem *p) {
    for (int64_t i = 0; i < p->n && p->nnz <= p->n; i++) {
        spd_row row;
        spd_pass_row_in_memory(p, i, &row); /* its length alone */
        if (row.nnz > 1) return false;
    }
    return p->nnz <= p->n;
}
