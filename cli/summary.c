/* summary.c - the result of a fit in sentences, and as one JSON object with the stable keys of the manual. */
#include <math.h>
#include <stdlib.h>

#include "cli.h"

const char *cli_outcome_word(spdhg_outcome outcome) {
    switch (outcome) {
    case SPDHG_OUTCOME_CONVERGED: return "converged";
    case SPDHG_OUTCOME_DONE: return "done";
    case SPDHG_OUTCOME_LIMIT: return "limit";
    case SPDHG_OUTCOME_STALLED: return "stalled";
    case SPDHG_OUTCOME_INFIMUM: return "infimum";
    case SPDHG_OUTCOME_INTERRUPTED: return "interrupted";
    case SPDHG_OUTCOME_DIVERGED: return "diverged";
    }
    return "unknown";
}

static void print_label_map(FILE *to, const spdhg_data *data, const spdhg_problem *p) {
    enum { SHOWN = 12 };
    char text[SPD_NUMBER_CHARS], plain[CLI_TEXT_CHARS];
    fprintf(to, "labels: ");
    for (int64_t k = 0; k < p->classes && k < SHOWN; k++) {
        const double value = p->class_value[k];
        if (!data->label) spd_print_double(text, value);
        fprintf(to, "%s%s -> ", k ? ", " : "", data->label ? cli_plain(plain, data->label[(int64_t)value]) : text);
        if (p->loss->value_k)
            fprintf(to, "class %lld", (long long)k);
        else
            fprintf(to, "%s", k == 0 && p->classes > 1 ? "-1" : "+1");
    }
    fprintf(to, p->classes > SHOWN ? ", ... (%lld classes)\n" : "\n", (long long)p->classes);
}

void cli_print_header(FILE *to, const cli_fit_result *r, const char *solver, int64_t tests) {
    const spdhg_problem *p = r->problem;
    if (!to) return;
    if (p->loss->classify) print_label_map(to, r->data, p);
    char plain[CLI_TEXT_CHARS];
    fprintf(to, "problem: %s loss + %g * %s(F x)", r->asked->loss, r->asked->lambda, r->asked->penalty);
    if (r->asked->also_sparse > 0) fprintf(to, " + %g * l1(x)", r->asked->also_sparse * r->asked->lambda);
    if (r->asked->gamma > 0) fprintf(to, " + (%g/2) ||x||^2", r->asked->gamma);
    if (!p->set.kind->whole) fprintf(to, ", x in %s", r->asked->set);
    fprintf(to, ", F = %s", cli_plain(plain, r->asked->structure));
    fprintf(to, "%s%s\n", r->asked->intercept ? ", intercept" : "", r->asked->standardize ? ", standardised columns" : "");
    fprintf(to, "data: %lld rows, %lld features, %lld nonzeros", (long long)p->n, (long long)p->d, (long long)p->nnz);
    if (p->K > 1) fprintf(to, ", %lld outputs", (long long)p->K);
    if (tests > 0) fprintf(to, "; %lld rows held out", (long long)tests);
    fprintf(to, "; F has %lld rows; solver %s, seed %llu\n", (long long)p->m, solver, (unsigned long long)r->seed);
}

void cli_print_learned(FILE *to, const spdhg_graph_report *learned) {
    if (!to || learned->nodes == 0) return;
    fprintf(to, "structure: learned from %lld training rows: %lld edges, %lld components, rho %.4g, %.3g s\n",
            (long long)learned->rows, (long long)learned->edges, (long long)learned->components, learned->rho, learned->seconds);
    if (learned->edges == 0)
        fprintf(to,
                "structure: the learned graph has no edges: every coefficient stands alone; spdhg graph with a smaller --rho or "
                "--edges N makes one for --structure edges:FILE\n");
}

