/* synthetic.c - data with a known truth, for demonstrations, tests and benchmarks: recipes, checks, labels.
 * A recipe gives the shape of the coefficients. For classification they are scaled so that the signal a'x has standard deviation
 * 1/noise in units of the standard logistic; for regression it has standard deviation 1, and a normal error of standard deviation
 * `noise` is added. */
#include "data/synthetic.h"

/* A disc of +1 and a rectangle of -1 on a background of 0; border pixels have the covered fraction as their value. */
static double image_truth(const spd_synthetic_options *o, int64_t j, int64_t k) {
    (void)k;
    const double h = (double)o->height, w = (double)o->width, side = fmin(h, w);
    const double y = (double)(j / o->width) + 0.5, x = (double)(j % o->width) + 0.5;
    const double disc = 0.5 + 0.2 * side - hypot(y - 0.34 * h, x - 0.34 * w);
    const double box = 0.5 + fmin(0.13 * h - fabs(y - 0.72 * h), 0.18 * w - fabs(x - 0.68 * w));
    return fmax(0, fmin(1, disc)) - fmax(0, fmin(1, box));
}

static double chain_truth(const spd_synthetic_options *o, int64_t j, int64_t k) {
    static const double level[] = {0, 1, 0, -1, -0.5, 2, 0, 0.5};
    (void)k;
    return level[(int64_t)((double)j / (double)o->features * (double)(sizeof level / sizeof *level))];
}

/* Half of the clusters are active: +1, 0, -1, 0, ... */
static double graph_truth(const spd_synthetic_options *o, int64_t j, int64_t k) {
    (void)o, (void)k;
    const int64_t cluster = j / SPD_CLUSTER % 4;
    return cluster == 0 ? 1 : cluster == 2 ? -1 : 0;
}

/* A tenth of the coefficients, at least one, have random sign and size in [1,2); each output has its own selection. */
static double sparse_truth(const spd_synthetic_options *o, int64_t j, int64_t k) {
    const int64_t active = o->features < 10 ? 1 : o->features / 10;
    if (spd_permute(o->seed, SPD_STREAM_SYNTHETIC, (uint64_t)k, o->features, j) >= active) return 0;
    uint64_t bits[2];
    spd_draw_bits(o->seed, SPD_DRAW_TRUTH, (uint64_t)k * (uint64_t)o->features + (uint64_t)j, bits);
    return (bits[0] & 1 ? 1 : -1) * (1 + spd_uniform(bits[1]));
}

/* Scales the coefficients of each output. */
static void scale_truth(const spd_recipe *recipe, const spd_synthetic_options *o, double *x) {
    const double wanted = recipe->answer == SPD_ANSWER_NUMBER ? 1 : 1 / o->noise;
    for (int64_t k = 0; k < o->outputs; k++) {
        const double variance = spd_synthetic_variance(recipe, o, x + k, o->outputs);
        const double factor = variance > 0 ? wanted / sqrt(variance) : 0;
        for (int64_t j = 0; j < o->features; j++) x[j * o->outputs + k] *= factor;
    }
}

static double signal(const spdhg_data *data, int64_t i, const double *x, int64_t K) {
    double z = 0;
    if (!data->idx)
        for (int64_t j = 0; j < data->features; j++) z += data->val[i * data->features + j] * x[j * K];
    else
        for (int64_t e = data->ptr[i]; e < data->ptr[i + 1]; e++) z += data->val[e] * x[data->idx[e] * K];
    return z;
}

/* The label of row i: z + error, the sign of z + logistic error, or the class of the largest z_k + Gumbel error (softmax). */
static double label(const spd_recipe *recipe, const spd_synthetic_options *o, const spdhg_data *data, int64_t i,
                    const double *x) {
    uint64_t bits[2];
    const uint64_t first = (uint64_t)i * (uint64_t)o->outputs;
    if (recipe->answer == SPD_ANSWER_NUMBER)
        return signal(data, i, x, 1) + o->noise * spd_draw_normal(o->seed, SPD_DRAW_LABEL, first);
    if (recipe->answer == SPD_ANSWER_SIGN) {
        spd_draw_bits(o->seed, SPD_DRAW_LABEL, first, bits);
        return spd_uniform(bits[0]) < 1 / (1 + exp(-signal(data, i, x, 1))) ? 1 : -1;
    }
    double best = -INFINITY, winner = 0;
    for (int64_t k = 0; k < o->outputs; k++) {
        spd_draw_bits(o->seed, SPD_DRAW_LABEL, first + (uint64_t)k, bits);
        const double z = signal(data, i, x + k, o->outputs) - log(-log1p(-spd_uniform(bits[0]) * (1 - 0x1p-53)));
        if (z > best) best = z, winner = (double)k + 1;
    }
    return winner;
}

static int64_t or_standard(int64_t asked, int64_t standard) { return asked ? asked : standard; }

