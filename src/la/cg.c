/* cg.c - conjugate gradients, preconditioned by the diagonal, a factor or the caller (Hestenes and Stiefel 1952), warm started:
 *     r = b - A x,  z = r/D,  p = z
 * and then in each iteration
 *     a = r'z/p'Ap
 *     x += a p
 *     r -= a Ap
 *     z = r/D
 *     p = z + (r'z new / r'z old) p */
#include "la/la.h"

static void precondition(const spd_cg *cg, int64_t n, const double *r, double *z) {
    if (cg->precondition) {
        cg->precondition(cg->context, r, z);
        return;
    }
    for (int64_t i = 0; i < n; i++) z[i] = cg->diagonal ? r[i] / cg->diagonal[i] : r[i];
    if (cg->factor) spd_cholesky_solve(n, cg->factor, z);
}

int spd_cg_solve(const spd_cg *cg, int64_t n, const double *b, double *x, double *work) {
    double *r = work, *z = r + n, *p = z + n, *Ap = p + n;
    memcpy(r, b, (size_t)n * sizeof *r);
    if (spd_max_abs(n, x) > 0) { /* a start at 0 needs no product */
        cg->apply(cg->context, x, Ap);
        spd_axpy(n, -1, Ap, r);
    }
    const double goal = cg->tolerance * spd_norm2(n, b);
    if (spd_norm2(n, r) <= goal) return 0;
    precondition(cg, n, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = spd_dot(n, r, z);
    int made = 0;
    while (made < cg->most && !spd_stop_now(cg->stop)) {
        cg->apply(cg->context, p, Ap);
        const double curve = spd_dot(n, p, Ap);
        if (!(curve > 0)) break; /* the rest lies in the null space, or is lost to rounding */
        spd_axpy(n, rz / curve, p, x);
        spd_axpy(n, -rz / curve, Ap, r);
        made++;
        if (spd_norm2(n, r) <= goal) break;
        precondition(cg, n, r, z);
        const double next = spd_dot(n, r, z);
        for (int64_t i = 0; i < n; i++) p[i] = z[i] + next / rz * p[i];
        rz = next;
    }
    return made;
}
