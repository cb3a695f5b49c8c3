/* predict.c - `spdhg predict`: one line for each row, and metrics if the rows have labels.
 * Lines: LABEL, or the K means of a regression; with --probability, a header line "label<TAB>P(LABEL)..." and a column for each
 * class. */
#include "cli.h"

enum { PROBABILITY = 0x100, JSON, OFFSET };

typedef struct predict {
    spdhg_read_options read;
    const char *model_path, *path, *out_path, *offset;
    bool probability, json;
    spdhg_model *model;
    spdhg_data *data;
    double *scores;
    spd_metrics metrics;
    bool measured, calibrated;
    spd_calibration calibration[SPD_CALIBRATION_BINS];
} predict;

static const struct argp_option options[] = {
    {"offset", OFFSET, "FILE", 0, "a known part of the score for each row (and output), as in fit", 0},
    {0, 0, 0, 0, "Results:", 1},
    {"output", 'o', "FILE", 0,
     "write the predictions there; without it they go to standard output and the metrics to standard error", 0},
    {"probability", PROBABILITY, NULL, 0,
     "a header line, then after each label the probability of every class, separated by tabs", 0},
    {"json", JSON, NULL, 0, "write the metrics as one JSON object to standard output; predictions then need -o", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    predict *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &p->read; return 0;
    case 'o': p->out_path = arg; return 0;
    case PROBABILITY: p->probability = true; return 0;
    case JSON: p->json = true; return 0;
    case OFFSET: p->offset = arg; return 0;
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

static spdhg_status measure(predict *p, spdhg_error *err) {
    SPD_TRY(spd_model_metrics(p->model, p->data, p->scores, &p->metrics, err));
    return spd_model_calibration(p->model, p->data, p->scores, p->calibration, &p->calibrated, err);
}

static spdhg_status apply(predict *p, spdhg_error *err) {
    SPD_TRY(cli_can_write(p->out_path, err));
    SPD_TRY(spdhg_model_read(&p->model, p->model_path, err));
    if (p->probability && (!p->model->classify || !p->model->classes))
        return spd_fail(err, SPDHG_USAGE, "--probability: a model of the %s loss has no classes", p->model->loss);
    p->read.unlabelled_ok = true;
    p->read.index_base = p->model->index_base;
    if (p->read.features < p->model->features) p->read.features = p->model->features;
    SPD_TRY(spdhg_data_read(&p->data, p->path, &p->read, err));
    SPD_TRY(spd_recipe_attach(&(spd_recipe){.offset = p->offset}, p->data, err));
    const int64_t K = p->model->outputs;
    p->scores = SPD_NEW(double, p->data->rows *K);
    if (!p->scores) return spd_fail_memory(err, (double)p->data->rows * (double)K * sizeof(double));
    SPD_TRY(spdhg_model_scores(p->model, p->data, p->scores, err));
    /* a LIBSVM file always starts with one number: for a model of several targets it is not the truth */
    p->measured = p->data->targets == (p->model->classify ? 1 : K);
    if (p->measured) SPD_TRY(measure(p, err));
    return p->model->classify ? SPDHG_OK : spdhg_model_means(p->model, p->data->rows, p->scores, p->scores, err);
}

static const char *label_text(const predict *p, int64_t class_number, char out[CLI_TEXT_CHARS]) {
    char number[SPD_NUMBER_CHARS];
    return cli_plain(out, spd_model_label(p->model, class_number, number));
}

static spdhg_status print_probabilities(const predict *p, const double *scores, double *probability, FILE *to, spdhg_error *err) {
    if (!spd_model_probability(p->model, scores, probability))
        return spd_fail(err, SPDHG_USAGE, "--probability: the %s loss models no probabilities; logistic and softmax do",
                        p->model->loss);
    char number[SPD_NUMBER_CHARS];
    for (int64_t k = 0; k < p->model->classes; k++) {
        spd_print_double(number, probability[k]);
        fprintf(to, "\t%s", number);
    }
    return SPDHG_OK;
}

static spdhg_status print_lines(const predict *p, FILE *to, double *probability, spdhg_error *err) {
    char text[CLI_TEXT_CHARS], number[SPD_NUMBER_CHARS];
    const int64_t K = p->model->outputs;
    if (p->probability) {
        fprintf(to, "label");
        for (int64_t k = 0; k < p->model->classes; k++) fprintf(to, "\tP(%s)", label_text(p, k, text));
        fprintf(to, "\n");
    }
    for (int64_t i = 0; i < p->data->rows && !ferror(to); i++) {
        const double *scores = p->scores + i * K;
        if (p->model->classify)
            fprintf(to, "%s", label_text(p, spd_model_class(p->model, scores), text));
        else
            for (int64_t k = 0; k < K; k++) {
                spd_print_double(number, scores[k]);
                fprintf(to, "%s%s", k ? "\t" : "", number);
            }
        if (p->probability) SPD_TRY(print_probabilities(p, scores, probability, to, err));
        fprintf(to, "\n");
    }
    return SPDHG_OK;
}

static spdhg_status write_predictions(const predict *p, spdhg_error *err) {
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

static void print_confusion(const predict *p, FILE *to) {
    enum { SHOWN = 10 };
    const int64_t classes = p->model->classes;
    if (!p->metrics.confusion || classes > SHOWN) return;
    char text[CLI_TEXT_CHARS];
    fprintf(to, "confusion (a row for each true label, a column for each predicted one):\n%12s", "");
    for (int64_t k = 0; k < classes; k++) fprintf(to, " %10.10s", label_text(p, k, text));
    for (int64_t t = 0; t < classes; t++) {
        fprintf(to, "\n%12.12s", label_text(p, t, text));
        for (int64_t k = 0; k < classes; k++) fprintf(to, " %10lld", (long long)p->metrics.confusion[t * classes + k]);
    }
    fprintf(to, "\n");
}

static void print_calibration(const predict *p, FILE *to) {
    if (!p->calibrated) return;
    char text[CLI_TEXT_CHARS];
    fprintf(to, "calibration of P(%s):\n%12s %10s %10s\n", label_text(p, 1, text), "rows", "predicted", "observed");
    for (int b = 0; b < SPD_CALIBRATION_BINS; b++) {
        const spd_calibration *bin = &p->calibration[b];
        if (bin->rows > 0) fprintf(to, "%12lld %10.4f %10.4f\n", (long long)bin->rows, bin->predicted, bin->observed);
    }
}

static void print_metrics(const predict *p, FILE *to) {
    const spd_metrics *m = &p->metrics;
    if (!p->measured) return;
    fprintf(to, "%lld rows: %s loss %.6g", (long long)m->rows, p->model->loss, m->loss);
    if (!isnan(m->accuracy)) fprintf(to, ", accuracy %.4f", m->accuracy);
    if (!isnan(m->auc)) fprintf(to, ", AUC %.4f", m->auc);
    if (!isnan(m->deviance)) fprintf(to, ", deviance %.6g", m->deviance);
    if (!isnan(m->rmse)) fprintf(to, ", RMSE %.6g, R^2 %.4f", m->rmse, m->r2);
    fprintf(to, "\n");
    if (m->unknown) fprintf(to, "%lld rows have a label unknown to the model and are not counted\n", (long long)m->unknown);
    print_confusion(p, to);
    print_calibration(p, to);
}

static json_t *metrics_json(const predict *p) {
    const spd_metrics none = {NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, NULL}, *m = p->measured ? &p->metrics : &none;
    json_t *labels = json_array(), *confusion = m->confusion ? json_array() : json_null();
    for (int64_t t = 0; t < p->model->classes; t++) {
        char text[SPD_NUMBER_CHARS];
        json_array_append_new(labels, cli_json_text(spd_model_label(p->model, t, text)));
        json_t *line = json_array();
        for (int64_t k = 0; m->confusion && k < p->model->classes; k++)
            json_array_append_new(line, json_integer((json_int_t)m->confusion[t * p->model->classes + k]));
        json_array_append_new(confusion, line);
    }
    json_t *calibration = p->calibrated ? json_array() : json_null();
    for (int b = 0; b < SPD_CALIBRATION_BINS && p->calibrated; b++)
        json_array_append_new(calibration, json_pack("{sI, so, so}", "rows", (json_int_t)p->calibration[b].rows, "predicted",
                                                     cli_json_number(p->calibration[b].predicted), "observed",
                                                     cli_json_number(p->calibration[b].observed)));
    return json_pack("{sI, sI, sI, so, so, so, so, so, so, so, so, so, ss}", "rows", (json_int_t)p->data->rows, "labelled_rows",
                     (json_int_t)m->rows, "unknown_labels", (json_int_t)m->unknown, "loss", cli_json_number(m->loss), "accuracy",
                     cli_json_number(m->accuracy), "auc", cli_json_number(m->auc), "deviance", cli_json_number(m->deviance),
                     "rmse", cli_json_number(m->rmse), "r2", cli_json_number(m->r2), "labels", labels, "confusion", confusion,
                     "calibration", calibration, "version", spdhg_version());
}

int cli_predict(int argc, char **argv) {
    predict p = {.read = SPDHG_READ_OPTIONS};
    spdhg_error err = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &p);
    spdhg_status status = apply(&p, &err);
    if (status == SPDHG_OK) {
        cli_signals_catch();
        status = write_predictions(&p, &err);
    }
    if (status == SPDHG_OK && p.json)
        status = cli_json_print(metrics_json(&p), &err);
    else if (status == SPDHG_OK)
        print_metrics(&p, p.out_path && strcmp(p.out_path, "-") != 0 ? stdout : stderr);
    spd_free(p.metrics.confusion);
    spd_free(p.scores);
    spdhg_data_free(p.data);
    spdhg_model_free(p.model);
    return status != SPDHG_OK ? cli_fail("spdhg predict", &err) : cli_signals_status();
}
