/* sparse_pattern.c - the nonzero pattern of M = diag + G'WG and of its factor (sparse_system.h), and the position to which every
 * product of a row is added. */
#include <ldl.h>

#include "la/sparse_system.h"

static const double INDEX_MOST = 2147483000; /* the libraries use int32_t indices */

/* Needed only while the pattern is built. The transpose of G: the rows of column j, and j's position in each. */
typedef struct making {
    spd_sparse_pattern *s;
    int64_t *rows_of;       /* n + 1 */
    int32_t *row, *entry;   /* entries of G */
    int32_t *mark;          /* nodes */
    int32_t *first, *other; /* upper triangle without the diagonal, in the original order of the unknowns */
    int32_t *order;         /* nodes: the order of elimination */
    int32_t *long_row;      /* the row of each node from n on */
} making;

spdhg_status spd_sparse_pattern_new(spd_sparse_pattern *s, int64_t n, int64_t rows, int64_t entries, spdhg_error *err) {
    *s = (spd_sparse_pattern){.n = n, .rows = rows};
    s->ptr = SPD_NEW(int64_t, rows + 1);
    s->idx = SPD_NEW(int32_t, entries);
    s->node = SPD_NEW(int32_t, rows);
    s->slot_ptr = SPD_NEW(int64_t, rows + 1);
    if (s->ptr && s->idx && s->node && s->slot_ptr) return SPDHG_OK;
    spd_sparse_pattern_free(s);
    return spd_fail_memory(err, 12.0 * (double)rows + 4.0 * (double)entries);
}

static spdhg_status too_many(spdhg_error *err) {
    return spd_fail(err, SPDHG_MEMORY, "a sparse factorisation would need more than 2^31 entries");
}

static int64_t length(const spd_sparse_pattern *s, int64_t r) { return s->ptr[r + 1] - s->ptr[r]; }

static void transpose(making *a) {
    const spd_sparse_pattern *s = a->s;
    for (int64_t q = 0; q < s->ptr[s->rows]; q++) a->rows_of[s->idx[q] + 1]++;
    for (int64_t j = 0; j < s->n; j++) a->rows_of[j + 1] += a->rows_of[j];
    for (int64_t r = 0; r < s->rows; r++)
        for (int64_t q = s->ptr[r]; q < s->ptr[r + 1]; q++) {
            const int64_t at = a->rows_of[s->idx[q]]++;
            a->row[at] = (int32_t)r;
            a->entry[at] = (int32_t)(q - s->ptr[r]);
        }
    for (int64_t j = s->n; j > 0; j--) a->rows_of[j] = a->rows_of[j - 1];
    a->rows_of[0] = 0;
}

/* The entries of column j above the diagonal, each once; stored in `other` from `at` on if `other` is allocated. */
static int64_t fill_column(making *a, int64_t j, int64_t at) {
    const spd_sparse_pattern *s = a->s;
    for (int64_t l = a->rows_of[j]; l < a->rows_of[j + 1]; l++) {
        const int64_t r = a->row[l];
        for (int64_t q = s->ptr[r]; q < s->ptr[r + 1] && s->node[r] < 0; q++) {
            const int32_t i = s->idx[q];
            if (i >= j || a->mark[i] == j) continue;
            a->mark[i] = (int32_t)j;
            if (a->other) a->other[at] = i;
            at++;
        }
    }
    return at;
}

/* The upper triangle in the original numbering of the unknowns. False: too many entries. */
static bool fill_triangle(making *a) {
    const spd_sparse_pattern *s = a->s;
    int64_t at = 0;
    memset(a->mark, -1, (size_t)s->nodes * sizeof *a->mark);
    for (int64_t j = 0; j < s->n; j++) {
        a->first[j] = (int32_t)at;
        at = fill_column(a, j, at);
        if ((double)at > INDEX_MOST) return false;
    }
    for (int64_t r = 0; r < s->rows; r++) {
        if (s->node[r] < 0) continue;
        a->first[s->node[r]] = (int32_t)at;
        for (int64_t q = s->ptr[r]; q < s->ptr[r + 1] && a->other; q++) a->other[at + q - s->ptr[r]] = s->idx[q];
        at += length(s, r);
        if ((double)at > INDEX_MOST) return false;
    }
    a->first[s->nodes] = (int32_t)at;
    return (double)at + (double)s->nodes <= INDEX_MOST;
}

/* The same entries in the order of elimination, diagonal first. */
static void reorder(making *a) {
    spd_sparse_pattern *s = a->s;
    int32_t *column = s->column, *next = a->mark;
    for (int32_t k = 0; k < s->nodes; k++) {
        s->place[a->order[k]] = k;
        column[k + 1] = 1;
    }
    column[0] = 0;
    for (int32_t j = 0; j < s->nodes; j++)
        for (int32_t q = a->first[j]; q < a->first[j + 1]; q++) {
            const int32_t k = s->place[j], i = s->place[a->other[q]];
            column[(k > i ? k : i) + 1]++;
        }
    for (int32_t k = 0; k < s->nodes; k++) {
        column[k + 1] += column[k];
        next[k] = column[k] + 1;
        s->above[column[k]] = k;
    }
    for (int32_t j = 0; j < s->nodes; j++)
        for (int32_t q = a->first[j]; q < a->first[j + 1]; q++) {
            const int32_t k = s->place[j], i = s->place[a->other[q]];
            s->above[next[k > i ? k : i]++] = k > i ? i : k;
        }
}

