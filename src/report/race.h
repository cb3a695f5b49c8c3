/* race.h - the parts of the page about a race, or about traces. A race is read from DIR/summary.json. Entries that are missing or
 * of the wrong type count as unknown, so a page can always be made. */
#ifndef SPD_RACE_PAGE_H
#define SPD_RACE_PAGE_H
#include <jansson.h>

#include "report/page.h"
#include "trace/trace.h"

enum { SPD_SOLVERS_MAX = 64, SPD_LEVELS_MAX = 12 };
typedef struct spd_raced {
    const char *directory; /* NULL: traces without a race */
    json_t *summary;
    const char *solver[SPD_SOLVERS_MAX]; /* all solvers, in order of first appearance, which determines their colours */
    int solvers;
    double level[SPD_LEVELS_MAX]; /* levels of relative suboptimality */
    int levels;
    size_t problems;
    spd_traces *runs; /* of each problem */
} spd_raced;

/* ---- race_load.c, race_traces.c: the caller must clear the result, also after a failure. */
spdhg_status spd_raced_read(spd_raced *race, const char *directory, spdhg_error *err);
spdhg_status spd_raced_of_traces(spd_raced *race, const char *const *path, int files, const char *command, spdhg_error *err);
spdhg_status spd_raced_add_solvers(spd_raced *race, spdhg_error *err);
spdhg_status spd_raced_file(char **out, const char *directory, const char *name, spdhg_error *err);
bool spd_raced_there(const char *path);
void spd_raced_clear(spd_raced *race);

/* ---- race_load.c: values from the summary. */
const char *spd_json_text_of(const json_t *object, const char *key); /* "" if it is not a text */
double spd_json_number_of(const json_t *object, const char *key);    /* NAN if it is not a number */
const json_t *spd_json_list(const json_t *object, const char *key);  /* NULL (an empty list) if it is not one */
int spd_raced_solver(const spd_raced *race, const char *name);       /* its index, -1: none */
const json_t *spd_raced_problems(const spd_raced *race);
/* Statistics of a quantity over those runs of a solver that did not diverge: a number, or entry `level` of a list (level < 0: a
 * number). */
typedef struct spd_spread {
    double mean, low, high; /* over the runs that have it; NAN: none */
    int64_t known, all;
} spd_spread;
spd_spread spd_raced_spread(const json_t *solver, const char *key, int level);
/* The solver with the best mean of this quantity, among those for which all runs have it. -1: none. */
enum { SPD_LOWEST = -1, SPD_HIGHEST = 1 };
int spd_raced_best(const json_t *problem, const char *key, int level, int sense);
int64_t spd_raced_count(const json_t *problem, const char *status); /* runs with that status; NULL: all runs */

/* ---- race_data.c: the data that the script draws, as a block of JSON. */
void spd_raced_data(FILE *out, const spd_raced *race);

/* ---- race_tables.c: the results of a problem; the winners over all problems. */
void spd_raced_key(FILE *out, const spd_raced *race, const char *solver); /* its line and name */
void spd_raced_results(FILE *out, const spd_raced *race, const json_t *problem);
void spd_raced_winners(FILE *out, const spd_raced *race);

/* ---- race_statistics.c: ranks, tests and the diagram of critical differences. */
void spd_raced_statistics(FILE *out, const spd_raced *race);

/* ---- race_settings.c: the parameters of the solvers on a problem; the settings of the whole race. */
void spd_raced_parameters(FILE *out, const spd_raced *race, const json_t *problem);
void spd_raced_settings(FILE *out, const spd_raced *race);
#endif
