/* small.h - small random problems for the tests of problem and solver, built in memory; every number is a function of (seed,
 * position). */
#ifndef SMALL_H
#define SMALL_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem/sample.h"
#include "run/run.h"

typedef struct small {
    spdhg_data *data;
    spdhg_problem *problem;
    spdhg_structure *F, *I;
} small;

static inline double small_normal(uint64_t seed, int64_t at) {
    uint64_t bits[2];
    double pair[2];
    spd_random(seed, SPD_STREAM_TEST, (uint64_t)at, bits);
    spd_normal(bits, pair);
    return pair[0];
}

/* Whether a test should be about this solver: SPDHG_TEST_ONLY, of mutation.py, names those it is about, with commas between. */
static inline bool small_asked(const char *solver) {
    const char *at = getenv("SPDHG_TEST_ONLY");
    const size_t length = strlen(solver);
    while (at && (strncmp(at, solver, length) != 0 || (at[length] != ',' && at[length] != '\0'))) {
        at = strchr(at, ',');
        if (!at) return false;
        at++;
    }
    return true;
}

#define GOOD(call)                                                                                                               \
    do {                                                                                                                         \
        spdhg_error good_err = {0};                                                                                              \
        if ((call) != SPDHG_OK) fail_msg("%s: %s", #call, good_err.message);                                                     \
    } while (0)

typedef struct small_spec {
    int64_t n, d;
    double density; /* of the rows; 1: dense storage */
    double scale;   /* of the features; 0: 1 */
    const char *loss, *penalty, *structure, *set, *groups;
    double lambda, gamma;
    int classes;     /* 0: regression */
    int64_t targets; /* several targets, 0: one */
    bool also_sparse, intercept, weights, offset;
    int64_t group_count; /* rows of F are dealt to this many groups in turn; 0: none */
    int64_t edges;       /* structure NULL: this many random edges between the first half of the features */
} small_spec;
/* The fields that every problem sets, then others by name. */
#define SMALL(rows, features, part, phi, r, F, weight, ...)                                                                      \
    {                                                                                                                            \
        .n = (rows), .d = (features), .density = (part), .loss = (phi), .penalty = (r), .structure = (F), .lambda = (weight),    \
        __VA_ARGS__                                                                                                              \
    }

static inline small small_make(const small_spec *o, uint64_t seed) {
    small s = {0};
    const int64_t n = o->n, d = o->d, targets = o->targets ? o->targets : 1;
    int64_t *ptr = SPD_NEW(int64_t, n + 1);
    int32_t *idx = SPD_NEW(int32_t, n * d);
    double *val = SPD_NEW(double, n *d), *b = SPD_NEW(double, n *targets), *w = SPD_NEW(double, n), *off = SPD_NEW(double, n * 8);
    int64_t nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        double signal = 0;
        for (int64_t j = 0; j < d; j++) {
            uint64_t bits[2];
            spd_random(seed + 1, SPD_STREAM_TEST, (uint64_t)(i * d + j), bits);
            if (o->density < 1 && spd_uniform(bits[0]) >= o->density) continue;
            idx[nnz] = (int32_t)j;
            val[nnz] = (o->scale > 0 ? o->scale : 1) * small_normal(seed, i * d + j);
            signal += val[nnz++] * (j % 3 == 0 ? 1 : -0.5);
        }
        ptr[i + 1] = nnz;
        for (int64_t t = 0; t < targets; t++) {
            const double noisy = signal + small_normal(seed + 2, i * targets + t);
            b[i * targets + t] = o->classes == 0   ? noisy
                                 : o->classes == 2 ? noisy > 0
                                                   : (double)((int64_t)fabs(3 * noisy) % o->classes);
        }
        w[i] = (double)(i % 4);
        for (int64_t k = 0; k < 8; k++) off[i * 8 + k] = 0.1 * (double)((i + k) % 5);
    }
    GOOD(spdhg_data_from_csr(&s.data, n, d, o->density < 1 ? ptr : NULL, o->density < 1 ? idx : NULL, val, b, targets, SPDHG_COPY,
                             &good_err));
    if (o->weights) GOOD(spdhg_data_set_weights(s.data, w, &good_err));
    const int64_t K = o->classes > 2 ? o->classes : targets;
    if (o->offset) GOOD(spdhg_data_set_offsets(s.data, off, K, &good_err));
    GOOD(spdhg_problem_new(&s.problem, s.data, o->loss, &good_err));
    if (o->structure)
        GOOD(spdhg_structure_new(&s.F, o->structure, d, &good_err));
    else {
        int64_t *eptr = SPD_NEW(int64_t, o->edges + 1);
        int32_t *eidx = SPD_NEW(int32_t, 2 * o->edges);
        double *eval = SPD_NEW(double, 2 * o->edges);
        for (int64_t e = 0; e < o->edges; e++) {
            eidx[2 * e] = (int32_t)(e % (d / 4));
            eidx[2 * e + 1] = (int32_t)(d / 4 + (7 * e + e / 3) % (d / 4));
            eval[2 * e] = 1;
            eval[2 * e + 1] = e % 2 ? 1 : -1;
            eptr[e + 1] = 2 * (e + 1);
        }
        GOOD(spdhg_structure_from_csr(&s.F, o->edges, d, eptr, eidx, eval, &good_err));
        spd_free(eptr);
        spd_free(eidx);
        spd_free(eval);
    }
    const int64_t m = spdhg_structure_rows(s.F);
    int64_t *group = SPD_NEW(int64_t, m);
    for (int64_t e = 0; e < m && o->group_count; e++) group[e] = e % o->group_count;
    const spdhg_term_options term = {
        .size = sizeof term, .groups = o->groups, .group = o->group_count ? group : NULL, .group_rows = m};
    GOOD(spdhg_problem_term(s.problem, o->penalty, s.F, o->lambda, &term, &good_err));
    spd_free(group);
    if (o->also_sparse) {
        GOOD(spdhg_structure_new(&s.I, "identity", d, &good_err));
        GOOD(spdhg_problem_term(s.problem, "l1", s.I, 0.5 * o->lambda, NULL, &good_err));
    }
    GOOD(spdhg_problem_ridge(s.problem, o->gamma, &good_err));
    GOOD(spdhg_problem_intercept(s.problem, o->intercept, &good_err));
    if (o->set) GOOD(spdhg_problem_set(s.problem, o->set, &good_err));
    GOOD(spd_problem_freeze(s.problem, &good_err));
    spd_free(ptr);
    spd_free(idx);
    spd_free(val);
    spd_free(b);
    spd_free(w);
    spd_free(off);
    return s;
}

