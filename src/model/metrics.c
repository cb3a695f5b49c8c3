/* metrics.c - quality of scores against labels, using the model's own map of labels; classes, probabilities and class labels.
 * The loss is weighted as in the fit; accuracy, error, R^2, AUC and confusion count every row once. */
#include <stdlib.h>

#include "model/model.h"

const spdhg_loss *spd_model_loss(const spdhg_model *model, double *arg) {
    const spdhg_loss *loss;
    spdhg_error unknown;
    return spd_loss_find(model->loss, &loss, arg, &unknown) == SPDHG_OK ? loss : NULL;
}

bool spd_model_coupled(const spdhg_model *model) {
    double arg;
    const spdhg_loss *loss = spd_model_loss(model, &arg);
    return loss && loss->value_k;
}

/* Coupled losses: the scores of a row decide together. Other losses: the sign of each output decides. */
int64_t spd_model_class(const spdhg_model *model, const double *scores) {
    if (!spd_model_coupled(model)) return model->classes > 1 && scores[0] > 0;
    int64_t best = 0;
    for (int64_t k = 1; k < model->outputs; k++)
        if (scores[k] > scores[best]) best = k;
    return best;
}

spdhg_status spdhg_model_means(const spdhg_model *model, int64_t rows, const double *scores, double *mean, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    double arg;
    const spdhg_loss *loss = spd_model_loss(model, &arg);
    if (model->classify) return spd_fail(err, SPDHG_USAGE, "a model of the %s loss predicts labels, not numbers", model->loss);
    for (int64_t i = 0; i < rows * model->outputs; i++) mean[i] = loss ? spd_loss_mean(loss, arg, scores[i]) : scores[i];
    return SPDHG_OK;
}

spdhg_status spdhg_model_probabilities(const spdhg_model *model, int64_t rows, const double *scores, double *probability,
                                       spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    for (int64_t i = 0; i < rows; i++)
        if (!spd_model_probability(model, scores + i * model->outputs, probability + i * model->classes))
            return spd_fail(err, SPDHG_USAGE, "the %s loss models no probabilities; logistic and softmax do", model->loss);
    return SPDHG_OK;
}

bool spd_model_probability(const spdhg_model *model, const double *scores, double *probability) {
    double arg;
    const spdhg_loss *loss = spd_model_loss(model, &arg);
    if (loss && loss->chance && model->outputs == 1 && model->classes == 2)
        for (int64_t k = 0; k < 2; k++) probability[k] = loss->chance(scores[0], k ? 1 : -1, arg);
    else if (loss && loss->chance_k)
        loss->chance_k(scores, model->outputs, probability);
    else
        return false;
    return true;
}

const char *spd_model_label(const spdhg_model *model, int64_t class_number, char buffer[SPD_NUMBER_CHARS]) {
    if (model->class_text) return model->class_text[class_number];
    spd_print_double(buffer, model->class_value[class_number]);
    return buffer;
}

const char *spd_model_output(const spdhg_model *model, int64_t k, char text[SPD_NUMBER_CHARS]) {
    if (spd_model_coupled(model)) return spd_model_label(model, k, text);
    if (model->classify && model->classes == 2) return spd_model_label(model, 1, text);
    if (model->columns && model->outputs > 1 && k < model->columns->targets) return model->columns->target[k];
    text[0] = '\0';
    if (model->outputs > 1) snprintf(text, SPD_NUMBER_CHARS, "%lld", (long long)k + 1);
    return text;
}

static int64_t find_text(const spdhg_model *model, const char *text) {
    char number[SPD_NUMBER_CHARS];
    for (int64_t k = 0; k < model->classes; k++)
        if (strcmp(spd_model_label(model, k, number), text) == 0) return k;
    return -1;
}

