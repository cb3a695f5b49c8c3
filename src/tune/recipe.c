/* recipe.c - builds a problem from names, as the command's options give it, and data:
 *     mean_i loss(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + lambda r(F x) [+ C lambda ||x||_1]   over x in X. */
#include "tune/recipe.h"

#include "problem/problem.h"
#include "reader/read.h"
#include "structure/structure.h"

/* A name that no column has is a file. If there is none of that name either, a column was meant. */
static spdhg_status read_side(const char *option, const char *name, const spdhg_data *data, double **number, int64_t *rows,
                              int64_t *columns, spdhg_error *err) {
    const spdhg_status status = spd_numbers_read(name, number, rows, columns, err);
    const spdhg_columns *table = data->columns;
    if (status != SPDHG_IO || !table || !table->named) return status;
    char meant[SPD_DID_YOU_MEAN_CHARS];
    spd_did_you_mean(meant, sizeof meant, name, table->column, table->count, sizeof *table->column);
    return spd_fail(err, status, "--%s: '%.200s' is neither a column of the table nor a file that can be read%s", option, name,
                    meant);
}

spdhg_status spd_recipe_attach(const spd_recipe *o, spdhg_data *data, spdhg_error *err) {
    double *number = NULL;
    int64_t rows, columns;
    if (o->weights && !(data->columns && data->columns->weighted)) { /* otherwise a column of the table */
        SPD_TRY(read_side("weights", o->weights, data, &number, &rows, &columns, err));
        const spdhg_status status =
            rows * columns == data->rows
                ? spdhg_data_set_weights(data, number, err)
                : spd_fail(err, SPDHG_DATA, "%s: %lld numbers, but the data has %lld rows: one weight for each is expected",
                           o->weights, (long long)(rows * columns), (long long)data->rows);
        spd_free(number);
        SPD_TRY(status);
    }
    if (o->offset && !(data->columns && data->columns->offset)) {
        SPD_TRY(read_side("offset", o->offset, data, &number, &rows, &columns, err));
        if (columns == data->rows && rows == 1) rows = data->rows, columns = 1; /* a vector may be on one line */
        const spdhg_status status = rows == data->rows
                                        ? spdhg_data_set_offsets(data, number, columns, err)
                                        : spd_fail(err, SPDHG_DATA, "%s: %lld rows of offsets, but the data has %lld rows",
                                                   o->offset, (long long)rows, (long long)data->rows);
        spd_free(number);
        SPD_TRY(status);
    }
    return SPDHG_OK;
}

bool spd_recipe_learns(const spd_recipe *o) { return strcmp(o->structure, SPD_LEARNED) == 0; }

spdhg_graph_options spd_recipe_graph(const spd_recipe *o) {
    spdhg_graph_options graph = SPDHG_GRAPH_OPTIONS;
    graph.threads = o->threads;
    graph.max_memory = o->max_memory;
    return graph;
}

spdhg_status spd_recipe_structure(spdhg_structure **out, spdhg_graph_report *learned, const spd_recipe *o, const spdhg_data *data,
                                  const int64_t *row, int64_t rows, spdhg_error *err) {
    bool named = false;
    if (strcmp(o->structure, SPD_CATEGORIES) == 0) return spdhg_structure_categories(out, data->columns, err);
    if (spd_spec_is(o->structure, "edges") && spd_spec_arg(o->structure) && *spd_spec_arg(o->structure) && data->name)
        SPD_TRY(spd_file_has_names(spd_spec_arg(o->structure), &named, err));
    if (named) return spd_structure_named_edges(out, o->structure, data->name, data->features, err);
    if (!spd_recipe_learns(o)) return spdhg_structure_new(out, o->structure, data->features, err);
    const spdhg_graph_options graph = spd_recipe_graph(o);
    return spdhg_structure_learn(out, data, row, rows, &graph, learned, err);
}

/* Groups of features that need the data: "columns" (the features of a column), or a file with
 * names. *group is NULL for others. */
