/* quic.c - sparse inverse covariance by proximal Newton steps (Hsieh, Sustik, Dhillon, Ravikumar 2014), dense in one component.
 * The direction D minimises
 *     <S - W, D> + tr(W D W D)/2 + penalty(Theta + D)
 * over the free pairs, those with Theta_ij != 0 or |S_ij - W_ij| > rho. It is first computed on the face of the current signs
 * (quic_face.c) and, if that does not decrease f, by coordinate descent (quic_descent.c). An Armijo line search then keeps Theta
 * positive definite. The iteration starts from a diagonal Theta and a large rho. rho is halved whenever a full step is likely to
 * succeed, so that few unnecessary entries enter. At the final rho it stops on the duality gap. */
#include "graph/quic.h"

#define ARMIJO 1e-3
#define BELOW 0.6 /* aim for this fraction of the allowed gap */
#define NEAR 1000 /* compute the gap once the square of its first-order estimate is below this multiple of the allowed gap */
#define CALM 8    /* Newton decrement below which rho may decrease */
#define LEAST 0.4 /* shortest step on a face: below it, coordinate descent decreases f more */
enum { VECTORS = 6 };
typedef spd_quic_state quic;

static void start(quic *s) {
    const spd_glasso *g = &s->g;
    spd_glasso_point *x = s->x;
    memset(x->Theta, 0, (size_t)(g->p * g->p) * sizeof *x->Theta);
    memset(x->W, 0, (size_t)(g->p * g->p) * sizeof *x->W);
    x->logdet = 0;
    for (int64_t i = 0; i < g->p; i++) {
        const double w = g->S[i * g->p + i] + g->diagonal;
        x->W[i * g->p + i] = w;
        x->Theta[i * g->p + i] = 1 / w;
        x->logdet -= log(w);
    }
    x->iterations = 0;
}

static double largest_pair(const spd_glasso *g) {
    double largest = 0;
    for (int64_t i = 0; i < g->p; i++) largest = fmax(largest, spd_max_abs(i, g->S + i * g->p));
    return largest;
}

static bool make_room(quic *s, int64_t pairs) {
    if (pairs <= s->capacity) return true;
    const int64_t capacity = pairs + pairs / 4, length = capacity + s->g.p;
    spd_free(s->D);
    if (!(s->D = spd_alloc_raw(VECTORS * length, sizeof *s->D))) return false;
    double **const part[VECTORS - 1] = {&s->face, &s->R, &s->Z, &s->P, &s->Q};
    for (int k = 0; k < VECTORS - 1; k++) *part[k] = s->D + (k + 1) * length;
    s->capacity = capacity;
    spd_csr_free(&s->main);
    return spd_csr_new(&s->main, s->g.p, s->g.p, 2 * capacity + s->g.p, NULL) == SPDHG_OK;
}

/* Finds the free pairs, each once with i < j. False: out of memory. */
static bool find_free(quic *s) {
    const int64_t p = s->g.p;
    spd_pattern *f = &s->free;
    int64_t count = 0;
    for (int64_t i = 0; i < p; i++) {
        const double *S = s->g.S + i * p, *W = s->x->W + i * p, *Theta = s->x->Theta + i * p;
        if (!spd_pattern_room(f, count + p - i)) return false;
        f->start[i] = count;
        for (int64_t j = i + 1; j < p; j++) {
            f->other[count] = (int32_t)j;
            count += Theta[j] != 0 || fabs(S[j] - W[j]) > s->g.rho;
        }
    }
    f->start[p] = count;
    spd_pattern_complete(f);
    return make_room(s, count);
}

/* The duality gap to first order: the sum over all pairs of rho |Theta_ij| - Theta_ij U_ij with U = clip(W - S, rho). */
static double first_order(const quic *s) {
    const int64_t p = s->g.p;
    const double rho = s->g.rho;
    double sum = 0;
    for (int64_t i = 0; i < p; i++)
        for (int64_t q = s->free.start[i]; q < s->free.start[i + 1]; q++) {
            const int64_t at = i * p + s->free.other[q];
            const double Theta = s->x->Theta[at];
            sum += 2 * (rho * fabs(Theta) - Theta * fmin(rho, fmax(-rho, s->x->W[at] - s->g.S[at])));
        }
    return sum;
}

/* Theta + step D; on a face, entries that would change sign become 0. */
static void trial(const quic *s, double step, bool on_face, double *Theta) {
    const int64_t p = s->g.p, *start = s->free.start;
    memcpy(Theta, s->x->Theta, (size_t)(p * p) * sizeof *Theta);
    for (int64_t i = 0; i < p; i++) {
        Theta[i * p + i] += step * s->D[start[p] + i];
        for (int64_t q = start[i]; q < start[i + 1]; q++) {
            const int64_t j = s->free.other[q];
            double to = Theta[i * p + j] + step * s->D[q];
            if (on_face && to * s->face[q] < 0) to = 0;
            Theta[i * p + j] = Theta[j * p + i] = to;
        }
    }
}

