/* fold.c - one fold of a cross-validation: fits the whole path on the rows outside the fold and evaluates it on the rows inside.
 * Everything learned comes from the rows outside: coefficients, the scale of the columns, a learned F. */
#include "model/model.h"
#include "tune/tune.h"

typedef struct workspace {
    int64_t *train, *test, trains, tests; /* row positions */
    int64_t *id;                          /* of the training rows, in the data */
    double *x, *z;                        /* dK; K */
    spd_ranked *rank;                     /* of each row */
    spdhg_structure *F;                   /* learned from the training rows, or NULL */
    spdhg_problem *problem;
} workspace;

static bool is_right(const spdhg_problem *p, const double *z, double b) {
    if (p->loss->value) return (z[0] > 0) == (b > 0);
    int64_t best = 0;
    for (int64_t k = 1; k < p->K; k++)
        if (z[k] > z[best]) best = k;
    return (double)best == b;
}

/* Scores the base problem's rows `test` with the fold's coefficients. */
static void judge(const spdhg_problem *p, const workspace *r, const double *x, const double *c, double *held, double *score) {
    const int64_t *test = r->test, tests = r->tests;
    spd_ranked *rank = r->rank;
    double loss = 0, right = 0, W = 0;
    for (int64_t i = 0; i < tests; i++) {
        const double w = spd_problem_weight(p, test[i]);
        double *z = held ? held + spd_problem_id(p, test[i]) * p->K : r->z;
        spd_row row;
        spd_problem_row(p, test[i], &row);
        spd_row_score(p, &row, x, z);
        spd_axpy(p->K, 1, c, z);
        rank[i] = (spd_ranked){z[0], w, row.b[0] > 0};
        if (w == 0) continue;
        loss += w * spd_loss_value(p->loss, p->loss_arg, p->K, z, row.b);
        if (p->loss->classify && is_right(p, z, row.b[0])) right += w;
        W += w;
    }
    score[SPD_FOLD_LOSS] = loss / W;
    score[SPD_FOLD_ACCURACY] = p->loss->classify ? right / W : NAN;
    score[SPD_FOLD_AUC] = p->loss->classify && p->loss->value && p->K == 1 ? spd_auc(rank, tests) : NAN;
}

/* Converts the coefficients of the fold to those of the base problem: they differ by the column scales. */
static const double *unscaled(const spdhg_problem *p, const spdhg_problem *fold, const double *x, double *out) {
    if (!p->scale) return x;
    for (int64_t q = 0; q < p->dK; q++) out[q] = x[q] * p->scale[q / p->K] / fold->scale[q / p->K];
    return out;
}

static spdhg_status follow_path(spd_fold *t, const spdhg_path *path, workspace *r, const spdhg_options *solve, spd_asker *asker,
                                spdhg_error *err) {
    spd_warm_path warm;
    SPD_TRY(spd_warm_path_new(&warm, r->problem, path->options.solver, solve, path->x, path->c, NULL, err));
    spdhg_status status = SPDHG_OK;
    for (int64_t i = 0; i < path->points && status == SPDHG_OK && !atomic_load(&asker->stop); i++) {
        status = spd_warm_path_step(&warm, path->point[i].lambda, err);
        if (status != SPDHG_OK) break;
        atomic_fetch_add(&asker->done, 1);
        t->reached[i] = warm.outcome == SPDHG_OUTCOME_CONVERGED;
        const double *x = unscaled(path->problem, r->problem, warm.x, r->x);
        judge(path->problem, r, x, warm.c, t->held, t->score + i * SPD_FOLD_SCORES);
        if (t->x) memcpy(t->x + i * path->problem->dK, x, (size_t)path->problem->dK * sizeof *x);
        if (t->c) {
            memcpy(t->c + i * path->problem->K, warm.c, (size_t)path->problem->K * sizeof *warm.c);
            spd_problem_c_outward(r->problem, warm.x, t->c + i * path->problem->K);
        }
    }
    spd_warm_path_free(&warm);
    return status;
}

/* Makes a problem of the rows outside the fold. */
static spdhg_status make_problem(workspace *r, const spdhg_path *path, const int32_t *fold, int64_t f, spdhg_error *err) {
    const spdhg_problem *p = path->problem;
    for (int64_t i = 0; i < p->n; i++)
        if (fold[i] == f)
            r->test[r->tests++] = i;
        else if (fold[i] >= 0) {
            r->id[r->trains] = spd_problem_id(p, i);
            r->train[r->trains++] = i;
        }
    if (path->options.learn) {
        SPD_TRY(spdhg_structure_learn(&r->F, p->data, r->id, r->trains, &path->learn, NULL, err));
    }
    return spd_problem_subset(&r->problem, p, r->train, r->trains, r->F, err);
}

spdhg_status spd_fold_run(spd_fold *t, const spdhg_path *path, const int32_t *fold, int64_t f, const spdhg_options *solve,
                          spd_asker *asker, spdhg_error *err) {
    const spdhg_problem *p = path->problem;
    for (int64_t i = 0; i < p->n; i++) t->weight += fold[i] == f ? spd_problem_weight(p, i) : 0;
    if (!(t->weight > 0)) return SPDHG_OK; /* nothing to evaluate on */
    workspace r = {.train = SPD_NEW(int64_t, p->n),
                   .test = SPD_NEW(int64_t, p->n),
                   .id = SPD_NEW(int64_t, p->n),
                   .x = SPD_NEW(double, p->dK),
                   .z = SPD_NEW(double, p->K),
                   .rank = SPD_NEW(spd_ranked, p->n)};
    const bool good = r.train && r.test && r.id && r.x && r.z && r.rank;
    spdhg_status status = good ? make_problem(&r, path, fold, f, err) : spd_fail_memory(err, 48.0 * (double)p->n);
    if (status == SPDHG_OK) status = follow_path(t, path, &r, solve, asker, err);
    spdhg_problem_free(r.problem);
    spdhg_structure_free(r.F);
    SPD_FREE_ALL(r.train, r.test, r.id, r.x, r.z, r.rank);
    return status;
}
