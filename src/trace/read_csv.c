/* read_csv.c - reads traces from the table that csv.c writes: its runs, in the order in which they first appear.
 * Columns are found by name; solver, epoch and objective are required. Empty cells are unknown values. */
#include <strings.h>

#include "data/data.h"
#include "table/cells.h"
#include "trace/trace.h"

enum { SOLVER, REPEAT, EPOCH, ITERATION, NUMBERS, COLUMNS = 11, MOST_REPEATS = 1 << 20 };
static const char *const column_name[COLUMNS] = {"solver",     "repeat",    "epoch",      "iteration", "seconds",  "objective",
                                                 "train_loss", "test_loss", "test_score", "gap",       "dual_norm"};

typedef struct table {
    spd_text text;
    char separator;
    int *role; /* for each column of the file, its position in column_name, or -1 */
    int64_t columns;
    spd_traces *runs;
} table;

static spdhg_status read_header(table *t, spdhg_error *err) {
    spd_cell cell;
    int64_t capacity = 0;
    bool found[COLUMNS] = {false};
    spd_budget budget = {.path = t->text.path};
    t->separator = spd_csv_separator(&t->text);
    do {
        SPD_TRY(spd_csv_cell(&t->text, t->separator, &cell, err));
        SPD_TRY(spd_reserve(&t->role, &capacity, t->columns + 1, sizeof *t->role, &budget, err));
        t->role[t->columns] = -1;
        const size_t length = (size_t)(cell.token.end - cell.token.at);
        for (int c = 0; c < COLUMNS; c++)
            if (!found[c] && strlen(column_name[c]) == length && strncasecmp(column_name[c], cell.token.at, length) == 0) {
                found[c] = true;
                t->role[t->columns] = c;
            }
        t->columns++;
    } while (!cell.last);
    if (!found[SOLVER] || !found[EPOCH] || !found[NUMBERS + 1])
        return spd_fail(err, SPDHG_DATA, "%s:1:1: not a trace: expected a header with the columns solver, epoch, objective, ...",
                        t->text.path);
    return SPDHG_OK;
}

static spdhg_status run_of(table *t, const char *solver, int64_t repeat, spd_traced **out, spdhg_error *err) {
    spd_traces *runs = t->runs;
    for (int64_t r = runs->count; r-- > 0;) /* usually the last one */
        if (runs->run[r].repeat == repeat && strcmp(runs->run[r].solver, solver) == 0) {
            *out = &runs->run[r];
            return SPDHG_OK;
        }
    if (runs->count == runs->capacity) {
        const int64_t capacity = runs->capacity ? 2 * runs->capacity : 16;
        spd_traced *grown = spd_grow(runs->run, runs->capacity, capacity, sizeof *grown);
        if (!grown) return spd_fail_memory(err, (double)capacity * (double)sizeof *grown);
        runs->run = grown;
        runs->capacity = capacity;
    }
    *out = &runs->run[runs->count];
    **out = (spd_traced){.solver = spd_strdup(solver), .repeat = repeat};
    runs->count++; /* from here on it is cleared together with the others */
    if ((*out)->solver) return SPDHG_OK;
    *out = NULL;
    return spd_fail_memory(err, (double)strlen(solver));
}

typedef struct line {
    char *solver;
    double value[COLUMNS];
} line;

static spdhg_status take_cell(const table *t, const spd_cell *cell, int role, line *l, spdhg_error *err) {
    const bool empty = cell->token.at == cell->token.end;
    if (role < 0 || (empty && role >= NUMBERS)) return SPDHG_OK;
    if (role == SOLVER) return (l->solver = spd_csv_text(cell)) ? SPDHG_OK : spd_fail_memory(err, (double)SPD_TOKEN_BYTES);
    SPD_TRY(spd_text_number(&t->text, &cell->token, &l->value[role], err));
    if (role == REPEAT && !(l->value[REPEAT] >= 0 && l->value[REPEAT] <= MOST_REPEATS))
        return spd_text_fail(&t->text, &cell->token, err, "expected the number of a repeat, 0 to %d", MOST_REPEATS);
    return SPDHG_OK;
}

/* Reads the cells of a line. No solver: the line is blank or, with *over, the file has ended. */
static spdhg_status read_cells(table *t, line *l, bool *over, spdhg_error *err) {
    spd_cell cell = {.last = false};
    for (int64_t at = 0; !cell.last; at++) {
        SPD_TRY(spd_csv_cell(&t->text, t->separator, &cell, err));
        *over = cell.token.kind == SPD_TEXT_END;
        if (at == 0 && cell.last && cell.token.at == cell.token.end) return SPDHG_OK;
        if (at >= t->columns || (cell.last && at + 1 < t->columns))
            return spd_text_fail(&t->text, &cell.token, err, "expected %lld cells in a line", (long long)t->columns);
        SPD_TRY(take_cell(t, &cell, t->role[at], l, err));
    }
    return SPDHG_OK;
}

static spdhg_status read_line(table *t, bool *over, spdhg_error *err) {
    line l = {NULL, {0, 0, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
    spdhg_status status = read_cells(t, &l, over, err);
    spd_traced *run = NULL;
    if (status == SPDHG_OK && l.solver) status = run_of(t, l.solver, (int64_t)l.value[REPEAT], &run, err);
    if (run) {
        const double *v = l.value;
        const spdhg_point point = {v[EPOCH], (int64_t)fmax(0, fmin(9e15, v[ITERATION])), v[4], v[5], v[6], NAN, v[7], v[8], v[9],
                                   v[10]};
        status = spd_trace_add(&run->trace, &point, err);
    }
    spd_free(l.solver);
    return status;
}

spdhg_status spd_trace_read_csv(spd_traces *runs, const char *path, spdhg_error *err) {
    *runs = (spd_traces){0};
    table t = {.runs = runs};
    spd_stream *stream;
    SPD_TRY(spd_stream_open(&stream, path, err));
    spdhg_status status = spd_text_open(&t.text, stream, err);
    if (status == SPDHG_OK) status = read_header(&t, err);
    for (bool over = false; status == SPDHG_OK && !over;) status = read_line(&t, &over, err);
    spd_text_close(&t.text);
    spd_free(t.role);
    spd_stream_close(stream);
    if (status != SPDHG_OK) spd_traces_clear(runs);
    return status;
}

void spd_traces_clear(spd_traces *runs) {
    for (int64_t r = 0; r < runs->count; r++) {
        spd_free(runs->run[r].solver);
        spd_trace_clear(&runs->run[r].trace);
    }
    spd_free(runs->run);
    *runs = (spd_traces){0};
}
