/* certifier.c - creates a certifier: its arrays, the routes, and the fixed point of X at which bounds are computed. */
#include "certify/certify.h"

enum { EACH_OUTPUT_MOST = 300 }; /* unknowns of a coupled loss up to which its outputs may move one by one */

static bool unbounded_without_ridge(const spdhg_problem *p) {
    return p->gamma == 0 && !isfinite(p->set.kind->diameter(p->dK, p->set.arg));
}

/* The size of c->work, which is shared by block sums, projections, penalties, conjugate gradients and balancing in turn. */
static int64_t work_size(const spdhg_problem *p) {
    int64_t most = spd_problem_blocks(p) * (2 + p->K) + 4 * (p->dK + p->K);
    return most > spd_problem_term_work(p) ? most : spd_problem_term_work(p);
}

static double value_at_zero(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    memset(c->v, 0, (size_t)p->dK * sizeof *c->v);
    if (p->data->offset) spd_problem_scores(p, c->threads, c->v, c->alpha); /* otherwise alpha is 0, as allocated */
    return spd_problem_losses(p, c->threads, &(spd_scores){.z = c->alpha, .c = p->constant}, NULL, NULL, c->work);
}

/* The point of X nearest to 0, without an intercept unless f might then be infinite, and the parts of f there that do not depend
 * on lambda. */
static void find_origin(spd_certifier *c) {
    const spdhg_problem *p = c->problem;
    p->set.kind->project(p->dK, p->set.arg, c->origin, c->work);
    if (p->data->offset || spd_max_abs(p->dK, c->origin) > 0) spd_problem_scores(p, c->threads, c->origin, c->origin_z);
    if (p->constant) spd_problem_shift(p, p->constant, c->origin_z);
    spd_problem_apply(p, c->origin, c->origin_Fx);
    c->origin_loss = spd_problem_losses(p, c->threads, &(spd_scores){.z = c->origin_z}, NULL, NULL, c->work);
    c->origin_ridge = 0.5 * p->gamma * spd_dot(p->dK, c->origin, c->origin);
}

/* One array of the certifier: its pointer and its length. */
typedef struct part {
    double **at;
    int64_t count;
    bool wanted;
} part;

static int parts_of(spd_certifier *c, part out[SPD_CERTIFIER_PARTS]) {
    const spdhg_problem *p = c->problem;
    spd_base_system *s = &c->base;
    const int64_t n = spd_problem_normal_size(p), nK = p->n * p->K, mK = p->m * p->K;
    const bool system = c->exact && !c->absorbs, written_out = system && n <= SPD_DENSE_MOST;
    const bool proof = c->exact && s->most > 0 && s->most <= SPD_DENSE_MOST;
    const bool plain = proof && !c->routes.row && !c->routes.joined && c->routes.bases == p->d && p->K == 1 && p->loss->value;
    int64_t inner = spd_problem_gradient_work(p);
    if (spd_dual_rounding_work(p) > inner) inner = spd_dual_rounding_work(p);
    if (written_out && spd_problem_normal_work(p, c->threads) > inner) inner = spd_problem_normal_work(p, c->threads);
    int64_t lines = proof ? spd_base_work(s, c->threads) : 0;
    if (plain && spd_problem_normal_work(p, c->threads) > lines) lines = spd_problem_normal_work(p, c->threads);
    s->plain = plain;
    const part all[] = {{&c->alpha, nK, true},
                        {&c->y, mK, true},
                        {&c->best_y, mK, true},
                        {&c->Fq, 3 * mK, true},
                        {&c->g, p->dK, true},
                        {&c->gc, p->K, true},
                        {&c->v, p->dK, true},
                        {&c->P, p->dK, true},
                        {&c->work, work_size(p), true},
                        {&c->p, n + p->K, true},
                        {&c->r, n + p->K, true},
                        {&c->Mwork, inner, true},
                        {&c->curve, nK, system},
                        {&c->t, nK, system},
                        {&c->scale, n, system},
                        {&c->q, n, system},
                        {&c->M, n * n, written_out},
                        {&c->kept, nK, written_out},
                        {&c->saved, nK + mK, written_out},
                        {&c->norm, p->d, true},
                        {&c->top, p->d, true},
                        {&c->F_norm, p->d, true},
                        {&c->e, p->dK + p->K, true},
                        {&c->alpha_size, 4 * p->K, true},
                        {&c->slack, p->n, c->exact},
                        {&c->excess, p->dK, c->exact},
                        {&c->doubt, p->dK, c->exact},
                        {&c->residual, 2 * s->most * p->K, c->exact},
                        {&c->origin, p->dK, true},
                        {&c->origin_z, nK, true},
                        {&c->origin_Fx, mK, true},
                        {&c->best_alpha, nK + mK, true},
                        {&s->G, 2 * s->most * s->most, proof},
                        {&s->unit, 4 * s->most + p->terms, proof},
                        {&s->D, 2 * p->n, proof},
                        {&c->mean.G, 2 * c->mean.n * c->mean.n, proof && c->mean.n > 0},
                        {&c->mean.unit, 4 * c->mean.n + p->terms, proof && c->mean.n > 0},
                        {&c->anchor_weight, p->d, c->routes.row},
                        {&c->anchor_before, p->d, c->routes.row},
                        {&c->taken, p->dK, c->routes.row},
                        {&s->work, lines, proof},
                        {&c->mean.work, 4 * c->mean.n, proof && c->mean.n > 0}};
    _Static_assert(sizeof all / sizeof *all == SPD_CERTIFIER_PARTS, "every part has its place");
    memcpy(out, all, sizeof all);
    return SPD_CERTIFIER_PARTS;
}

