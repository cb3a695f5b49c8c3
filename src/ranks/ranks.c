/* ranks.c - processes that work on one problem together. Each makes the same calls with the same numbers and hence takes the same
 * decisions; they meet before every exchange. What is not the same everywhere, clocks, signals and failures, is agreed on
 * there. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "ranks/ranks.h"

struct spdhg_ranks {
    spd_transport via;
    void *plug_in;       /* handle of dlopen, or NULL */
    spd_stop *stop;      /* whose wish is told at each meeting, or NULL */
    int64_t meetings;    /* so far */
    spdhg_status status; /* not OK: a process has failed, and none meets the others any more */
    spdhg_error err;     /* its message */
};

int spdhg_ranks_rank(const spdhg_ranks *r) { return r ? r->via.rank : 0; }
int spdhg_ranks_size(const spdhg_ranks *r) { return r ? r->via.size : 1; }
const spd_transport *spd_ranks_transport(const spdhg_ranks *r) { return &r->via; }

void spd_ranks_shards(const spdhg_ranks *r, int rank, int64_t shards, int64_t *first, int64_t *end) {
    const int64_t size = spdhg_ranks_size(r);
    *first = (rank * shards + size - 1) / size;
    *end = ((rank + 1) * shards + size - 1) / size;
}

void spd_ranks_rows(const spdhg_ranks *r, int rank, int64_t rows, int64_t *first, int64_t *end) {
    const int64_t shards = spd_shards(rows, SPD_SHARDS_MOST);
    int64_t from, to;
    spd_ranks_shards(r, rank, shards, &from, &to);
    *first = spd_shard_first(rows, shards, from);
    *end = spd_shard_first(rows, shards, to);
}

spdhg_status spd_ranks_good(const spdhg_ranks *r, spdhg_error *err) {
    if (!r || r->status == SPDHG_OK) return SPDHG_OK;
    if (err) *err = r->err;
    return r->status;
}

void spd_ranks_watch(spdhg_ranks *r, spd_stop *stop) {
    if (!r || r->via.size == 1) return;
    r->stop = stop;
    if (stop) stop->together = true;
}

/* What each process brings to a meeting; of each number the largest is told to all. */
enum { KEY, MINUS_KEY, WISH, FAILED, FINE, MINUS_RANK, TOLD };

/* The message of the first process that failed. */
static void learn_of_failure(spdhg_ranks *r, const int64_t *told) {
    const int from = (int)-told[MINUS_RANK];
    char host[200] = "", plain[600];
    if (r->via.rank == from && told[FINE]) { /* where all fail alike, the message is that of one */
        if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
        snprintf(plain, sizeof plain, "%.599s", r->err.message);
        snprintf(r->err.message, sizeof r->err.message, "process %d of %d (on %s): %s", from, r->via.size, host, plain);
    }
    r->via.broadcast(r->via.context, from, &r->err, sizeof r->err);
    r->status = r->err.status;
}

static bool meet(spdhg_ranks *r, spd_meeting what, int64_t size, spd_why wish, const spdhg_error *failure, spd_why *agreed) {
    if (r->status != SPDHG_OK) return false;
    const int64_t key = (++r->meetings * 1000003 + size * 8 + (int64_t)what) & INT64_C(0x3fffffffffffffff);
    int64_t told[TOLD] = {[KEY] = key,
                          [MINUS_KEY] = -key,
                          [WISH] = (int64_t)wish,
                          [FAILED] = failure != NULL,
                          [FINE] = failure == NULL,
                          [MINUS_RANK] = failure ? -r->via.rank : INT64_MIN};
    if (failure) r->err = *failure;
    r->via.largest(r->via.context, told, TOLD);
    *agreed = (spd_why)told[WISH];
    if (told[FAILED])
        learn_of_failure(r, told);
    else if (told[KEY] != -told[MINUS_KEY])
        r->status = spd_fail(&r->err, SPDHG_INTERNAL,
                             "the computations of the processes differ: do all have the same arguments, files, build and type of "
                             "processor?");
    return r->status == SPDHG_OK;
}

bool spd_ranks_meet(spdhg_ranks *r, spd_meeting what, int64_t size) {
    spd_why agreed = SPD_GO_ON;
    const bool good = meet(r, what, size, r->stop ? spd_stop_wish(r->stop) : SPD_GO_ON, NULL, &agreed);
    if (r->stop) spd_stop_agree(r->stop, good ? agreed : SPD_CALLED_OFF);
    return good;
}

spd_why spd_ranks_agree(spdhg_ranks *r, spd_why why) {
    if (spdhg_ranks_size(r) == 1) return why;
    spd_why agreed = why;
    if (!meet(r, SPD_MEET_AGREE, 0, why, NULL, &agreed)) return SPD_CALLED_OFF;
    return agreed;
}

