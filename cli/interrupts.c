/* interrupts.c - signals that end a program: the first one sets a flag that the run polls, a second one ends at once. If the
 * run has not polled for a few seconds, the process ends too: it hangs, or computes something that cannot be interrupted. While
 * there is nothing to finish, a signal ends the process at once, with a message. */
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

/* Nothing that such a verb writes has a name before it is complete. */
static void end_at_once(int number) {
    static const char said[] = "spdhg: interrupted; files that were not complete are as before\n";
    if (isatty(STDERR_FILENO)) (void)!write(STDERR_FILENO, "\n", 1); /* a line of progress and ^C are on this one */
    (void)!write(STDERR_FILENO, said, sizeof said - 1);
    _exit(128 + number);
}

static void handle(void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigemptyset(&action.sa_mask);
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sigaction(wanted[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup and background jobs ignore on purpose */
            sigaction(wanted[i], &action, NULL);
    if (handler == remember) sigaction(SIGALRM, &action, NULL);
}

void cli_signals_end(void) { handle(end_at_once); }
void cli_signals_catch(void) { handle(remember); }

int cli_signals_status(void) {
    if (!caught) return 0;
    alarm(0); /* it is noticed: what is left may take its time */
    return 128 + (int)caught;
}

int cli_signals_after(const char *name) {
    const int status = cli_signals_status();
    if (status) fprintf(stderr, "%s: a signal came while the output was being written; the output is complete\n", name);
    return status;
}
