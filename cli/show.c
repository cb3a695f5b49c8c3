/* show.c - `spdhg show MODEL`: what a model is, how it was made, and its coefficients, largest first. */
#include <stdlib.h>

#include "cli.h"
#include "model/model.h"

enum { ALL = 0x100, COEFFICIENTS };

typedef struct show {
    const char *path, *coefficients;
    bool all, force;
} show;

static const struct argp_option options[] = {
    {"all", ALL, NULL, 0, "print every coefficient that is not 0 (default: the 30 largest)", 1},
    {"coefficients", COEFFICIENTS, "FILE", 0, "write them as CSV: feature, level, class, value, standardized, group", 1},
    CLI_FORCE_OPTION,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    show *o = state->input;
    switch (key) {
    case ALL: o->all = true; return 0;
    case COEFFICIENTS: o->coefficients = arg; return 0;
    case CLI_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG: cli_argument(state, &o->path, arg); return 0;
    case ARGP_KEY_END:
        if (!o->path) cli_usage(state, "MODEL is missing: spdhg show MODEL");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}
static const struct argp argp = {options, parse, "MODEL", "Print what MODEL (- is standard input) is, and its coefficients.",
                                 NULL,    NULL,  NULL};

static void print_classes(const spdhg_model *m) {
    char text[SPD_NUMBER_CHARS], plain[CLI_TEXT_CHARS];
    if (m->classes == 2 && !spd_model_coupled(m)) {
        printf("classes: positive scores mean '%s', ", cli_plain(plain, spd_model_label(m, 1, text)));
        printf("negative ones '%s'\n", cli_plain(plain, spd_model_label(m, 0, text)));
        return;
    }
    printf("classes: the highest of %lld scores wins: ", (long long)m->classes);
    for (int64_t k = 0; k < m->classes && k < 12; k++)
        printf("%s%s", k ? ", " : "", cli_plain(plain, spd_model_label(m, k, text)));
    printf(m->classes > 12 ? ", ...\n" : "\n");
}

static void print_facts(const spdhg_model *m) {
    char plain[CLI_TEXT_CHARS];
    const spdhg_columns *k = m->columns;
    printf("%s of ", m->classify ? "classification" : "regression");
    for (int64_t t = 0; k && t < k->targets; t++) printf("%s'%s'", t ? ", " : "", cli_plain(plain, k->target[t]));
    if (!k || k->targets == 0) printf("%lld output%s", (long long)m->outputs, m->outputs == 1 ? "" : "s");
    if (m->rows > 0) printf(", fitted to %lld rows", (long long)m->rows);
    printf(" by spdhg %s\nproblem: %s loss + %g * %s(F x), F = %s", m->version, m->loss, m->lambda, m->penalty,
           cli_plain(plain, m->structure));
    if (m->gamma > 0) printf(", ridge %g", m->gamma);
    printf("%s%s\n", m->intercept ? ", intercept" : "", m->standardized ? ", standardised columns" : "");
    printf("objective %.6g = loss %.6g + penalty %.6g", m->objective, m->train_loss, m->penalty_value);
    if (isfinite(m->gap)) printf(", proven within %.2g of the best possible", spd_round_towards(INFINITY, m->gap, 2));
    printf(" (%s)\n", m->outcome);
    if (m->classify && m->classes > 0) print_classes(m);
    if (k && k->id) printf("rows are named by column '%s'\n", cli_plain(plain, k->id));
    if (k && k->offset) printf("offset: column '%s'\n", cli_plain(plain, k->offset));
}

/* The class or target of output k, if there are several. */
static void print_class(const spdhg_model *m, int64_t k) {
    char text[SPD_NUMBER_CHARS], plain[CLI_TEXT_CHARS];
    if (m->outputs > 1) printf(" %-12s", cli_plain(plain, spd_model_output(m, k, text)));
}

static void print_line(const spdhg_model *m, int64_t i) {
    char text[SPD_NUMBER_CHARS], plain[CLI_TEXT_CHARS], whole[CLI_TEXT_CHARS];
    const char *feature, *level;
    const int64_t j = i / m->outputs;
    cli_feature_text(m, j, &feature, &level, text);
    snprintf(whole, sizeof whole, "%s%.600s%s%.500s", m->name || m->columns ? "" : "feature ", feature, level[0] ? "=" : "",
             level);
    printf("%-32s", cli_plain(plain, whole));
    print_class(m, i % m->outputs);
    printf(" %14.6g", m->x[i]);
    if (m->spread) printf(" %14.6g", m->x[i] * m->spread[j]);
    if (m->group && m->group[i] > 0) printf("   group %lld", (long long)m->group[i]);
    printf("\n");
}

static spdhg_status print_coefficients(const spdhg_model *m, bool all, spdhg_error *err) {
    const int64_t count = m->features * m->outputs;
    int64_t nonzeros, *largest;
    SPD_TRY(spd_model_largest(m, &largest, &nonzeros, err));
    const int64_t shown = all || nonzeros < 30 ? nonzeros : 30;
    printf("\n%lld of %lld coefficients are not 0", (long long)nonzeros, (long long)count);
    printf(shown < nonzeros ? "; the %lld largest (--all prints all):\n" : ":\n", (long long)shown);
    printf("%-32s%s %14s%s\n", "feature", m->outputs > 1 ? " class       " : "", "coefficient",
           m->spread ? "   standardized" : "");
    for (int64_t k = 0; m->intercept && k < m->outputs; k++) {
        printf("%-32s", "(intercept)");
        print_class(m, k);
        printf(" %14.6g\n", m->c[k]);
    }
    for (int64_t e = 0; e < shown; e++) print_line(m, largest[e]);
    spd_free(largest);
    return SPDHG_OK;
}

int cli_show(int argc, char **argv) {
    show o = {0};
    spdhg_error err = {0};
    spdhg_model *model = NULL;
    cli_parse(&argp, argc, argv, &o);
    const cli_output out[] = {{"--coefficients", o.coefficients, CLI_COEFFICIENTS}};
    const char *const in[] = {o.path};
    spdhg_status status = CLI_CHECK_OUTPUTS(out, in, o.force, &err);
    if (status == SPDHG_OK) status = spdhg_model_read(&model, o.path, &err);
    if (status == SPDHG_OK && o.coefficients) status = cli_coefficients_csv(model, o.coefficients, &err);
    const bool taken = o.coefficients && strcmp(o.coefficients, "-") == 0;
    if (status == SPDHG_OK && !taken) {
        print_facts(model);
        status = print_coefficients(model, o.all, &err);
    }
    spdhg_model_free(model);
    return status == SPDHG_OK ? SPDHG_OK : cli_fail("spdhg show", &err);
}
