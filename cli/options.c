/* options.c - parses a verb's options; a misspelt one is reported with the option that was probably meant. */
#include <stdlib.h>

#include "cli.h"
#include "synonyms.h"

enum { MOST = 400 };
typedef struct list {
    const char *name[MOST];
    bool takes[MOST]; /* a value */
    int count;
} list;

static void collect(const struct argp *argp, list *all) {
    for (const struct argp_option *o = argp->options; o && (o->name || o->doc || o->key); o++)
        if (o->name && all->count < MOST) {
            all->takes[all->count] = o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
            all->name[all->count++] = o->name;
        }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) collect(c->argp, all);
}

/* The number of the option that the word spells or abbreviates; -1: none. */
static int find(const list *all, const char *word, size_t length) {
    int found = -1;
    for (int i = 0; i < all->count; i++)
        if (strncmp(all->name[i], word, length) == 0 && (found < 0 || all->name[i][length] == '\0')) found = i;
    return found;
}

/* What to do about an option that there is not: its name here, the verb that has it, or the one that was probably meant. */
static void advise(const list *all, const char *name, char out[CLI_TEXT_CHARS]) {
    const char *ours = cli_our_word("", name, strlen(name)), *elsewhere = cli_our_word("elsewhere", name, strlen(name));
    const char *near = spd_nearest(name, all->name, all->count, sizeof *all->name);
    if (ours && find(all, ours + 2, strcspn(ours + 2, " ")) >= 0)
        snprintf(out, CLI_TEXT_CHARS, "here it is %s", ours);
    else if (elsewhere)
        snprintf(out, CLI_TEXT_CHARS, "%s", elsewhere);
    else if (near)
        snprintf(out, CLI_TEXT_CHARS, "did you mean --%s?", near);
    else
        snprintf(out, CLI_TEXT_CHARS, "--help lists them");
}

static void refuse(const char *command, const list *all, const char *word) {
    spdhg_error err = {0};
    char name[64], advice[CLI_TEXT_CHARS];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    advise(all, name, advice);
    spd_fail(&err, SPDHG_USAGE, "unknown option '--%s'; %s", name, advice);
    exit(cli_fail(command, &err));
}

void cli_parse(const struct argp *argp, int argc, char **argv, void *input) {
    list all = {.name = {"help", "usage", "version"}, .count = 3};
    collect(argp, &all);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] == '-' && argv[i][1] == 'o' && argv[i][2] == '\0') i++; /* its value may look like an option */
        if (i >= argc || strncmp(argv[i], "--", 2) != 0) continue;
        const char *word = argv[i] + 2, *equals = strchr(word, '=');
        const int option = find(&all, word, strcspn(word, "="));
        if (option < 0) refuse(argv[0], &all, word);
        if (all.takes[option] && !equals) i++;
    }
    if (argp_parse(argp, argc, argv, 0, NULL, input) != 0) cli_out_of_memory(); /* all else ends the process by itself */
}
