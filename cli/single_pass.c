/* single_pass.c - `spdhg fit --single-pass`: learns from a pipe or a file that passes once, in constant memory (docs/streams.md).
 * While a block of rows is learned, another thread reads the next one. */
#include "fit.h"
#include "online/online.h"

typedef struct single_pass {
    cli_fit_job *f;
    spd_online *online;
    spd_text_blocks *blocks;
    const spdhg_data *now, *next;
    spdhg_status read, learned;
    spdhg_error read_error, learn_error;
    double started, before, saved; /* before: seconds of the runs that are resumed */
    spd_online_score shown;        /* at the last line of the table */
    int64_t show_at;
    double deadline;
} single_pass;

void cli_single_pass_check(const cli_fit_job *f, const struct argp_state *state) {
    const spdhg_options *o = &f->solve.options;
    const struct {
        const char *option;
        bool given;
    } other[] = {{"--test", f->test_path},
                 {"--test-fraction", f->test_fraction > 0},
                 {"--trace", f->trace_path},
                 {"--report", f->report_path},
                 {"--certificate", f->certificate_path},
                 {"--bound", f->bound.asked},
                 {"--epochs", o->epochs > 0},
                 {"--every", o->every > 0},
                 {"--targets", f->read.targets},
                 {"--names", f->read.names},
                 {"--sampling", o->sampling != SPDHG_SAMPLING_IID}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].given) cli_usage(state, "%s: not possible with --single-pass, which sees every row once", other[i].option);
    if (strcmp(f->solve.solver, "auto") != 0 && strcmp(f->solve.solver, "spdhg-free") != 0)
        cli_usage(state, "--solver %s: a single pass is made by spdhg-free, whose steps need no constant of the data",
                  f->solve.solver);
    if (!f->read.features && !f->read.hash)
        cli_usage(state, "--single-pass: the number of features must be known: --features D, or --hash BITS for words");
}

static bool ends(void *context) {
    const single_pass *s = context;
    return cli_signals_status() != 0 || spd_now() > s->deadline;
}

static double seconds(const single_pass *s) { return s->before + spd_now() - s->started; }

/* The labels of --classes, ascending. */
static spdhg_status parse_classes(const char *text, double **value, int64_t *classes, spdhg_error *err) {
    *value = SPD_NEW(double, (int64_t)strlen(text) + 1);
    if (!*value) return spd_fail_memory(err, 8.0 * (double)strlen(text));
    for (*classes = 0;; text++) {
        const char *end = strchrnul(text, ',');
        if (spd_parse_double(text, end, &(*value)[*classes]) != end || end == text)
            return spd_fail(err, SPDHG_USAGE, "--classes: '%s' is not a list of numbers, such as 0,1", text);
        (*classes)++;
        text = end;
        if (!*end) break;
    }
    spdhg_data list = {.rows = *classes, .targets = 1, .b = *value};
    double *sorted;
    const spdhg_status status = spd_online_classes(&list, &sorted, classes, err);
    spd_free(*value);
    *value = sorted;
    return status;
}

static spdhg_status start_of(single_pass *s, spd_online_start *start, spdhg_error *err) {
    const cli_fit_job *f = s->f;
    *start = (spd_online_start){.recipe = &f->problem_options,
                                .features = f->read.hash ? (int64_t)1 << f->read.hash : f->read.features,
                                .index_base = s->now->index_base,
                                .hash = f->read.hash,
                                .row_entries = (double)s->now->nnz / (double)s->now->rows,
                                .batch = f->solve.options.batch > 0 ? f->solve.options.batch : 0,
                                .reach = NAN,
                                .s = NAN,
                                .seed = f->solve.options.seed};
    for (int i = 0; i < f->solve.params; i++) {
        const size_t length = strcspn(f->solve.param[i].name, "=");
        if (length == 1 && f->solve.param[i].name[0] == 's')
            start->s = f->solve.param[i].value;
        else if (length == 5 && memcmp(f->solve.param[i].name, "reach", 5) == 0)
            start->reach = f->solve.param[i].value;
        else
            return spd_fail(err, SPDHG_USAGE, "--param %s: spdhg-free has the parameters s and reach", f->solve.param[i].name);
    }
    return SPDHG_OK;
}

