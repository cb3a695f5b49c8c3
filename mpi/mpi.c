/* mpi.c - the plug-in that lets processes exchange numbers by MPI (src/ranks/transport.h). It is compiled once for each
 * implementation that is installed, because their libraries have different binary interfaces; the
 * library itself links to none. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "ranks/transport.h"

enum { AT_ONCE = 1 << 27 }; /* elements of a message: MPI counts them by int */

typedef struct context {
    MPI_Comm comm;
    bool began; /* here, not by the program */
} context;

/* MPI waits by asking without end. Where a process has to wait for long, because another has more to do, it leaves the
 * processor to others: it sleeps an eighth of the time that it has waited, up to a thousandth of a second. */
static void wait(MPI_Request *request) {
    enum { AT_FIRST = 1000, SHORT = 1000, LONG = 1000000 }; /* questions; nanoseconds */
    double began = 0;
    int asked = 0, done = 0;
    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
        if (++asked < AT_FIRST) continue;
        if (asked == AT_FIRST) began = MPI_Wtime();
        const double rest = 1e9 / 8 * (MPI_Wtime() - began);
        nanosleep(&(struct timespec){.tv_nsec = rest < SHORT ? SHORT : rest > LONG ? LONG : (long)rest}, NULL);
    }
}

static void largest(void *self, int64_t *number, int count) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, number, count, MPI_INT64_T, MPI_MAX, ((context *)self)->comm, &request);
    wait(&request);
}

static void send(void *self, int to, const double *number, int64_t count) {
    MPI_Request request;
    for (int64_t at = 0; at < count; at += AT_ONCE) {
        const int part = (int)(count - at < AT_ONCE ? count - at : AT_ONCE);
        MPI_Isend(number + at, part, MPI_DOUBLE, to, 0, ((context *)self)->comm, &request);
        wait(&request);
    }
}

static void receive(void *self, int from, double *number, int64_t count) {
    MPI_Request request;
    for (int64_t at = 0; at < count; at += AT_ONCE) {
        const int part = (int)(count - at < AT_ONCE ? count - at : AT_ONCE);
        MPI_Irecv(number + at, part, MPI_DOUBLE, from, 0, ((context *)self)->comm, &request);
        wait(&request);
    }
}

static void broadcast(void *self, int from, void *block, int64_t bytes) {
    MPI_Request request;
    for (int64_t at = 0; at < bytes; at += AT_ONCE) {
        const int part = (int)(bytes - at < AT_ONCE ? bytes - at : AT_ONCE);
        MPI_Ibcast((char *)block + at, part, MPI_BYTE, from, ((context *)self)->comm, &request);
        wait(&request);
    }
}

static void end(void *self) {
    context *c = self;
    MPI_Comm_free(&c->comm);
    if (c->began) MPI_Finalize();
    free(c);
}

const char *spd_transport_open(spd_transport *out, const void *comm);
const char *spd_transport_open(spd_transport *out, const void *comm) {
    if (out->version != SPD_TRANSPORT_VERSION) return "the plug-in is of another version of the library";
    int begun = 0, ended = 0, level;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (ended) return "MPI has been ended in this process and cannot be begun again";
    if (!begun && comm) return "a communicator was given, but MPI_Init has not been called";
    if (!begun && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return "MPI_Init_thread failed";
    context *c = malloc(sizeof *c);
    if (!c) return "out of memory";
    c->began = !begun;
    MPI_Comm_dup(comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD, &c->comm); /* our messages are not taken for others' */
    out->context = c;
    MPI_Comm_rank(c->comm, &out->rank);
    MPI_Comm_size(c->comm, &out->size);
    out->largest = largest;
    out->send = send;
    out->receive = receive;
    out->broadcast = broadcast;
    out->end = end;
    return NULL;
}
