/* processes.c - a verb that several processes carry out together, started by mpirun or srun. All do the same; the first one
 * speaks and writes, the others send what they would print or write to /dev/null. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "processes.h"
#include "ranks/ranks.h"

static int number_of(const char *const *names, int otherwise) {
    for (; *names; names++) {
        int64_t value;
        const char *text = getenv(*names);
        if (text && spd_to_int(text, &value) && value >= 0 && value <= SPD_RANKS_MOST) return (int)value;
    }
    return otherwise;
}

int cli_processes(void) {
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL};
    return spd_ranks_started() ? number_of(size, 2) : 1;
}

/* Before MPI is begun only the environment says which process this is. */
static int rank(void) {
    static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", NULL};
    return number_of(rank, 0);
}

void cli_processes_hush(void) {
    if (cli_processes() == 1 || rank() == 0) return;
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0) return;
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    close(null);
}

spdhg_status cli_processes_begin(spdhg_ranks **out, spdhg_error *err) {
    *out = NULL;
    return cli_processes() > 1 ? spdhg_ranks_open(out, NULL, NULL, err) : SPDHG_OK;
}

const char *cli_processes_output(const spdhg_ranks *ranks, const char *path) {
    return path && spdhg_ranks_rank(ranks) > 0 ? "/dev/null" : path;
}

int cli_processes_end(const char *name, spdhg_ranks *ranks, int status, spdhg_error *err) {
    const bool failed = status != 0 && (int)err->status == status; /* not a limit, nor a signal: those are everybody's */
    if (!ranks) return status;
    const spdhg_status all = spdhg_ranks_close(ranks, failed ? err->status : SPDHG_OK, err);
    return all == SPDHG_OK || failed ? status : cli_fail(name, err);
}
