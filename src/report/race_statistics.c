/* race_statistics.c - conclusions over all data sets: mean ranks and wins, Friedman's test, the critical difference diagram
 * (Demsar 2006: solvers under one bar do not differ by Nemenyi's test), paired tests with Holm's correction. */
#include <stdlib.h>

#include "report/race.h"

enum { AXIS = 58, STEP = 22, BAR = 7 };

/* Two layouts, of which the style shows one: names on both sides of the axis, and all of them on the left for a narrow screen. */
typedef struct layout {
    const char *name;
    double wide, left, right;
    bool both;
} layout;

static const layout LAYOUTS[] = {{"wide", 760, 210, 550, true}, {"narrow", 370, 175, 355, false}};

typedef struct ranked {
    const char *solver;
    double rank;
} ranked;

static int by_rank(const void *a, const void *b) {
    const double x = ((const ranked *)a)->rank, y = ((const ranked *)b)->rank;
    return (x > y) - (x < y);
}

static int ranks_of(const json_t *statistic, ranked out[SPD_SOLVERS_MAX]) {
    const json_t *solvers = spd_json_list(statistic, "solvers");
    int count = 0;
    for (size_t s = 0; s < json_array_size(solvers) && count < SPD_SOLVERS_MAX; s++) {
        const json_t *solver = json_array_get(solvers, s);
        const ranked entry = {spd_json_text_of(solver, "solver"), spd_json_number_of(solver, "mean_rank")};
        if (isfinite(entry.rank)) out[count++] = entry;
    }
    qsort(out, (size_t)count, sizeof *out, by_rank);
    return count;
}

static double place(const layout *l, int count, double rank) { return l->left + (rank - 1) / (count - 1) * (l->right - l->left); }

static void draw_axis(FILE *out, const layout *l, int count) {
    char text[SPD_SHORT];
    const int step = 1 + (count - 1) / (l->both ? 13 : 7);
    spd_html(out, "<line class='axis' x1='~' x2='~' y1='~' y2='~'/>", l->left, l->right, (double)AXIS, (double)AXIS);
    for (int rank = 1; rank <= count; rank += step) {
        const double x = place(l, count, rank);
        spd_html(out, "<line class='axis' x1='~' x2='~' y1='~' y2='~'/>", x, x, AXIS - 5.0, (double)AXIS);
        spd_html(out, "<text text-anchor='middle' x='~' y='~'>@</text>", x, AXIS - 9.0, spd_html_count(text, rank));
    }
    spd_html(out, "<text text-anchor='end' x='~' y='~'>mean rank</text>", l->left - 20, AXIS - 9.0);
}

/* Draws the critical difference above the axis, cut off at the end of the axis. */
static void draw_difference(FILE *out, const layout *l, int count, double difference) {
    char text[SPD_SHORT];
    spd_html(out, "<line class='clique' x1='~' x2='~' y1='~' y2='~'/>", l->left, place(l, count, fmin(count, 1 + difference)),
             16.0, 16.0);
    spd_html(out, "<text text-anchor='end' x='~' y='20'>critical difference @</text>", l->left - 20,
             spd_html_number(text, difference, 3));
}

/* The last solver whose rank is less than a critical difference behind that of `from`. */
static int end_of_clique(const ranked *r, int count, int from, double difference) {
    int to = from;
    while (to + 1 < count && r[to + 1].rank - r[from].rank < difference) to++;
    return to;
}

/* Draws bars under the maximal groups in which no two ranks differ by a critical difference; returns their number. out NULL:
 * only counts. */
static int draw_cliques(FILE *out, const layout *l, const ranked *r, int count, double difference) {
    int bars = 0, reached = 0;
    for (int from = 0; from < count; from++) {
        const int to = end_of_clique(r, count, from, difference);
        if (to == from || to <= reached) continue;
        reached = to;
        const double y = AXIS + 8 + BAR * bars++;
        if (out)
            spd_html(out, "<line class='clique' x1='~' x2='~' y1='~' y2='~'/>", place(l, count, r[from].rank) - 3,
                     place(l, count, r[to].rank) + 3, y, y);
    }
    return bars;
}