/* A loss for classes needs their labels, from --classes or the first block. */
static spdhg_status begin(single_pass *s, spdhg_error *err) {
    cli_fit_job *f = s->f;
    spd_online_start start;
    SPD_TRY(start_of(s, &start, err));
    if (f->solve.options.resume) {
        bool previous = false;
        SPD_TRY(spd_online_resume(&s->online, &start, f->solve.options.resume, &s->before, &previous, err));
        if (previous) fprintf(stderr, "spdhg fit: %s is damaged; the checkpoint before it was used\n", f->solve.options.resume);
        if (spd_online_index_base(s->online) != s->now->index_base && !f->read.hash)
            return spd_fail(err, SPDHG_DATA, "%s counts its features from %d, the rows learned before from %d", f->path,
                            s->now->index_base, spd_online_index_base(s->online));
        return SPDHG_OK;
    }
    double *value = NULL, arg;
    const spdhg_loss *loss;
    SPD_TRY(spd_loss_find(f->problem_options.loss, &loss, &arg, err));
    spdhg_status status = SPDHG_OK;
    if (loss->classify)
        status = f->classes ? parse_classes(f->classes, &value, &start.classes, err)
                            : spd_online_classes(s->now, &value, &start.classes, err);
    start.class_value = value;
    if (status == SPDHG_OK && value && start.classes < 2)
        status = spd_fail(err, SPDHG_DATA, "%s: only one label, %g, among the first %lld rows; name all of them with --classes",
                          f->path, value[0], (long long)s->now->rows);
    if (status == SPDHG_OK) status = spd_online_new(&s->online, &start, err);
    spd_free(value);
    return status;
}

/* Task 0 learns this block while task 1 reads the next. */
static void work(void *context, int64_t task) {
    single_pass *s = context;
    if (task == 0)
        s->learned = spd_online_learn(s->online, s->now, &s->learn_error);
    else
        s->read = spd_text_blocks_next(s->blocks, &s->next, &s->read_error);
}

static void show(single_pass *s, bool last) {
    FILE *to = s->f->human;
    const spd_online_score *all = spd_online_all(s->online), *old = &s->shown;
    if (!to || all->rows == old->rows || (all->rows < s->show_at && !last)) return;
    const bool classes = !isnan(all->right);
    if (old->rows == 0)
        fprintf(to, "%12s %9s %14s %14s%s\n", "rows", "seconds", "loss so far", "loss since", classes ? "  accuracy" : "");
    const double rows = (double)all->rows, before = (double)old->rows;
    const double since = (all->loss * rows - (before > 0 ? old->loss * before : 0)) / (rows - before);
    fprintf(to, "%12lld %9.3f %14.8g %14.8g", (long long)all->rows, seconds(s), all->loss, since);
    if (classes) fprintf(to, " %9.4f", all->right);
    fputc('\n', to);
    fflush(to);
    s->shown = *all;
    while (s->show_at <= all->rows) s->show_at *= 2;
}

/* A checkpoint that cannot be written does not end the pass: the next one may succeed. */
static void save_now_and_then(single_pass *s) {
    const spdhg_options *o = &s->f->solve.options;
    spdhg_error err;
    if (!o->checkpoint || spd_now() - s->saved < o->checkpoint_every) return;
    s->saved = spd_now();
    if (spd_online_save(s->online, seconds(s), o->checkpoint, &err) != SPDHG_OK) fprintf(stderr, "spdhg fit: %s\n", err.message);
}

/* What was learned is not lost if a later row is bad. */
static spdhg_status fail_at_row(single_pass *s, spdhg_error *err) {
    const char *path = s->f->solve.options.checkpoint;
    if (!path) return spd_fail(err, s->read, "%s", s->read_error.message);
    SPD_TRY(spd_online_save(s->online, seconds(s), path, err));
    return spd_fail(err, s->read, "%s; %s holds what was learned from the %lld rows before it", s->read_error.message, path,
                    (long long)spd_online_all(s->online)->rows);
}

static spdhg_status learn_all(single_pass *s, spdhg_outcome *outcome, spdhg_error *err) {
    SPD_TRY(spd_text_blocks_next(s->blocks, &s->now, err));
    if (s->now->rows == 0) return spd_fail(err, SPDHG_DATA, "%s: has no rows", s->f->path);
    SPD_TRY(begin(s, err));
    s->show_at = SPD_BLOCK_ROWS;
    while (s->now->rows > 0 && *outcome == SPDHG_OUTCOME_DONE) {
        spd_parallel(spd_threads(s->f->read.threads), 2, work, s);
        if (s->learned != SPDHG_OK) return spd_fail(err, s->learned, "%s", s->learn_error.message);
        if (spd_online_diverged(s->online)) *outcome = SPDHG_OUTCOME_DIVERGED;
        show(s, false);
        if (s->read != SPDHG_OK) return fail_at_row(s, err);
        save_now_and_then(s);
        s->now = s->next;
    }
    show(s, true);
    if (cli_signals_status()) *outcome = SPDHG_OUTCOME_INTERRUPTED;
    return SPDHG_OK;
}

