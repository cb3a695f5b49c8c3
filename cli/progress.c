/* progress.c - output while a command works: a row of the table at each measured point of a fit and, on a terminal, a line in
 * between that is rewritten in place, with the time that is left where it can be told. With -v and no terminal the line is
 * printed every few seconds. Everything arrives through the library's callback. */
#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

static const double REDRAW = 0.1, REPEAT = 5; /* seconds between two lines: on a terminal, in a file */

void cli_progress_open(cli_progress *p, const char *name, bool quiet, bool verbose) {
    const double now = spd_now();
    *p = (cli_progress){.name = name,
                        .verbose = verbose,
                        .line = !quiet && isatty(STDERR_FILENO),
                        .started = now,
                        .since = now,
                        .drawn = quiet ? INFINITY : now - REDRAW};
    if (!p->line) p->drawn = verbose ? now : INFINITY;
    pthread_mutex_init(&p->lock, NULL);
}

void cli_progress_erase(cli_progress *p) {
    if (p->width == 0) return;
    fprintf(stderr, "\r%*s\r", p->width, "");
    fflush(stderr);
    p->width = 0;
}

const char *cli_time_left(char out[32], double seconds) {
    if (!isfinite(seconds))
        out[0] = '\0';
    else if (seconds < 100)
        snprintf(out, 32, ", %.0f s left", seconds);
    else if (seconds < 6000)
        snprintf(out, 32, ", %.0f min left", seconds / 60);
    else
        snprintf(out, 32, ", %.1f h left", seconds / 3600);
    return out;
}

/* What is done, how much of it, for how long, and for how long yet: "cross-validation, 45 %, 12.3 s, 15 s left". */
void cli_progress_text(cli_progress *p, const spdhg_event *event, double now, char *text, size_t size) {
    const double epoch = event->point ? event->point->epoch : 0, asked = event->epochs_asked;
    const bool within = !event->stage && asked > 0 && epoch <= asked; /* a step may end beyond */
    const double part = event->part > 0 ? event->part : within ? epoch / asked : 0;
    char left[32], share[32] = "", what[60];
    if (part < p->part) p->since = now; /* another task began */
    p->part = part;
    if (event->stage)
        snprintf(what, sizeof what, "%s", event->stage);
    else if (within)
        snprintf(what, sizeof what, "epoch %.2f of %g", epoch, asked);
    else
        snprintf(what, sizeof what, "epoch %.2f", epoch);
    if (part > 0) snprintf(share, sizeof share, ", %.0f %%", 100 * part);
    const double taken = now - p->since;
    snprintf(text, size, "%s%s, %.1f s%s", what, share, now - p->started,
             cli_time_left(left, part > 0.005 && taken > 0.5 ? taken * (1 - part) / part : NAN));
}

/* Columns of the terminal; INT_MAX if it does not say. */
static int terminal_width(void) {
    struct winsize window;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col : INT_MAX;
}

static void draw_line(cli_progress *p, const spdhg_event *event) {
    const double now = spd_now();
    if (now - p->drawn < (p->line ? REDRAW : REPEAT)) return;
    p->drawn = now;
    char text[200];
    cli_progress_text(p, event, now, text, sizeof text);
    if (!p->line) {
        fprintf(stderr, "%s: %s\n", p->name, text);
        return;
    }
    /* What is wider would begin a new line each time, and \r would not come back to the old one. */
    const int length = fprintf(stderr, "\r%.*s", terminal_width() - 1, text) - 1;
    for (int i = length; i < p->width; i++) fputc(' ', stderr);
    fflush(stderr);
    if (length > p->width) p->width = length;
}

void cli_progress_stage(cli_progress *p, const char *stage) {
    p->drawn = p->line ? 0 : p->drawn;
    draw_line(p, &(spdhg_event){.kind = SPDHG_EVENT_POLL, .stage = stage});
}

static void print_point(cli_progress *p, const spdhg_point *at) {
    if (!p->table) return;
    if (p->rows++ == 0) {
        fprintf(p->table, "%9s %9s %14s %14s", "epoch", "seconds", "objective", "train loss");
        if (p->tested) fprintf(p->table, " %14s %9s", "test loss", p->regression ? "test R^2" : "accuracy");
        fprintf(p->table, " %10s %10s\n", "||y||", "gap");
    }
    fprintf(p->table, "%9.4g %9.3f %14.8g %14.8g", at->epoch, at->seconds, at->objective, at->train_loss);
    if (p->tested) fprintf(p->table, " %14.8g %9.4f", at->test_loss, at->test_score);
    fprintf(p->table, " %10.4g", at->dual_norm);
    if (isnan(at->gap)) /* nothing is proven at this point */
        fprintf(p->table, " %10s\n", "-");
    else
        fprintf(p->table, " %10.2g\n", spd_round_towards(INFINITY, at->gap, 2));
    fflush(p->table);
}

int cli_progress_event(void *progress, const spdhg_event *event) {
    cli_progress *p = progress;
    pthread_mutex_lock(&p->lock);
    switch (event->kind) {
    case SPDHG_EVENT_POINT:
        cli_progress_erase(p);
        print_point(p, event->point);
        break;
    case SPDHG_EVENT_NOTICE:
    case SPDHG_EVENT_LOG:
        if (!p->verbose && event->kind == SPDHG_EVENT_LOG) break;
        cli_progress_erase(p);
        fprintf(stderr, "%s: %s\n", p->name, event->message);
        break;
    case SPDHG_EVENT_POLL: draw_line(p, event); break;
    }
    pthread_mutex_unlock(&p->lock);
    return cli_signals_status() != 0;
}

spdhg_status cli_read(spdhg_data **out, const char *path, const spdhg_read_options *options, cli_progress *progress,
                      spdhg_error *err) {
    spdhg_read_options told = *options;
    told.callback = cli_progress_event;
    told.user = progress;
    const spdhg_status status = spdhg_data_read(out, path, &told, err);
    cli_progress_erase(progress);
    return status;
}
