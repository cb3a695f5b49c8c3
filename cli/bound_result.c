/* bound_result.c - output of the verb bound and of `fit --bound`: tables, sentences, JSON. */
#include "cli.h"

static double probability_of(const cli_bound *b) { return fmax(0, 1 - 2 * exp(-b->omega)); }

static json_t *constants_json(const spd_bound_setting *setting) {
    json_t *out = json_object();
    spd_bound_constants value = setting->value;
    for (int i = 0; out && i < SPD_BOUND_SYMBOLS; i++)
        json_object_set_new(out, spd_bound_symbols[i].name,
                            json_pack("{so, ss}", "value", cli_json_number(*spd_bound_number(&value, i)), "how",
                                      spd_certainty_text(setting->how[i])));
    return out;
}

static bool all_rigorous(const spd_bound_setting *setting) {
    for (int i = 0; i < SPD_BOUND_SYMBOLS; i++)
        if (setting->how[i] != SPD_RIGOROUS) return false;
    return true;
}

static json_t *rule_json(const cli_bound *b, const spd_bound_rule *rule) {
    const spd_bound_constants *c = &b->setting.value;
    const double Omega = b->omega, from = spd_bound_vacuous_from(c);
    double value[4], needed[4];
    for (int kind = 0; kind < 4; kind++) {
        value[kind] = b->iterations > 0 ? spd_bound(rule, (spd_bound_kind)kind, c, b->iterations, Omega) : NAN;
        needed[kind] = b->epsilon > 0 ? spd_bound_iterations(rule, (spd_bound_kind)kind, c, Omega, b->epsilon) : NAN;
    }
    const bool known = !isnan(value[SPD_BOUND_CORRECTED]) && !isnan(from);
    return json_pack(
        "{ss, ss, so, so, so, so, so, so, so, so, so, so}", "rule", rule->name, "solver", rule->solver, "printed",
        cli_json_number(value[SPD_BOUND_PRINTED]), "printed_mean", cli_json_number(value[SPD_BOUND_PRINTED_MEAN]), "corrected",
        cli_json_number(value[SPD_BOUND_CORRECTED]), "corrected_mean", cli_json_number(value[SPD_BOUND_CORRECTED_MEAN]),
        "vacuous", known ? json_boolean(value[SPD_BOUND_CORRECTED] >= from) : json_null(), "vacuous_mean",
        known ? json_boolean(value[SPD_BOUND_CORRECTED_MEAN] >= from) : json_null(), "iterations_printed",
        cli_json_number(needed[SPD_BOUND_PRINTED]), "iterations_printed_mean", cli_json_number(needed[SPD_BOUND_PRINTED_MEAN]),
        "iterations_corrected", cli_json_number(needed[SPD_BOUND_CORRECTED]), "iterations_corrected_mean",
        cli_json_number(needed[SPD_BOUND_CORRECTED_MEAN]));
}

json_t *cli_bound_json(const cli_bound *b) {
    int entries;
    const spd_bound_rule *table = spd_bound_table(&entries);
    json_t *rules = json_array();
    for (int i = 0; i < entries && rules; i++)
        if (!b->rule || b->rule == &table[i]) json_array_append_new(rules, rule_json(b, &table[i]));
    const spd_bound_constants *c = &b->setting.value;
    return json_pack("{so, sf, sf, so, so, so, so, sb, so, so}", "iterations",
                     cli_json_number(b->iterations > 0 ? b->iterations : NAN), "probability", probability_of(b), "omega",
                     b->omega, "epsilon", cli_json_number(b->epsilon > 0 ? b->epsilon : NAN), "start_value",
                     cli_json_number(c->start_value), "trivial", cli_json_number(c->trivial), "vacuous_from",
                     cli_json_number(spd_bound_vacuous_from(c)), "rigorous", all_rigorous(&b->setting), "constants",
                     constants_json(&b->setting), "rules", rules);
}

static const char *number(char out[SPD_NUMBER_CHARS], double value) {
    if (isnan(value))
        snprintf(out, SPD_NUMBER_CHARS, "-");
    else if (isinf(value))
        snprintf(out, SPD_NUMBER_CHARS, "> 1e18");
    else
        snprintf(out, SPD_NUMBER_CHARS, "%.4g", value);
    return out;
}

