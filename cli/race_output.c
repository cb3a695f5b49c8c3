/* race_output.c - the summary of a race as one table per task: how good each solver is and which levels it reached. Read from
 * DIR/summary.json, the only place where the numbers are stored. */
#include "cli.h"

enum { LEVELS = 6 };

/* How many runs of a solver in a task ended with each status, and how many reached each level. */
typedef struct tally {
    int64_t runs, done, timed_out, diverged, refused, failed, at[LEVELS];
    const char *tuned;
    bool by_seconds;
} tally;

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void count_run(tally *t, const json_t *run) {
    const char *status = text_of(run, "status");
    const json_t *epochs = json_object_get(run, "epochs_to"), *seconds = json_object_get(run, "seconds_to"),
                 *budget = json_object_get(run, "budget"); /* a number: compared by seconds */
    t->runs++;
    t->done += strcmp(status, "done") == 0;
    t->timed_out += strcmp(status, "time-out") == 0;
    t->diverged += strcmp(status, "diverged") == 0;
    t->refused += strcmp(status, "refused") == 0;
    t->failed += strcmp(status, "failed") == 0;
    for (size_t l = 0; l < LEVELS; l++) {
        const json_t *within = json_is_number(budget) ? json_array_get(seconds, l) : json_array_get(epochs, l);
        t->at[l] += json_is_number(within) && !(json_is_number(budget) && json_number_value(within) > json_number_value(budget));
    }
}

static tally count(const json_t *summary, const char *task, const char *solver) {
    tally t = {.tuned = ""};
    size_t i, j, k;
    json_t *problem, *entry, *run;
    json_array_foreach(json_object_get(summary, "problems"), i, problem) {
        if (strcmp(text_of(problem, "task"), task) != 0) continue;
        json_array_foreach(json_object_get(problem, "solvers"), j, entry) {
            if (strcmp(text_of(entry, "solver"), solver) != 0) continue;
            t.tuned = text_of(entry, "tuned");
            t.by_seconds = strcmp(text_of(entry, "compared_by"), "seconds") == 0;
            json_array_foreach(json_object_get(entry, "runs"), k, run) { count_run(&t, run); }
        }
    }
    return t;
}

static void print_rank(const json_t *ranked) {
    if (ranked)
        printf(" %5.2f %5lld", json_number_value(json_object_get(ranked, "mean_rank")),
               (long long)json_integer_value(json_object_get(ranked, "wins")));
    else
        printf(" %5s %5s", "-", "-");
}

/* Returns whether the solver is compared by seconds. */
static bool print_row(const json_t *summary, const char *task, const char *solver, const json_t *ranked, const json_t *paper) {
    const tally t = count(summary, task, solver);
    char name[64];
    snprintf(name, sizeof name, "%s%s", solver, t.by_seconds ? "*" : "");
    printf("%-15s %-8s", name, t.tuned);
    print_rank(ranked);
    print_rank(paper);
    for (int l = 0; l < LEVELS; l++) printf(" %5.0f", t.runs ? 100.0 * (double)t.at[l] / (double)t.runs : 0);
    const struct {
        int64_t count;
        const char *word;
    } odd[] = {{t.timed_out, "timed out"}, {t.diverged, "diverged"}, {t.refused, "refused"}, {t.failed, "failed"}};
    for (size_t i = 0, said = 0; i < sizeof odd / sizeof *odd; i++)
        if (odd[i].count)
            printf("%s%lld of %lld %s", said++ ? ", " : "  ", (long long)odd[i].count, (long long)t.runs, odd[i].word);
    putchar('\n');
    return t.by_seconds;
}

/* The entry of a solver in the statistics, or NULL. */
static const json_t *rank_of(const json_t *statistic, const char *solver) {
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(statistic, "solvers"), i, entry) {
        if (strcmp(text_of(entry, "solver"), solver) == 0) return entry;
    }
    return NULL;
}

