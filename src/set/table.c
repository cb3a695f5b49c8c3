/* table.c - every set, and how NAME[:NUMBER[,NUMBER]] is looked up. */
#include "set/set.h"

static const spd_set_kind *const table[] = {&spd_set_all,    &spd_set_ball,   &spd_set_box,
                                            &spd_set_nonneg, &spd_set_l1ball, &spd_set_simplex};
enum { ENTRIES = sizeof table / sizeof *table };

const spd_set_kind *const *spd_set_table(int *entries) {
    *entries = ENTRIES;
    return table;
}

spd_set spd_set_whole(void) { return (spd_set){.kind = &spd_set_all}; }

void spd_set_sides(const spd_set *set, double *low, double *high) {
    *low = -INFINITY;
    *high = INFINITY;
    if (set->kind->sides) set->kind->sides(set->arg, low, high);
}

void spd_set_round(const spd_set *set, int64_t n, double *x, double *work) {
    (set->kind->round ? set->kind->round : set->kind->project)(n, set->arg, x, work);
}

/* `count` numbers separated by commas; inf is accepted here, and the sets refuse it where it has no meaning. */
static bool numbers(const char *at, double *out, int count) {
    for (int i = 0; i < count; i++) {
        const char *word = at + (*at == '-' || *at == '+');
        if (strncmp(word, "inf", 3) == 0) {
            out[i] = *at == '-' ? -INFINITY : INFINITY;
            at = word + 3;
        } else {
            at = spd_parse_double(at, at + strlen(at), &out[i]);
            if (!at || !isfinite(out[i])) return false;
        }
        if (i + 1 < count && *at++ != ',') return false;
    }
    return *at == '\0';
}

static spdhg_status fill(const spd_set_kind *kind, const char *spec, spd_set *out, spdhg_error *err) {
    const char *arg = spd_spec_arg(spec);
    *out = (spd_set){.kind = kind};
    if (kind->args == 0 && !arg) return SPDHG_OK;
    if (kind->args == 0) return spd_fail(err, SPDHG_USAGE, "set '%s': '%s' takes no numbers", spec, kind->name);
    if (!arg || !numbers(arg, out->arg, kind->args))
        return spd_fail(err, SPDHG_USAGE, "set '%s': expected %s after '%s:'", spec,
                        kind->args == 1 ? "one number" : "two numbers separated by ','", kind->name);
    const char *wrong = kind->check(out->arg);
    if (wrong) return spd_fail(err, SPDHG_USAGE, "set '%s': %s", spec, wrong);
    double low = 0, high = 0;
    if (kind->sides) kind->sides(out->arg, &low, &high);
    if (isinf(low) && isinf(high)) *out = spd_set_whole(); /* a box without sides */
    return SPDHG_OK;
}

spdhg_status spd_set_find(const char *spec, spd_set *out, spdhg_error *err) {
    const char *name[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        name[i] = table[i]->name;
        if (spd_spec_is(spec, name[i])) return fill(table[i], spec, out, err);
    }
    return spd_unknown(err, "set", spec, name, ENTRIES, sizeof *name);
}