static void print_constants(FILE *to, const spd_bound_setting *setting) {
    spd_bound_constants value = setting->value;
    for (int i = 0; i < SPD_BOUND_SYMBOLS; i++)
        fprintf(to, "  %-6s %-12.6g %-9s  %s\n", spd_bound_symbols[i].name, *spd_bound_number(&value, i),
                spd_certainty_text(setting->how[i]), spd_bound_symbols[i].what);
}

/* Explains why a bound of at least `from` is vacuous. */
static void print_vacuous(FILE *to, const spd_bound_constants *c) {
    const double from = spd_bound_vacuous_from(c);
    if (from == c->start_value)
        fprintf(to, "the start itself is within f(x^0) - 0 = %.4g of the best possible", from);
    else
        fprintf(to, "every point within D_x of the minimiser is within %.4g of the best possible", from);
}

static void print_rows(FILE *to, const cli_bound *b, bool needed) {
    int entries;
    const spd_bound_rule *table = spd_bound_table(&entries);
    const spd_bound_constants *c = &b->setting.value;
    const double Omega = b->omega, from = spd_bound_vacuous_from(c);
    fprintf(to, "  %-5s %-11s %12s %12s %12s %12s%s\n", "rule", "solver", "printed", "corrected", "mean printed", "corrected",
            needed ? "" : "  vacuous");
    for (int i = 0; i < entries; i++) {
        fprintf(to, "  %-5s %-11s", table[i].name, table[i].solver);
        double value = NAN;
        for (int k = 0; k < 4; k++) {
            static const spd_bound_kind order[] = {SPD_BOUND_PRINTED, SPD_BOUND_CORRECTED, SPD_BOUND_PRINTED_MEAN,
                                                   SPD_BOUND_CORRECTED_MEAN};
            char text[SPD_NUMBER_CHARS];
            const double v = needed ? spd_bound_iterations(&table[i], order[k], c, Omega, b->epsilon)
                                    : spd_bound(&table[i], order[k], c, b->iterations, Omega);
            if (order[k] == SPD_BOUND_CORRECTED) value = v;
            fprintf(to, " %12s", number(text, v));
        }
        fprintf(to, "%s\n", needed ? "" : isnan(value) || isnan(from) ? "  -" : value >= from ? "  yes" : "  no");
    }
}

void cli_bound_print(FILE *to, const cli_bound *b) {
    const spd_bound_constants *c = &b->setting.value;
    fprintf(to, "constants:\n");
    print_constants(to, &b->setting);
    if (b->iterations > 0) {
        fprintf(to, "\nafter %.0f iterations f(xbar) - f* is at most, with probability %g and in the mean:\n", b->iterations,
                probability_of(b));
        print_rows(to, b, false);
        if (!isnan(spd_bound_vacuous_from(c))) {
            fprintf(to, "  a bound is vacuous from %.4g on: ", spd_bound_vacuous_from(c));
            print_vacuous(to, c);
            fprintf(to, "\n");
        }
    }
    if (b->epsilon > 0) {
        fprintf(to, "\niterations until it is at most %g, with probability %g and in the mean:\n", b->epsilon, probability_of(b));
        print_rows(to, b, true);
    }
    if (!(c->mu > 0)) fprintf(to, "\nthe rules sc1, sc2, sc1h, sc2h need mu above 0 (--gamma, or --mu)\n");
    fprintf(to, "\nprinted: as the paper states it, of P(y*,xbar) - P(ybar,x*); corrected: what its proof gives, see "
                "docs/theory.md; - : no such "
                "bound\n");
}

void cli_bound_sentence(FILE *to, const cli_bound *b) {
    const spd_bound_constants *c = &b->setting.value;
    if (!to) return;
    const double value = spd_bound(b->rule, SPD_BOUND_CORRECTED, c, b->iterations, b->omega);
    fprintf(to,
            "bound: the theorem about %s puts it within %.4g of the best possible after %.0f iterations with probability %g, "
            "%.4g in the mean\n",
            b->rule->solver, value, b->iterations, probability_of(b),
            spd_bound(b->rule, SPD_BOUND_CORRECTED_MEAN, c, b->iterations, 0));
    if (value >= spd_bound_vacuous_from(c)) {
        fprintf(to, "this bound is vacuous: ");
        print_vacuous(to, c);
        fprintf(to, "; the gap above is the useful statement\n");
    }
    fprintf(to, "its constants:\n");
    print_constants(to, &b->setting);
}
