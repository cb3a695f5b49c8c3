/* processes.h - several processes for one verb, as mpirun and srun start them. */
#ifndef SPD_CLI_PROCESSES_H
#define SPD_CLI_PROCESSES_H
#include "cli.h"

int cli_processes(void);                                                      /* how many, as the environment says */
void cli_processes_hush(void);                                                /* all but the first print nothing from here on */
spdhg_status cli_processes_begin(spdhg_ranks **out, spdhg_error *err);        /* *out: NULL where there is one process */
const char *cli_processes_output(const spdhg_ranks *ranks, const char *path); /* where this process writes it */
int cli_processes_end(const char *name, spdhg_ranks *ranks, int status, spdhg_error *err); /* the exit status of all */

#endif