/* among: "all" or "paper". */
static const json_t *find_statistic(const json_t *summary, const char *task, const char *among, const char *measure) {
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(summary, "statistics"), i, entry) {
        if (strcmp(text_of(entry, "task"), task) == 0 && strcmp(text_of(entry, "among"), among) == 0 &&
            strcmp(text_of(entry, "measure"), measure) == 0)
            return entry;
    }
    return NULL;
}

static void print_task(const json_t *summary, const char *task) {
    const char *measure = "suboptimality at the last epoch";
    const json_t *statistic = find_statistic(summary, task, "all", measure),
                 *paper = find_statistic(summary, task, "paper", measure),
                 *problem = json_array_get(json_object_get(summary, "problems"), 0), *entry;
    printf("%s: relative suboptimality at the end, mean rank and wins over data sets, among all and among the paper's methods; "
           "%% of the runs that reached a level\n",
           task);
    printf("%-15s %-8s %5s %5s %5s %5s %5s %5s %5s %5s %5s %5s\n", "solver", "tuned", "rank", "wins", "paper", "wins", "1e-1",
           "1e-2", "1e-3", "1e-4", "1e-5", "1e-6");
    bool by_seconds = false;
    size_t i;
    json_t *solvers = json_object_get(problem, "solvers");
    json_array_foreach(solvers, i, entry) {
        const char *solver = text_of(entry, "solver");
        by_seconds |= print_row(summary, task, solver, rank_of(statistic, solver), rank_of(paper, solver));
    }
    if (by_seconds)
        printf("* exact: a step takes many passes; compared by what is reached in the median time of the others' runs\n");
    const json_t *friedman = json_object_get(statistic, "friedman");
    const double p = json_number_value(json_object_get(friedman, "p"));
    if (json_is_number(json_object_get(friedman, "p")))
        printf("Friedman p = %.3g; mean ranks further apart than %.2f differ (Nemenyi, 5 %%)\n", p,
               json_number_value(json_object_get(json_object_get(statistic, "nemenyi"), "critical_difference")));
    putchar('\n');
}

static void print_uncertified(const json_t *summary) {
    size_t i, j;
    json_t *problem, *optimum;
    json_array_foreach(json_object_get(summary, "problems"), i, problem) {
        int64_t open = 0;
        json_array_foreach(json_object_get(problem, "optima"), j, optimum) {
            open += !json_is_true(json_object_get(optimum, "certified"));
        }
        char plain[CLI_TEXT_CHARS];
        if (open > 0)
            printf("%s %s: the optimum of %lld repeats is not certified; the smallest value seen is used instead\n",
                   cli_plain(plain, text_of(problem, "data")), text_of(problem, "task"), (long long)open);
    }
}

spdhg_status cli_race_print(const char *folder, bool json, spdhg_error *err) {
    char *path = NULL;
    if (asprintf(&path, "%s/summary.json", folder) < 0) return spd_fail_memory(err, 1000);
    json_error_t why;
    json_t *summary = json_load_file(path, 0, &why);
    if (!summary) {
        spd_fail(err, SPDHG_IO, "%s:%d:%d: %s", path, why.line, why.column, why.text);
        free(path);
        return SPDHG_IO;
    }
    free(path);
    if (json) return cli_json_print(summary, err);
    const char *done[2] = {"", ""};
    size_t i;
    json_t *problem;
    int tasks = 0;
    json_array_foreach(json_object_get(summary, "problems"), i, problem) {
        const char *task = text_of(problem, "task");
        if (tasks == 2 || strcmp(task, done[0]) == 0) continue;
        done[tasks++] = task;
    }
    for (int t = 0; t < tasks; t++) print_task(summary, done[t]);
    print_uncertified(summary);
    char plain[CLI_TEXT_CHARS];
    printf("written to %s: summary.json, summary.csv and a CSV file of traces for each data set and task\n",
           cli_plain(plain, folder));
    json_decref(summary);
    return SPDHG_OK;
}