/* The better half is labelled on the left, the other half, if there is room, on the right, from the ends of the axis inwards. */
static void diagram(FILE *out, const layout *l, const json_t *statistic, double difference) {
    ranked r[SPD_SOLVERS_MAX];
    char text[SPD_SHORT];
    const int count = ranks_of(statistic, r), half = l->both ? (count + 1) / 2 : count;
    if (count < 2) return;
    const double first = AXIS + 24 + BAR * draw_cliques(NULL, l, r, count, difference);
    spd_html(out, "<div class='for-@'><svg class='ranks' viewBox='0 0 ~ ~' role='img' aria-label='mean ranks, @'>", l->name,
             l->wide, first + STEP * half, spd_json_text_of(statistic, "measure"));
    draw_axis(out, l, count);
    if (isfinite(difference)) draw_difference(out, l, count, difference);
    for (int i = 0; i < count; i++) {
        const bool left = i < half;
        const double x = place(l, count, r[i].rank), y = first + STEP * (left ? i : count - 1 - i),
                     end = left ? l->left - 20 : l->right + 20;
        spd_html(out, "<path class='axis' fill='none' d='M~ ~L~ ~L~ ~'/>", x, (double)AXIS, x, y, end, y);
        spd_html(out, "<text class='name' text-anchor='@' x='~' y='~'>@", left ? "end" : "start", left ? end - 5 : end + 5, y + 4,
                 r[i].solver);
        spd_html(out, "  @</text>", spd_html_number(text, r[i].rank, 3));
    }
    draw_cliques(out, l, r, count, difference);
    spd_html(out, "</svg></div>\n");
}

static void pairs(FILE *out, const json_t *statistic) {
    const json_t *list = spd_json_list(statistic, "pairs");
    char text[SPD_SHORT];
    if (json_array_size(list) == 0) return;
    spd_html(out, "<details><summary>Paired tests</summary><div class='scroll'><table "
                  "class='numbers'><thead><tr><th>A</th><th>B</th><th class='r'>A better</th><th class='r'>B "
                  "better</th><th class='r'>ties</th><th class='r'>p</th><th class='r'>p, Holm</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        static const char *const count[] = {"wins_a", "wins_b", "ties"};
        spd_html(out, "<tr><th><bdi>@</bdi></th><td><bdi>@</bdi></td>", spd_json_text_of(pair, "a"), spd_json_text_of(pair, "b"));
        for (int k = 0; k < 3; k++)
            spd_html(out, "<td class='r'>@</td>", spd_html_number(text, spd_json_number_of(pair, count[k]), 6));
        spd_html(out, "<td class='r'>@</td>", spd_html_number(text, spd_json_number_of(pair, "p"), 3));
        const double holm = spd_json_number_of(pair, "p_holm");
        spd_html(out, "<td class='r@'>@</td></tr>\n", holm < 0.05 ? " best" : "", spd_html_number(text, holm, 3));
    }
    spd_html(out, "</tbody></table></div></details>\n");
}

static void tests(FILE *out, const json_t *statistic) {
    const json_t *friedman = json_object_get(statistic, "friedman"), *nemenyi = json_object_get(statistic, "nemenyi");
    char chi2[SPD_SHORT], degrees[SPD_SHORT], p[SPD_SHORT], sets[SPD_SHORT], alpha[SPD_SHORT];
    const double difference = spd_json_number_of(nemenyi, "critical_difference");
    spd_html(out, "<p>@ data sets. ", spd_html_number(sets, spd_json_number_of(statistic, "data_sets"), 6));
    if (isfinite(spd_json_number_of(friedman, "p")))
        spd_html(out, "Friedman's test of \"all solvers are alike\": chi-squared @ on @ degrees of freedom, p = @. ",
                 spd_html_number(chi2, spd_json_number_of(friedman, "chi2"), 4),
                 spd_html_number(degrees, spd_json_number_of(friedman, "degrees"), 4),
                 spd_html_number(p, spd_json_number_of(friedman, "p"), 2));
    if (isfinite(difference))
        spd_html(out, "Solvers under one bar do not differ by Nemenyi's test at level @.",
                 spd_html_number(alpha, spd_json_number_of(nemenyi, "alpha"), 3));
    spd_html(out, "</p>\n");
    for (size_t i = 0; i < sizeof LAYOUTS / sizeof *LAYOUTS; i++) diagram(out, &LAYOUTS[i], statistic, difference);
    pairs(out, statistic);
}

