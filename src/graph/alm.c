/* alm.c - sparse inverse covariance by alternating linearisation (Scheinberg, Ma & Goldfarb 2010), the method with which the
 * paper obtained its F. With f(X) = -log det X + <S, X>, g(Y) the penalty smoothed by sigma, and G = g'(Y), one iteration is
 *     Y/mu - G - S = V diag(d) V'                      (eigenvalues d, eigenvectors V)
 *     gamma = (mu d + sqrt(mu^2 d^2 + 4 mu))/2
 *     X = V diag(gamma) V'
 *     Z = X - mu (S - X^{-1})
 *     G = clip(Z/(sigma + mu), rho)
 *     Y = Z - mu G
 * The answer is Y, which is sparse, not X. Entries that are nonzero only because of the smoothing are set to 0.
 * Each iteration costs two matrix products and an eigenvalue problem. It is kept for fidelity to the paper; QUIC is faster. */
#include "graph/graph.h"

#define SIGMA 1e-8
#define MU 0.5 /* constant: letting it decay, as the authors did, stalls on correlation matrices */
enum { CHECK_EVERY = 10 };

typedef struct alm {
    const spd_glasso *g;
    spd_glasso_point *x; /* Theta is Y */
    double *G, *V, *X, *Xinverse, *work, *d, *gamma, *inverse, *eigen_work;
} alm;

static bool alternate(alm *s) {
    const spd_glasso *g = s->g;
    const int64_t p = g->p;
    double *Y = s->x->Theta;
    for (int64_t a = 0; a < p * p; a++) s->V[a] = Y[a] / MU - s->G[a] - g->S[a];
    if (!spd_eigen(p, s->V, s->d, s->eigen_work)) return false;
    for (int64_t k = 0; k < p; k++) { /* the positive root, without cancellation for d < 0 */
        const double t = MU * s->d[k], root = sqrt(t * t + 4 * MU);
        s->gamma[k] = t > 0 ? (t + root) / 2 : 2 * MU / (root - t);
        s->inverse[k] = 1 / s->gamma[k];
    }
    spd_recompose(p, s->V, s->gamma, s->X, s->work);
    spd_recompose(p, s->V, s->inverse, s->Xinverse, s->work);
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < p; j++) {
            const int64_t a = i * p + j;
            const double Z = s->X[a] - MU * (g->S[a] - s->Xinverse[a]), rho = i == j ? g->diagonal : g->rho;
            s->G[a] = fmin(rho, fmax(-rho, Z / (SIGMA + MU)));
            Y[a] = Z - MU * s->G[a];
            if (fabs(Z) <= rho * (SIGMA + MU)) Y[a] = 0;
        }
    for (int64_t i = 0; i < p; i++)
        for (int64_t j = 0; j < i; j++) Y[i * p + j] = Y[j * p + i]; /* Y is symmetric up to rounding: make it exactly so */
    return true;
}

/* The duality gap at Y, provided Y is positive definite. */
static double gap_at(alm *s) {
    const int64_t p = s->g->p;
    memcpy(s->x->W, s->x->Theta, (size_t)(p * p) * sizeof(double));
    if (!spd_cholesky(p, s->x->W)) return INFINITY;
    s->x->logdet = spd_cholesky_logdet(p, s->x->W);
    if (!spd_cholesky_inverse(p, s->x->W)) return INFINITY;
    spd_glasso_evaluate(s->g, s->x);
    return spd_glasso_gap(s->g, s->x, false, s->work);
}

static void iterate(alm *s) {
    const spd_glasso *g = s->g;
    const double enough = g->tol * (double)g->p;
    for (int64_t i = 0; i < g->p; i++) s->x->Theta[i * g->p + i] = 1 / (g->S[i * g->p + i] + g->diagonal);
    s->x->gap = gap_at(s);
    for (s->x->iterations = 0; !(s->x->gap <= enough) && spd_glasso_goes_on(g, s->x);) {
        if (!alternate(s)) return;
        if (++s->x->iterations % CHECK_EVERY == 0 || s->x->iterations == g->most) s->x->gap = gap_at(s);
    }
}

bool spd_alm(const spd_glasso *g, spd_glasso_point *x) {
    const int64_t p = g->p, square = p * p;
    spd_arena arena = {0};
    alm s = {.g = g, .x = x};
    double **const part[] = {&s.G, &s.V, &s.X, &s.Xinverse, &s.work, &s.d, &s.gamma, &s.inverse, &s.eigen_work};
    const int64_t size[] = {square, square, square, square, square, p, p, p, spd_eigen_work(p)};
    for (int pass = 0; pass < 2; pass++) { /* count, then hand out */
        arena.used = 0;
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) *part[k] = spd_arena_take(&arena, size[k]);
        if (pass == 0 && !(arena.base = SPD_NEW(double, arena.used))) return false;
    }
    memset(x->Theta, 0, (size_t)square * sizeof *x->Theta);
    iterate(&s);
    spd_free(arena.base);
    return true;
}
