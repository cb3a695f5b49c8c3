/* data_options.c - options of every verb that reads data, into spdhg_read_options; and the reader's notes, in sentences. */
#include <unistd.h>

#include "cli.h"

enum {
    FORMAT = 0x200,
    LABEL,
    NO_LABEL,
    TARGETS,
    FEATURES,
    DUPLICATES,
    THREADS,
    MAX_MEMORY,
    NAMES,
    HEADER,
    NO_HEADER,
    COLUMNS,
    DROP,
    ID,
    CATEGORICAL,
    ORDERED,
    REFERENCE,
    MISSING,
    UNSEEN,
    HASH,
    ON_DISK,
    BLOCK
};

static const struct argp_option options[] = {
    {"format", FORMAT, "FORMAT", 0, NULL, 0},
    {"label", LABEL, "NAME[,NAME...]", 0, NULL, 0},
    {"no-label", NO_LABEL, NULL, 0, NULL, 0},
    {"columns", COLUMNS, "NAME[,NAME...]", 0, NULL, 0},
    {"drop", DROP, "NAME[,NAME...]", 0, NULL, 0},
    {"id", ID, "NAME", 0, NULL, 0},
    {"categorical", CATEGORICAL, "NAME[,NAME...]", 0, NULL, 0},
    {"ordered", ORDERED, "NAME[=LEVEL<...]", 0, NULL, 0},
    {"reference", REFERENCE, "first|NAME=LEVEL", 0, NULL, 0},
    {"missing", MISSING, "WHAT", 0, NULL, 0},
    {"unseen", UNSEEN, "WHAT", 0, NULL, 0},
    {"header", HEADER, NULL, 0, NULL, 0},
    {"no-header", NO_HEADER, NULL, 0, NULL, 0},
    {"targets", TARGETS, "FILE", 0, NULL, 0},
    {"names", NAMES, "FILE", 0, NULL, 0},
    {"features", FEATURES, "D", 0, NULL, 0},
    {"hash", HASH, "BITS", 0, NULL, 0},
    {"duplicates", DUPLICATES, "WHAT", 0, NULL, 0},
    {"threads", THREADS, "T", 0, NULL, 0},
    {"max-memory", MAX_MEMORY, "BYTES", 0, NULL, 0},
    {"on-disk", ON_DISK, NULL, 0, NULL, 0},
    {"block", BLOCK, "BYTES", 0, NULL, 0},
    {0},
};

static const char *format_names(char out[CLI_TEXT_CHARS]) {
    const int used = snprintf(out, CLI_TEXT_CHARS, "auto, ");
    spd_topic_names(out + used, (size_t)(CLI_TEXT_CHARS - used), "formats");
    return out;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    spdhg_read_options *o = state->input;
    char names[CLI_TEXT_CHARS];
    switch (key) {
    case FORMAT:
        cli_choice(state, "--format", arg, format_names(names));
        o->format = arg;
        return 0;
    case LABEL: o->label = arg; return 0;
    case NO_LABEL: o->no_label = true; return 0;
    case COLUMNS: o->columns = arg; return 0;
    case DROP: o->drop = arg; return 0;
    case ID: o->id = arg; return 0;
    case CATEGORICAL: o->categorical = arg; return 0;
    case ORDERED: o->ordered = arg; return 0;
    case REFERENCE: o->reference = arg; return 0;
    case MISSING:
        cli_choice(state, "--missing", arg, "error, drop, mean, median");
        o->missing = arg;
        return 0;
    case UNSEEN:
        cli_choice(state, "--unseen", arg, "error, other");
        o->unseen = arg;
        return 0;
    case HEADER: o->header = 1; return 0;
    case NO_HEADER: o->header = 0; return 0;
    case TARGETS:
        o->targets = arg;
        if (access(arg, F_OK) != 0) fprintf(stderr, "--targets is a file; a column to predict is named by --label %s\n", arg);
        return 0;
    case NAMES: o->names = arg; return 0;
    case FEATURES: o->features = cli_integer(state, "--features", arg, 1, INT32_MAX - 1); return 0;
    case HASH: o->hash = (int)cli_integer(state, "--hash", arg, 1, 30); return 0;
    case DUPLICATES: o->duplicates = (spdhg_duplicates)cli_choice(state, "--duplicates", arg, "error, sum, last"); return 0;
    case THREADS: o->threads = (int)cli_integer(state, "--threads", arg, 1, 256); return 0;
    case MAX_MEMORY: o->max_memory = cli_bytes(state, "--max-memory", arg); return 0;
    case ON_DISK:
        if (o->on_disk == 0)
            cli_usage(state, "--on-disk: only fit, predict and inspect can leave the entries of a cache in its file");
        o->on_disk = 2;
        return 0;
    case BLOCK: o->block_bytes = cli_bytes(state, "--block", arg); return 0;
    case ARGP_KEY_END:
        if (o->label && o->no_label) cli_usage(state, "--label and --no-label cannot be used together");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *fill_help(int key, const char *text, void *input) {
    (void)input;
    return cli_fill_help(options, "data", key, text);
}

const struct argp cli_data_argp = {options, parse, NULL, NULL, NULL, fill_help, NULL};

static bool ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

const char *cli_check_format(const struct argp_state *state, const char *path, const char *to) {
    int entries, used = 0;
    char names[CLI_TEXT_CHARS] = "";
    const spd_reader *table = spd_reader_table(&entries);
    for (int i = 0; i < entries; i++) {
        if (!table[i].write) continue;
        used += snprintf(names + used, sizeof names - (size_t)used, "%s%s", used ? ", " : "", table[i].name);
        for (const char *const *ending = table[i].ending; !to && ending && *ending; ending++)
            if (ends_with(path, *ending)) return table[i].name;
    }
    if (to)
        cli_choice(state, "--to", to, names);
    else
        cli_usage(state, "--output: the name '%s' does not end in a known format; choose one with --to: %s", path, names);
    return to;
}

static void count_note(FILE *to, const char *lead, int64_t count, const char *one, const char *many) {
    if (count > 0) fprintf(to, "%s%lld %s\n", lead, (long long)count, count == 1 ? one : many);
}

void cli_print_notes(FILE *to, const char *lead, const spdhg_data *data) {
    const spd_notes *n = &data->notes;
    if (n->byte_order_mark) fprintf(to, "%sthe file starts with a byte order mark, which was skipped\n", lead);
    count_note(to, lead, n->blank_lines, "blank line was skipped", "blank lines were skipped");
    count_note(to, lead, n->comment_lines, "comment line was skipped", "comment lines were skipped");
    count_note(to, lead, n->unsorted_rows, "row had its indices out of order and was sorted",
               "rows had their indices out of order and were sorted");
    count_note(to, lead, n->duplicate_entries, "entry repeats an index of its row; see --duplicates",
               "entries repeat an index of their row; see --duplicates");
    count_note(to, lead, n->explicit_zeros, "entry is an explicit zero", "entries are explicit zeros");
}