/* Labels are compared as text if either side has text labels. */
bool spd_model_classes_of(const spdhg_model *model, const spdhg_data *data, int64_t *class_of_label) {
    int64_t *code = data->label ? SPD_NEW(int64_t, data->labels) : NULL;
    if (data->label && !code) return false;
    for (int64_t l = 0; l < data->labels && code; l++) {
        char *text = spd_to_utf8(data->label[l]);
        if (!text) {
            spd_free(code);
            return false;
        }
        code[l] = find_text(model, text);
        spd_free(text);
    }
    for (int64_t i = 0; i < data->rows * data->targets; i++) {
        class_of_label[i] = -1;
        if (code)
            class_of_label[i] = code[(int64_t)data->b[i]];
        else if (model->class_text) {
            char number[SPD_NUMBER_CHARS];
            spd_print_double(number, data->b[i]);
            class_of_label[i] = find_text(model, number);
        } else
            for (int64_t k = 0; k < model->classes; k++)
                if (model->class_value[k] == data->b[i]) class_of_label[i] = k;
    }
    spd_free(code);
    return true;
}

static int by_score(const void *left, const void *right) {
    const double a = ((const spd_ranked *)left)->score, b = ((const spd_ranked *)right)->score;
    return (a > b) - (a < b);
}

/* The Mann-Whitney rank statistic. */
double spd_auc(spd_ranked *row, int64_t rows) {
    qsort(row, (size_t)rows, sizeof *row, by_score);
    double below = 0, pairs = 0, positives = 0; /* negatives below the current score; won pairs */
    for (int64_t i = 0, next; i < rows; i = next) {
        double here[2] = {0, 0};
        for (next = i; next < rows && row[next].score == row[i].score; next++) here[row[next].positive] += row[next].weight;
        pairs += here[1] * (below + here[0] / 2);
        below += here[0];
        positives += here[1];
    }
    return positives > 0 && below > 0 ? pairs / (positives * below) : NAN;
}

static spdhg_status classification(const spdhg_model *model, const spdhg_data *data, const double *scores, const spdhg_loss *loss,
                                   double arg, spd_metrics *out, spdhg_error *err) {
    const int64_t labels = data->rows * data->targets, width = model->outputs / data->targets; /* scores that decide one label */
    int64_t *class_of_label = SPD_NEW(int64_t, labels), right = 0;
    spd_ranked *rank = SPD_NEW(spd_ranked, labels);
    out->confusion = SPD_NEW(int64_t, model->classes * model->classes);
    if (!class_of_label || !rank || !out->confusion || !spd_model_classes_of(model, data, class_of_label)) {
        spd_free(class_of_label);
        spd_free(rank);
        spd_free(out->confusion);
        out->confusion = NULL;
        return spd_fail_memory(err, 24.0 * (double)labels);
    }
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < labels; i++) {
        const int64_t truth = class_of_label[i];
        if (truth < 0) {
            out->unknown++;
            continue;
        }
        const double *z = scores + i * width, w = data->weight ? data->weight[i / data->targets] : 1;
        const double b = loss->value_k ? (double)truth : truth > 0 || model->classes == 1 ? 1 : -1;
        const int64_t guess = spd_model_class(model, z);
        sum += w * spd_loss_value(loss, arg, width, z, &b);
        weights += w / (double)data->targets; /* a row's loss is the sum over its targets */
        right += guess == truth;
        out->confusion[truth * model->classes + guess]++;
        rank[out->rows++] = (spd_ranked){z[0], 1, truth};
    }
    out->loss = weights > 0 ? sum / weights : NAN;
    out->accuracy = out->rows > 0 ? (double)right / (double)out->rows : NAN;
    if (model->classes == 2 && width == 1) out->auc = spd_auc(rank, out->rows);
    spd_free(class_of_label);
    spd_free(rank);
    return SPDHG_OK;
}