void spd_ranks_share(const spdhg_ranks *r, double *array, const int64_t *first, int64_t width) {
    for (int k = 0; k < r->via.size; k++) {
        const int64_t count = (first[k + 1] - first[k]) * width;
        if (count > 0) r->via.broadcast(r->via.context, k, array + first[k] * width, count * (int64_t)sizeof *array);
    }
}

void spd_ranks_tell(spdhg_ranks *r, int from, void *block, int64_t bytes) {
    if (spdhg_ranks_size(r) > 1 && bytes > 0 && spd_ranks_meet(r, SPD_MEET_TELL, bytes))
        r->via.broadcast(r->via.context, from, block, bytes);
}

spdhg_status spd_ranks_over(spdhg_ranks **out, const spd_transport *via, spdhg_error *err) {
    if (via->size > SPD_RANKS_MOST) return spd_fail(err, SPDHG_USAGE, "%d processes; at most %d", via->size, (int)SPD_RANKS_MOST);
    spdhg_ranks *r = *out = SPD_NEW(spdhg_ranks, 1);
    if (!r) return spd_fail_memory(err, sizeof *r);
    r->via = *via;
    return SPDHG_OK;
}

/* ---- plug-ins: one for each implementation of MPI, because their libraries do not share an interface. */

static const char *const kinds[] = {"openmpi", "mpich"};

/* What mpirun and srun leave in the environment of the processes they start. srun with pmix starts Open MPI, with pmi2 MPICH. */
static const char *kind_by_environment(void) {
    if (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK")) return "openmpi";
    if (getenv("PMI_RANK") || getenv("PMI_FD") || getenv("MPI_LOCALRANKID")) return "mpich";
    return NULL;
}

bool spd_ranks_started(void) { return kind_by_environment() != NULL; }

/* Beside the library, as installed and as built. */
static void *open_plug_in(const char *kind, spdhg_error *err) {
    Dl_info self;
    char path[4096];
    const int known = dladdr((const void *)kinds, &self);
    const char *slash = known && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    snprintf(path, sizeof path, "%.*slibspdhg_%s.so", slash ? (int)(slash - self.dli_fname) + 1 : 0, slash ? self.dli_fname : "",
             kind);
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* parts of Open MPI look for it among global names */
    if (!handle) spd_fail(err, SPDHG_IO, "MPI (%s): %.800s", kind, dlerror());
    return handle;
}

spdhg_status spdhg_ranks_open(spdhg_ranks **out, const char *kind, const void *comm, spdhg_error *err) {
    *out = NULL;
    if (!kind && !(kind = kind_by_environment()))
        return spd_fail(err, SPDHG_USAGE, "not started by mpirun or srun: start several processes with mpirun -n P");
    if (strcmp(kind, kinds[0]) != 0 && strcmp(kind, kinds[1]) != 0)
        return spd_fail(err, SPDHG_USAGE, "unknown implementation of MPI '%.60s'; expected openmpi or mpich", kind);
    void *plug_in = open_plug_in(kind, err);
    if (!plug_in) return SPDHG_IO;
    spd_transport via = {.version = SPD_TRANSPORT_VERSION};
    spd_transport_opener *opener;
    *(void **)&opener = dlsym(plug_in, SPD_TRANSPORT_ENTRY);
    const char *why = opener ? opener(&via, comm) : "it is not a plug-in of this program";
    if (why) {
        dlclose(plug_in);
        return spd_fail(err, SPDHG_IO, "MPI (%s): %s", kind, why);
    }
    const spdhg_status status = spd_ranks_over(out, &via, err);
    if (status == SPDHG_OK) (*out)->plug_in = plug_in;
    return status;
}

static spdhg_status settle(spdhg_ranks *r, spd_meeting what, spdhg_status status, spdhg_error *err) {
    if (spdhg_ranks_size(r) == 1) return status;
    spd_why unused;
    spdhg_error failure = {0};
    if (status != SPDHG_OK && err) failure = *err;
    failure.status = status;
    if (meet(r, what, 0, SPD_GO_ON, status == SPDHG_OK ? NULL : &failure, &unused)) return SPDHG_OK;
    if (err) *err = r->err;
    return r->status;
}

spdhg_status spd_ranks_settle(spdhg_ranks *r, spdhg_status status, spdhg_error *err) {
    return settle(r, SPD_MEET_SETTLE, status, err);
}

spdhg_status spdhg_ranks_close(spdhg_ranks *r, spdhg_status status, spdhg_error *err) {
    if (!r) return status;
    spd_ranks_watch(r, NULL);
    status = settle(r, SPD_MEET_END, status, err);
    r->via.end(r->via.context); /* the plug-in stays: MPI cannot be begun twice in a process */
    spd_free(r);
    return status;
}
