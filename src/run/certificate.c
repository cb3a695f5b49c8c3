/* certificate.c - the proof of a gap as a file that anybody can check: the problem, x and c, and the dual point (alpha, y) that
 * bounds f from below (certify.h). docs/certificate.md describes the format; bench/check-certificate checks it in exact
 * arithmetic. Checksums are CRC-32 over numbers of 8 bytes each, lowest byte first. For the data: by row the targets, then
 * position and value of each nonzero entry. For the certificate: all numbers and texts in order. */
#include <endian.h>
#include <zlib.h>

#include "model/json_file.h"
#include "model/model.h"
#include "run/loop.h"

enum { FORM = JSON_REAL_PRECISION(17) | JSON_COMPACT };

/* ---- checksums */

static uLong add_number(uLong sum, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = htole64(bits);
    return crc32(sum, (const Bytef *)&bits, sizeof bits);
}

static uLong add_row(uLong sum, const spdhg_problem *p, int64_t i) {
    const spdhg_data *data = p->data;
    spd_data_whole(data);
    const int64_t row = spd_problem_id(p, i), first = data->idx ? data->ptr[row] : row * data->features;
    const int64_t count = data->idx ? data->ptr[row + 1] - first : data->features;
    spd_data_need(data, row, 1);
    for (int64_t k = 0; k < p->targets; k++) sum = add_number(sum, p->b[i * p->targets + k]);
    for (int64_t q = first; q < first + count; q++)
        if (data->val[q] != 0) sum = add_number(add_number(sum, (double)(data->idx ? data->idx[q] : q - first)), data->val[q]);
    return sum;
}

static uLong add_value(uLong sum, const json_t *value) {
    size_t index;
    const char *key;
    json_t *part;
    if (json_is_number(value)) return add_number(sum, json_number_value(value));
    if (json_is_boolean(value)) return add_number(sum, json_is_true(value));
    if (json_is_string(value)) return crc32(sum, (const Bytef *)json_string_value(value), (uInt)json_string_length(value));
    json_array_foreach(value, index, part) sum = add_value(sum, part);
    json_object_foreach((json_t *)(uintptr_t)value, key, part) sum = add_value(sum, part);
    return sum;
}

/* ---- parts of the problem; NULL when memory runs out */

static json_t *numbers_or_null(const double *value, int64_t count) {
    return value ? spd_json_numbers(value, count) : json_null();
}

/* Takes ownership of all values. */
static json_t *object_of(const char *const *key, json_t **value, int count) {
    json_t *object = json_object();
    for (int i = 0; i < count; i++) spd_json_set(&object, key[i], value[i]);
    return object;
}

static json_t *centre(const spd_centre *c) {
    json_t *column = json_array();
    for (int64_t e = 0; column && e < c->count; e++) spd_json_append(&column, json_integer(c->column[e]));
    return object_of((const char *const[]){"column", "value"}, (json_t *[]){column, spd_json_numbers(c->value, c->count)}, 2);
}

static json_t *blocks(const spd_term *t) {
    json_t *all = json_array();
    for (int64_t b = 0; all && b < t->blocks; b++) {
        json_t *block = json_array();
        for (int64_t r = 0; block && r < spd_term_block_rows(t, b); r++)
            spd_json_append(&block, json_integer(spd_term_block_row(t, b, r)));
        spd_json_append(&all, block);
    }
    return all;
}

static json_t *term(const spd_term *t) {
    json_t *start = json_array(), *column = json_array(), *value = json_array();
    int64_t entries = 0;
    spd_json_append(&start, json_integer(0));
    for (int64_t e = 0; e < t->m; e++) {
        spd_csr_row row;
        spd_csr_take(&t->F->F, e, &row);
        for (int64_t q = 0; q < row.n; q++) {
            spd_json_append(&column, json_integer(row.idx[q]));
            spd_json_append(&value, json_real(row.val[q]));
        }
        spd_json_append(&start, json_integer(entries += row.n));
    }
    return object_of((const char *const[]){"penalty", "lambda", "start", "column", "value", "blocks"},
                     (json_t *[]){json_string(t->penalty->name), json_real(t->lambda), start, column, value,
                                  t->penalty->sum_of_sizes ? json_null() : blocks(t)},
                     6);
}

static json_t *offsets(const spdhg_problem *p) {
    if (!p->data->offset) return json_null();
    json_t *all = json_array();
    for (int64_t i = 0; all && i < p->n; i++)
        for (int64_t k = 0; k < p->K; k++) spd_json_append(&all, json_real(spd_problem_offset(p, i)[k]));
    return all;
}

/* How the data is read: which rows and columns, and the b of each label. */
static json_t *reading(const spdhg_problem *p, const spdhg_model *m) {
    uLong sum = 0;
    for (int64_t i = 0; i < p->n; i++) sum = add_row(sum, p, i);
    return object_of(
        (const char *const[]){"rows", "row", "features", "targets", "index_base", "names", "labels", "checksum"},
        (json_t *[]){json_integer(p->n), p->row ? spd_json_integers(p->row, p->n) : json_null(), json_integer(p->d),
                     json_integer(p->data->targets), json_integer(p->data->index_base), spd_json_texts(m->name, m->features),
                     m->class_text ? spd_json_texts(m->class_text, m->classes) : numbers_or_null(p->class_value, p->classes),
                     json_integer((json_int_t)sum)},
        8);
}

