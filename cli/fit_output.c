/* fit_output.c - the results of `spdhg fit`: model, trace, report, certificate, summary, exit status. */
#include "fit.h"
#include "trace/trace.h"

/* Scores the rows that the model is judged by: those held out, or for a page those it was fitted to. */
static spdhg_status judge(const cli_fit_job *f, cli_judged *j, double *rmse, spdhg_error *err) {
    if (!f->report_path && (!f->test || f->model->classify)) return SPDHG_OK;
    char of[CLI_TEXT_CHARS + 4];
    snprintf(of, sizeof of, "of %s", f->test_path ? f->test_path : "");
    SPD_TRY(cli_judge_rows(j, f->model, f->test ? f->test : f->data,
                           f->test_path ? of
                           : f->test    ? "that were held out (--test-fraction)"
                                        : NULL,
                           err));
    if (!f->test || f->model->classify) return SPDHG_OK;
    spd_metrics metrics = {0};
    SPD_TRY(spd_model_metrics(f->model, f->test, j->score, &metrics, err));
    *rmse = metrics.rmse;
    return SPDHG_OK;
}

static spdhg_status write_pages(const cli_fit_job *f, const cli_fit_result *result, const spd_judged *judged, spdhg_error *err) {
    int64_t points;
    const spdhg_point *point = spdhg_solver_trace(f->solver, &points);
    if (f->trace_path) SPD_TRY(spd_trace_write_csv(f->trace_path, result->solution->solver, 0, point, points, err));
    if (!f->report_path) return SPDHG_OK;
    const spd_report report = {.title = f->path,
                               .command = f->command,
                               .model = f->model,
                               .point = point,
                               .points = points,
                               .truth = f->truth,
                               .solution = result->solution,
                               .structure = spd_problem_structure(result->problem),
                               .judged = judged};
    return spd_report_write(&report, f->report_path, err);
}

/* Writes the model first: it matters most to a user who interrupts. */
spdhg_status cli_fit_write(cli_fit_job *f, cli_fit_result *result, spdhg_error *err) {
    SPD_TRY(spdhg_model_from_solver(&f->model, f->solver, err));
    if (f->model_path) SPD_TRY(spdhg_model_write(f->model, f->model_path, err));
    if (f->coefficients_path) SPD_TRY(cli_coefficients_csv(f->model, f->coefficients_path, err));
    cli_judged judged = {0};
    spdhg_status status = judge(f, &judged, &result->test_rmse, err);
    if (status == SPDHG_OK) status = write_pages(f, result, &judged.shown, err);
    cli_judged_free(&judged);
    SPD_TRY(status);
    if (f->certificate_path) {
        cli_progress_stage(&f->progress, "certificate");
        SPD_TRY(spdhg_solver_certificate(f->solver, f->certificate_path, err));
        cli_progress_erase(&f->progress);
    }
    cli_print_summary(f->human, result, f->model_path);
    if (f->human && f->coefficients_path) fprintf(f->human, "coefficients written to %s\n", f->coefficients_path);
    if (f->human && f->trace_path) fprintf(f->human, "trace written to %s\n", f->trace_path);
    if (f->human && f->certificate_path) fprintf(f->human, "certificate written to %s\n", f->certificate_path);
    if (f->human && f->report_path) fprintf(f->human, "report written to %s\n", f->report_path);
    return f->json ? cli_json_print(cli_fit_json(result), err) : SPDHG_OK;
}

int cli_fit_conclude(const cli_fit_job *f,
                     spdhg_outcome outcome) { /* even with --quiet, the reason for a nonzero exit status is printed */
    if (outcome == SPDHG_OUTCOME_INTERRUPTED) return cli_signals_status();
    const spdhg_solution *s = spdhg_solver_solution(f->solver);
    const spdhg_options *o = spd_solver_options(f->solver);
    if (outcome == SPDHG_OUTCOME_LIMIT && f->solve.options.epochs > 0 && s->epochs >= f->solve.options.epochs)
        fprintf(stderr,
                "spdhg fit: the relative gap %g of --tol was not proven: --epochs %g was reached first; give more, or a larger "
                "--tol\n",
                o->tol, f->solve.options.epochs);
    else if (outcome == SPDHG_OUTCOME_LIMIT && spd_limits_late(f->solver))
        fprintf(
            stderr,
            "spdhg fit: the relative gap %g of --tol was not proven: --time %g was reached first; give more, or a larger --tol\n",
            o->tol, f->solve.options.seconds);
    else if (outcome == SPDHG_OUTCOME_LIMIT)
        fprintf(stderr, "spdhg fit: the relative gap %g of --tol was not proven within %.4g epochs, the limit of %s itself\n",
                o->tol, s->epochs, s->solver);
    else if (outcome == SPDHG_OUTCOME_STALLED)
        fprintf(stderr, "spdhg fit: the relative gap %g of --tol was not proven: %s\n", o->tol, spdhg_outcome_text(outcome));
    if (outcome == SPDHG_OUTCOME_CONVERGED && f->problem_options.lambda > 0 && s->dual > 0 && s->structure_nonzeros == 0 &&
        !f->trivial && f->problem_options.gamma == 0)
        fprintf(stderr,
                "spdhg fit: every coefficient%s is 0: lambda %g is lambda_max or above; give a smaller one, or let spdhg path "
                "choose\n",
                strcmp(f->problem_options.structure, "identity") == 0 ? "" : " of Fx", f->problem_options.lambda);
    const bool open = f->problem_options.gamma == 0 && strcmp(spdhg_solver_solution(f->solver)->gap_kind, "certified") != 0;
    if ((outcome == SPDHG_OUTCOME_LIMIT || outcome == SPDHG_OUTCOME_STALLED) && open)
        fprintf(stderr,
                "spdhg fit: perhaps there is no finite optimum (separable classes, or directions that change neither loss nor "
                "penalty); --gamma above 0 gives one\n");
    if (outcome == SPDHG_OUTCOME_INFIMUM)
        fprintf(stderr, "spdhg fit: %s; --gamma above 0 gives a minimiser\n", spdhg_outcome_text(outcome));
    if (outcome == SPDHG_OUTCOME_DIVERGED) fprintf(stderr, "spdhg fit: %s\n", spdhg_outcome_text(outcome));
    return spdhg_outcome_exit_status(outcome);
}
