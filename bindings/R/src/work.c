/* work.c - long calls. R may be entered by its own thread only, and a signal must not end a call halfway: so the work is done on a
 * thread that never calls R, and R's thread waits, prints and listens for Ctrl-C ten times a second. */
#include "glue.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { LINES = 64, LINE = 240 };

struct glue_work {
    glue_job *job;
    spdhg_status status;
    spdhg_error err;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    bool done;
    atomic_bool stop;
    int lines; /* what waits to be printed */
    char line[LINES][LINE];
};

int glue_event(void *user, const spdhg_event *event) {
    glue_work *w = user;
    const int verbose = w->job->verbose;
    const bool point = event->kind == SPDHG_EVENT_POINT && verbose > 0, said = event->kind == SPDHG_EVENT_LOG && verbose == 2;
    if (point || said) {
        pthread_mutex_lock(&w->lock);
        if (w->lines == LINES || verbose == 3) w->lines = 0; /* nobody reads that fast: the latest ones */
        char *line = w->line[w->lines++];
        if (said)
            snprintf(line, LINE, "%s", event->message);
        else {
            char gap[32] = "-"; /* not computed at this point */
            if (event->point->gap >= 0) snprintf(gap, sizeof gap, "%.3g", event->point->gap);
            snprintf(line, LINE, "epoch %8.4g  objective %.8g  gap %s  %.2f s", event->point->epoch, event->point->objective, gap,
                     event->point->seconds);
        }
        pthread_mutex_unlock(&w->lock);
    }
    return atomic_load(&w->stop);
}

static void *work(void *user) {
    glue_work *w = user;
    w->status = w->job->call(w->job->argument, &w->err);
    pthread_mutex_lock(&w->lock);
    w->done = true;
    pthread_cond_signal(&w->turn);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void ask_r(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}

/* Takes the lines out under the lock and prints them without it. */
static void print_lines(void *user) {
    glue_work *w = user;
    char line[LINES][LINE];
    pthread_mutex_lock(&w->lock);
    const int lines = w->lines;
    memcpy(line, w->line, (size_t)lines * LINE);
    w->lines = 0;
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < lines; i++) {
        if (w->job->verbose == 3)
            Rprintf("\r%-78s", line[i]);
        else
            Rprintf("%s\n", line[i]);
    }
    if (lines > 0) R_FlushConsole();
}

static void wait(glue_work *w) {
    for (bool done = false; !done;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_mutex_lock(&w->lock);
        if (!w->done) pthread_cond_timedwait(&w->turn, &w->lock, &until);
        done = w->done;
        pthread_mutex_unlock(&w->lock);
        if (w->job->verbose > 0) R_ToplevelExec(print_lines, w); /* whatever happens in R, the work is waited for */
        if (!done && !R_ToplevelExec(ask_r, NULL)) atomic_store(&w->stop, true);
    }
}

/* BLAS with one thread, so that results do not depend on the number of cores; returns how many it had, 0: not OpenBLAS. */
static int blas_threads(int threads) {
    union {
        void *address;
        int (*get)(void);
        void (*set)(int);
    } get = {dlsym(RTLD_DEFAULT, "openblas_get_num_threads")}, set = {dlsym(RTLD_DEFAULT, "openblas_set_num_threads")};
    if (!get.address || !set.address || threads <= 0) return 0;
    const int before = get.get();
    if (before != threads) set.set(threads);
    return before;
}

bool glue_run(glue_job *job, spdhg_callback *callback, void **user) {
    glue_work *w = (glue_work *)R_alloc(1, sizeof *w);
    memset(w, 0, sizeof *w);
    w->job = job;
    job->work = w;
    *callback = glue_event;
    *user = w;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->turn, NULL);
    const int before = blas_threads(1);
    pthread_t thread;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for R's thread */
    const int failed = pthread_create(&thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!failed) {
        wait(w);
        pthread_join(thread, NULL);
    } else
        work(w);
    blas_threads(before);
    pthread_cond_destroy(&w->turn);
    pthread_mutex_destroy(&w->lock);
    if (job->verbose == 3) Rprintf("\n");
    glue_check(w->status, &w->err);
    return atomic_load(&w->stop);
}