static inline void small_free(small *s) {
    spdhg_problem_free(s->problem);
    spdhg_structure_free(s->F);
    spdhg_structure_free(s->I);
    spdhg_data_free(s->data);
}

/* One algorithm driven by hand, as run.c would. */
typedef struct drive {
    spd_run run;
    spd_sampler sampler;
    spd_row *rows;
    double param[16];
    double *x, *c, *y;
} drive;

static inline drive drive_new(const spdhg_problem *p, const char *solver, int64_t batch, uint64_t seed, const char *name,
                              double value) {
    drive d = {0};
    const spd_solver_kind *kind = spd_solver_find(solver);
    assert_non_null(kind);
    for (int i = 0; i < kind->params; i++)
        d.param[i] = name && strcmp(kind->param[i].name, name) == 0 ? value : kind->param[i].value;
    double *param = spd_copy(d.param, 16, sizeof(double));
    GOOD(spd_run_new(&d.run, kind, p, param, SPDHG_SAMPLING_IID, batch, 1, NULL, &good_err));
    GOOD(spd_run_allocate(&d.run, &good_err));
    d.run.seed = seed;
    GOOD(spd_sampler_new(&d.sampler, p, SPDHG_SAMPLING_IID, seed, batch, &good_err));
    d.rows = SPD_NEW(spd_row, batch);
    d.x = SPD_NEW(double, p->dK);
    d.c = SPD_NEW(double, p->K);
    d.y = SPD_NEW(double, p->m * p->K);
    kind->start(&d.run, NULL, NULL, NULL);
    return d;
}

static inline void drive_step(drive *d, int64_t k) {
    const spd_batch batch = {.size = d->sampler.batch, .row = d->run.kind->full_information ? NULL : d->rows};
    if (batch.row) spd_sampler_draw(&d->sampler, k, d->rows);
    d->run.kind->step(&d->run, k, &batch);
}

static inline void drive_output(drive *d) { d->run.kind->output(&d->run, d->x, d->c, d->y); }

static inline void drive_free(drive *d) {
    spd_free((void *)(uintptr_t)d->run.param);
    spd_run_free(&d->run);
    spd_sampler_free(&d->sampler);
    spd_free(d->rows);
    spd_free(d->x);
    spd_free(d->c);
    spd_free(d->y);
}

static inline double largest_difference(int64_t n, const double *a, const double *b) {
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}
#endif
