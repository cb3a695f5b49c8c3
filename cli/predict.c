/* predict.c - `spdhg predict`: a CSV file with a line for each row, and metrics if the rows have labels.
 * Its header: the id of the rows if they have one, prediction (a label, or the K means of a regression, prediction_1, ...), and
 * with --probability P(LABEL) for each class. Columns of the data are matched to the model's by name. */
#include "predict.h"

enum { PROBABILITY = 0x100, JSON, OFFSET };

static const struct argp_option options[] = {
    {"offset", OFFSET, "COLUMN|FILE", 0, "a known part of the score for each row (and output), as in fit", 0},
    {0, 0, 0, 0, "Results:", 1},
    {"output", 'o', "FILE", 0,
     "write the predictions there; without it they go to standard output and the metrics to standard error", 0},
    {"probability", PROBABILITY, NULL, 0, "also write the probability of every class", 0},
    CLI_FORCE_OPTION,
    {"json", JSON, NULL, 0, "write the metrics as one JSON object to standard output; predictions then need -o", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    cli_predict_job *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->read; return 0;
    case 'o': p->out_path = arg; return 0;
    case PROBABILITY: p->probability = true; return 0;
    case JSON: p->json = true; return 0;
    case OFFSET: p->offset = arg; return 0;
    case CLI_FORCE: p->force = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, p->model_path ? &p->path : &p->model_path, arg); return 0;
    case ARGP_KEY_END:
        if (!p->path) cli_usage(state, "MODEL and DATA are required: spdhg predict MODEL DATA [-o FILE]");
        if (p->json && p->out_path && strcmp(p->out_path, "-") == 0)
            cli_usage(state, "only one of --output and --json can use standard output");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&cli_data_argp, 0, "The data:", 2}, {0}};
static const struct argp argp = {
    options,  parse, "MODEL DATA", "Apply MODEL to DATA (- is standard input); metrics when DATA has labels.",
    children, NULL,  NULL};

static spdhg_status measure(cli_predict_job *p, spdhg_error *err) {
    SPD_TRY(spd_model_metrics(p->model, p->data, p->scores, &p->metrics, err));
    return spd_model_calibration(p->model, p->data, p->scores, p->calibration, &p->calibrated, err);
}

/* Reads the data as the model needs it: a table by the names of its columns, other formats by index. */
static spdhg_status read_data(cli_predict_job *p, spdhg_error *err) {
    const spdhg_columns *columns = spdhg_model_columns(p->model);
    p->read.unlabelled_ok = true;
    p->read.index_base = p->model->index_base;
    p->read.hash = p->model->hash;
    p->read.like = columns;
    p->read.offset_column = p->offset;
    if (!columns && !p->model->hash && p->read.features < p->model->features) p->read.features = p->model->features;
    cli_progress progress;
    cli_progress_open(&progress, "spdhg predict", false, false);
    SPD_TRY(cli_read(&p->data, p->path, &p->read, &progress, err));
    if (p->data->idx && p->data->features < p->model->features) p->data->features = p->model->features;
    cli_print_columns(stderr, "spdhg predict: ", p->data);
    cli_print_repeated_ids(stderr, "spdhg predict: ", p->data);
    if (!p->model->hash)
        SPD_TRY(cli_check_width("spdhg predict", p->path, p->data, p->model->features, p->model->index_base, err));
    const bool theirs = columns && columns->named, ours = p->data->columns && p->data->columns->named;
    if (theirs != ours)
        fprintf(stderr, "spdhg predict: %s has no names: columns are matched by position\n", theirs ? "DATA" : "MODEL");
    SPD_TRY(spd_recipe_attach(&(spd_recipe){.offset = p->offset}, p->data, err));
    if (columns && columns->offset && !p->data->offset)
        return spd_fail(err, SPDHG_DATA, "%s: the model has an offset, column '%.60s': give --offset FILE", p->path,
                        columns->offset);
    return SPDHG_OK;
}

static spdhg_status apply(cli_predict_job *p, spdhg_error *err) {
    const cli_output out[] = {{"--output", p->out_path, CLI_PREDICTIONS}};
    const char *const in[] = {p->model_path, p->path, p->offset, p->read.targets, p->read.names};
    SPD_TRY(CLI_CHECK_OUTPUTS(out, in, p->force, err));
    SPD_TRY(spdhg_model_read(&p->model, p->model_path, err));
    if (p->probability && (!p->model->classify || !p->model->classes))
        return spd_fail(err, SPDHG_USAGE, "--probability: a model of the %s loss has no classes", p->model->loss);
    SPD_TRY(read_data(p, err));
    const int64_t K = p->model->outputs;
    p->scores = SPD_NEW(double, p->data->rows *K);
    if (!p->scores) return spd_fail_memory(err, (double)p->data->rows * (double)K * sizeof(double));
    SPD_TRY(spdhg_model_scores(p->model, p->data, p->scores, err));
    /* a LIBSVM file always starts with one number: for a model of several targets it is not the truth */
    p->measured = p->data->targets == (p->model->classify ? 1 : K);
    if (p->measured) SPD_TRY(measure(p, err));
    return p->model->classify ? SPDHG_OK : spdhg_model_means(p->model, p->data->rows, p->scores, p->scores, err);
}

