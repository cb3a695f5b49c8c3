/* limits.c - ends a run early: its time is up, or the caller asks to stop. spd_stop_now checks both between steps and inside long
 * ones. A step may exceed the time a little, since a step cut short is of little use. The work that remains after it, a proof of
 * the answer and exact zeros, gets as much again. */
#include "run/loop.h"

static const double GRANTED = 0.3, GRANTED_PART = 0.03; /* seconds; of the time the run has taken, if that is more: twice this is
                                                             * within 2 s or a tenth, reading and writing included */

static double granted(double seconds) { return fmax(GRANTED, GRANTED_PART * seconds); }

/* The limit that ends runs whose tolerance cannot be reached is nobody's goal: it does not tell how far a run is. */
double spd_epochs_asked(const spdhg_solver *s) { return s->counted || !(s->options.tol > 0) ? s->options.epochs : 0; }

bool spd_tell(const spdhg_solver *s, spdhg_event_kind kind, const spdhg_point *point) {
    const spdhg_event event = {.kind = kind, .point = point, .epochs_asked = spd_epochs_asked(s)};
    return s->options.callback && s->options.callback(s->options.user, &event) != 0;
}

static bool ask(void *context) {
    const spdhg_solver *s = context;
    return spd_tell(s, SPDHG_EVENT_POLL, &s->at);
}

void spd_limits_start(spdhg_solver *s) {
    s->started = spd_now() - (s->has_run ? 0 : s->setup);
    s->ended = SPD_GO_ON;
    s->at = (spdhg_point){0};
    s->deadline = s->options.seconds > 0 ? s->started + s->options.seconds : INFINITY;
    spd_stop_start(&s->stop, s->deadline + granted(s->options.seconds), ask, s);
    s->evaluator.certifier.stop = &s->stop;
}

bool spd_limits_reached(spdhg_solver *s) {
    if (s->ended != SPD_GO_ON) return true;
    const double now = spd_now();
    if (spd_stop_now(&s->stop) || now >= s->deadline) {
        s->ended = spd_stop_why(&s->stop) == SPD_CALLED_OFF ? SPD_CALLED_OFF : SPD_LATE;
        s->latest = now + granted(now - s->started);
    }
    return s->ended != SPD_GO_ON;
}

void spd_limits_grant(spdhg_solver *s) {
    if (spd_limits_reached(s)) spd_stop_start(&s->stop, s->latest, NULL, NULL);
}
