/* model.c - a model in memory and the scores it gives: z_i = a_i'x + c + o_i on the original scale. */
#include "model/model.h"

void spdhg_model_free(spdhg_model *model) {
    if (!model) return;
    for (int64_t k = 0; model->class_text && k < model->classes; k++) spd_free(model->class_text[k]);
    for (int64_t j = 0; model->name && j < model->features; j++) spd_free(model->name[j]);
    SPD_FREE_ALL(model->x, model->c, model->class_value, model->class_text, model->name, model->penalty, model->structure,
                 model->set, model->solver, model->outcome, model->centred_c, model->spread, model->group);
    spd_schema_free(model->columns);
    spd_centre_free(&model->centre);
    spd_free(model);
}

const spdhg_columns *spdhg_model_columns(const spdhg_model *model) { return model->columns; }
int64_t spdhg_model_outputs(const spdhg_model *model) { return model->outputs; }
int64_t spdhg_model_features(const spdhg_model *model) { return model->features; }

void spdhg_model_get_view(const spdhg_model *model, spdhg_model_view *out) {
    *out = (spdhg_model_view){.features = model->features,
                              .outputs = model->outputs,
                              .classes = model->classes,
                              .x = model->x,
                              .c = model->c,
                              .class_value = model->class_value,
                              .class_text = (const char *const *)model->class_text,
                              .name = (const char *const *)model->name,
                              .loss = model->loss,
                              .penalty = model->penalty,
                              .structure = model->structure,
                              .set = model->set,
                              .solver = model->solver,
                              .outcome = model->outcome,
                              .version = model->version,
                              .lambda = model->lambda,
                              .gamma = model->gamma,
                              .objective = model->objective,
                              .train_loss = model->train_loss,
                              .penalty_value = model->penalty_value,
                              .gap = model->gap,
                              .epochs = model->epochs,
                              .seconds = model->seconds,
                              .classify = model->classify,
                              .intercept = model->intercept,
                              .standardized = model->standardized,
                              .index_base = model->index_base,
                              .side = {model->side[0], model->side[1], model->side[2]},
                              .seed = model->seed};
}

spdhg_status spdhg_model_change(spdhg_model *model, const double *x, const double *c, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    const int64_t coefficients = model->features * model->outputs;
    for (int64_t i = 0; x && i < coefficients; i++)
        if (!isfinite(x[i])) return spd_fail(err, SPDHG_DATA, "coefficient %lld is not finite", (long long)i);
    for (int64_t k = 0; c && k < model->outputs; k++)
        if (!isfinite(c[k])) return spd_fail(err, SPDHG_DATA, "intercept %lld is not finite", (long long)k);
    const bool same = (!x || memcmp(model->x, x, (size_t)coefficients * sizeof *x) == 0) &&
                      (!c || memcmp(model->c, c, (size_t)model->outputs * sizeof *c) == 0);
    if (same) return SPDHG_OK; /* centred_c has digits that c has lost */
    if (x) memcpy(model->x, x, (size_t)coefficients * sizeof *x);
    if (c) memcpy(model->c, c, (size_t)model->outputs * sizeof *c);
    if (model->centre.count == 0) return SPDHG_OK;
    memcpy(model->centred_c, model->c, (size_t)model->outputs * sizeof *model->c);
    spd_centre_constant(&model->centre, model->outputs, model->x, 1, model->centred_c);
    return SPDHG_OK;
}

/* Index j of the data is feature j + index_shift of the model. Only formats with explicit indices can disagree about the first
 * index: a 0-based training file and a test file in which index 0 happens not to occur. */
static int64_t index_shift(const spdhg_model *model, const spdhg_data *data) {
    const bool written = data->idx && data->format && (strcmp(data->format, "libsvm") == 0 || strcmp(data->format, "cache") == 0);
    return written ? data->index_base - model->index_base : 0;
}

spdhg_status spdhg_model_scores(const spdhg_model *model, const spdhg_data *data, double *scores, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    const int64_t K = model->outputs, renumber = index_shift(model, data);
    if (data->offset && data->offsets != K)
        return spd_fail(err, SPDHG_DATA, "%s: %lld offsets in a row: expected %lld, one for each output of the model",
                        data->source ? data->source : "data", (long long)data->offsets, (long long)K);
    const double *c = model->centre.count ? model->centred_c : model->c;
    spd_data_whole(data);
    for (int64_t i = 0; i < data->rows; i++) {
        double *z = scores + i * K;
        spd_data_need(data, i, 1);
        if (data->idx && data->ptr[i] < data->ptr[i + 1] && data->idx[data->ptr[i]] + renumber < 0)
            return spd_fail(err, SPDHG_DATA, "%s: row %lld has a feature with index %d: the model's indices start at %d",
                            data->source ? data->source : "data", (long long)i + 1, data->index_base, model->index_base);
        for (int64_t k = 0; k < K; k++) z[k] = c[k] + (data->offset ? data->offset[i * K + k] : 0);
        spd_centre_score(&model->centre, data, i, renumber, model->features, K, model->x, z);
    }
    return spd_data_good(data, err);
}