/* Fills unset options with the recipe's defaults and rejects impossible ones. */
static spdhg_status complete(spd_synthetic_options *o, const spd_recipe *recipe, spdhg_error *err) {
    const spd_synthetic_options *s = &recipe->standard;
    const int64_t asked_features = o->features;
    o->rows = or_standard(o->rows, s->rows);
    o->outputs = or_standard(o->outputs, s->outputs);
    o->height = or_standard(o->height, s->height);
    o->width = or_standard(o->width, s->width);
    o->features = or_standard(o->features, s->features);
    if (o->density == 0) o->density = s->density;
    if (o->noise == 0) o->noise = s->noise;
    if (o->correlation == 0) o->correlation = s->correlation;
    if (recipe->grid && (o->height < 1 || o->width < 1 || __builtin_mul_overflow(o->height, o->width, &o->features)))
        return spd_fail(err, SPDHG_USAGE, "generate %s: height and width: expected two numbers above 0", recipe->name);
    if (recipe->grid && asked_features && asked_features != o->features)
        return spd_fail(err, SPDHG_USAGE, "generate %s: %lld features: expected height x width = %lld", recipe->name,
                        (long long)asked_features, (long long)o->features);
    if (o->rows < 1 || o->features < 1 || o->features > INT32_MAX - 1)
        return spd_fail(err, SPDHG_USAGE, "generate %s: %lld rows, %lld features: expected 1 or more, and below 2^31 features",
                        recipe->name, (long long)o->rows, (long long)o->features);
    const int64_t least = s->outputs > 1 ? 2 : 1, most = s->outputs > 1 ? 10000 : 1;
    if (o->outputs < least || o->outputs > most)
        return spd_fail(err, SPDHG_USAGE, "generate %s: %lld outputs: expected %lld to %lld", recipe->name, (long long)o->outputs,
                        (long long)least, (long long)most);
    if (!(o->density > 0 && o->density <= 1))
        return spd_fail(err, SPDHG_USAGE, "generate %s: density %g: expected above 0, at most 1", recipe->name, o->density);
    if (!(o->noise > 0 && isfinite(o->noise)))
        return spd_fail(err, SPDHG_USAGE, "generate %s: noise %g: expected a number above 0", recipe->name, o->noise);
    if (!(o->correlation >= 0 && o->correlation < 1))
        return spd_fail(err, SPDHG_USAGE, "generate %s: correlation %g: expected from 0, below 1", recipe->name, o->correlation);
    const bool thinned = recipe->rows == SPD_ROWS_WORDS || o->density < 1;
    if (thinned && o->correlation > 0)
        return spd_fail(err, SPDHG_USAGE,
                        "generate %s: entries of sparse rows are independent: correlation and density do not go together",
                        recipe->name);
    return SPDHG_OK;
}

static spdhg_status make(spdhg_data **out, double **truth, int64_t *truths, const spd_synthetic_options *asked,
                         const spd_recipe *recipe, spdhg_error *err) {
    *out = NULL, *truth = NULL, *truths = 0;
    spd_synthetic_options o = *asked;
    SPD_TRY(complete(&o, recipe, err));
    spdhg_data *data;
    SPD_TRY(spd_data_new(&data, err));
    data->rows = o.rows, data->features = o.features, data->targets = 1, data->index_base = 1, data->format = "synthetic";
    double *x = SPD_NEW(double, o.features *o.outputs); /* below 2^31 times 10^4: no overflow */
    data->b = SPD_NEW(double, o.rows);
    spdhg_status status = SPDHG_OK;
    if (!x || !data->b) status = spd_fail_memory(err, 8.0 * ((double)o.rows + (double)o.features * (double)o.outputs));
    if (status == SPDHG_OK) status = spd_synthetic_rows(data, recipe, &o, err);
    if (status != SPDHG_OK) {
        spd_free(x);
        spdhg_data_free(data);
        return status;
    }
    for (int64_t j = 0; j < o.features; j++)
        for (int64_t k = 0; k < o.outputs; k++) x[j * o.outputs + k] = recipe->truth(&o, j, k);
    scale_truth(recipe, &o, x);
    for (int64_t i = 0; i < o.rows; i++) data->b[i] = label(recipe, &o, data, i, x);
    *out = data, *truth = x, *truths = o.features * o.outputs;
    return SPDHG_OK;
}

/* X(kind, help, rows, features, outputs, height, width, density, noise, correlation, form of rows, answer, grid, truth) */
#define KINDS(X)                                                                                                                 \
    X(image, "two shapes on a height x width grid of coefficients, logistic", 2000, 0, 1, 32, 32, 1, 0.2, 0, SERIES, SIGN, true, \
      image)                                                                                                                     \
    X(chain, "piecewise constant coefficients, regression", 500, 200, 1, 0, 0, 1, 0.3, 0, SERIES, NUMBER, false, chain)          \
    X(graph, "correlated clusters of ten features with equal coefficients, logistic", 1000, 200, 1, 0, 0, 1, 0.2, 0.5, CLUSTERS, \
      SIGN, false, graph)                                                                                                        \
    X(lasso, "one coefficient in ten is nonzero, regression", 200, 500, 1, 0, 0, 1, 0.3, 0, SERIES, NUMBER, false, sparse)       \
    X(multiclass, "sparse coefficients for each of `outputs` classes, softmax", 1000, 50, 4, 0, 0, 1, 0.2, 0, SERIES, CLASS,     \
      false, sparse)                                                                                                             \
    X(sparse, "text-like rows with Zipf feature frequencies, logistic", 10000, 20000, 1, 0, 0, 0.005, 0.2, 0, WORDS, SIGN,       \
      false, sparse)

#define X(kind, text, n, d, K, h, w, density, noise, rho, form, answer, grid, truth_of)                                          \
    static spdhg_status kind##_generate(spdhg_data **out, double **truth, int64_t *truths, const spd_synthetic_options *o,       \
                                        spdhg_error *err) {                                                                      \
        static const spd_recipe recipe = {                                                                                       \
            #kind, {n, d, K, h, w, density, noise, rho, 0}, SPD_ROWS_##form, SPD_ANSWER_##answer, grid, truth_of##_truth};       \
        return make(out, truth, truths, o, &recipe, err);                                                                        \
    }
KINDS(X)
#undef X

const spd_synthetic_kind *spd_synthetic_table(int *entries) {
#define X(kind, text, ...) {#kind, text, kind##_generate},
    static const spd_synthetic_kind table[] = {KINDS(X)};
#undef X
    *entries = (int)(sizeof table / sizeof *table);
    return table;
}
