/* limits.c - ends a run early: its time is up, or the caller asks to stop. spd_stop_now checks both between steps and inside long
 * ones. A step may exceed the time a little, since a step cut short is of little use. The work that remains after it, a proof of
 * the answer and exact zeros, gets as much again. */
#include "run/loop.h"

static const double GRANTED = 0.3, GRANTED_PART = 0.03; /* seconds; of the time the run has taken, if that is more: twice this is
                                                             * within 2 s or a tenth, reading and writing included */

static double granted(double seconds) { return fmax(GRANTED, GRANTED_PART * seconds); }

/* The limit that ends runs whose tolerance cannot be reached was not asked for: progress is not a share of it. */
double spd_epochs_asked(const spdhg_solver *s) { return s->counted || !(s->options.tol > 0) ? s->options.epochs : 0; }

bool spd_tell(const spdhg_solver *s, spdhg_event_kind kind, const spdhg_point *point) {
    const spdhg_event event = {.kind = kind, .point = point, .epochs_asked = spd_epochs_asked(s)};
    return s->options.callback && s->options.callback(s->options.user, &event) != 0;
}

static bool ask(void *context) {
    const spdhg_solver *s = context;
    return spd_tell(s, SPDHG_EVENT_POLL, &s->at) || spd_loop_good(s, NULL) != SPDHG_OK;
}

spdhg_status spd_loop_good(const spdhg_solver *s, spdhg_error *err) {
    SPD_TRY(spd_data_good(s->problem->data, err));
    return spd_ranks_good(s->options.ranks, err);
}

void spd_limits_start(spdhg_solver *s) {
    s->started = spd_now() - (s->has_run ? 0 : s->setup);
    s->ended = SPD_GO_ON;
    s->at = (spdhg_point){0};
    s->deadline = s->options.seconds > 0 ? s->started + s->options.seconds : INFINITY;
    spd_stop_start(&s->stop, s->deadline + granted(s->options.seconds), ask, s);
    spd_ranks_watch(s->options.ranks, &s->stop);
    s->evaluator.certifier.stop = &s->stop;
}

bool spd_limits_reached(spdhg_solver *s) {
    if (s->ended != SPD_GO_ON) return true;
    const double now = spd_now();
    const bool over = spd_stop_now(&s->stop) || now >= s->deadline;
    const spd_why why = s->stop.together ? spd_stop_wish(&s->stop) : spd_stop_why(&s->stop);
    s->ended = spd_ranks_agree(s->options.ranks, why == SPD_CALLED_OFF ? why : over ? SPD_LATE : SPD_GO_ON);
    if (s->ended != SPD_GO_ON) s->latest = now + granted(now - s->started);
    return s->ended != SPD_GO_ON;
}

bool spd_limits_late(const spdhg_solver *s) { return s->ended == SPD_LATE; }

void spd_limits_grant(spdhg_solver *s) {
    if (!spd_limits_reached(s)) return;
    spd_stop_start(&s->stop, s->latest, NULL, NULL);
    spd_ranks_watch(s->options.ranks, &s->stop);
}
