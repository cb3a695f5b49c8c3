/* inspect.c - `spdhg inspect`: summarises a data set and points out possible problems, warnings first. */
#include <stdarg.h>

#include "cli.h"

enum { JSON = 0x100 };

typedef struct inspect {
    spdhg_read_options read;
    const char *path;
    bool json;
} inspect;

static const struct argp_option options[] = {
    {"json", JSON, NULL, 0, "write one JSON object to standard output", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    inspect *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->read; return 0;
    case JSON: o->json = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &o->path, arg); return 0;
    case ARGP_KEY_END:
        if (!o->path) cli_usage(state, "DATA is missing: spdhg inspect DATA");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&cli_data_argp, 0, "The data:", 2}, {0}};
static const struct argp argp = {options,
                                 parse,
                                 "DATA",
                                 "Describe DATA (- is standard input) and warn of possible problems. Values that are missing are "
                                 "counted, and filled in as by --missing mean.",
                                 children,
                                 NULL,
                                 NULL};

static void warn(int *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(int *warnings, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("warning: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    ++*warnings;
}

static void warn_of_gaps(int *warnings, const spdhg_columns *k) {
    int64_t gaps = 0, columns = 0;
    for (int64_t i = 0; k && i < k->count; i++) {
        gaps += k->column[i].gaps;
        columns += k->column[i].gaps > 0;
    }
    if (gaps > 0)
        warn(warnings,
             "%lld %s missing, in %lld of %lld columns: a fit needs --missing mean or median, which fill them in, or --missing "
             "drop, which leaves out such rows; what follows is with mean",
             (long long)gaps, gaps == 1 ? "value is" : "values are", (long long)columns, (long long)k->count);
}

/* assumed: --missing was not given, and gaps were filled to be able to go on. */
static void print_warnings(const spdhg_data *data, const spd_inspection *x, bool assumed) {
    int warnings = 0;
    if (assumed) warn_of_gaps(&warnings, data->columns);
    if (x->targets == 0) warn(&warnings, "the rows have no labels: a fit needs them (--label, --targets)");
    if (x->targets == 1 && x->distinct_labels == 1) warn(&warnings, "all rows have the same label");
    if (x->sorted_by_label)
        warn(&warnings, "the rows are sorted by label; this does no harm here, because sampling and splits are random");
    if (x->empty_rows) warn(&warnings, "%lld of %lld rows have no entries", (long long)x->empty_rows, (long long)x->rows);
    if (x->duplicate_rows) warn(&warnings, "%lld rows repeat an earlier one", (long long)x->duplicate_rows);
    if (x->empty_columns)
        warn(&warnings, "%lld of %lld columns have no entries: their coefficients cannot be learned", (long long)x->empty_columns,
             (long long)x->features);
    if (x->constant_columns)
        warn(&warnings, "%lld columns are constant: the intercept already covers them", (long long)x->constant_columns);
    if (x->one_class_columns) warn(&warnings, "%lld columns occur in rows of one label only", (long long)x->one_class_columns);
    if (x->column_norm_min > 0 && x->column_norm_max > 1000 * x->column_norm_min)
        warn(&warnings, "column norms differ by a factor of %.2g (%.3g to %.3g): consider --standardize",
             x->column_norm_max / x->column_norm_min, x->column_norm_min, x->column_norm_max);
    if (x->row_norm_median > 0 && x->row_norm_max > 100 * x->row_norm_median)
        warn(&warnings, "the longest row is %.2g times the median one: it determines the step size",
             x->row_norm_max / x->row_norm_median);
    warnings += (int)cli_print_row_numbers(stdout, "warning: ", data);
    warnings += cli_print_repeated_ids(stdout, "warning: ", data);
    cli_print_columns(stdout, "note: ", data);
    cli_print_notes(stdout, "note: ", data);
    if (warnings == 0) printf("no problems found\n");
}

static const char *label_text(const spdhg_data *data, double value, char out[CLI_TEXT_CHARS]) {
    char number[SPD_NUMBER_CHARS];
    if (data->label && value >= 0 && value < (double)data->labels) return cli_plain(out, data->label[(int64_t)value]);
    spd_print_double(number, value);
    return cli_plain(out, number);
}

static int64_t labels_kept(const spd_inspection *x) {
    const int64_t most = (int64_t)(sizeof x->label / sizeof *x->label);
    return x->distinct_labels < most ? x->distinct_labels : most;
}

static void print_labels(const spdhg_data *data, const spd_inspection *x) {
    enum { SHOWN = 20 };
    char text[CLI_TEXT_CHARS];
    if (x->targets == 0) return;
    if (x->targets > 1) {
        printf("targets: %lld numbers for each row\n", (long long)x->targets);
        return;
    }
    const int64_t shown = x->distinct_labels <= SHOWN ? labels_kept(x) : 0;
    printf("labels: %lld different values", (long long)x->distinct_labels);
    for (int64_t k = 0; k < shown; k++)
        printf("%s %s (%lld rows)", k ? "," : ":", label_text(data, x->label[k], text), (long long)x->label_count[k]);
    printf("\n");
}

static void print_facts(const spdhg_data *data, const spd_inspection *x) {
    char bytes[SPD_NUMBER_CHARS];
    const double cells = (double)x->rows * (double)x->features;
    printf("%lld rows, %lld columns, %lld nonzeros (%.3g %% of all)%s\n", (long long)x->rows, (long long)x->features,
           (long long)x->nnz, cells > 0 ? 100 * (double)x->nnz / cells : 0.0, data->idx ? "" : ", stored dense");
    printf("format: %s", data->format ? data->format : "unknown");
    if (data->format && strcmp(data->format, "libsvm") == 0) printf(", the first column has the index %d", data->index_base);
    printf("; read in %.3g s\n", data->read_seconds);
    print_labels(data, x);
    printf("row norms: %.4g to %.4g, median %.4g; column norms: %.4g to %.4g\n", x->row_norm_min, x->row_norm_max,
           x->row_norm_median, x->column_norm_min, x->column_norm_max);
    printf("memory: a fit with --structure identity needs about %s\n", cli_bytes_text(bytes, x->fit_bytes));
}

static json_t *to_json(const spdhg_data *data, const spd_inspection *x) {
    json_t *labels = json_array();
    char text[CLI_TEXT_CHARS];
    for (int64_t k = 0; x->targets == 1 && k < labels_kept(x); k++)
        json_array_append_new(labels, json_pack("{so, sI}", "label", cli_json_text(label_text(data, x->label[k], text)), "rows",
                                                (json_int_t)x->label_count[k]));
    json_t *out = json_pack("{sI, sI, sI, sI, ss, si, sI, so, sb, sI, sI, sI, sI, sI}", "rows", (json_int_t)x->rows, "features",
                            (json_int_t)x->features, "nonzeros", (json_int_t)x->nnz, "targets", (json_int_t)x->targets, "format",
                            data->format ? data->format : "unknown", "index_base", data->index_base, "distinct_labels",
                            (json_int_t)x->distinct_labels, "labels", labels, "sorted_by_label", (int)x->sorted_by_label,
                            "empty_rows", (json_int_t)x->empty_rows, "duplicate_rows", (json_int_t)x->duplicate_rows,
                            "empty_columns", (json_int_t)x->empty_columns, "constant_columns", (json_int_t)x->constant_columns,
                            "one_class_columns", (json_int_t)x->one_class_columns);
    const spd_notes *n = &data->notes;
    json_t *more =
        json_pack("{so, so, so, so, so, so, so, sI, sI, sI, sI, sI, sb, ss}", "row_norm_min", cli_json_number(x->row_norm_min),
                  "row_norm_median", cli_json_number(x->row_norm_median), "row_norm_max", cli_json_number(x->row_norm_max),
                  "column_norm_min", cli_json_number(x->column_norm_min), "column_norm_max", cli_json_number(x->column_norm_max),
                  "fit_bytes", cli_json_number(x->fit_bytes), "read_seconds", cli_json_number(data->read_seconds), "blank_lines",
                  (json_int_t)n->blank_lines, "comment_lines", (json_int_t)n->comment_lines, "unsorted_rows",
                  (json_int_t)n->unsorted_rows, "duplicate_entries", (json_int_t)n->duplicate_entries, "explicit_zeros",
                  (json_int_t)n->explicit_zeros, "byte_order_mark", (int)n->byte_order_mark, "version", spdhg_version());
    json_object_update(out, more);
    json_decref(more);
    return out;
}

enum { NUMBERS = 5 }; /* kept for each column */

int cli_inspect(int argc, char **argv) {
    inspect o = {.read = SPDHG_READ_OPTIONS};
    spdhg_error err = {0};
    o.read.on_disk = 1;
    cli_parse(&argp, argc, argv, &o);
    o.read.unlabelled_ok = true;
    const bool assumed = !o.read.missing;
    if (assumed) o.read.missing = "mean";
    spdhg_data *data = NULL;
    spd_inspection found = {0};
    cli_progress progress;
    cli_progress_open(&progress, "spdhg inspect", false, false);
    spdhg_status status = cli_read(&data, o.path, &o.read, &progress, &err);
    if (status == SPDHG_OK) status = spd_data_fits(data, o.path, "a description", NUMBERS, o.read.max_memory, &err);
    if (status == SPDHG_OK) status = spd_data_inspect(data, &found, &err);
    if (status == SPDHG_OK && o.json) status = cli_json_print(to_json(data, &found), &err);
    if (status == SPDHG_OK && !o.json) {
        print_warnings(data, &found, assumed);
        print_facts(data, &found);
    }
    spdhg_data_free(data);
    return status == SPDHG_OK ? SPDHG_OK : cli_fail("spdhg inspect", &err);
}
