/* predict_metrics.c - how good predictions are: loss, accuracy or error, confusion, calibration; in lines and as JSON. */
#include "predict.h"

static const char *label_text(const cli_predict_job *p, int64_t class_number, char out[CLI_TEXT_CHARS]) {
    char number[SPD_NUMBER_CHARS];
    return cli_plain(out, spd_model_label(p->model, class_number, number));
}

static void print_confusion(const cli_predict_job *p, FILE *to) {
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

static void print_calibration(const cli_predict_job *p, FILE *to) {
    if (!p->calibrated) return;
    char text[CLI_TEXT_CHARS];
    fprintf(to, "calibration of P(%s):\n%12s %10s %10s\n", label_text(p, 1, text), "rows", "predicted", "observed");
    for (int b = 0; b < SPD_CALIBRATION_BINS; b++) {
        const spd_calibration *bin = &p->calibration[b];
        if (bin->rows > 0) fprintf(to, "%12lld %10.4f %10.4f\n", (long long)bin->rows, bin->predicted, bin->observed);
    }
}

void cli_predict_print(const cli_predict_job *p, FILE *to) {
    const spd_metrics *m = &p->metrics;
    const spdhg_columns *columns = spdhg_model_columns(p->model);
    char plain[CLI_TEXT_CHARS];
    if (!p->measured && columns && columns->targets > 0)
        fprintf(to, "%lld rows; no metrics: the data has no column '%s'\n", (long long)p->data->rows,
                cli_plain(plain, columns->target[0]));
    else if (!p->measured)
        fprintf(to, "%lld rows; no metrics: the data has no targets\n", (long long)p->data->rows);
    if (p->measured && m->rows == 0)
        fprintf(to, "%lld rows; no metrics: the model knows none of their labels\n", (long long)p->data->rows);
    if (!p->measured || m->rows == 0) return;
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

json_t *cli_predict_json(const cli_predict_job *p) {
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
