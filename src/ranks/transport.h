/* transport.h - how processes exchange numbers: what a plug-in (mpi/mpi.c) offers to ranks.c. Every process makes the same
 * calls in the same order, all from one thread. What fails ends the program: there is nothing that a process could do alone. */
#ifndef SPD_TRANSPORT_H
#define SPD_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

enum { SPD_TRANSPORT_VERSION = 1 };

typedef struct spd_transport {
    int version, rank, size;
    void *context;
    /* Each number becomes the largest of those of all processes. */
    void (*largest)(void *context, int64_t *number, int count);
    void (*send)(void *context, int to, const double *number, int64_t count);
    void (*receive)(void *context, int from, double *number, int64_t count);
    void (*broadcast)(void *context, int from, void *block, int64_t bytes);
    void (*end)(void *context);
} spd_transport;

/* A plug-in's only entry, spd_transport_open: NULL, or why it cannot. comm: as of spdhg_ranks_open. */
typedef const char *spd_transport_opener(spd_transport *out, const void *comm);
#define SPD_TRANSPORT_ENTRY "spd_transport_open"

#endif
