/* labels.c - maps the labels as read to the b that the loss expects.
 * Two sorted labels become -1, +1; softmax numbers the sorted labels 0..K-1; regression targets are unchanged. The map is
 * kept. */
#include <stdlib.h>
#include <strings.h>

#include "problem/prepare.h"

enum { CLASSES_MAX = 10000, SHOWN_MAX = 6 };

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void label_text(const spdhg_data *data, double value, char text[64]) {
    if (data->label && value >= 0 && value < (double)data->labels)
        snprintf(text, 64, "%s", data->label[(int64_t)value]);
    else
        spd_print_double(text, value);
}

/* A label, and how many rows have it. */
typedef struct class {
    double value;
    int64_t rows;
} class;

/* "-1 (10 rows), 1 (20 rows), ..." */
static void describe(const spdhg_data *data, const class *found, int64_t classes, char *text, size_t size) {
    size_t used = 0;
    for (int64_t k = 0; k < classes && used < size; k++) {
        if (k == SHOWN_MAX) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        char name[64];
        label_text(data, found[k].value, name);
        used += (size_t)snprintf(text + used, size - used, "%s%s (%lld row%s)", k ? ", " : "", name, (long long)found[k].rows,
                                 found[k].rows == 1 ? "" : "s");
    }
}

/* Labels such as Yes and yes, which are one to people. */
static void only_in_case(const spdhg_data *data, char *text, size_t size) {
    enum { MOST = 50 };
    for (int64_t i = 0; data->label && i < data->labels && i < MOST; i++)
        for (int64_t j = 0; j < i; j++)
            if (strcasecmp(data->label[i], data->label[j]) == 0)
                snprintf(text, size, "; '%.20s' and '%.20s' differ in case only: write them alike", data->label[j],
                         data->label[i]);
}

static spdhg_status check_classes(const spdhg_problem *p, const class *found, int64_t classes, spdhg_error *err) {
    char counts[400];
    describe(p->data, found, classes, counts, sizeof counts);
    if (classes == 1 && !(p->one_class_ok && p->loss->value))
        return spd_fail(err, SPDHG_DATA,
                        "only one class among the rows: %s; there is nothing to distinguish (--allow-one-class fits it anyway)",
                        counts);
    if (p->loss->value && classes > 2) {
        char alike[100] = "";
        only_in_case(p->data, alike, sizeof alike);
        return spd_fail(err, SPDHG_DATA,
                        "loss %s needs two classes, the data has %lld: %s%s; use --loss softmax for classes, --loss squared or "
                        "huber for numbers",
                        p->loss->name, (long long)classes, counts, alike);
    }
    if (classes > CLASSES_MAX)
        return spd_fail(err, SPDHG_DATA,
                        "%lld distinct labels: these look like targets of a regression (--loss squared or huber)",
                        (long long)classes);
    return SPDHG_OK;
}

/* Position of a value among the classes, or -1, also for NAN, which compares as equal to all. */
static int64_t class_of(const spdhg_problem *p, double value) {
    if (isnan(value)) return -1;
    for (int64_t k = 0; k < p->classes && k < 2; k++) /* the usual case */
        if (value == p->class_value[k]) return k;
    const double *found = bsearch(&value, p->class_value, (size_t)p->classes, sizeof value, ascending);
    return found ? found - p->class_value : -1;
}

static double mapped(const spdhg_problem *p, int64_t class_number) {
    if (!p->loss->value) return (double)class_number;
    return p->classes == 1 || class_number == 1 ? 1 : -1;
}

/* The rows that count; one of weight 0 is absent. Returns how many, or -1 once there are more than `most` distinct labels. */
static int64_t count_few(const spdhg_problem *p, class *found, int64_t most) {
    int64_t classes = 0, last = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t row = spd_problem_id(p, i);
        const double value = p->data->b[row];
        if (p->data->weight && !(p->data->weight[row] > 0)) continue;
        if (classes == 0 || found[last].value != value) {
            for (last = 0; last < classes && found[last].value < value;) last++;
            if (last == classes || found[last].value != value) {
                if (classes == most) return -1;
                memmove(found + last + 1, found + last, (size_t)(classes++ - last) * sizeof *found);
                found[last] = (class){value, 0};
            }
        }
        found[last].rows++;
    }
    return classes;
}

/* The same for any number of labels: sorted, then counted into `found`, which has room for all rows. */
static int64_t count_many(const spdhg_problem *p, class *found) {
    int64_t n = 0, classes = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t row = spd_problem_id(p, i);
        if (!p->data->weight || p->data->weight[row] > 0) found[n++] = (class){p->data->b[row], 1};
    }
    qsort(found, (size_t)n, sizeof *found, ascending);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || found[i].value != found[classes - 1].value) found[classes++] = (class){found[i].value, 0};
        found[classes - 1].rows++;
    }
    return classes;
}

static spdhg_status find_classes(spdhg_problem *p, spdhg_error *err) {
    enum { FEW = 64 }; /* labels that are looked for one after the other */
    class few[FEW], *found = few;
    int64_t classes = count_few(p, few, FEW);
    if (classes < 0) {
        if (!(found = SPD_NEW(class, p->n))) return spd_fail_memory(err, 16.0 * (double)p->n);
        classes = count_many(p, found);
    }
    spdhg_status status = check_classes(p, found, classes, err);
    if (status == SPDHG_OK && !(p->class_value = SPD_NEW(double, classes))) status = spd_fail_memory(err, 8.0 * (double)classes);
    for (int64_t k = 0; status == SPDHG_OK && k < classes; k++) p->class_value[p->classes++] = found[k].value;
    if (found != few) spd_free(found);
    return status;
}