static spdhg_status groups_of_data(const spd_recipe *o, const spdhg_data *data, const spdhg_structure *F, int64_t **group,
                                   spdhg_error *err) {
    bool named = false;
    *group = NULL;
    if (!o->groups || spd_spec_is(o->groups, "size") || strcmp(o->groups, "grid") == 0) return SPDHG_OK;
    const bool columns = strcmp(o->groups, "columns") == 0;
    if (!columns && data->name) SPD_TRY(spd_file_has_names(o->groups, &named, err));
    if (!columns && !named) return SPDHG_OK;
    if (F->F.m != data->features)
        return spd_fail(err, SPDHG_USAGE,
                        "--groups %s: groups of features need --structure identity, in which each feature is a row", o->groups);
    if (named) return spd_named_groups(o->groups, data->name, data->features, group, err);
    if (!data->columns) return spd_fail(err, SPDHG_USAGE, "--groups columns: the data is not a table with columns");
    if (!(*group = SPD_NEW(int64_t, data->features))) return spd_fail_memory(err, 8.0 * (double)data->features);
    for (int64_t j = 0; j < data->features; j++) (*group)[j] = spd_schema_of(data->columns, j) - data->columns->column;
    return SPDHG_OK;
}

static spdhg_status add_terms(spd_recipe_problem *out, const spd_recipe *o, const spdhg_data *data, const spdhg_structure *F,
                              spdhg_error *err) {
    spdhg_problem *p = out->problem;
    double *row_weight = NULL;
    int64_t rows = 0, columns = 0;
    if (o->penalty_weights) SPD_TRY(spd_numbers_read(o->penalty_weights, &row_weight, &rows, &columns, err));
    int64_t *group = NULL;
    spdhg_status status = groups_of_data(o, data, F, &group, err);
    const spdhg_term_options term = {sizeof term, row_weight,        rows * columns, group ? NULL : o->groups,
                                     group,       group ? F->F.m : 0};
    if (status == SPDHG_OK) status = spdhg_problem_term(p, o->penalty, F, o->lambda, &term, err);
    spd_free(row_weight);
    spd_free(group);
    SPD_TRY(status);
    if (o->also_sparse <= 0) return SPDHG_OK;
    SPD_TRY(spdhg_structure_new(&out->identity, "identity", F->F.n, err));
    return spdhg_problem_term(p, "l1", out->identity, o->also_sparse * o->lambda, NULL, err);
}

static spdhg_status build(spd_recipe_problem *out, const spd_recipe *o, const spdhg_data *data, const int64_t *row, int64_t rows,
                          const spdhg_structure *F, spdhg_error *err) {
    SPD_TRY(spdhg_problem_new(&out->problem, data, o->loss, err));
    spdhg_problem *p = out->problem;
    if (row) SPD_TRY(spdhg_problem_rows(p, row, rows, err));
    if (!F) SPD_TRY(spd_recipe_structure(&out->structure, &out->learned, o, data, row, rows, err));
    SPD_TRY(add_terms(out, o, data, F ? F : out->structure, err));
    SPD_TRY(spdhg_problem_ridge(p, o->gamma, err));
    SPD_TRY(spdhg_problem_ridge_follows(p, o->l1_ratio_given, err));
    SPD_TRY(spdhg_problem_set(p, o->set, err));
    SPD_TRY(spdhg_problem_intercept(p, o->intercept, err));
    SPD_TRY(spdhg_problem_standardize(p, o->standardize, err));
    if (o->class_weight) SPD_TRY(spdhg_problem_class_weight(p, o->class_weight, err));
    return spdhg_problem_allow_one_class(p, o->one_class_ok, err);
}

spdhg_status spd_recipe_build_on(spd_recipe_problem *out, const spd_recipe *o, const spdhg_data *data, const int64_t *row,
                                 int64_t rows, const spdhg_structure *F, spdhg_error *err) {
    *out = (spd_recipe_problem){0};
    const spdhg_status status = build(out, o, data, row, rows, F, err);
    if (status != SPDHG_OK) spd_recipe_clear(out);
    return status;
}

spdhg_status spd_recipe_build(spd_recipe_problem *out, const spd_recipe *o, const spdhg_data *data, const int64_t *row,
                              int64_t rows, spdhg_error *err) {
    return spd_recipe_build_on(out, o, data, row, rows, NULL, err);
}

void spd_recipe_clear(spd_recipe_problem *problem) {
    spdhg_problem_free(problem->problem); /* before the structures it points to */
    spdhg_structure_free(problem->structure);
    spdhg_structure_free(problem->identity);
    *problem = (spd_recipe_problem){0};
}