static void divide_system(spd_base_system *s) {
    if (!s->G) return;
    s->copy = s->G + s->most * s->most;
    s->scale = s->unit + s->most;
    s->off = s->scale + s->most;
    s->vector = s->off + s->most;
    s->lambda = s->vector + s->most;
}

/* The smaller arrays that share one allocation. */
static void divide(spd_certifier *c) {
    spd_base_system *s = &c->base;
    c->slope = c->alpha_size + c->problem->K;
    c->tau = c->slope + c->problem->K;
    c->v0 = c->tau + c->problem->K;
    c->best_dual_y = c->best_alpha + c->problem->n * c->problem->K;
    divide_system(s);
    divide_system(&c->mean);
    if (s->D) s->share = s->D + c->problem->n;
}

static bool allocate_lists(spd_base_system *s) {
    if (!s->G) return true;
    s->rest = SPD_NEW(bool, s->problem->terms);
    return s->rest;
}

static void free_lists(spd_base_system *s) { SPD_FREE_ALL(s->rest, s->null, s->null_square); }

/* Routes along F alone are preferred. Routes that end at rows of A with one entry replace them if F alone leaves so many bases
 * that factoring G costs more than a pass over A and F, or if A is diagonal; and if these rows either absorb everything, or leave
 * fewer bases where the bases of F alone are too many for a matrix. */
static bool find_routes(spd_certifier *c, int64_t *unknowns) {
    const spdhg_problem *p = c->problem;
    const int64_t constant = p->intercept ? 1 : 0;
    *unknowns = p->d + constant;
    if (c->only_alpha) return spd_routes_none(&c->routes, p);
    if (c->exact && !spd_routes_new(&c->routes, p, NULL, NULL)) return false;
    c->absorbs = c->exact && spd_routes_end_at_once(&c->routes, p->d);
    const int64_t plain = c->routes.bases + constant;
    double pass = (double)p->nnz;
    for (int64_t t = 0; t < p->terms; t++) pass += (double)spd_csr_nnz(&p->term[t].F->F);
    const bool dear = (double)plain * (double)plain * (double)plain > pass,
               usable = p->loss->value && !(p->scale && p->intercept);
    *unknowns = plain;
    if (!c->exact || !usable || (!dear && p->nnz > p->n)) return true;
    spd_routes made = {0};
    double *weight = SPD_NEW(double, 4 * p->d);
    c->anchor = SPD_NEW(int64_t, p->d);
    bool good = weight && c->anchor;
    if (good) spd_anchors_find(p, NULL, c->anchor, weight);
    if (good) c->diagonal = !c->absorbs && spd_anchors_suffice(p, c->anchor, weight + p->d);
    const bool wanted = dear || c->diagonal; /* such routes are short, so errors do not accumulate */
    if (good && wanted) good = spd_routes_new(&made, p, c->anchor, weight);
    const bool taken = good && wanted && (made.bases == 0 || (plain > SPD_DENSE_MOST && made.bases < c->routes.bases));
    if (taken && plain > SPD_DENSE_MOST) *unknowns = made.bases + constant;
    spd_routes_free(taken ? &c->routes : &made);
    if (taken) c->routes = made;
    spd_free(weight);
    return good;
}