static json_t *problem(const spdhg_problem *p) {
    json_t *terms = json_array();
    for (int64_t t = 0; terms && t < p->terms; t++) spd_json_append(&terms, term(&p->term[t]));
    return object_of((const char *const[]){"loss", "loss_argument", "outputs", "gamma", "set", "set_arguments", "intercept",
                                           "scale", "centre", "weights", "offsets", "terms"},
                     (json_t *[]){json_string(p->loss->name), json_real(p->loss_arg), json_integer(p->K), json_real(p->gamma),
                                  json_string(p->set.kind->name), spd_json_numbers(p->set.arg, p->set.kind->args),
                                  json_boolean(p->intercept), numbers_or_null(p->scale, p->d),
                                  p->centre.count > 0 ? centre(&p->centre) : json_null(), numbers_or_null(p->weight, p->n),
                                  offsets(p), terms},
                     12);
}

/* ---- the proof */

static json_t *statement(const spdhg_point *point, const spd_gap *gap) {
    return object_of((const char *const[]){"kind", "objective", "gap", "radius"},
                     (json_t *[]){json_string(spd_gap_kind_name(gap->kind)), json_real(point->objective), json_real(gap->gap),
                                  spd_json_number(gap->radius)},
                     4);
}

static json_t *zeros(int64_t count) {
    json_t *array = json_array();
    for (int64_t i = 0; array && i < count; i++) spd_json_append(&array, json_real(0));
    return array;
}

static json_t *dual(const double *point, const double *best, int64_t count, spd_gap_source source) {
    if (source == SPD_GAP_BY_ZERO) return zeros(count);
    return spd_json_numbers(source == SPD_GAP_BY_BEST ? best : point, count);
}

static json_t *whole(const spdhg_solver *s, const double *c, const spdhg_point *point, const spdhg_model *m) {
    const spdhg_problem *p = s->problem;
    const spd_certifier *proof = &s->evaluator.certifier;
    const spd_gap *gap = &s->evaluator.gap;
    json_t *object =
        object_of((const char *const[]){"format", "version", "made_by", "statement", "data", "problem", "x", "constants", "alpha",
                                        "alpha_low", "y"},
                  (json_t *[]){json_string("spdhg certificate"), json_integer(2), spd_json_text(m->version),
                               statement(point, gap), reading(p, m), problem(p), spd_json_numbers(m->x, p->dK),
                               spd_json_numbers(c, p->K), dual(proof->alpha, proof->best_alpha, p->n * p->K, gap->source),
                               numbers_or_null(gap->source == SPD_GAP_BY_POINT ? proof->low : NULL, p->n * p->K),
                               dual(proof->y, proof->best_dual_y, p->m * p->K, gap->source)},
                  11);
    spd_json_set(&object, "checksum", json_integer((json_int_t)add_value(0, object)));
    return object;
}

/* alpha and y of the certifier belong to the last point evaluated, which need not be the solution, so the solution is evaluated
 * again. If the full proof fails it has changed them; a second evaluation then makes only the statement within a radius. */
static void look_again(spdhg_solver *s, double *c, spdhg_point *point) {
    spd_certifier *proof = &s->evaluator.certifier;
    const double worth = proof->worth, last = proof->last;
    s->evaluator.own_alpha = NULL;
    proof->last = NAN;
    for (int round = 0; round < 2; round++) {
        proof->worth = round == 0 ? INFINITY : -1;
        memcpy(c, s->c, (size_t)s->problem->K * sizeof *c);
        spd_evaluate(&s->evaluator, s->x, c, s->y, point);
        if (s->evaluator.gap.kind != SPD_GAP_WITHIN_RADIUS) break;
    }
    s->evaluator.evaluation.c = s->c; /* c is the caller's scratch */
    proof->worth = worth;
    proof->last = last;
}

spdhg_status spdhg_solver_certificate(spdhg_solver *s, const char *path, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    if (!s->has_run) return spd_fail(err, SPDHG_USAGE, "a certificate needs a solver that has run");
    double *c = SPD_NEW(double, s->problem->K);
    if (!c) return spd_fail_memory(err, 8.0 * (double)s->problem->K);
    spdhg_point point = {0};
    spdhg_model *model = NULL;
    look_again(s, c, &point);
    spdhg_status status = s->evaluator.gap.kind == SPD_GAP_NONE
                              ? spd_fail(err, SPDHG_NUMERICAL, "no certificate: nothing is proven about this solution")
                              : spdhg_model_from_solver(&model, s, err);
    json_t *all = status == SPDHG_OK ? whole(s, c, &point, model) : NULL;
    if (status == SPDHG_OK) status = spd_data_good(s->problem->data, err);
    if (status == SPDHG_OK)
        status = spd_json_write(path, all, FORM, false, err);
    else
        json_decref(all);
    spdhg_model_free(model);
    spd_free(c);
    return status;
}