/* <S - W, Next - Theta> + penalty(Next) - penalty(Theta): the first-order change of f, negative for a descent. */
static double expected(const quic *s, const double *Next) {
    const int64_t p = s->g.p;
    const double *S = s->g.S, *W = s->x->W, *Theta = s->x->Theta;
    double sum = 0;
    for (int64_t i = 0; i < p; i++) {
        const int64_t ii = i * p + i;
        sum += (S[ii] - W[ii] + s->g.diagonal) * (Next[ii] - Theta[ii]);
        for (int64_t q = s->free.start[i]; q < s->free.start[i + 1]; q++) {
            const int64_t at = i * p + s->free.other[q];
            sum += 2 * ((S[at] - W[at]) * (Next[at] - Theta[at]) + s->g.rho * (fabs(Next[at]) - fabs(Theta[at])));
        }
    }
    return sum;
}

static void swap(double **a, double **b) {
    double *const kept = *a;
    *a = *b;
    *b = kept;
}

/* Tries steps 1, 1/2, 1/4, ... until f decreases enough; Theta, W and f are then those of the new point. 0: no step did. */
static double search(quic *s, bool on_face, double least) {
    const spd_glasso *g = &s->g;
    const double before = spd_glasso_value(s->x);
    spd_glasso_point next = *s->x;
    next.Theta = s->U; /* the direction is complete, so U may be reused */
    for (double step = 1; step > least; step /= 2) {
        trial(s, step, on_face, next.Theta);
        const double decrease = expected(s, next.Theta);
        memcpy(s->T, next.Theta, (size_t)(g->p * g->p) * sizeof *s->T);
        if (!(decrease < 0) || !spd_cholesky(g->p, s->T)) continue;
        next.logdet = spd_cholesky_logdet(g->p, s->T);
        spd_glasso_evaluate(g, &next);
        if (!(spd_glasso_value(&next) <= before + ARMIJO * decrease + 1e-15 * fabs(before))) continue;
        if (!spd_cholesky_inverse(g->p, s->T)) continue;
        swap(&s->x->Theta, &s->U);
        swap(&s->x->W, &s->T);
        s->x->logdet = next.logdet;
        s->x->trace = next.trace;
        s->x->penalty = next.penalty;
        return step;
    }
    return 0;
}

/* One Newton step. Returns its length, or 0 if f could not be decreased. */
static double step(quic *s, double reduce, double *decrement) {
    *decrement = spd_quic_face(s, reduce);
    const double length = search(s, true, LEAST);
    if (length > 0) return length;
    spd_quic_descent(s);
    return search(s, false, 1e-10);
}

/* The gap at the better dual point. The one from W alone costs another factorisation, so it is tried only if it can suffice. */
static double certify(quic *s, double about, double enough) {
    const double gap = spd_glasso_gap(&s->g, s->x, true, s->T);
    return gap <= enough || about > enough ? gap : fmin(gap, spd_glasso_gap(&s->g, s->x, false, s->T));
}

/* Newton steps until the gap is small; false: out of memory. */
static bool iterate(quic *s, double rho) {
    spd_glasso_point *x = s->x;
    const double enough = s->g.tol * (double)s->g.p;
    start(s);
    s->g.rho = fmax(rho, largest_pair(&s->g));
    spd_glasso_evaluate(&s->g, x);
    double length = 1, decrement = 0;
    for (; spd_glasso_goes_on(&s->g, x); x->iterations++) {
        if (s->g.rho > rho && (length == 0 || (length == 1 && decrement < CALM))) {
            s->g.rho = fmax(rho, s->g.rho / 2);
            spd_glasso_evaluate(&s->g, x);
        } else if (length == 0)
            break;
        if (!find_free(s)) return false;
        double reduce = 1;
        if (s->g.rho == rho) {
            const double about = first_order(s);
            x->gap = about * about <= NEAR * enough ? certify(s, about, enough) : INFINITY;
            if (x->gap <= enough) return true;
            reduce = sqrt(BELOW * enough / x->gap);
        }
        s->whole = s->whole || length < 1; /* short steps indicate ill conditioning: the better preconditioner pays off */
        length = step(s, reduce, &decrement);
    }
    s->g.rho = rho;
    spd_glasso_evaluate(&s->g, x);
    x->gap = certify(s, 0, enough);
    return true;
}

bool spd_quic(const spd_glasso *g, spd_glasso_point *x) {
    const int64_t p = g->p, singles = p * spd_float_width(p);
    quic s = {.g = *g,
              .x = x,
              .U = spd_alloc_raw(p * p, sizeof(double)),
              .T = spd_alloc_raw(p * p, sizeof(double)),
              .v = SPD_NEW(double, p),
              .W = {.M = spd_alloc_raw(singles, sizeof(float)), .U = spd_alloc_raw(singles, sizeof(float))},
              .capacity = -1};
    const bool good = spd_pattern_new(&s.free, p) && s.U && s.T && s.v && s.W.M && s.W.U && iterate(&s, g->rho);
    spd_free(s.U);
    spd_free(s.T);
    spd_free(s.v);
    spd_free(s.W.M);
    spd_free(s.W.U);
    spd_free(s.D);
    spd_csr_free(&s.main);
    spd_pattern_free(&s.free);
    return good;
}
