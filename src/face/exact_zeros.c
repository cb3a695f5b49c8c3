/* exact_zeros.c - exact zeros. Where the dual block lies strictly inside its ball, the optimum has
 *     (F x)_e = 0
 * but an iterate that is optimal to 1e-8 has about 1e-8 there. Such rows of one or two entries are set to exactly 0: x moves to
 * the nearest point where they vanish (tied_coordinates.h). With a set X, coefficients close to one of its sides are moved onto
 * it; with an l1 ball, coefficients close to 0 are set to 0. */
#include "face/answer.h"
#include "face/tied_coordinates.h"
#include "face/zeros.h"

static const double SIDE_MOST = 1e-2; /* relative to the largest coefficient; no dual shows which side holds x_j */

/* Moves coefficients within `near` of a side of X onto it, then x into X. */
static void onto_sides(const spdhg_problem *p, double near, double *x, double *work) {
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    if (p->set.kind->sum_of_sizes) low = high = 0;
    for (int64_t q = 0; q < p->dK; q++) x[q] = fabs(x[q] - low) <= near ? low : fabs(x[q] - high) <= near ? high : x[q];
    spd_set_round(&p->set, p->dK, x, work);
}

typedef struct finder {
    spd_tied tied;
    double *open, *Fx;      /* m x K */
    double *from, *out, *t; /* (x, c) as given, and with zeros; the tied coordinates */
    double *work;
} finder;

/* out = x with the zeros of this margin. */
static void with_exact_zeros(const spd_answer *a, finder *f, double small) {
    const spdhg_problem *p = a->p;
    memset(f->open, 0, (size_t)(p->m * p->K) * sizeof *f->open);
    spd_zeros_of_dual(p, a->y, SPD_STRICTLY, f->open, f->work);
    if (isfinite(small)) spd_zeros_of_primal(p, f->Fx, (spd_small){.relative = small}, f->open, f->work);
    spd_tied_make(&f->tied, p, f->open, spd_problem_normal_size(p));
    spd_tied_nearest(&f->tied, p, f->from, f->t);
    spd_tied_expand(&f->tied, p, f->t, f->out);
    if (!p->set.kind->whole) onto_sides(p, fmin(small, SIDE_MOST) * spd_max_abs(p->dK, a->x), f->out, f->work);
}

static spdhg_status try_margins(const spd_answer *a, finder *f, spdhg_error *err) {
    static const double margin[] = {INFINITY, 1e-2, 1e-4, 1e-6,
                                    1e-9}; /* the first: F x becomes 0 wherever the dual allows it, however large */
    const spdhg_problem *p = a->p;
    double *c = f->out + p->dK;
    bool kept = false, offered = false;
    memcpy(f->from, a->x, (size_t)p->dK * sizeof *f->from);
    memcpy(f->from + p->dK, a->c, (size_t)p->K * sizeof *f->from);
    spd_problem_apply(p, a->x, f->Fx);
    for (size_t i = 0; i < sizeof margin / sizeof *margin && !kept && !spd_stop_now(a->stop); i++) {
        with_exact_zeros(a, f, margin[i]);
        if (memcmp(f->out, a->x, (size_t)p->dK * sizeof *a->x) == 0) break; /* smaller margins change nothing either */
        offered = true;
        memcpy(c, a->c, (size_t)p->K * sizeof *c);
        SPD_TRY(a->propose(a->context, f->out, c, &kept, err));
    }
    if (offered && !kept) a->keep_old(a->context, c);
    return SPDHG_OK;
}

static void layout(finder *f, const spdhg_problem *p, spd_arena *arena) {
    const int64_t n = p->dK + p->K, term = spd_problem_term_work(p);
    arena->used = 0;
    spd_tied_layout(p, arena, &f->tied, n);
    f->open = spd_arena_take(arena, p->m * p->K);
    f->Fx = spd_arena_take(arena, p->m * p->K);
    f->from = spd_arena_take(arena, n);
    f->out = spd_arena_take(arena, n);
    f->t = spd_arena_take(arena, n);
    f->work = spd_arena_take(arena, term > p->dK ? term : p->dK);
}

spdhg_status spd_answer_exact_zeros(const spd_answer *a, spdhg_error *err) {
    const spdhg_problem *p = a->p;
    if (p->set.kind->whole && p->m == 0) return SPDHG_OK;
    finder f;
    spd_arena arena = {0};
    layout(&f, p, &arena);
    arena.size = arena.used;
    arena.base = SPD_NEW(double, arena.size);
    if (!arena.base) return spd_fail_memory(err, 8.0 * (double)arena.size);
    layout(&f, p, &arena);
    const spdhg_status status = try_margins(a, &f, err);
    spd_free(arena.base);
    return status;
}