static spdhg_status allocate(spd_certifier *c, spdhg_error *err) {
    const spdhg_problem *p = c->problem;
    spd_base_system *s = &c->base;
    part parts[SPD_CERTIFIER_PARTS];
    double bytes = 0;
    int64_t unknowns;
    if (!find_routes(c, &unknowns)) return spd_fail_memory(err, 100.0 * (double)p->d);
    const int64_t blocks = c->routes.bases + (p->intercept ? 1 : 0);
    const int64_t outputs = p->loss->value || blocks * p->K > EACH_OUTPUT_MOST ? 1 : p->K;
    *s = (spd_base_system){.problem = p, .blocks = blocks, .outputs = outputs, .n = blocks * outputs, .most = unknowns * outputs};
    const int64_t mean = p->loss->value || outputs > 1 ? 0 : c->routes.bases;
    c->mean = (spd_base_system){.problem = p, .blocks = mean, .outputs = 1, .n = mean, .most = mean, .rowless = true};
    bool good = true;
    const int count = parts_of(c, parts);
    for (int i = 0; i < count; i++) {
        if (!parts[i].wanted) continue;
        c->owned[i] = *parts[i].at = SPD_NEW(double, parts[i].count);
        bytes += 8.0 * (double)parts[i].count;
        good = good && *parts[i].at;
    }
    c->F_entries = SPD_NEW(int64_t, 2 * p->d);
    c->whole = SPD_NEW(bool, c->exact ? p->dK : 0);
    good = allocate_lists(s) && allocate_lists(&c->mean) && good;
    if (!good || !c->F_entries || !c->whole) return spd_fail_memory(err, bytes);
    c->A_entries = c->F_entries + p->d;
    divide(c);
    return SPDHG_OK;
}

spdhg_status spd_certifier_new(spd_certifier *c, const spdhg_problem *p, int threads, const uint8_t *forced, bool only_alpha,
                               spdhg_error *err) {
    *c = (spd_certifier){.problem = p, .threads = threads, .best_dual = -INFINITY, .worth = INFINITY, .last = NAN, .fall = NAN};
    c->exact = unbounded_without_ridge(p);
    c->only_alpha = only_alpha;
    const spdhg_status status = allocate(c, err);
    if (status == SPDHG_OK) {
        c->least = spd_dual_least(c);
        c->start_value = value_at_zero(c);
        find_origin(c);
        c->base.forced = c->forced = forced;
        c->base.alpha = c->alpha;
    }
    if (status != SPDHG_OK) spd_certifier_free(c);
    return status;
}

void spd_certifier_free(spd_certifier *c) {
    for (int i = 0; i < SPD_CERTIFIER_PARTS; i++) spd_free(c->owned[i]); /* the problem may be gone */
    free_lists(&c->base);
    free_lists(&c->mean);
    SPD_FREE_ALL(c->wide, c->F_entries, c->whole, c->fine, c->fine_trial.z, c->newton.M, c->anchor);
    spd_routes_free(&c->routes);
    if (c->other) spd_certifier_free(c->other);
    spd_free(c->other);
    spd_slack_flow_free(&c->slack_flow);
    spd_balance_free(&c->balance);
    *c = (spd_certifier){0};
}