static json_t *summary(const single_pass *s, spdhg_outcome outcome, double took) {
    const spd_online_score *all = spd_online_all(s->online);
    json_t *o = json_object();
    json_object_set_new(o, "outcome", json_string(cli_outcome_word(outcome)));
    json_object_set_new(o, "solver", json_string("spdhg-free"));
    json_object_set_new(o, "rows", json_integer(all->rows));
    json_object_set_new(o, "iterations", json_integer(all->iterations));
    json_object_set_new(o, "batch", json_integer(spd_online_batch(s->online)));
    json_object_set_new(o, "progressive_loss", cli_json_number(all->loss));
    json_object_set_new(o, "progressive_accuracy", cli_json_number(all->right));
    json_object_set_new(o, "seconds", cli_json_number(took));
    return o;
}

static spdhg_status write(single_pass *s, spdhg_outcome outcome, spdhg_error *err) {
    cli_fit_job *f = s->f;
    const double took = seconds(s);
    const spd_online_score *all = spd_online_all(s->online);
    if (f->solve.options.checkpoint) SPD_TRY(spd_online_save(s->online, took, f->solve.options.checkpoint, err));
    SPD_TRY(spd_online_model(&f->model, s->online, outcome, took, err));
    if (f->model_path) SPD_TRY(spdhg_model_write(f->model, f->model_path, err));
    if (f->coefficients_path) SPD_TRY(cli_coefficients_csv(f->model, f->coefficients_path, err));
    if (f->human) {
        fprintf(f->human,
                "%s: %lld rows once, in %.3g s (%.3g rows a second), batches of %lld; loss on rows not yet learned %.8g",
                cli_outcome_word(outcome), (long long)all->rows, took, (double)all->rows / took,
                (long long)spd_online_batch(s->online), all->loss);
        if (!isnan(all->right)) fprintf(f->human, ", accuracy %.4f", all->right);
        fprintf(f->human, "\n");
        if (f->model_path) fprintf(f->human, "model written to %s\n", f->model_path);
        if (f->coefficients_path) fprintf(f->human, "coefficients written to %s\n", f->coefficients_path);
    }
    return f->json ? cli_json_print(summary(s, outcome, took), err) : SPDHG_OK;
}

static spdhg_status prepare(single_pass *s, spdhg_error *err) {
    cli_fit_job *f = s->f;
    const cli_output out[] = {{"--output", f->model_path, CLI_MODEL},
                              {"--coefficients", f->coefficients_path, CLI_COEFFICIENTS},
                              {"--checkpoint", f->solve.options.checkpoint, CLI_CHECKPOINT}};
    const char *const in[] = {f->path, f->problem_options.penalty_weights, f->problem_options.groups,
                              f->problem_options.structure};
    SPD_TRY(CLI_CHECK_OUTPUTS(out, in, f->force, err));
    SPD_TRY(spd_text_blocks_open(&s->blocks, f->path, &f->read, err));
    cli_signals_catch();
    spd_text_blocks_watch(s->blocks, ends, s);
    return SPDHG_OK;
}

int cli_single_pass(cli_fit_job *f, spdhg_error *err) {
    single_pass s = {.f = f, .started = spd_now(), .saved = spd_now(), .deadline = INFINITY};
    spdhg_outcome outcome = SPDHG_OUTCOME_DONE;
    if (f->solve.options.seconds > 0) s.deadline = s.started + f->solve.options.seconds;
    spdhg_status status = prepare(&s, err);
    if (status == SPDHG_OK) status = learn_all(&s, &outcome, err);
    if (status == SPDHG_OK && outcome != SPDHG_OUTCOME_DIVERGED) status = write(&s, outcome, err);
    spd_text_blocks_close(s.blocks);
    spd_online_free(s.online);
    if (status != SPDHG_OK) return cli_fail("spdhg fit", err);
    if (outcome == SPDHG_OUTCOME_DIVERGED) fprintf(stderr, "spdhg fit: %s\n", spdhg_outcome_text(outcome));
    return outcome == SPDHG_OUTCOME_INTERRUPTED ? cli_signals_status() : spdhg_outcome_exit_status(outcome);
}
