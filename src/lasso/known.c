/* known.c - which columns a proof has to examine. With k and o two earlier alphas whose G = A'(share alpha) are known for all
 * columns, and any two numbers, best those that make the difference small,
 *     |G_j| <= |c1 known_j + c2 older_j| + norm_j ||alpha - c1 k - c2 o||,   the norms weighted by share
 * alpha moves along a smooth curve, so that the difference is of the second order of the way since then. */
#include "lasso/sides.h"

static const double APART = 1e-10; /* of two alphas: the squared sine of the angle between them, or there is only one */

/* What the columns are compared with: c1 known + c2 older, and how far alpha is from that. */
typedef struct reference {
    const double *known, *older;
    double c1, c2, away, lost;
} reference;

/* examined = the columns that c1 known_j + c2 older_j pulls by more than rest - away norm_j, and all active ones. */
static int64_t list_columns(spd_lasso *a, const reference *s, double rest) {
    const double *norm = a->A.norm, *known = s->known, *older = s->older, c1 = s->c1, c2 = s->c2, away = s->away;
    int32_t *list = a->examined;
    int64_t count = 0;
    rest -= s->lost;
    for (int64_t j = 0; j < a->A.d; j++) { /* without a branch */
        list[count] = (int32_t)j;
        count += !(spd_lasso_pull(a, c1 * known[j] + c2 * older[j]) + away * norm[j] <= rest); /* so that a NaN is examined */
    }
    for (int64_t q = 0; q < a->now.count; q++) {
        const int32_t j = a->now.list[q];
        if (spd_lasso_pull(a, c1 * known[j] + c2 * older[j]) + away * norm[j] <= rest) list[count++] = j;
    }
    return count;
}

/* c1 and c2 by least squares. `off` is taken twice: it exceeds what the rounding of c1 k + c2 o
 * and of c1 known_j + c2 older_j may do. */
static reference refer(const spd_lasso *a, double q, double lost) {
    const double *k = a->known_alpha, *o = a->older_alpha, *alpha = a->alpha;
    const bool two = isfinite(a->older_off);
    double kk = 0, ko = 0, oo = 0, ka = 0, oa = 0, *sum = a->face;
    for (int64_t i = 0; i < a->p->n; i++) {
        const double s = a->share[i], sk = s * k[i], so = two ? s * o[i] : 0;
        kk += sk * k[i];
        ko += sk * o[i];
        oo += so * o[i];
        ka += sk * alpha[i];
        oa += so * alpha[i];
    }
    const double det = kk * oo - ko * ko;
    const bool both = two && det > APART * kk * oo;
    reference s = {a->known, a->older, both ? (ka * oo - oa * ko) / det : 1, both ? (oa * kk - ka * ko) / det : 0, 0, 0};
    if (!isfinite(s.c1) || !isfinite(s.c2)) s.c1 = 1, s.c2 = 0;
    for (int64_t i = 0; i < a->p->n; i++) sum[i] = s.c1 * k[i] + s.c2 * o[i];
    const double off = fabs(s.c1) * a->known_off + (s.c2 != 0 ? fabs(s.c2) * a->older_off : 0);
    s.away = spd_lasso_distance(a, alpha, sum) + q + 2 * off;
    s.lost = (1 + fabs(s.c1) + fabs(s.c2)) * lost;
    return s;
}

void spd_lasso_list(spd_lasso *a, const double *g, double q, double lost, double rest) {
    a->examined_count = list_columns(a, &(reference){g, g, 1, 0, q, 2 * lost}, rest);
}

void spd_lasso_examine(spd_lasso *a, double q, double lost, double rest) {
    const spd_matrix *A = &a->A;
    const reference by = refer(a, q, lost);
    double entries = 0;
    a->examined_count = list_columns(a, &by, rest);
    for (int64_t i = 0; i < a->examined_count; i++) {
        const double count = (double)spd_matrix_count(A, a->examined[i]);
        entries += count;
        if (!a->in_set[a->examined[i]]) a->examined_entries += count;
    }
    a->touched += entries;
    if (2 * entries <= (double)A->ptr[A->d] && a->examined_entries <= (double)A->ptr[A->d]) {
        spd_matrix_dots(A, a->threads, a->examined, a->examined_count, a->r, a->g);
        return;
    }
    spd_matrix_dots(A, a->threads, NULL, A->d, a->r, a->g); /* from now on this alpha is the known one */
    double *const g = a->older, *const alpha = a->older_alpha;
    a->older = a->known;
    a->older_alpha = a->known_alpha;
    a->older_off = a->known_off;
    a->known = g;
    a->known_alpha = alpha;
    memcpy(a->known, a->g, (size_t)A->d * sizeof *a->g);
    memcpy(a->known_alpha, a->alpha, (size_t)A->n * sizeof *a->alpha);
    a->known_off = spd_lasso_off(a, a->alpha);
    a->examined_entries = 0;
    spd_lasso_list(a, a->known, q, lost, rest);
}
