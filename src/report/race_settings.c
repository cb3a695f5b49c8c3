/* race_settings.c - with what a race was run: parameters of every solver on a problem, settings, seed, version, machine, command.
 */
#include "report/race.h"

/* "s=0.1, batch 8": the parameters that were used. */
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

void spd_race_parameters(FILE *out, const spd_race *race, const json_t *problem) {
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
        spd_race_key(out, race, spd_json_text(solver, "solver"));
        spd_html(out, "</th><td>@</td>", spd_json_text(solver, "tuned"));
        spd_html(out, "<td class='r'>@</td>", spd_html_number(text, spd_json_number(solver, "grid_points"), 4));
        spd_html(out, "<td class='r'>@</td><td>", spd_html_number(text, spd_json_number(solver, "batch"), 8));
        put_parameters(out, solver);
        spd_html(out, "</td></tr>\n");
    }
    spd_html(out, "</tbody></table></div></details>\n");
}

static void number(FILE *out, const char *name, const json_t *object, const char *key, const char *unit) {
    const double value = spd_json_number(object, key);
    char text[SPD_SHORT], all[2 * SPD_SHORT];
    snprintf(all, sizeof all, "%s%s", spd_html_number(text, value, 12), unit);
    spd_page_setting(out, name, isnan(value) ? "" : all);
}

void spd_race_settings(FILE *out, const spd_race *race) {
    const json_t *s = race->summary, *machine = json_object_get(s, "machine");
    if (race->directory) {
        spd_html(out, "<h2 id='settings'>Settings</h2>\n<div class='row'><table>");
        spd_page_setting(out, "protocol", spd_json_text(s, "protocol"));
        spd_page_setting(out, "preset", spd_json_text(s, "preset"));
        spd_page_setting(out, "quick", json_is_true(json_object_get(s, "quick")) ? "yes" : "no");
        number(out, "repeats", s, "repeats", "");
        number(out, "epochs at most", s, "epochs", "");
        number(out, "time of a run at most", s, "run_time", " s");
        number(out, "part of the rows for testing", s, "test_fraction", "");
        number(out, "seed", s, "seed", "");
        spd_html(out, "</table><table>");
        spd_page_setting(out, "spdhg", spd_json_text(s, "version"));
        spd_page_setting(out, "processor", spd_json_text(machine, "cpu"));
        number(out, "cores", machine, "cores", "");
        spd_page_setting(out, "memory", spd_json_text(machine, "memory"));
        number(out, "memory", machine, "memory", " bytes");
        spd_page_setting(out, "system", spd_json_text(machine, "system"));
        spd_html(out, "</table></div>\n");
    }
    spd_page_command(out, spd_json_text(s, "command"));
}
