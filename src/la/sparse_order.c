/* sparse_order.c - the order of elimination (AMD), computed so that the caller can give up waiting. AMD polls nothing and may
 * take minutes. Beyond a size it therefore runs in a thread of its own, on its own copy of the triangle. Nobody waits for an
 * abandoned thread: it reads and writes nothing but its copy, which the last of the two frees. */
#include <amd.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "la/sparse_system.h"

static const double LONG = 1e5; /* entries: fewer are ordered in some hundredths of a second */
enum { LOOK_EVERY = 20000000 }; /* nanoseconds between two questions whether to go on */

typedef struct ordering {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done, left; /* left: the caller has gone */
    bool good;
    int32_t nodes, *first, *other, *order;
} ordering;

static bool order_now(int32_t nodes, const int32_t *first, const int32_t *other, int32_t *order) {
    const int ordered = amd_order(nodes, first, other, order, NULL, NULL);
    return ordered == AMD_OK || ordered == AMD_OK_BUT_JUMBLED;
}

static void dissolve(ordering *o) {
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->changed);
    SPD_FREE_ALL(o->first, o->other, o->order);
    spd_free(o);
}

static void *worker(void *argument) {
    ordering *o = argument;
    const bool good = order_now(o->nodes, o->first, o->other, o->order);
    pthread_mutex_lock(&o->lock);
    o->good = good;
    o->done = true;
    const bool alone = o->left;
    pthread_cond_signal(&o->changed);
    pthread_mutex_unlock(&o->lock);
    if (alone) dissolve(o);
    return NULL;
}

/* The thread takes no signals: they are the caller's. */
static bool begin(ordering *o) {
    pthread_t thread;
    pthread_attr_t detached;
    sigset_t all, before;
    if (pthread_attr_init(&detached) != 0) return false;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&thread, &detached, worker, o) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    return good;
}

static struct timespec soon(void) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += LOOK_EVERY;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

/* Waits for the thread; false: called off before it was done. */
static bool await(ordering *o, spd_stop *stop) {
    pthread_mutex_lock(&o->lock);
    while (!o->done && !o->left) {
        const struct timespec until = soon();
        pthread_cond_timedwait(&o->changed, &o->lock, &until);
        pthread_mutex_unlock(&o->lock); /* the caller's own function may be asked, and take its time */
        const bool over = spd_stop_now(stop);
        pthread_mutex_lock(&o->lock);
        o->left = over && !o->done;
    }
    const bool done = o->done;
    pthread_mutex_unlock(&o->lock);
    return done;
}

static ordering *ordering_of(int32_t nodes, const int32_t *first, const int32_t *other) {
    ordering *o = SPD_NEW(ordering, 1);
    if (!o) return NULL;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    o->nodes = nodes;
    o->first = spd_copy(first, nodes + 1, sizeof *first);
    o->other = spd_copy(other, first[nodes], sizeof *other);
    o->order = SPD_NEW(int32_t, nodes);
    if (o->first && o->other && o->order) return o;
    dissolve(o);
    return NULL;
}

spd_ordered spd_sparse_order(int32_t nodes, const int32_t *first, const int32_t *other, int32_t *order, spd_stop *stop) {
    const bool takes_long = stop && (double)first[nodes] > LONG;
    if (takes_long && spd_stop_now(stop)) return SPD_ORDER_LEFT;
    ordering *o = takes_long ? ordering_of(nodes, first, other) : NULL;
    if (o && !begin(o)) {
        dissolve(o);
        o = NULL;
    }
    if (!o) return order_now(nodes, first, other, order) ? SPD_ORDERED : SPD_ORDER_FAILED;
    if (!await(o, stop)) return SPD_ORDER_LEFT;
    const bool good = o->good;
    if (good) memcpy(order, o->order, (size_t)nodes * sizeof *order);
    dissolve(o);
    return good ? SPD_ORDERED : SPD_ORDER_FAILED;
}
