/* list.c - `spdhg list TOPIC` prints the entries of one of the library's tables (spdhg_list). */
#include "cli.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
    if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
    cli_argument(state, state->input, arg);
    return 0;
}

static const char *range(char out[96], double min, double max) {
    const int used = isinf(min) ? snprintf(out, 96, "above -inf") : snprintf(out, 96, "from %g", min);
    if (isinf(max))
        snprintf(out + used, (size_t)(96 - used), "%s", isinf(min) ? ", any number" : " on");
    else
        snprintf(out + used, (size_t)(96 - used), " to %g", max);
    return out;
}

static void print_params(const spdhg_entry *entry) {
    for (int64_t q = 0; q < entry->params; q++) {
        const spdhg_param *param = &entry->param[q];
        char bounds[96], value[SPD_NUMBER_CHARS] = "by rule";
        if (!isnan(param->value)) spd_print_double(value, param->value);
        printf("  %-18s --param %s=VALUE  %s, default %s: %s\n", "", param->name, range(bounds, param->min, param->max), value,
               param->help);
    }
}

static void print_entry(const spdhg_entry *entry) {
    char name[64], bounds[96];
    snprintf(name, sizeof name, "%s%s", entry->name, entry->argument ? "[:ARG]" : "");
    printf("  %-18s %s\n", name, entry->help);
    if (entry->argument) printf("  %-18s ARG %s, default %g\n", "", range(bounds, entry->min, entry->max), entry->value);
    if (entry->reference) printf("  %-18s %s\n", "", entry->reference);
    print_params(entry);
}

/* The file extensions of a format, and whether it can be written: only in the output for people. */
static void print_format(int64_t at) {
    int entries;
    const spd_reader *table = spd_reader_table(&entries);
    printf("  %-18s", "");
    for (const char *const *ending = table[at].ending; ending && *ending; ending++) printf(" %s", *ending);
    printf("%s\n", table[at].write ? " (can be written)" : "");
    if (at + 1 == entries) printf("  each plain or compressed: .gz .bz2 .xz .zst, found by content\n");
}

static const struct argp argp = {NULL,
                                 parse,
                                 "TOPIC",
                                 "List the names of a TOPIC: losses, penalties, structures, sets, solvers, formats, kinds "
                                 "(of synthetic data) or methods (of graph).",
                                 NULL,
                                 NULL,
                                 NULL};

int cli_list(int argc, char **argv) {
    const char *asked = NULL, *topic;
    cli_parse(&argp, argc, argv, &asked);
    spdhg_entry entry;
    for (int64_t i = 0; asked && spdhg_list(asked, i, &entry); i++) {
        print_entry(&entry);
        if (strcmp(asked, "formats") == 0) print_format(i);
    }
    if (asked && spdhg_list(asked, 0, &entry)) return SPDHG_OK;
    spdhg_error err = {0};
    const char *all[32];
    int topics = 0;
    for (; topics < 32 && (topic = spdhg_topic(topics)); topics++) all[topics] = topic;
    char names[300];
    spd_names(names, sizeof names, all, topics, sizeof *all);
    if (asked)
        spd_unknown(&err, "topic", asked, all, topics, sizeof *all);
    else
        spd_fail(&err, SPDHG_USAGE, "TOPIC is missing; the topics are %s", names);
    return cli_fail("spdhg list", &err);
}
