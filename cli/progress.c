/* progress.c - output while a solver runs: a row of the table at each measured point and, on a terminal, a line in between that
 * is updated in place. Everything arrives through the library's callback. */
#include "cli.h"

void cli_progress_erase(cli_progress *p) {
    if (p->width == 0) return;
    fprintf(stderr, "\r%*s\r", p->width, "");
    fflush(stderr);
    p->width = 0;
}

static void draw_line(cli_progress *p, const spdhg_event *event) {
    const double now = spd_now();
    if (!p->line || now - p->drawn < 0.1) return;
    p->drawn = now;
    char text[120];
    const double epoch = event->point->epoch;
    if (event->epochs_asked > 0)
        snprintf(text, sizeof text, "epoch %.2f of %g, %.0f %%, %.1f s", epoch, event->epochs_asked,
                 100 * epoch / event->epochs_asked, now - p->started);
    else
        snprintf(text, sizeof text, "epoch %.2f, %.1f s", epoch, now - p->started);
    const int length = fprintf(stderr, "\r%s", text) - 1;
    for (int i = length; i < p->width; i++) fputc(' ', stderr);
    fflush(stderr);
    if (length > p->width) p->width = length;
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
        fprintf(p->table, " %10.2g\n", at->gap);
    fflush(p->table);
}

int cli_progress_event(void *progress, const spdhg_event *event) {
    cli_progress *p = progress;
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
    return cli_signals_status() != 0;
}