static spdhg_status print_probabilities(const cli_predict_job *p, const double *scores, double *probability, FILE *to,
                                        spdhg_error *err) {
    if (!spd_model_probability(p->model, scores, probability))
        return spd_fail(err, SPDHG_USAGE, "--probability: the %s loss models no probabilities; logistic and softmax do",
                        p->model->loss);
    char number[SPD_NUMBER_CHARS];
    for (int64_t k = 0; k < p->model->classes; k++) {
        spd_print_double(number, probability[k]);
        fprintf(to, ",%s", number);
    }
    return SPDHG_OK;
}

static void print_header(const cli_predict_job *p, FILE *to) {
    char text[SPD_NUMBER_CHARS], cell[CLI_TEXT_CHARS];
    const spdhg_columns *columns = spdhg_model_columns(p->model);
    if (p->data->id) {
        cli_csv_cell(to, p->data->columns->id);
        fputc(',', to);
    }
    const int64_t outputs = p->model->classify ? 1 : p->model->outputs;
    for (int64_t k = 0; k < outputs; k++) {
        snprintf(text, sizeof text, "%lld", (long long)k + 1);
        const char *target = columns && k < columns->targets ? columns->target[k] : text;
        snprintf(cell, sizeof cell, outputs > 1 ? "prediction_%s" : "prediction", target);
        if (k > 0) fputc(',', to);
        cli_csv_cell(to, cell);
    }
    for (int64_t k = 0; p->probability && k < p->model->classes; k++) {
        snprintf(cell, sizeof cell, "P(%s)", spd_model_label(p->model, k, text));
        fputc(',', to);
        cli_csv_cell(to, cell);
    }
    fputc('\n', to);
}

static spdhg_status print_lines(const cli_predict_job *p, FILE *to, double *probability, spdhg_error *err) {
    char number[SPD_NUMBER_CHARS];
    const int64_t K = p->model->outputs;
    print_header(p, to);
    for (int64_t i = 0; i < p->data->rows && !ferror(to); i++) {
        const double *scores = p->scores + i * K;
        if (p->data->id) {
            cli_csv_cell(to, p->data->id[i]);
            fputc(',', to);
        }
        if (p->model->classify)
            cli_csv_cell(to, spd_model_label(p->model, spd_model_class(p->model, scores), number));
        else
            for (int64_t k = 0; k < K; k++) {
                spd_print_double(number, scores[k]);
                fprintf(to, "%s%s", k ? "," : "", number);
            }
        if (p->probability) SPD_TRY(print_probabilities(p, scores, probability, to, err));
        fprintf(to, "\n");
    }
    return SPDHG_OK;
}

static spdhg_status write_predictions(const cli_predict_job *p, spdhg_error *err) {
    if (p->json && !p->out_path) return SPDHG_OK;
    double *probability = SPD_NEW(double, p->model->classes + 1);
    if (!probability) return spd_fail_memory(err, 8.0 * (double)p->model->classes);
    spd_file file;
    spdhg_status status = spd_file_create(&file, p->out_path ? p->out_path : "-", err);
    if (status == SPDHG_OK) {
        status = print_lines(p, file.stream, probability, err);
        if (status != SPDHG_OK)
            spd_file_abort(&file);
        else if (file.stream == stdout) /* cli_finish reports a failure of standard output */
            spd_file_abort(&file);
        else
            status = spd_file_commit(&file, err);
    }
    spd_free(probability);
    return status;
}

int cli_predict(int argc, char **argv) {
    cli_predict_job p = {.read = SPDHG_READ_OPTIONS};
    spdhg_error err = {0};
    p.read.on_disk = 1;
    cli_parse(&argp, argc, argv, &p);
    spdhg_status status = apply(&p, &err);
    if (status == SPDHG_OK) {
        cli_signals_catch();
        status = write_predictions(&p, &err);
    }
    if (status == SPDHG_OK && p.json)
        status = cli_json_print(cli_predict_json(&p), &err);
    else if (status == SPDHG_OK)
        cli_predict_print(&p, p.out_path && strcmp(p.out_path, "-") != 0 ? stdout : stderr);
    spd_free(p.metrics.confusion);
    spd_free(p.scores);
    spdhg_data_free(p.data);
    spdhg_model_free(p.model);
    return status != SPDHG_OK ? cli_fail("spdhg predict", &err) : cli_signals_after("spdhg predict");
}
