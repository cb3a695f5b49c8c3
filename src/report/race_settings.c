/* race_settings.c - how a race was run: parameters of every solver on a problem, settings, seed, version, machine, command. */
#include "report/race.h"

/* Writes the parameters used: "s=0.1, batch 8". */
static void put_parameters(FILE *out, const json_t *solver) {
    const char *name;
    json_t *value;
    char text[SPD_SHORT];
    bool first = true;
    json_object_foreach(json_object_get(solver, "params"), name, value) {
        spd_html(out, "@@ = @", first ? "" : ", ", name,
                 spd_html_number(text, json_is_number(value) ? json_number_value(value) : NAN, 4));
        first = false;
    }
}

void spd_raced_parameters(FILE *out, const spd_raced *race, const json_t *problem) {
    const json_t *solvers = spd_json_list(problem, "solvers");
    char text[SPD_SHORT];
    if (!race->directory) return;
    spd_html(
        out,
        "<details><summary>Parameters of the solvers</summary><div class='scroll'><table class='numbers'><thead><tr>"
        "<th>solver</th><th>chosen by</th><th class='r'>grid points</th><th class='r'>batch</th><th>parameters</th></tr></thead>"
        "<tbody>\n");
    for (size_t s = 0; s < json_array_size(solvers); s++) {
        const json_t *solver = json_array_get(solvers, s);
        spd_html(out, "<tr><th>");
        spd_raced_key(out, race, spd_json_text_of(solver, "solver"));
        spd_html(out, "</th><td>@</td>", spd_json_text_of(solver, "tuned"));
        spd_html(out, "<td class='r'>@</td>", spd_html_number(text, spd_json_number_of(solver, "grid_points"), 4));
        const char *batch = spd_json_text_of(solver, "batch"); /* a number or a word */
        spd_html(out, "<td class='r'>@</td><td>", *batch ? batch : spd_html_number(text, spd_json_number_of(solver, "batch"), 8));
        put_parameters(out, solver);
        spd_html(out, "</td></tr>\n");
    }
    spd_html(out, "</tbody></table></div></details>\n");
}

/* Settings with a different name on the page; "" omits those shown elsewhere. */
static const char *title_of(const char *key) {
    static const char *const title[][2] = {
        {"format", ""},
        {"version", "spdhg"},
        {"command", ""},
        {"epochs", "epochs per run"},
        {"every", "epochs between points"},
        {"run_time", "time limit of a run in seconds"},
        {"time_outs", "time-outs after which a solver is not started again (0: none)"},
        {"test_fraction", "fraction of the rows for testing"},
        {"tune_fraction", "fraction of the training rows for tuning"},
        {"tune_folds", "folds of the tuning"},
        {"tune_by", "tuned by"},
        {"cpu", "processor"},
        {"memory", "memory in bytes"},
    };
    for (size_t i = 0; i < sizeof title / sizeof *title; i++)
        if (strcmp(title[i][0], key) == 0) return title[i][1];
    return key;
}

/* Writes every text, number and boolean of an object, in order. */
static void settings_of(FILE *out, json_t *object) {
    const char *key;
    json_t *value;
    char text[SPD_SHORT];
    json_object_foreach(object, key, value) {
        const char *title = title_of(key);
        if (!*title) continue;
        if (json_is_string(value)) spd_page_setting(out, title, json_string_value(value));
        if (json_is_number(value)) spd_page_setting(out, title, spd_html_number(text, json_number_value(value), 12));
        if (json_is_boolean(value)) spd_page_setting(out, title, json_is_true(value) ? "yes" : "no");
    }
}

void spd_raced_settings(FILE *out, const spd_raced *race) {
    if (race->directory) {
        spd_html(out, "<h2 id='settings'>Settings</h2>\n<div class='row'><table>");
        settings_of(out, race->summary);
        spd_html(out, "</table><table>");
        settings_of(out, json_object_get(race->summary, "machine"));
        spd_html(out, "</table></div>\n");
    }
    spd_page_command(out, spd_json_text_of(race->summary, "command"));
}
