/* list.c - `spdhg list TOPIC`: the entries of the library's tables, which are the only place where they are described. */
#include "cli.h"
#include "graph/graph.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
    if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
    cli_argument(state, state->input, arg);
    return 0;
}

static void print_entry(const char *name, const char *help) { printf("  %-18s %s\n", name, help); }

static const char *range(char out[96], double min, double max) {
    const int used = isinf(min) ? snprintf(out, 96, "above -inf") : snprintf(out, 96, "from %g", min);
    if (isinf(max))
        snprintf(out + used, (size_t)(96 - used), "%s", isinf(min) ? ", any number" : " on");
    else
        snprintf(out + used, (size_t)(96 - used), " to %g", max);
    return out;
}

static void list_losses(void) {
    int entries;
    const spdhg_loss *const *table = spd_loss_table(&entries);
    for (int i = 0; i < entries; i++) {
        char name[64], bounds[96];
        const bool takes = table[i]->arg_max >= table[i]->arg_min;
        snprintf(name, sizeof name, "%s%s", table[i]->name, takes ? "[:ARG]" : "");
        print_entry(name, table[i]->help);
        if (takes) printf("  %-18s ARG %s, default %g\n", "", range(bounds, table[i]->arg_min, table[i]->arg_max), table[i]->arg);
    }
}

static void list_penalties(void) {
    int entries;
    const spd_penalty *const *table = spd_penalty_table(&entries);
    for (int i = 0; i < entries; i++) print_entry(table[i]->name, table[i]->help);
}

static void list_structures(void) {
    int entries;
    const spd_structure_kind *const *table = spd_structure_table(&entries);
    for (int i = 0; i < entries; i++) print_entry(table[i]->name, table[i]->help);
    print_entry("learned", "differences along the edges of a graph learned from the training rows, as spdhg graph does");
}

static void list_sets(void) {
    int entries;
    const spd_set_kind *const *table = spd_set_table(&entries);
    for (int i = 0; i < entries; i++) print_entry(table[i]->name, table[i]->help);
}

static void list_formats(void) {
    int entries;
    const spd_reader *table = spd_reader_table(&entries);
    for (int i = 0; i < entries; i++) {
        print_entry(table[i].name, table[i].help);
        printf("  %-18s", "");
        for (const char *const *ending = table[i].ending; ending && *ending; ending++) printf(" %s", *ending);
        printf("%s\n", table[i].write ? " (can be written)" : "");
    }
    printf("  each plain or compressed: .gz .bz2 .xz .zst, found by content\n");
}

static void list_kinds(void) {
    int entries;
    const spd_synthetic_kind *table = spd_synthetic_table(&entries);
    for (int i = 0; i < entries; i++) print_entry(table[i].name, table[i].help);
}

static void list_solvers(void) {
    int entries;
    const spd_solver_kind *const *table = spd_solver_table(&entries);
    print_entry("auto", "chosen by what the problem is; --verbose says which and why");
    for (int i = 0; i < entries; i++) {
        const spd_solver_kind *kind = table[i];
        print_entry(kind->name, kind->what);
        if (kind->reference) printf("  %-18s %s\n", "", kind->reference);
        for (int q = 0; q < kind->params; q++) {
            const spd_param *param = &kind->param[q];
            char bounds[96], value[SPD_NUMBER_CHARS] = "by rule";
            if (!isnan(param->value)) spd_print_double(value, param->value);
            printf("  %-18s --param %s=VALUE  %s, default %s: %s\n", "", param->name, range(bounds, param->min, param->max),
                   value, param->help);
        }
    }
}

static void list_methods(void) {
    int entries;
    const spd_graph_method *const *table = spd_graph_method_table(&entries);
    for (int i = 0; i < entries; i++) print_entry(table[i]->name, table[i]->help);
}

static const struct topic {
    const char *name;
    void (*list)(void);
} topics[] = {{"losses", list_losses}, {"penalties", list_penalties}, {"structures", list_structures},
              {"sets", list_sets},     {"solvers", list_solvers},     {"formats", list_formats},
              {"kinds", list_kinds},   {"methods", list_methods}};
enum { TOPICS = sizeof topics / sizeof *topics };

static const struct argp argp = {NULL,
                                 parse,
                                 "TOPIC",
                                 "List what there is of TOPIC: losses, penalties, structures, sets, solvers, formats, kinds "
                                 "(of synthetic data) or methods (of graph).",
                                 NULL,
                                 NULL,
                                 NULL};

int cli_list(int argc, char **argv) {
    const char *asked = NULL;
    argp_parse(&argp, argc, argv, 0, NULL, &asked);
    for (int i = 0; asked && i < TOPICS; i++)
        if (strcmp(topics[i].name, asked) == 0) {
            topics[i].list();
            return SPDHG_OK;
        }
    spdhg_error err = {0};
    char names[200];
    spd_names(names, sizeof names, topics, TOPICS, sizeof *topics);
    if (asked)
        spd_fail(&err, SPDHG_USAGE, "there is no topic '%s'; the topics are %s", asked, names);
    else
        spd_fail(&err, SPDHG_USAGE, "TOPIC is missing; the topics are %s", names);
    return cli_fail("spdhg list", &err);
}
