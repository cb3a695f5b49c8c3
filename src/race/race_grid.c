/* race_grid.c - the parameters a race tries: the same budget for every solver, at most 6 x 3 points. The first axis is the step
 * length, the second the strength of the dual or penalty step. Factors multiply the values that the solver's own rules give; the
 * first point uses those rules unchanged. Where the best point has the longest or the shortest step, the grid grows beyond that
 * edge, a factor of ten at a time, until that gains less than GAIN: no solver is judged by where its grid happens to end. Many
 * gain a little forever, since an infinite step has a limit too: the rest of the update then decides. */
#include "admm/admm.h"
#include "race/race.h"

static const double GAIN = 1e-3; /* of the score: the results are compared by their factors of ten */

enum { MOVED = 2, SAY = 9 /* as a power: the value is the factor itself */ };

typedef struct axis {
    const char *param[MOVED];
    int power[MOVED]; /* value = base factor^power; 0 keeps the base when the other parameter's rule would move it */
    int factors;
    double factor[6];
} axis;

#define LONGER                                                                                                                   \
    6, { 1, 10, 100, 1000, 10000, 0.1 } /* the rules are bounds for the worst row: mostly longer steps help */
#define DUAL                                                                                                                     \
    3, { 1, 0.01, 100 }

static const axis longer = {{"L"}, {-1}, LONGER}, scale = {{"scale"}, {1}, LONGER},
                  longer_theta = {{"L", "theta"}, {-1, -1}, LONGER}, longer_eta0 = {{"L", "eta0"}, {-1, 1}, LONGER},
                  eta = {{"eta", "a"}, {1, 0}, LONGER}, eta0 = {{"eta0"}, {1}, LONGER}, s = {{"s"}, {1}, DUAL},
                  rho = {{"rho"}, {1}, DUAL}, damping = {{"c"}, {SAY}, 2, {0.25, 1}},
                  theta = {{"theta"}, {SAY}, 3, {0.25, 1.0 / 3, 1}}, theta_full = {{"theta"}, {SAY}, 3, {1.5, 1, 1.9}},
                  precondition = {{"precondition"}, {SAY}, 2, {0, 1}};

static const struct grid {
    const char *solver;
    const axis *axis[2];
} table[] = {
    {"spdhg", {&scale, &s}},
    {"spdhg-sc1", {&scale, &s}},
    {"spdhg-sc2", {&scale, &s}},
    {"spdhg-sc1h", {&scale, &s}},
    {"spdhg-sc2h", {&scale, &s}},
    {"lpdhg", {&scale, &s}},
    {"lpdhg-const", {&longer, &s}},
    {"sadmm", {&longer_theta, &rho}},
    {"sadmm-sc2", {&longer, &rho}},
    {"opg-admm", {&longer_eta0, &rho}},
    {"rda-admm", {&longer_eta0, &rho}},
    {"sgadm", {&longer, &rho}},
    {"gadm", {&longer, &rho}},
    {"fsadmm", {&longer, &rho}},
    {"fsadmm-lite", {&longer, &rho}},
    {"ada-sadmm-diag", {&eta, &rho}},
    {"ada-sadmm-full", {&eta, &rho}},
    {"online-admm", {&eta0, &rho}},
    {"sdca-admm", {&damping}},
    {"saga-pd3o", {&theta, &precondition}},
    {"lsvrg-pd3o", {&theta, &precondition}},
    {"pd3o", {&theta_full, &precondition}},
    {"condat-vu", {&precondition}},
};

bool spd_race_by_theory(const char *solver) { return strncmp(solver, "spdhg", 5) == 0; }

bool spd_race_by_seconds(const char *solver) {
    const spd_solver_kind *kind = spd_solver_find(solver);
    return !kind || kind->exact; /* auto is no kind */
}

bool spd_race_of_paper(const char *solver) {
    static const char *const raced[] = {"spdhg",    "spdhg-sc1", "spdhg-sc2", "lpdhg",          "sadmm",
                                        "opg-admm", "rda-admm",  "fsadmm",    "ada-sadmm-diag", "ada-sadmm-full"};
    for (size_t i = 0; i < sizeof raced / sizeof *raced; i++)
        if (strcmp(raced[i], solver) == 0) return true;
    return false;
}

