/* signals.c - Ctrl-C and SIGTERM: the first one sets a flag that the run polls, a second Ctrl-C ends at once.
 * Signals are caught only while there is something to finish; before that, the system's default behaviour is right. */
#include <signal.h>
#include <unistd.h>

#include "cli.h"

static volatile sig_atomic_t caught; /* the only kind of variable a handler may access */

static void remember(int number) {
    if (caught && number == SIGINT) _exit(128 + SIGINT);
    caught = number;
}

void cli_signals_catch(void) {
    struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    static const int wanted[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sigaction(wanted[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup and background jobs ignore on purpose */
            sigaction(wanted[i], &action, NULL);
}

int cli_signals_status(void) { return caught ? 128 + (int)caught : 0; }
