/* list.c - spdhg_list: goes through the entries of the library's tables, with their help and parameters. `spdhg list` prints
 * them, and the bindings make their documentation from them. */
#include "catalog/catalog.h"
#include "graph/graph.h"
#include "penalty/penalty.h"
#include "reader/read.h"
#include "run/run.h"
#include "set/set.h"
#include "structure/structure.h"
#include "tune/recipe.h"

static bool plain(spdhg_entry *out, const char *name, const char *help) {
    *out = (spdhg_entry){.name = name, .help = help, .kind = SPDHG_KIND_FLAG, .value = NAN, .min = NAN, .max = NAN};
    return true;
}

static bool loss(int64_t at, spdhg_entry *out) {
    int entries;
    const spdhg_loss *const *table = spd_loss_table(&entries);
    if (at >= entries) return false;
    const spdhg_loss *l = table[at];
    plain(out, l->name, l->help);
    out->classify = l->classify;
    out->probabilities = l->chance || l->chance_k;
    if (l->arg_max < l->arg_min) return true;
    out->kind = SPDHG_KIND_NUMBER;
    out->argument = "ARG";
    out->value = l->arg;
    out->min = l->arg_min;
    out->max = l->arg_max;
    return true;
}

static bool penalty(int64_t at, spdhg_entry *out) {
    int entries;
    const spd_penalty *const *table = spd_penalty_table(&entries);
    return at < entries && plain(out, table[at]->name, table[at]->help);
}

static bool structure(int64_t at, spdhg_entry *out) {
    int entries;
    const spd_structure_kind *const *table = spd_structure_table(&entries);
    if (at == entries)
        return plain(out, SPD_LEARNED,
                     "differences along the edges of a graph learned from the training rows, as spdhg graph does");
    if (at == entries + 1)
        return plain(
            out, SPD_CATEGORIES,
            "differences between levels of a category: neighbours of ordered ones, all pairs of others; numbers by themselves");
    return at < entries && plain(out, table[at]->name, table[at]->help);
}

static bool set(int64_t at, spdhg_entry *out) {
    int entries;
    const spd_set_kind *const *table = spd_set_table(&entries);
    return at < entries && plain(out, table[at]->name, table[at]->help);
}

static bool solver(int64_t at, spdhg_entry *out) {
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    if (at == 0) return plain(out, "auto", "chosen to suit the problem; --verbose prints which one and why");
    if (at > entries) return false;
    const spd_solver_kind *kind = table[at - 1];
    plain(out, kind->name, kind->what);
    out->stochastic = !kind->full_information;
    out->reference = kind->reference;
    out->param = kind->param;
    out->params = kind->params;
    return true;
}

static bool format(int64_t at, spdhg_entry *out) {
    int entries;
    const spd_reader *table = spd_reader_table(&entries);
    return at < entries && plain(out, table[at].name, table[at].help);
}

static bool kind(int64_t at, spdhg_entry *out) {
    int entries;
    const spd_synthetic_kind *table = spd_synthetic_table(&entries);
    return at < entries && plain(out, table[at].name, table[at].help);
}

static bool method(int64_t at, spdhg_entry *out) {
    int entries;
    const spd_graph_method *const *table = spd_graph_method_table(&entries);
    return at < entries && plain(out, table[at]->name, table[at]->help);
}

static const struct topic {
    const char *name;
    bool (*entry)(int64_t at, spdhg_entry *out);
} topics[] = {{"losses", loss},    {"penalties", penalty}, {"structures", structure}, {"sets", set},
              {"solvers", solver}, {"formats", format},    {"kinds", kind},           {"methods", method}};
enum { TOPICS = sizeof topics / sizeof *topics };

const char *spdhg_topic(int64_t at) { return at >= 0 && at < TOPICS ? topics[at].name : NULL; }

bool spdhg_list(const char *topic, int64_t at, spdhg_entry *out) {
    for (int i = 0; i < TOPICS; i++)
        if (strcmp(topics[i].name, topic) == 0) return at >= 0 && topics[i].entry(at, out);
    return false;
}

const char *spd_topic_names(char *text, size_t size, const char *topic) {
    size_t used = 0;
    spdhg_entry entry;
    text[0] = '\0';
    for (int64_t i = 0; used < size && spdhg_list(topic, i, &entry); i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", entry.name);
    return text;
}