/* The value in the solver's table, or the one its rule gives on p. */
static double base_of(const spd_race *race, const spd_solver_kind *kind, const spdhg_problem *p, const char *name) {
    if (!p) return NAN;
    const double L = spd_problem_lipschitz(p, race->o.sampling), norm = spd_problem_structure_norm(p);
    for (int i = 0; i < kind->params; i++)
        if (strcmp(kind->param[i].name, name) == 0 && !isnan(kind->param[i].value)) return kind->param[i].value;
    if (strcmp(name, "s") == 0 && strcmp(kind->name, "lpdhg-const") == 0) return norm > 0 ? L / (norm * norm) : 1;
    if (strcmp(name, "s") == 0) return norm > 0 ? spd_problem_dual_radius(p) / norm : 1;
    if (strcmp(name, "rho") == 0) return spd_admm_rho(p, NAN, L);
    if (strcmp(name, "eta0") == 0) return p->gamma > 0 ? 1 / p->gamma : 1;
    if (strcmp(name, "a") == 0) return L - p->gamma;
    return L;
}

static void add(const spd_race *race, const spd_solver_kind *kind, const spdhg_problem *p, const axis *along, double factor,
                spd_race_params *out) {
    for (int i = 0; along && i < MOVED && along->param[i]; i++) {
        const double value =
            along->power[i] == SAY ? factor : base_of(race, kind, p, along->param[i]) * pow(factor, along->power[i]);
        out->param[out->count++] = (spd_race_param){along->param[i], value};
    }
}

static const struct grid *grid_of(const char *solver) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].solver, solver) == 0) return &table[i];
    return NULL;
}

void spd_race_grid(const spd_race *race, spd_race_entry *entry) {
    const struct grid *grid = grid_of(entry->solver);
    const bool paper = strcmp(race->o.protocol, "paper") == 0;
    const bool theory = spd_race_by_theory(entry->solver) && strcmp(race->o.protocol, "fair") != 0;
    entry->tuned = theory ? "theory" : grid ? "grid" : "default";
    entry->points = 0;
    if (theory && paper && spd_solver_find(entry->solver)->smoothness)
        entry->chosen = (spd_race_params){1, {{"L", SPD_L_MAX}}}; /* as in the paper's experiments */
    if (!grid || theory) return;
    const axis *first = grid->axis[0], *second = grid->axis[1];
    for (int i = 0; i < first->factors; i++)
        for (int j = 0; j < (second ? second->factors : 1); j++) {
            entry->factor[entry->points][0] = first->factor[i];
            entry->factor[entry->points++][1] = second ? second->factor[j] : NAN;
        }
    spd_race_grid_values(race, NULL, entry);
}

void spd_race_grid_values(const spd_race *race, const spdhg_problem *p, spd_race_entry *entry) {
    const struct grid *grid = grid_of(entry->solver);
    for (int g = 0; g < entry->points; g++) {
        entry->grid[g].count = 0;
        for (int k = 0; k < 2; k++)
            add(race, spd_solver_find(entry->solver), p, grid->axis[k], entry->factor[g][k], &entry->grid[g]);
    }
}

int spd_race_grid_best(const spd_race_entry *entry) {
    int best = 0;
    for (int i = 1; i < entry->points; i++)
        if (entry->score[i] < entry->score[best]) best = i;
    return entry->points > 0 && isfinite(entry->score[best]) ? best : -1;
}

/* The last point lies beyond the edge and gained too little, compared with the best of the others. */
static bool has_settled(const struct grid *grid, const spd_race_entry *entry) {
    spd_race_entry before = *entry;
    const int asked = grid->axis[0]->factors * (grid->axis[1] ? grid->axis[1]->factors : 1);
    before.points--;
    const int best = spd_race_grid_best(&before);
    return entry->points > asked && best >= 0 && !(entry->score[best] - entry->score[before.points] > GAIN * entry->score[best]);
}

bool spd_race_widen(const spd_race *race, spd_race_entry *entry) {
    const struct grid *grid = grid_of(entry->solver);
    const int best = spd_race_grid_best(entry);
    if (best < 0 || entry->points == SPD_GRID_MAX || grid->axis[0]->power[0] == SAY || has_settled(grid, entry)) return false;
    const double step = entry->factor[best][0];
    double least = step, most = step;
    for (int g = 0; g < entry->points; g++) {
        least = fmin(least, entry->factor[g][0]);
        most = fmax(most, entry->factor[g][0]);
    }
    if (step > least && step < most) return false;
    entry->factor[entry->points][0] = step == most ? 10 * step : step / 10;
    entry->factor[entry->points++][1] = entry->factor[best][1];
    spd_race_grid_values(race, NULL, entry);
    return true;
}
