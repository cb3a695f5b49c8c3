/* instance.c - one algorithm with its two arenas, laid out once to measure and once for real; nothing is allocated afterwards. */
#include <stdarg.h>

#include "solver/solver.h"

static void lay_out(spd_run *run) {
    run->state.used = run->work.used = 0;
    run->kind->layout(run);
    run->state.size = run->state.used;
    run->work.size = run->work.used;
}

spdhg_status spd_run_new(spd_run *run, const spd_solver_kind *kind, const spdhg_problem *p, const double *param,
                         spdhg_sampling sampling, int64_t batch, int threads, spd_stop *stop, spdhg_error *err) {
    *run = (spd_run){.kind = kind,
                     .problem = p,
                     .param = param,
                     .sampling = sampling,
                     .batch = batch,
                     .threads = threads,
                     .stop = stop,
                     .rows_left = INFINITY};
    if (sampling == SPDHG_SAMPLING_NORM && !kind->full_information && !kind->gradient_only)
        return spd_fail(
            err, SPDHG_USAGE,
            "%s remembers rows from earlier draws, and its theory needs rows drawn by their weights; use --sampling iid",
            kind->name);
    if (kind->check) SPD_TRY(kind->check(run, err));
    run->self = spd_alloc(1, kind->self_size);
    if (!run->self) return spd_fail_memory(err, (double)kind->self_size);
    const spdhg_status status = kind->prepare ? kind->prepare(run, err) : SPDHG_OK;
    if (status == SPDHG_OK)
        lay_out(run);
    else
        spd_run_free(run);
    return status;
}

spdhg_status spd_run_allocate(spd_run *run, spdhg_error *err) {
    run->state.base = SPD_NEW(double, run->state.size);
    run->work.base = SPD_NEW(double, run->work.size);
    if (!run->state.base || !run->work.base) {
        const double bytes = spd_run_bytes(run);
        spd_run_free(run);
        return spd_fail_memory(err, bytes);
    }
    lay_out(run);
    run->blank = true;
    return SPDHG_OK;
}

void spd_run_again(spd_run *run, spd_run *before, const double *param) {
    spd_run_free(run);
    *run = *before;
    *before = (spd_run){0};
    run->param = param;
    run->again = true;
    run->rows_visited = 0;
}

double spd_run_smoothness(const spd_run *run, double given, double *work) {
    const spdhg_problem *p = run->problem;
    const bool full = run->kind->full_information;
    if (given >= 0) return given;
    const spd_smoothness usual = run->kind->smoothness;
    const spd_smoothness which = given < 0 ? (spd_smoothness)given : full ? usual : spd_problem_smoothness_by_rule(p, usual);
    return spd_problem_smoothness(p, which, full ? SPDHG_SAMPLING_IID : run->sampling, work);
}

void spd_run_clear(spd_run *run) {
    if (!run->blank) memset(run->state.base, 0, (size_t)run->state.size * sizeof(double));
    run->blank = false;
}

void spd_run_take(const spd_run *run, const double *x0, const double *c0, const double *y0, double *x, double *c, double *y,
                  double *term) {
    const spdhg_problem *p = run->problem;
    if (x0) memcpy(x, x0, (size_t)p->dK * sizeof *x0);
    if (c0) memcpy(c, c0, (size_t)p->K * sizeof *c0);
    if (y0) memcpy(y, y0, (size_t)(p->m * p->K) * sizeof *y0);
    spd_problem_project_dual(p, y, term);
}

void spd_run_give(const spd_run *run, const double *x_now, const double *c_now, const double *y_now, double *x, double *c,
                  double *y) {
    const spdhg_problem *p = run->problem;
    memcpy(x, x_now, (size_t)p->dK * sizeof *x);
    memcpy(c, c_now, (size_t)p->K * sizeof *c);
    memcpy(y, y_now, (size_t)(p->m * p->K) * sizeof *y);
}

double spd_run_bytes(const spd_run *run) {
    return 8.0 * ((double)run->state.size + (double)run->work.size) + run->prepared_bytes;
}

void spd_run_free(spd_run *run) {
    if (run->prepared) run->kind->release(run->prepared);
    spd_free(run->self);
    spd_free(run->state.base);
    spd_free(run->work.base);
    *run = (spd_run){0};
}

void spd_run_log(const spd_run *run, const char *format, ...) {
    if (!run->log) return;
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    run->log(run->log_context, sentence);
}
