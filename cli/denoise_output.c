/* denoise_output.c - output of `spdhg denoise`: sentences for every signal, its segments as CSV, the JSON object. */
#include "denoise.h"

enum { SIGNALS_TOLD = 12 };

static const char *name_of(const cli_denoised *d, int64_t s, char number[SPD_NUMBER_CHARS]) {
    if (d->file->name) return d->file->name[s];
    snprintf(number, SPD_NUMBER_CHARS, "%lld", (long long)s + 1);
    return number;
}

static void print_signal(FILE *to, const cli_denoised *d, int64_t s) {
    const spdhg_denoised_view *v = &d->view[s];
    char number[SPD_NUMBER_CHARS], plain[CLI_TEXT_CHARS];
    fprintf(to, "signal %s: lambda %.6g with the mean loss, %.6g with the sum of losses", cli_plain(plain, name_of(d, s, number)),
            v->lambda, v->lambda_sum);
    if (v->path) {
        int64_t points;
        const spdhg_path_point *p = spdhg_path_points(v->path, &points), *at = &p[spdhg_path_chosen(v->path)];
        fprintf(to, ", number %lld of %lld by %s", (long long)spdhg_path_chosen(v->path) + 1, (long long)points,
                d->asked->denoise.choose);
        if (!isnan(at->loss)) fprintf(to, ", held-out loss %.5g +- %.2g", at->loss, at->loss_error);
    }
    fprintf(to, "\n  %lld values", (long long)v->points);
    if (v->observed < v->points) fprintf(to, ", %lld missing", (long long)(v->points - v->observed));
    fprintf(to, "; %lld differences are not 0", (long long)v->differences);
    if (!isnan(v->degrees)) fprintf(to, ", %g degrees of freedom", v->degrees);
    if (!v->settled) fprintf(to, " (not settled: smaller ones may be 0)");
    fprintf(to, "\n  %s by %s: objective %.8g, ", cli_outcome_word(v->outcome), v->solver, v->objective);
    if (strcmp(v->gap_kind, "certified") == 0)
        fprintf(to, "proven to a relative gap of %.2g\n", spd_round_towards(INFINITY, v->gap_relative, 2));
    else
        fprintf(to, "how far from the best possible could not be proven\n");
}

void cli_print_denoised(FILE *to, const cli_denoised *d) {
    if (!to) return;
    char plain[CLI_TEXT_CHARS], more[CLI_TEXT_CHARS];
    const cli_denoise_options *o = d->asked;
    fprintf(to, "%s: %s, %lld signal%s of %lld values; %s loss + lambda * %s(F x), F = %s\n", cli_plain(plain, o->path),
            d->file->kind->name, (long long)d->file->signals, d->file->signals == 1 ? "" : "s", (long long)d->file->points,
            o->denoise.loss, o->denoise.isotropic ? "group" : "l1", cli_plain(more, d->structure));
    for (int64_t s = 0; s < d->signals && s < SIGNALS_TOLD; s++) print_signal(to, d, s);
    if (d->signals > SIGNALS_TOLD) fprintf(to, "... and %lld more\n", (long long)(d->signals - SIGNALS_TOLD));
    if (d->signals < d->file->signals)
        fprintf(to, "interrupted: %lld signals are as they were\n", (long long)(d->file->signals - d->signals));
    if (o->output && strcmp(o->output, "-") != 0)
        fprintf(to, "written to %s\n", cli_plain(plain, o->output));
    else if (!o->output)
        fprintf(to, "no result written (use -o FILE)\n");
    if (o->segments) fprintf(to, "segments written to %s\n", cli_plain(plain, o->segments));
    if (o->report) fprintf(to, "report written to %s\n", cli_plain(plain, o->report));
}

static json_t *signal_json(const cli_denoised *d, int64_t s) {
    const spdhg_denoised_view *v = &d->view[s];
    char number[SPD_NUMBER_CHARS];
    const bool proven = strcmp(v->gap_kind, "certified") == 0;
    double held_out = NAN, error = NAN;
    int64_t points = 0;
    if (v->path) {
        const spdhg_path_point *p = spdhg_path_points(v->path, &points);
        held_out = p[spdhg_path_chosen(v->path)].loss;
        error = p[spdhg_path_chosen(v->path)].loss_error;
    }
    return json_pack("{so, ss, sf, sf, so, so, sI, sI, sI, so, sI, sI, sI, sb, so, so, so, so, so, ss, ss}", /**/
                     "name", cli_json_text(name_of(d, s, number)), "status", cli_outcome_word(v->outcome), "lambda", v->lambda,
                     "lambda_sum", v->lambda_sum, "cv_loss", cli_json_number(held_out), "cv_loss_error", cli_json_number(error),
                     "lambdas_tried", (json_int_t)points, "observed", (json_int_t)v->observed, "missing",
                     (json_int_t)(v->points - v->observed), "degrees", cli_json_number(v->degrees), "structure_nonzeros",
                     (json_int_t)v->differences, "knots", (json_int_t)v->knots, "segments", (json_int_t)v->segments, "settled",
                     (int)v->settled, "objective", cli_json_number(v->objective), "train_loss", cli_json_number(v->train_loss),
                     "penalty_value", cli_json_number(v->penalty), "gap", cli_json_number(proven ? v->gap : NAN), "gap_relative",
                     cli_json_number(proven ? v->gap_relative : NAN), "gap_kind", v->gap_kind, "solver", v->solver);
}

json_t *cli_denoised_json(const cli_denoised *d) {
    const cli_denoise_options *o = d->asked;
    json_t *signals = json_array();
    for (int64_t s = 0; signals && s < d->signals; s++) json_array_append_new(signals, signal_json(d, s));
    return json_pack("{ss, ss, so, ss, sb, so, sI, so, so, ss}", /**/
                     "status", cli_outcome_word(d->outcome), "kind", d->file->kind->name, "structure",
                     cli_json_text(d->structure), "loss", o->denoise.loss, "isotropic", (int)o->denoise.isotropic, "choose",
                     o->denoise.lambda == SPDHG_LAMBDA_CHOSEN ? cli_json_text(o->denoise.choose) : json_null(), "points",
                     (json_int_t)d->file->points, "signals", signals, "seconds", cli_json_number(d->seconds), "version",
                     spdhg_version());
}

spdhg_status cli_segments_csv(const cli_denoised *d, const char *path, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    fprintf(file.stream, "start,end,level,points,signal\n");
    for (int64_t s = 0; s < d->signals; s++)
        for (int64_t i = 0; i < d->view[s].segments; i++) {
            const spdhg_segment *at = &d->view[s].segment[i];
            char start[SPD_NUMBER_CHARS], end[SPD_NUMBER_CHARS], level[SPD_NUMBER_CHARS], number[SPD_NUMBER_CHARS];
            spd_print_double(start, at->start);
            spd_print_double(end, at->end);
            spd_print_double(level, at->level);
            fprintf(file.stream, "%s,%s,%s,%lld,", start, end, level, (long long)at->points);
            cli_csv_cell(file.stream, name_of(d, s, number));
            fputc('\n', file.stream);
        }
    return spd_file_commit(&file, err);
}
