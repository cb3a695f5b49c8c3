/* zeros.c - the zeros of F x (zeros.h). At the minimiser, for each block b,
 *     y_b in lambda dr(F_b x)
 * If y_b is strictly inside lambda Y, this implies F_b x = 0. A polar norm below lambda means "strictly inside" only where 0 is
 * (t->flattest > 0). */
#include "face/zeros.h"

void spd_zeros_of_primal(const spdhg_problem *p, const double *Fx, spd_small small, double *open, double *work) {
    for (int64_t t = 0; t < p->terms; t++) {
        const spd_term *term = &p->term[t];
        const double *z = Fx + term->first, relative = small.relative > 0 ? small.relative * spd_max_abs(term->m * p->K, z) : 0;
        spd_term_outside(term, p->K, z, fmax(small.absolute, relative), open + term->first, work);
    }
}

static void open_block(const spd_term *t, int64_t K, int64_t b, double *open) {
    for (int64_t r = 0; r < spd_term_block_rows(t, b); r++)
        for (int64_t k = 0; k < K; k++) open[spd_term_block_row(t, b, r) * K + k] = 1;
}

void spd_zeros_of_dual(const spdhg_problem *p, const double *y, double margin, double *open, double *work) {
    for (int64_t i = 0; i < p->terms; i++) {
        const spd_term *t = &p->term[i];
        const double inside = (1 - margin) * t->lambda;
        const bool numbers = t->penalty->sum_of_sizes && t->lambda > 0;
        if (numbers) spd_term_outside(t, p->K, y + t->first, inside, open + t->first, work);
        for (int64_t b = 0; b < t->blocks && !numbers; b++)
            if (t->flattest == 0 || !(spd_term_block_polar(t, p->K, b, y + t->first, work) < inside))
                open_block(t, p->K, b, open + t->first);
    }
}
