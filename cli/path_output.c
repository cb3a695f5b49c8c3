/* path_output.c - output of `spdhg path`: a line for some of the lambdas, the choice, a CSV with all of them, keys for --json. */
#include "cli.h"

enum { LINES = 24 };

typedef struct column {
    const char *name;
    size_t member; /* of spdhg_path_point, a double */
} column;
#define MEMBER(name) offsetof(spdhg_path_point, name)
static const column columns[] = {
    {"lambda", MEMBER(lambda)},
    {"objective", MEMBER(objective)},
    {"train_loss", MEMBER(train_loss)},
    {"penalty_value", MEMBER(penalty)},
    {"gap", MEMBER(gap)},
    {"gap_relative", MEMBER(gap_relative)},
    {"gap_radius", MEMBER(gap_radius)},
    {"explained", MEMBER(explained)},
    {"degrees", MEMBER(degrees)},
    {"aic", MEMBER(aic)},
    {"bic", MEMBER(bic)},
    {"ebic", MEMBER(ebic)},
    {"cp", MEMBER(cp)},
    {"cv_loss", MEMBER(loss)},
    {"cv_loss_error", MEMBER(loss_error)},
    {"cv_accuracy", MEMBER(accuracy)},
    {"cv_accuracy_error", MEMBER(accuracy_error)},
    {"cv_auc", MEMBER(auc)},
    {"cv_auc_error", MEMBER(auc_error)},
    {"seconds", MEMBER(seconds)},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int64_t all_unconverged(const spdhg_path *path) {
    int64_t points, count = 0;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    for (int64_t i = 0; i < points; i++) count += point[i].unconverged;
    return count;
}

static void print_point(FILE *to, const spdhg_path *path, int64_t i, const char *choose) {
    int64_t points;
    const spdhg_path_point *p = &spdhg_path_points(path, &points)[i];
    fprintf(to, "%12.6g %10.4f %9lld %9lld %10.2g", p->lambda, p->explained, (long long)p->nonzeros,
            (long long)p->structure_nonzeros, spd_round_towards(INFINITY, p->gap_relative, 2));
    if (!isnan(p->loss)) fprintf(to, " %12.6g %10.2g", p->loss, p->loss_error);
    if (!isnan(p->accuracy)) fprintf(to, " %9.4f", p->accuracy);
    const bool complete = spdhg_path_outcome(path) != SPDHG_OUTCOME_INTERRUPTED; /* otherwise nothing was compared */
    if (complete && i == spdhg_path_best(path)) fprintf(to, "  best %s", choose);
    if (complete && i == spdhg_path_one_se(path) && i != spdhg_path_best(path)) fprintf(to, "  within one standard error");
    if (!isnan(p->gap_radius)) fprintf(to, "  the gap is proven for ||x|| <= %.3g only", spd_round_towards(0, p->gap_radius, 3));
    fprintf(to, "\n");
}

void cli_print_path(FILE *to, const spdhg_path *path, const char *choose) {
    if (!to) return;
    int64_t points;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    fprintf(to, "%12s %10s %9s %9s %10s", "lambda", "explained", "x not 0", "Fx not 0", "gap");
    if (!isnan(point[0].loss)) fprintf(to, " %12s %10s", "CV loss", "error");
    if (!isnan(point[0].accuracy)) fprintf(to, " %9s", "accuracy");
    fprintf(to, "\n");
    const int64_t every = (points + LINES - 1) / LINES;
    for (int64_t i = 0; i < points; i++)
        if (i % every == 0 || i == points - 1 || i == spdhg_path_best(path) || i == spdhg_path_one_se(path))
            print_point(to, path, i, choose);
    const bool complete = spdhg_path_outcome(path) != SPDHG_OUTCOME_INTERRUPTED;
    fprintf(to, "%s: lambda %.8g, number %lld of %lld\n",
            complete ? "chosen" : "interrupted before lambdas were compared; the model is of",
            point[spdhg_path_chosen(path)].lambda, (long long)spdhg_path_chosen(path) + 1, (long long)points);
    if (all_unconverged(path) > 0)
        fprintf(to, "%lld solves in folds did not reach the tolerance\n", (long long)all_unconverged(path));
}

spdhg_status cli_path_csv(const spdhg_path *path, const char *name, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, name, err));
    for (int k = 0; k < COLUMNS; k++) fprintf(file.stream, "%s,", columns[k].name);
    fprintf(file.stream, "nonzeros,structure_nonzeros,cv_unconverged,gap_kind,status\n");
    int64_t points;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    for (int64_t i = 0; i < points; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            char text[SPD_NUMBER_CHARS] = "";
            const double value = *(const double *)(const void *)((const char *)&point[i] + columns[k].member);
            if (isfinite(value)) spd_print_double(text, value);
            fprintf(file.stream, "%s,", text);
        }
        fprintf(file.stream, "%lld,%lld,%lld,%s,%s\n", (long long)point[i].nonzeros, (long long)point[i].structure_nonzeros,
                (long long)point[i].unconverged, point[i].gap_kind, cli_outcome_word(point[i].outcome));
    }
    return spd_file_commit(&file, err);
}

void cli_csv_cell(FILE *to, const char *text) {
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', to);
}

void cli_path_json(json_t *out, const spdhg_path *path, const char *choose) {
    int64_t points;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    json_t *lambdas = json_array();
    for (int64_t i = 0; i < points; i++) json_array_append_new(lambdas, json_real(point[i].lambda));
    const bool complete = spdhg_path_outcome(path) != SPDHG_OUTCOME_INTERRUPTED;
    json_object_set_new(out, "lambda_min", cli_json_number(complete ? point[spdhg_path_best(path)].lambda : NAN));
    json_object_set_new(out, "lambda_1se", cli_json_number(complete ? point[spdhg_path_one_se(path)].lambda : NAN));
    json_object_set_new(out, "lambdas", lambdas);
    json_object_set_new(out, "choose", json_string(choose));
    json_object_set_new(out, "cv_loss", cli_json_number(point[spdhg_path_chosen(path)].loss));
    json_object_set_new(out, "cv_unconverged", json_integer((json_int_t)all_unconverged(path)));
}