/* Checks for targets that the loss does not accept. */
static spdhg_status check_targets(const spdhg_problem *p, const spdhg_data *data, int64_t row, spdhg_error *err) {
    for (int64_t k = 0; k < data->targets && p->loss->wrong_target; k++) {
        const double b = data->b[row * data->targets + k];
        const char *expected = p->loss->wrong_target(b);
        char place[400];
        if (expected)
            return spd_fail(err, SPDHG_DATA, "%s: the target is %g; loss %s expects %s",
                            spd_data_place(data, row, place, sizeof place), b, p->loss->name, expected);
    }
    return SPDHG_OK;
}

/* The first label that is not a number, and where: often there is only one. */
static spdhg_status refuse_words(const spdhg_problem *p, spdhg_error *err) {
    const spdhg_data *data = p->data;
    int64_t row = 0;
    double number;
    while (row + 1 < data->rows && spd_to_double(data->label[(int64_t)data->b[row]], &number)) row++;
    char place[400];
    return spd_fail(
        err, SPDHG_DATA,
        "%s: loss %s needs numbers as targets, written as 1234.5, but there is the text '%.60s'; --loss logistic (two "
        "of them) or softmax is for labels",
        spd_data_place(data, row, place, sizeof place), p->loss->name, data->label[(int64_t)data->b[row]]);
}

spdhg_status spd_problem_map_labels(spdhg_problem *p, spdhg_error *err) {
    const spdhg_data *data = p->data;
    if (data->targets == 0)
        return spd_fail(err, SPDHG_DATA, "%s has no labels to fit (--label NAME or --targets FILE)",
                        data->source ? data->source : "the data");
    if (p->loss->classify) {
        if (data->targets != 1)
            return spd_fail(err, SPDHG_DATA, "loss %s needs one label per row, the data has %lld target columns", p->loss->name,
                            (long long)data->targets);
        SPD_TRY(find_classes(p, err));
    } else if (data->label)
        return refuse_words(p, err);
    p->targets = p->loss->value ? data->targets : 1;
    p->K = p->loss->value ? data->targets : p->classes;
    double *made = NULL;
    p->b = data->b;
    if (p->loss->classify || p->row) {
        p->b = p->b_made = made = SPD_NEW(double, p->n * p->targets);
        if (!made) return spd_fail_memory(err, 8.0 * (double)p->n * (double)p->targets);
    }
    for (int64_t i = 0; i < p->n; i++) {
        const double *from = data->b + spd_problem_id(p, i) * data->targets;
        if (p->loss->classify) {
            const int64_t k = class_of(p, *from);
            made[i] = mapped(p, k < 0 ? 0 : k); /* k < 0 only where the weight is 0 */
        } else if (made)
            memcpy(made + i * p->targets, from, (size_t)p->targets * sizeof *from);
        if (!p->loss->classify) SPD_TRY(check_targets(p, data, p->row ? p->row[i] : i, err));
    }
    return SPDHG_OK;
}

/* A label of other data as the training data would have read it: the code of the same text, or NAN (no class) if there is
 * none. */
static double code_here(const spdhg_problem *p, const spdhg_data *data, double value) {
    if (!data->label && !p->data->label) return value;
    char text[SPD_NUMBER_CHARS];
    const char *name = text;
    if (data->label)
        name = data->label[(int64_t)value];
    else
        spd_print_double(text, value);
    for (int64_t k = 0; p->data->label && k < p->data->labels; k++)
        if (strcmp(name, p->data->label[k]) == 0) return (double)k;
    return NAN;
}

spdhg_status spd_map_targets(const spdhg_problem *p, const spdhg_data *data, double **b, spdhg_error *err) {
    *b = NULL;
    const char *source = data->source ? data->source : "the held-out data";
    if (data->targets != p->data->targets)
        return spd_fail(err, SPDHG_DATA, "%s has %lld target columns, the training data has %lld", source,
                        (long long)data->targets, (long long)p->data->targets);
    double *out = SPD_NEW(double, data->rows * p->targets);
    if (!out) return spd_fail_memory(err, 8.0 * (double)data->rows * (double)p->targets);
    for (int64_t i = 0; i < data->rows * p->targets; i++) {
        const int64_t k = p->loss->classify ? class_of(p, code_here(p, data, data->b[i])) : 0;
        if (k < 0) {
            char name[64], place[400];
            label_text(data, data->b[i], name);
            spd_free(out);
            return spd_fail(err, SPDHG_DATA,
                            "%s has label %s, which the training data does not have: correct it, or leave such rows out",
                            spd_data_place(data, i, place, sizeof place), name);
        }
        out[i] = p->loss->classify ? mapped(p, k) : data->b[i];
    }
    for (int64_t i = 0; i < data->rows && !p->loss->classify; i++) {
        const spdhg_status status = check_targets(p, data, i, err);
        if (status == SPDHG_OK) continue;
        spd_free(out);
        return status;
    }
    *b = out;
    return SPDHG_OK;
}