/* The slots of this column to which row r adds, its entry a being the column's unknown; mark: the slot of each entry. */
static void find_slots_of(making *m, int64_t r, int64_t a, int32_t k) {
    const spd_sparse_pattern *s = m->s;
    if (s->node[r] >= 0) {
        const int32_t i = s->place[s->node[r]];
        if (i < k) s->slot[s->slot_ptr[r] + a] = m->mark[i];
        return;
    }
    for (int64_t b = 0; b < length(s, r); b++) {
        const int32_t i = s->place[s->idx[s->ptr[r] + b]];
        const int64_t high = a > b ? a : b, low = a > b ? b : a;
        if (i <= k) s->slot[s->slot_ptr[r] + high * (high + 1) / 2 + low] = m->mark[i];
    }
}

static void find_slots(making *m) {
    const spd_sparse_pattern *s = m->s;
    for (int32_t k = 0; k < s->nodes; k++) {
        const int32_t j = m->order[k];
        for (int32_t q = s->column[k]; q < s->column[k + 1]; q++) m->mark[s->above[q]] = q;
        for (int64_t l = j < s->n ? m->rows_of[j] : 0; j < s->n && l < m->rows_of[j + 1]; l++)
            find_slots_of(m, m->row[l], m->entry[l], k);
        if (j < s->n) continue;
        const int64_t r = m->long_row[j - s->n];
        for (int64_t a = 0; a < length(s, r); a++) {
            const int32_t i = s->place[s->idx[s->ptr[r] + a]];
            if (i < k) s->slot[s->slot_ptr[r] + a] = m->mark[i];
        }
    }
}

/* The lengths of the columns of L, and the cost of a factorisation. count, flag: nodes each. */
static bool count_fill(spd_sparse_pattern *s, int32_t *count, int32_t *flag) {
    ldl_symbolic(s->nodes, s->column, s->above, s->factor_column, s->parent, count, flag, NULL, NULL);
    for (int32_t k = 0; k < s->nodes; k++) {
        s->fill += count[k];
        s->work += (double)count[k] * ((double)count[k] + 3);
    }
    return (double)s->fill <= INDEX_MOST;
}

/* True if every column of the triangle is full from its first entry to the diagonal, as in a band: no order has less fill than
 * the present one, which has none. */
static bool is_band(const making *a) {
    for (int32_t j = 0; j < a->s->nodes; j++) {
        int32_t least = j;
        for (int32_t q = a->first[j]; q < a->first[j + 1]; q++) least = a->other[q] < least ? a->other[q] : least;
        if (a->first[j + 1] - a->first[j] != j - least) return false;
    }
    return true;
}

/* Everything that needs the triangle; `other` is allocated once its size is known. */
static spdhg_status order_nodes(making *a, spd_stop *stop, spdhg_error *err) {
    spd_sparse_pattern *s = a->s;
    if (!fill_triangle(a)) return too_many(err);
    const int64_t entries = a->first[s->nodes];
    a->other = SPD_NEW(int32_t, entries);
    s->above = SPD_NEW(int32_t, entries + s->nodes);
    s->slot = SPD_NEW(int32_t, s->slot_ptr[s->rows]);
    if (!a->other || !s->above || !s->slot) return spd_fail_memory(err, 8.0 * (double)entries);
    fill_triangle(a);
    for (int32_t k = 0; k < s->nodes; k++) a->order[k] = k;
    s->band = s->nodes == s->n && is_band(a);
    const spd_ordered ordered = s->band ? SPD_ORDERED : spd_sparse_order(s->nodes, a->first, a->other, a->order, stop);
    if (ordered == SPD_ORDER_FAILED) return spd_fail_memory(err, 16.0 * (double)entries);
    if (ordered == SPD_ORDER_LEFT)
        return spd_fail(err, SPDHG_MEMORY, "there was no time left to order the columns of a sparse factor");
    reorder(a);
    find_slots(a);
    return count_fill(s, a->mark, a->order) ? SPDHG_OK : too_many(err);
}

static spdhg_status make(making *a, spd_stop *stop, spdhg_error *err) {
    spd_sparse_pattern *s = a->s;
    const int64_t entries = s->ptr[s->rows], nodes = s->nodes;
    int32_t **const lists[] = {&a->mark, &a->order, &a->first, &s->place, &s->column, &s->factor_column, &s->parent};
    bool good = true;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) good = (*lists[i] = SPD_NEW(int32_t, nodes + 1)) && good;
    a->long_row = SPD_NEW(int32_t, nodes - s->n);
    a->rows_of = SPD_NEW(int64_t, s->n + 1);
    a->row = SPD_NEW(int32_t, entries);
    a->entry = SPD_NEW(int32_t, entries);
    if (!good || !a->long_row || !a->rows_of || !a->row || !a->entry)
        return spd_fail_memory(err, 28.0 * (double)nodes + 8.0 * (double)entries);
    for (int64_t r = 0; r < s->rows; r++)
        if (s->node[r] >= 0) a->long_row[s->node[r] - s->n] = (int32_t)r;
    transpose(a);
    return order_nodes(a, stop, err);
}

spdhg_status spd_sparse_analyse(spd_sparse_pattern *s, int64_t most, spd_stop *stop, spdhg_error *err) {
    making a = {.s = s};
    spd_sparse_forget(s);
    if (!spd_sparse_number_rows(s, most)) return too_many(err);
    const spdhg_status status = make(&a, stop, err);
    void *const block[] = {a.rows_of, a.row, a.entry, a.mark, a.first, a.other, a.order, a.long_row};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) spd_free(block[i]);
    return status;
}

void spd_sparse_pattern_free(spd_sparse_pattern *s) {
    void *const block[] = {s->ptr, s->idx, s->node, s->slot_ptr};
    spd_sparse_forget(s);
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) spd_free(block[i]);
    *s = (spd_sparse_pattern){0};
}
