/* race_tables.c - the results of a problem as tables (means over the repeats, the best in green, values that not all repeats
 * reached are marked), and the table of winners over all problems. */
#include "report/race.h"

typedef struct column {
    const char *title, *key;
    int level, sense, digits;
} column;

void spd_raced_key(FILE *out, const spd_raced *race, const char *solver) {
    enum { COLOURS = 8 };
    const int s = spd_raced_solver(race, solver);
    if (s >= 0)
        fprintf(
            out,
            "<svg class='key' viewBox='0 0 24 8' aria-hidden='true'><line class='c%d d%d' x1='0' x2='24' y1='4' y2='4'/></svg>",
            s % COLOURS, s / COLOURS % 3);
    spd_html(out, "<bdi>@</bdi>", solver);
}

static bool known_to_any(const json_t *solvers, const column *c) {
    for (size_t s = 0; s < json_array_size(solvers); s++)
        if (spd_raced_spread(json_array_get(solvers, s), c->key, c->level).known > 0) return true;
    return false;
}

static void put_spread(FILE *out, const spd_spread *spread, int digits, bool best) {
    char text[SPD_SHORT], some[SPD_SHORT], all[SPD_SHORT], low[SPD_SHORT], high[SPD_SHORT];
    spd_html(out, "<td class='r@'", best ? " best" : "");
    if (spread->known > 1)
        spd_html(out, " title='@ to @'", spd_html_number(low, spread->low, digits), spd_html_number(high, spread->high, digits));
    spd_html(out, ">@", spd_html_number(text, spread->mean, digits));
    if (spread->known > 0 && spread->known < spread->all)
        spd_html(out, " <span class='part'>@/@</span>", spd_html_count(some, spread->known), spd_html_count(all, spread->all));
    spd_html(out, "</td>");
}

/* "3 done, 1 time-out": how a solver's runs ended; failures are highlighted. */
static void put_statuses(FILE *out, const json_t *solver) {
    static const char *const status[] = {"done", "time-out", "diverged", "refused", "failed"};
    static const char *const style[] = {"", "warn", "bad", "warn", "bad"};
    const json_t *runs = spd_json_list(solver, "runs");
    char text[SPD_SHORT];
    bool first = true;
    spd_html(out, "<td>");
    for (size_t k = 0; k < sizeof status / sizeof *status; k++) {
        int64_t count = 0;
        for (size_t r = 0; r < json_array_size(runs); r++)
            count += strcmp(spd_json_text_of(json_array_get(runs, r), "status"), status[k]) == 0;
        if (count == 0) continue;
        spd_html(out, "@<span class='@'>@ @</span>", first ? "" : ", ", style[k], spd_html_count(text, count), status[k]);
        first = false;
    }
    spd_html(out, "</td>");
}

/* The messages of runs that did not end well, each once per solver. */
static void put_messages(FILE *out, const json_t *solver) {
    const json_t *runs = spd_json_list(solver, "runs");
    const char *said = "";
    for (size_t r = 0; r < json_array_size(runs); r++) {
        const char *message = spd_json_text_of(json_array_get(runs, r), "message"),
                   *status = spd_json_text_of(json_array_get(runs, r), "status");
        if (*message && strcmp(message, said) != 0)
            spd_html(out, "<p class='faint'><bdi>@</bdi> @: <bdi>@</bdi></p>\n", spd_json_text_of(solver, "solver"), status,
                     message);
        if (*message) said = message;
    }
}

static void table(FILE *out, const spd_raced *race, const json_t *problem, const column *c, int columns, bool statuses) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    spd_html(out, "<div class='scroll'><table class='numbers'><thead><tr><th>solver</th>");
    if (statuses) spd_html(out, "<th>runs</th>");
    for (int k = 0; k < columns; k++)
        if (known_to_any(solvers, &c[k])) spd_html(out, "<th class='r'>@</th>", c[k].title);
    spd_html(out, "</tr></thead><tbody>\n");
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const json_t *solver = json_array_get(solvers, s);
        spd_html(out, "<tr><th>");
        spd_raced_key(out, race, spd_json_text_of(solver, "solver"));
        spd_html(out, "</th>");
        if (statuses) put_statuses(out, solver);
        for (int k = 0; k < columns; k++) {
            if (!known_to_any(solvers, &c[k])) continue;
            const spd_spread spread = spd_raced_spread(solver, c[k].key, c[k].level);
            const bool best =
                c[k].sense && json_array_size(solvers) > 1 && spd_raced_best(problem, c[k].key, c[k].level, c[k].sense) == (int)s;
            put_spread(out, &spread, c[k].digits, best);
        }
        spd_html(out, "</tr>\n");
    }
    spd_html(out, "</tbody></table></div>\n");
}

/* Columns for the levels of suboptimality, with their titles: 1e-1, 1e-2, ... */
static int level_columns(const spd_raced *race, const char *key, column *c, char title[][SPD_SHORT]) {
    for (int l = 0; l < race->levels; l++) {
        const double exponent = round(log10(race->level[l]));
        if (fabs(race->level[l] / pow(10, exponent) - 1) < 1e-9)
            snprintf(title[l], SPD_SHORT, "1e%.0f", exponent);
        else
            spd_html_number(title[l], race->level[l], 3);
        c[l] = (column){title[l], key, l, SPD_LOWEST, 3};
    }
    return race->levels;
}

