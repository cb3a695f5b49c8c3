/* star_system_start.c - lists what star_system.c eliminates. The columns are sorted by kind: private with a light row, private
 * without one, shared; then by the heavy rows they are in. The light rows are sorted by their columns. Sorting makes the branches
 * of the loops predictable. */
#include <stdlib.h>

#include "admm/star_system.h"

typedef struct key {
    uint64_t heavies; /* one bit for each heavy row that contains the column */
    int32_t column, degree;
} key;

static void take_csr(spd_csr *A, spd_arena *arena, int64_t rows, int64_t entries) {
    A->ptr = spd_arena_int64(arena, rows + 1);
    A->idx = spd_arena_int32(arena, entries);
    A->val = spd_arena_take(arena, entries);
}

void spd_star_system_layout(spd_star_system *a, spd_arena *state, spd_arena *work, int64_t rows, int64_t columns,
                            int64_t entries) {
    take_csr(&a->light, state, rows, entries);
    take_csr(&a->U, state, columns, entries);
    a->column = spd_arena_int32(state, columns);
    a->row = spd_arena_int32(state, columns);
    a->p = spd_arena_take(state, columns);
    a->inverse = spd_arena_take(work, 2 * columns);
    a->y = a->inverse ? a->inverse + columns : NULL;
    a->sum = spd_arena_take(work, rows);
    a->w = spd_arena_take(work, rows);
    a->K = spd_arena_take(work, 4 * SPD_CORNER_MOST * SPD_CORNER_MOST);
    a->zeta = spd_arena_take(work, 2 * SPD_CORNER_MOST);
    a->t = spd_arena_take(work, 2 * SPD_CORNER_MOST);
    a->position = spd_arena_int32(work, columns);
    a->source = spd_arena_int32(work, rows);
    a->placed = spd_arena_int32(work, rows);
}

/* Sorts by kind: private with a light row, private without one, shared; then by the heavy rows. */
static int compare(const void *left, const void *right) {
    const key *x = left, *y = right;
    const int kind_x = x->degree > 1 ? 2 : 1 - x->degree, kind_y = y->degree > 1 ? 2 : 1 - y->degree;
    if (kind_x != kind_y) return kind_x - kind_y;
    if (x->heavies != y->heavies) return x->heavies < y->heavies ? -1 : 1;
    return x->column - y->column;
}

/* Sets column, position and the ends of the kinds; row holds, by columns of N, the light row of a private column. False if there
 * are too many heavy rows or shared columns. */
static bool sort_columns(spd_star_system *a, const spd_csr *N) {
    key *keys = (key *)(void *)a->inverse; /* a key is as long as two doubles */
    a->heavies = 0;
    for (int64_t j = 0; j < N->n; j++) keys[j] = (key){.column = (int32_t)j};
    for (int64_t e = 0; e < N->m; e++) {
        const bool heavy = spd_csr_is_heavy(N, e);
        if (heavy && a->heavies == SPD_CORNER_MOST) return false;
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1]; q++) {
            key *k = &keys[N->idx[q]];
            if (heavy)
                k->heavies |= (uint64_t)1 << a->heavies;
            else
                k->degree++, a->row[N->idx[q]] = (int32_t)e;
        }
        a->heavies += heavy;
    }
    qsort(keys, (size_t)N->n, sizeof *keys, compare);
    a->paired = a->own = 0;
    for (int64_t i = 0; i < N->n; i++) {
        a->column[i] = keys[i].column;
        a->position[keys[i].column] = (int32_t)i;
        a->paired += keys[i].degree == 1;
        a->own += keys[i].degree <= 1;
    }
    a->shared = N->n - a->own;
    return a->shared <= SPD_CORNER_MOST;
}

/* source: the light rows in the order of their private columns, those without one last. */
static void sort_rows(spd_star_system *a, const spd_csr *N) {
    a->light.m = 0;
    for (int64_t e = 0; e < N->m; e++) a->placed[e] = spd_csr_is_heavy(N, e);
    for (int64_t i = 0; i < a->paired; i++) {
        const int32_t e = a->row[a->column[i]];
        if (!a->placed[e]) a->source[a->light.m++] = e;
        a->placed[e] = true;
    }
    for (int64_t e = 0; e < N->m; e++)
        if (!a->placed[e]) a->source[a->light.m++] = (int32_t)e;
}

static void list_light(spd_star_system *a, const spd_csr *N) {
    int64_t at = 0;
    a->light.ptr[0] = 0;
    for (int64_t e = 0; e < a->light.m; e++) {
        for (int64_t q = N->ptr[a->source[e]]; q < N->ptr[a->source[e] + 1]; q++, at++) {
            const int32_t i = a->light.idx[at] = a->position[N->idx[q]];
            a->light.val[at] = N->val[q];
            if (i < a->paired) a->row[i] = (int32_t)e, a->p[i] = N->val[q];
        }
        a->light.ptr[e + 1] = at;
    }
}

/* U: the heavy rows by columns. */
static void list_heavy(spd_star_system *a, const spd_csr *N) {
    int64_t *ptr = a->U.ptr, met = 0;
    memset(ptr, 0, (size_t)(N->n + 1) * sizeof *ptr);
    for (int64_t e = 0; e < N->m; e++)
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1] && spd_csr_is_heavy(N, e); q++) ptr[a->position[N->idx[q]] + 1]++;
    for (int64_t i = 0; i < N->n; i++) ptr[i + 1] += ptr[i];
    for (int64_t e = 0; e < N->m; e++) {
        for (int64_t q = N->ptr[e]; q < N->ptr[e + 1] && spd_csr_is_heavy(N, e); q++) {
            const int64_t at = ptr[a->position[N->idx[q]]]++;
            a->U.idx[at] = (int32_t)met;
            a->U.val[at] = N->val[q];
        }
        met += spd_csr_is_heavy(N, e);
    }
    memmove(ptr + 1, ptr, (size_t)N->n * sizeof *ptr);
    ptr[0] = 0;
}

bool spd_star_system_start(spd_star_system *a, const spd_csr *N, double rho) {
    a->rho = rho;
    a->n = N->n;
    if (!sort_columns(a, N)) return false;
    sort_rows(a, N);
    list_light(a, N);
    list_heavy(a, N);
    return true;
}
