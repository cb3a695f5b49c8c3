/* coefficients.c - coefficients as a table for people and programs: a line for the intercept of each output and for every
 * coefficient that is not 0. value: on the scale of the data; standardized: times the feature's standard deviation, so that sizes
 * can be compared; class: for which class a positive value speaks; group: the same number for coefficients that the structure has
 * made equal. */
#include "cli.h"
#include "model/model.h"

static void put_number(FILE *to, double value) {
    char text[SPD_NUMBER_CHARS] = "";
    if (isfinite(value)) spd_print_double(text, value);
    fprintf(to, ",%s", text);
}

void cli_feature_text(const spdhg_model *m, int64_t j, const char **feature, const char **level, char text[SPD_NUMBER_CHARS]) {
    *level = "";
    const spd_table_column *c = m->columns ? spd_schema_of(m->columns, j) : NULL;
    if (c && c->category) {
        *feature = c->name;
        *level = c->level[spd_column_level(c, j - c->feature)];
    } else if (m->name)
        *feature = m->name[j];
    else {
        snprintf(text, SPD_NUMBER_CHARS, "%lld", (long long)j + m->index_base);
        *feature = text;
    }
}

/* The lines of one point, each after `lead`. x and c are on the scale of the data. */
static void put_lines(FILE *to, const char *lead, const spdhg_model *m, const double *x, const double *c, const int64_t *group) {
    char text[SPD_NUMBER_CHARS], number[SPD_NUMBER_CHARS];
    const char *feature, *level;
    for (int64_t k = 0; m->intercept && k < m->outputs; k++) {
        fprintf(to, "%s(intercept),,", lead);
        cli_csv_cell(to, spd_model_output(m, k, text));
        put_number(to, c[k]);
        put_number(to, c[k]);
        fprintf(to, ",\n");
    }
    for (int64_t i = 0; i < m->features * m->outputs && !ferror(to); i++) {
        if (x[i] == 0) continue;
        const int64_t j = i / m->outputs;
        cli_feature_text(m, j, &feature, &level, number);
        fputs(lead, to);
        cli_csv_cell(to, feature);
        fputc(',', to);
        cli_csv_cell(to, level);
        fputc(',', to);
        cli_csv_cell(to, spd_model_output(m, i % m->outputs, text));
        put_number(to, x[i]);
        put_number(to, m->spread ? x[i] * m->spread[j] : NAN);
        fprintf(to, group && group[i] > 0 ? ",%lld\n" : ",\n", (long long)(group ? group[i] : 0));
    }
}

#define HEADER "feature,level,class,value,standardized,group\n"

spdhg_status cli_coefficients_csv(const spdhg_model *m, const char *name, spdhg_error *err) {
    spd_file file;
    SPD_TRY(spd_file_create(&file, name, err));
    fputs(HEADER, file.stream);
    put_lines(file.stream, "", m, m->x, m->c, m->group);
    return spd_file_commit(&file, err);
}

/* Undoes standardisation and centring, as in a model. */
static void to_original(const spdhg_problem *p, const double *x, const double *c, double *x_out, double *c_out) {
    for (int64_t q = 0; q < p->dK; q++) x_out[q] = x[q] / (p->scale ? p->scale[q / p->K] : 1);
    for (int64_t k = 0; k < p->K; k++) c_out[k] = c ? c[k] : 0;
}

spdhg_status cli_path_coefficients(const spdhg_path *path, const spdhg_problem *p, const spdhg_model *m, const char *name,
                                   spdhg_error *err) {
    double *x = SPD_NEW(double, p->dK), *c = SPD_NEW(double, p->K);
    int64_t *group = SPD_NEW(int64_t, p->dK), points;
    spd_file file = {0};
    spdhg_status status = x && c && group ? spd_file_create(&file, name, err) : spd_fail_memory(err, 24.0 * (double)p->dK);
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    if (status == SPDHG_OK) fputs("lambda," HEADER, file.stream);
    for (int64_t i = 0; status == SPDHG_OK && i < points && !ferror(file.stream); i++) {
        char lead[SPD_NUMBER_CHARS + 2];
        const double *intercept, *there = spdhg_path_coefficients(path, i, &intercept);
        const int length = spd_print_double(lead, point[i].lambda);
        snprintf(lead + length, sizeof lead - (size_t)length, ",");
        to_original(p, there, intercept, x, c);
        if (!spd_coefficient_groups(p, there, group)) {
            status = spd_fail_memory(err, 16.0 * (double)p->dK);
            break;
        }
        put_lines(file.stream, lead, m, x, c, group);
    }
    if (status == SPDHG_OK)
        status = spd_file_commit(&file, err);
    else
        spd_file_abort(&file);
    SPD_FREE_ALL(x, c, group);
    return status;
}