void spd_raced_results(FILE *out, const spd_raced *race, const json_t *problem) {
    static const column results[] = {
        {"epochs", "epochs", -1, 0, 4},
        {"seconds", "seconds", -1, 0, 3},
        {"objective", "objective", -1, SPD_LOWEST, 6},
        {"suboptimality", "suboptimality", -1, SPD_LOWEST, 3},
        {"test loss", "test_loss", -1, SPD_LOWEST, 5},
        {"test score", "test_score", -1, SPD_HIGHEST, 4},
    };
    column c[SPD_LEVELS_MAX];
    char title[SPD_LEVELS_MAX][SPD_SHORT];
    spd_html(out, "<h3>At the end</h3>\n");
    table(out, race, problem, results, sizeof results / sizeof *results, race->directory != NULL);
    const json_t *solvers = spd_json_list(problem, "solvers");
    for (size_t i = 0; i < json_array_size(solvers); i++) put_messages(out, json_array_get(solvers, i));
    if (race->levels == 0) return;
    bool reached = false;
    const int levels = level_columns(race, "seconds_to", c, title);
    for (int l = 0; l < levels; l++) reached = reached || known_to_any(solvers, &c[l]);
    if (!reached) {
        spd_html(out, "<p class='faint'>No solver reached a relative suboptimality of @.</p>\n", title[0]);
        return;
    }
    spd_html(out, "<div class='row'><div><h3>Seconds to a relative suboptimality of</h3>\n");
    table(out, race, problem, c, levels, false);
    spd_html(out, "</div><div><h3>Epochs to a relative suboptimality of</h3>\n");
    table(out, race, problem, c, level_columns(race, "epochs_to", c, title), false);
    spd_html(out, "</div></div>\n");
}

/* How many solvers share the best value. */
static int alike(const json_t *problem, const column *c, double best) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    int count = 0;
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const spd_spread spread = spd_raced_spread(json_array_get(solvers, s), c->key, c->level);
        count += spread.known == spread.all && spread.mean == best;
    }
    return count;
}

static void put_winner(FILE *out, const spd_raced *race, const json_t *problem, const column *c) {
    const int best = spd_raced_best(problem, c->key, c->level, c->sense);
    const json_t *solver = best < 0 ? NULL : json_array_get(spd_json_list(problem, "solvers"), (size_t)best);
    const spd_spread spread = spd_raced_spread(solver, c->key, c->level);
    char text[SPD_SHORT];
    spd_html(out, "<td>");
    if (solver) {
        spd_raced_key(out, race, spd_json_text_of(solver, "solver"));
        const int more = alike(problem, c, spread.mean) - 1;
        spd_html(out, " <span class='part'>@", spd_html_number(text, spread.mean, c->digits));
        if (more > 0) spd_html(out, ", and @ alike", spd_html_count(text, more));
        spd_html(out, "</span>");
    } else
        spd_html(out, "–");
    spd_html(out, "</td>");
}

static void winners(FILE *out, const spd_raced *race, const column *c, int columns) {
    const json_t *problems = spd_raced_problems(race);
    char id[SPD_SHORT];
    spd_html(out, "<div class='scroll'><table class='numbers'><thead><tr><th>data set</th><th>task</th>");
    for (int k = 0; k < columns; k++) spd_html(out, "<th>@</th>", c[k].title);
    spd_html(out, "</tr></thead><tbody>\n");
    for (size_t p = 0; p < json_array_size(problems); p++) {
        const json_t *problem = json_array_get(problems, p);
        snprintf(id, sizeof id, "#p%zu", p);
        spd_html(out, "<tr><th><a href='@'><bdi>@</bdi></a></th><td><bdi>@</bdi></td>", id, spd_json_text_of(problem, "data"),
                 spd_json_text_of(problem, "task"));
        for (int k = 0; k < columns; k++) put_winner(out, race, problem, &c[k]);
        spd_html(out, "</tr>\n");
    }
    spd_html(out, "</tbody></table></div>\n");
}

void spd_raced_winners(FILE *out, const spd_raced *race) {
    static const column results[] = {{"lowest objective", "suboptimality", -1, SPD_LOWEST, 2},
                                     {"lowest test loss", "test_loss", -1, SPD_LOWEST, 4},
                                     {"best test score", "test_score", -1, SPD_HIGHEST, 4}};
    column c[SPD_LEVELS_MAX];
    char title[SPD_LEVELS_MAX][SPD_SHORT];
    spd_html(out, "<h2 id='winners'>Winners</h2>\n<p class='faint'>Means over the repeats. A solver wins only if all of its "
                  "repeats got there; a dash: no solver did.</p>\n<h3>At the end</h3>\n");
    winners(out, race, results, sizeof results / sizeof *results);
    if (race->levels == 0) return;
    spd_html(out, "<h3>First in seconds to a relative suboptimality of</h3>\n");
    winners(out, race, c, level_columns(race, "seconds_to", c, title));
    spd_html(out, "<h3>First in epochs to a relative suboptimality of</h3>\n");
    winners(out, race, c, level_columns(race, "epochs_to", c, title));
}