spdhg_status spd_model_calibration(const spdhg_model *model, const spdhg_data *data, const double *scores,
                                   spd_calibration bin[SPD_CALIBRATION_BINS], bool *known, spdhg_error *err) {
    double chance[2];
    *known = data->rows > 0 && model->classes == 2 && data->targets == 1 && model->outputs == 1 &&
             spd_model_probability(model, scores, chance);
    if (!*known) return SPDHG_OK;
    int64_t *class_of_label = SPD_NEW(int64_t, data->rows);
    if (!class_of_label || !spd_model_classes_of(model, data, class_of_label)) {
        spd_free(class_of_label);
        return spd_fail_memory(err, 8.0 * (double)data->rows);
    }
    for (int b = 0; b < SPD_CALIBRATION_BINS; b++) bin[b] = (spd_calibration){0};
    for (int64_t i = 0; i < data->rows; i++) {
        if (class_of_label[i] < 0) continue;
        spd_model_probability(model, scores + i, chance);
        const int at = (int)(chance[1] * SPD_CALIBRATION_BINS);
        spd_calibration *b = &bin[at < SPD_CALIBRATION_BINS ? at : SPD_CALIBRATION_BINS - 1];
        b->rows++;
        b->predicted += chance[1];
        b->observed += (double)class_of_label[i];
    }
    for (int b = 0; b < SPD_CALIBRATION_BINS; b++) {
        bin[b].predicted = bin[b].rows > 0 ? bin[b].predicted / (double)bin[b].rows : NAN;
        bin[b].observed = bin[b].rows > 0 ? bin[b].observed / (double)bin[b].rows : NAN;
    }
    spd_free(class_of_label);
    return SPDHG_OK;
}

/* Whether the loss accepts every target of the row. */
static bool takes_row(const spdhg_loss *loss, const spdhg_data *data, int64_t i) {
    for (int64_t k = 0; k < data->targets && loss->wrong_target; k++)
        if (loss->wrong_target(data->b[i * data->targets + k])) return false;
    return true;
}

static void regression(const spdhg_model *model, const spdhg_data *data, const double *scores, const spdhg_loss *loss, double arg,
                       spd_metrics *out) {
    const int64_t K = model->outputs;
    double n = 0;
    for (int64_t i = 0; i < data->rows; i++) n += takes_row(loss, data, i);
    double sum = 0, weights = 0, error = 0, spread = 0;
    for (int64_t i = 0; i < data->rows; i++) {
        const double w = data->weight ? data->weight[i] : 1;
        if (!takes_row(loss, data, i)) continue;
        sum += w * spd_loss_value(loss, arg, K, scores + i * K, data->b + i * K);
        weights += w;
    }
    for (int64_t k = 0; k < K; k++) {
        double mean = 0;
        for (int64_t i = 0; i < data->rows; i++)
            if (takes_row(loss, data, i)) mean += data->b[i * K + k] / n;
        for (int64_t i = 0; i < data->rows; i++) {
            const double b = data->b[i * K + k], off = spd_loss_mean(loss, arg, scores[i * K + k]) - b;
            if (!takes_row(loss, data, i)) continue;
            error += off * off;
            spread += (b - mean) * (b - mean);
        }
    }
    out->rows = (int64_t)n;
    out->unknown = data->rows - out->rows;
    out->loss = weights > 0 ? sum / weights : NAN;
    out->deviance = loss->mean ? 2 * out->loss : NAN;
    out->rmse = sqrt(error / (n * (double)K));
    out->r2 = spread > 0 ? 1 - error / spread : NAN;
}

spdhg_status spd_model_metrics(const spdhg_model *model, const spdhg_data *data, const double *scores, spd_metrics *out,
                               spdhg_error *err) {
    *out = (spd_metrics){.loss = NAN, .accuracy = NAN, .rmse = NAN, .r2 = NAN, .auc = NAN, .deviance = NAN};
    const spdhg_loss *loss;
    double arg;
    SPD_TRY(spd_loss_find(model->loss, &loss, &arg, err));
    const int64_t expected = loss->value_k ? 1 : model->outputs;
    if (data->targets != expected)
        return spd_fail(err, SPDHG_DATA, "%s: %lld targets in a row: expected %lld for this model",
                        data->source ? data->source : "data", (long long)data->targets, (long long)expected);
    if (!model->classify && data->label)
        return spd_fail(err, SPDHG_DATA, "%s: labels are texts such as '%.40s': expected numbers for loss %s",
                        data->source ? data->source : "data", data->label[0], model->loss);
    if (model->classify) return classification(model, data, scores, loss, arg, out, err);
    regression(model, data, scores, loss, arg, out);
    return SPDHG_OK;
}
