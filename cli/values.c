/* values.c - converts the text of an option to a value, independent of the locale. A wrong one is a usage error that names the
 * option and the accepted values. */
#include <unistd.h>

#include "cli.h"
#include "synonyms.h"

double cli_number(const struct argp_state *state, const char *option, const char *text, double min, double max) {
    double value;
    if (spd_to_double(text, &value) && value >= min && value <= max) return value;
    if (isinf(max)) cli_usage(state, "%s: '%s' is not a finite number of at least %g", option, text, min);
    cli_usage(state, "%s: '%s' is not a number between %g and %g", option, text, min, max);
}

double cli_positive(const struct argp_state *state, const char *option, const char *text) {
    double value;
    if (spd_to_double(text, &value) && value > 0) return value;
    cli_usage(state, "%s: '%s' is not a finite number above 0", option, text);
}

int64_t cli_integer(const struct argp_state *state, const char *option, const char *text, int64_t min, int64_t max) {
    int64_t value;
    if (spd_to_int(text, &value) && value >= min && value <= max) return value;
    if (max == INT64_MAX) cli_usage(state, "%s: '%s' is not a whole number of at least %lld", option, text, (long long)min);
    cli_usage(state, "%s: '%s' is not a whole number from %lld to %lld", option, text, (long long)min, (long long)max);
}

uint64_t cli_bytes(const struct argp_state *state, const char *option, const char *text) {
    static const char letter[] = "kMGT";
    const char *end = text + strlen(text);
    double value, factor = 1;
    const char *rest = spd_parse_double(text, end, &value);
    if (rest && *rest) {
        const char *unit = strchr(letter, *rest == 'K' ? 'k' : *rest);
        for (ptrdiff_t i = 0; unit && i <= unit - letter; i++) factor *= 1000;
        rest = unit ? rest + 1 : NULL;
    }
    value *= factor;
    if (rest != end || !(value >= 1) || value >= 9e18)
        cli_usage(state, "%s: '%s' is not a number of bytes such as 2000000, 500M or 2G", option, text);
    return (uint64_t)value;
}

uint64_t cli_machine_memory(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

int cli_choice(const struct argp_state *state, const char *option, const char *text, const char *choices) {
    const size_t length = strlen(text);
    int position = 0;
    for (const char *at = choices; at; position++) {
        const char *comma = strchr(at, ',');
        if (length == (comma ? (size_t)(comma - at) : strlen(at)) && memcmp(at, text, length) == 0) return position;
        at = comma ? comma + 2 : NULL;
    }
    const char *ours = cli_our_word(option, text, length);
    if (ours) cli_usage(state, "%s: '%s' is not one of %s; here it is %s", option, text, choices, ours);
    char copy[CLI_TEXT_CHARS], meant[SPD_DID_YOU_MEAN_CHARS];
    const char *name[100];
    int64_t names = 0;
    snprintf(copy, sizeof copy, "%s", choices);
    for (char *rest = copy, *at; names < 100 && (at = strtok_r(rest, ", ", &rest));) name[names++] = at;
    cli_usage(state, "%s: '%s' is not one of %s%s", option, text, choices,
              spd_did_you_mean(meant, sizeof meant, text, name, names, sizeof *name));
}

void cli_check(const struct argp_state *state, const char *option, const char *arg, spdhg_status status, const spdhg_error *err) {
    if (status == SPDHG_OK) return;
    const char *ours = cli_our_word(option, arg, strcspn(arg, ":"));
    const char *list = strstr(err->message, "xpected one of");
    if (ours) cli_usage(state, "%s: unknown '%s'; here it is %s%s%s", option, arg, ours, list ? ". E" : "", list ? list : "");
    cli_usage(state, "%s: %s", option, err->message);
}

bool cli_find_option(const struct argp_option *options, const char *group, int key, spdhg_entry *entry) {
    while ((options->name || options->doc) && options->key != key) options++; /* a heading has a doc and no name */
    return options->name && !options->doc && spd_option_find(group, options->name, entry);
}

char *cli_help_text(const spdhg_entry *entry, const char *text) {
    char names[CLI_TEXT_CHARS], standard[SPD_NUMBER_CHARS] = "", *filled = NULL;
    const bool number = !isnan(entry->value) && entry->kind != SPDHG_KIND_FLAG;
    if (number) spd_print_double(standard, entry->value);
    const char *value = number ? standard : entry->text;
    int done;
    if (entry->topic)
        done = asprintf(&filled, "%s: %s (default %s; see spdhg list %s)", entry->help,
                        spd_topic_names(names, sizeof names, entry->topic), value, entry->topic);
    else if (entry->kind == SPDHG_KIND_FLAG && entry->value == 1)
        done = asprintf(&filled, "%s (default)", entry->help);
    else
        done = value ? asprintf(&filled, "%s (default %s)", entry->help, value) : asprintf(&filled, "%s", entry->help);
    return done > 0 ? filled : (char *)(uintptr_t)text;
}

char *cli_fill_help(const struct argp_option *options, const char *group, int key, const char *text) {
    spdhg_entry entry;
    return cli_find_option(options, group, key, &entry) ? cli_help_text(&entry, text) : (char *)(uintptr_t)text;
}

void cli_argument(const struct argp_state *state, const char **place, const char *text) {
    if (*place) cli_usage(state, "'%s' is one argument too many", text);
    *place = text;
}
