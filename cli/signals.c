/* signals.c - signals that end a program: the first one sets a flag that the run polls, a second one ends at once. If nobody polls
 * for a few seconds, the process ends too: then it hangs, or computes what cannot be interrupted. Signals are caught only while
 * there is something to finish; before that, the system's default behaviour is right. */
#include <signal.h>
#include <unistd.h>

#include "cli.h"

static volatile sig_atomic_t caught; /* the only kind of variable a handler may access */

enum { PATIENCE = 5 }; /* seconds */

static void remember(int number) {
    if (caught) _exit(128 + (number == SIGALRM ? (int)caught : number));
    caught = number;
    alarm(PATIENCE);
}

void cli_signals_catch(void) {
    struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sigaction(wanted[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup and background jobs ignore on purpose */
            sigaction(wanted[i], &action, NULL);
    sigaction(SIGALRM, &action, NULL);
}

int cli_signals_status(void) {
    if (!caught) return 0;
    alarm(0); /* it is noticed: what is left may take its time */
    return 128 + (int)caught;
}