static const char *among(const json_t *statistic) {
    const char *text = spd_json_text_of(statistic, "among");
    return *text ? text : "all";
}

/* Of the same task, among the same solvers. */
static bool alike(const json_t *a, const json_t *b) {
    return strcmp(spd_json_text_of(a, "task"), spd_json_text_of(b, "task")) == 0 && strcmp(among(a), among(b)) == 0;
}

/* One row per solver, one column per measure of a task, for the statistics alike the first. */
static void overview(FILE *out, const spd_raced *race, const json_t *list, const json_t *like) {
    char rank[SPD_SHORT], wins[SPD_SHORT];
    spd_html(out, "<div class='scroll'><table class='numbers'><thead><tr><th>mean rank, wins</th>");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (alike(json_array_get(list, i), like))
            spd_html(out, "<th class='r'>@</th>", spd_json_text_of(json_array_get(list, i), "measure"));
    spd_html(out, "</tr></thead><tbody>\n");
    for (int s = 0; s < race->solvers; s++) {
        spd_html(out, "<tr><th>");
        spd_raced_key(out, race, race->solver[s]);
        spd_html(out, "</th>");
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *statistic = json_array_get(list, i), *solvers = spd_json_list(statistic, "solvers"), *own = NULL;
            if (!alike(statistic, like)) continue;
            for (size_t k = 0; k < json_array_size(solvers); k++)
                if (strcmp(spd_json_text_of(json_array_get(solvers, k), "solver"), race->solver[s]) == 0)
                    own = json_array_get(solvers, k);
            ranked r[SPD_SOLVERS_MAX];
            const bool best = ranks_of(statistic, r) > 0 && r[0].rank == spd_json_number_of(own, "mean_rank");
            spd_html(out, "<td class='r@'>@ <span class='part'>@</span></td>", best ? " best" : "",
                     spd_html_number(rank, spd_json_number_of(own, "mean_rank"), 3),
                     spd_html_number(wins, spd_json_number_of(own, "wins"), 4));
        }
        spd_html(out, "</tr>\n");
    }
    spd_html(out, "</tbody></table></div>\n");
}

static bool seen_before(const json_t *list, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (alike(json_array_get(list, k), json_array_get(list, i))) return true;
    return false;
}

void spd_raced_statistics(FILE *out, const spd_raced *race) {
    const json_t *list = spd_json_list(race->summary, "statistics");
    if (json_array_size(list) == 0) return;
    spd_html(
        out,
        "<h2 id='statistics'>Statistics over the data sets</h2>\n<p class='faint'>Mean rank (1 is best) and, in small print, "
        "the data sets "
        "a solver won. Exact solvers are compared where they stand after the median time of the others' runs.</p>\n");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *task = spd_json_text_of(json_array_get(list, i), "task");
        if (seen_before(list, i)) continue;
        const bool paper = strcmp(among(json_array_get(list, i)), "paper") == 0;
        spd_html(out, "<h3>Task <bdi>@</bdi>@</h3>\n", task, paper ? ", the paper's methods alone" : "");
        overview(out, race, list, json_array_get(list, i));
        for (size_t k = i; k < json_array_size(list); k++) {
            const json_t *statistic = json_array_get(list, k);
            if (!alike(statistic, json_array_get(list, i))) continue;
            spd_html(out, "<details@><summary><bdi>@</bdi>: <bdi>@</bdi></summary>\n", k == i ? " open" : "", task,
                     spd_json_text_of(statistic, "measure"));
            tests(out, statistic);
            spd_html(out, "</details>\n");
        }
    }
}
