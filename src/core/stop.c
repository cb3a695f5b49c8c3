/* stop.c - whether long computations continue: a deadline, and a caller who may ask to stop. */
#include "core/core.h"

static const double PAUSE = 0.01; /* seconds between two calls of the caller's function */

void spd_stop_start(spd_stop *stop, double deadline, bool (*ask)(void *context), void *context) {
    *stop = (spd_stop){.deadline = deadline, .ask = ask, .context = context, .pause = PAUSE, .owner = pthread_self()};
}

static void want(spd_stop *stop, spd_why why) {
    atomic_store_explicit(stop->together ? &stop->wish : &stop->why, why, memory_order_relaxed);
}

bool spd_stop_now(spd_stop *stop) {
    if (!stop) return false;
    const bool mine = pthread_equal(stop->owner, pthread_self());
    if (mine) stop->polls++;
    if (atomic_load_explicit(&stop->why, memory_order_relaxed) != SPD_GO_ON) return true;
    const double now = spd_now();
    spd_why why = now >= stop->deadline ? SPD_LATE : SPD_GO_ON;
    if (why == SPD_GO_ON && mine && stop->ask && now - stop->asked >= stop->pause) {
        stop->asked = now;
        if (stop->ask(stop->context)) why = SPD_CALLED_OFF;
    }
    if (why != SPD_GO_ON) want(stop, why);
    return why != SPD_GO_ON && !stop->together;
}

spd_why spd_stop_why(spd_stop *stop) { return atomic_load_explicit(&stop->why, memory_order_relaxed); }

void spd_stop_call_off(spd_stop *stop) { want(stop, SPD_CALLED_OFF); }

spd_why spd_stop_wish(spd_stop *stop) { return atomic_load_explicit(&stop->wish, memory_order_relaxed); }
void spd_stop_agree(spd_stop *stop, spd_why why) { atomic_store_explicit(&stop->why, why, memory_order_relaxed); }