void cli_print_summary(FILE *to, const cli_fit_result *r, const char *model_path) {
    const spdhg_solution *s = r->solution;
    if (!to) return;
    char plain[CLI_TEXT_CHARS];
    const double gap = spd_round_towards(INFINITY, s->gap, 2);
    fprintf(to, "%s: %.4g epochs in %.3g s by %s; objective %.8g = loss %.6g + penalty %.6g", cli_outcome_word(r->outcome),
            s->epochs, s->seconds, s->solver, s->objective, s->train_loss, s->penalty);
    if (r->asked->gamma > 0) fprintf(to, " + ridge %.6g", s->objective - s->train_loss - s->penalty);
    fprintf(to, "\nnonzero: %lld of %lld coefficients, %lld of %lld entries of Fx\n", (long long)s->nonzeros,
            (long long)(s->features * s->outputs), (long long)s->structure_nonzeros, (long long)s->dual);
    if (strcmp(s->gap_kind, "certified") == 0)
        fprintf(to, "objective %.6g, proven within %.2g of the best possible (relative %.2g)\n", s->objective, gap,
                spd_round_towards(INFINITY, s->gap_relative, 2));
    else if (strcmp(s->gap_kind, "within_radius") == 0)
        fprintf(to, "objective %.6g, proven within %.2g of the best with ||x|| <= %.3g, not of all x\n", s->objective, gap,
                spd_round_towards(0, s->gap_radius, 3));
    else
        fprintf(to, "objective %.6g; how far from the best possible could not be proven\n", s->objective);
    if (!isnan(s->x_radius))
        fprintf(to, "coefficients within %.2g of the optimal ones; the signs of %lld entries of Fx are certain\n",
                spd_round_towards(INFINITY, s->x_radius, 2), (long long)s->certified_signs);
    if (r->bound.asked) cli_bound_sentence(to, &r->bound);
    if (model_path)
        fprintf(to, "model written to %s\n", cli_plain(plain, model_path));
    else
        fprintf(to, "no model written (use -o MODEL)\n");
}

json_t *cli_fit_json(const cli_fit_result *r) {
    const spdhg_solution *s = r->solution;
    const bool certified = strcmp(s->gap_kind, "none") != 0;
    json_t *out = json_pack(
        "{ss, ss, ss, ss, so, sf, sf, sI, sI, sI, sI, so, so, so, so, so, ss, so, so, so, sI, so, so, sI, sI, sI, ss}", /**/
        "status", cli_outcome_word(r->outcome), "solver", s->solver, "loss", r->asked->loss, "penalty", r->asked->penalty,
        "structure", cli_json_text(r->asked->structure), "lambda", r->asked->lambda, "gamma", r->asked->gamma, "samples",
        (json_int_t)r->problem->n, "features", (json_int_t)s->features, "outputs", (json_int_t)s->outputs, "structure_rows",
        (json_int_t)r->problem->m, "objective", cli_json_number(s->objective), "train_loss", cli_json_number(s->train_loss),
        "penalty_value", cli_json_number(s->penalty), "gap", cli_json_number(certified ? s->gap : NAN), "gap_relative",
        cli_json_number(certified ? s->gap_relative : NAN), "gap_kind", s->gap_kind, "gap_radius",
        cli_json_number(strcmp(s->gap_kind, "within_radius") == 0 ? s->gap_radius : NAN), "test_loss",
        cli_json_number(s->test_loss), "epochs", cli_json_number(s->epochs), "iterations", (json_int_t)s->iterations, "seconds",
        cli_json_number(s->seconds), "read_seconds", cli_json_number(r->data->read_seconds), "nonzeros", (json_int_t)s->nonzeros,
        "structure_nonzeros", (json_int_t)s->structure_nonzeros, "seed", (json_int_t)r->seed, "version", spdhg_version());
    if (!out) return NULL;
    json_object_set_new(out, "x_radius", cli_json_number(s->x_radius));
    if (r->problem->loss->classify)
        json_object_set_new(out, "test_accuracy", cli_json_number(s->test_score));
    else {
        json_object_set_new(out, "test_rmse", cli_json_number(r->test_rmse));
        json_object_set_new(out, "test_r2", cli_json_number(s->test_score));
    }
    if (r->bound.asked) json_object_set_new(out, "bound", cli_bound_json(&r->bound));
    return out;
}
