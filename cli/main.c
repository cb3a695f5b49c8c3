/* main.c - the command `spdhg`: chooses the verb. Exit status: 0 done, 1 internal, 2 usage, 3 bad data, 4 limit before --tol,
 * 5 input/output, 6 memory, 7 numerical, 130 interrupted, 143 terminated. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "processes.h"

/* Results must not depend on the BLAS library's threads. Weak: undefined if another BLAS is linked. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

typedef struct verb {
    const char *name, *arguments, *what, *title;
    int (*run)(int argc, char **argv);
    bool together; /* several processes share the work */
} verb;

static const verb verbs[] = {
    {"fit", "DATA [-o MODEL]", "fit a model", "spdhg fit", cli_fit, true},
    {"path", "DATA [-o MODEL]", "fit a path of lambdas, cross-validate, choose one", "spdhg path", cli_path, true},
    {"denoise", "FILE -o FILE", "remove the noise from a signal, a table or an image", "spdhg denoise", cli_denoise, false},
    {"race", "DATA... -o DIR", "compare solvers, by the paper's protocol or a fair one", "spdhg race", cli_race, false},
    {"predict", "MODEL DATA [-o FILE]", "apply a model, print metrics", "spdhg predict", cli_predict, false},
    {"graph", "DATA -o F.mtx", "learn the structure F from data", "spdhg graph", cli_graph, false},
    {"show", "MODEL", "print a model: what it is, its coefficients", "spdhg show", cli_show, false},
    {"inspect", "DATA", "describe a data set and warn of problems", "spdhg inspect", cli_inspect, false},
    {"convert", "DATA -o OUT", "convert between formats, or to the fast cache", "spdhg convert", cli_convert, false},
    {"generate", "KIND -o OUT", "write synthetic data with a known truth", "spdhg generate", cli_generate, false},
    {"bound", "[DATA]", "evaluate the theorems' bounds", "spdhg bound", cli_bound_verb, false},
    {"report", "DIR|TRACE... -o HTML", "write one self-contained page about a race or traces", "spdhg report", cli_report, false},
    {"list", "TOPIC", "names of losses, penalties, solvers, ...", "spdhg list", cli_list, false},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void print_help(FILE *to) {
    fprintf(to, "Usage: spdhg VERB [OPTION...] ARGUMENT...\n"
                "Fit structured-sparse linear models:  minimise over x, c\n"
                "    mean_i loss(a_i'x + c, b_i) + (gamma/2)||x||^2 + lambda r(F x)\n\n"
                "Verbs:\n");
    for (int i = 0; i < VERBS; i++) fprintf(to, "  %-8s %-22s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].what);
    fprintf(to, "  %-8s %-22s %s\n\n", "help", "VERB", "describe one verb, as spdhg VERB --help does");
    fprintf(to, "Example:\n"
                "  spdhg generate image -o train.svm\n"
                "  spdhg fit train.svm --structure grid:32x32 -o model.json\n"
                "  spdhg predict model.json train.svm -o labels.txt\n\n"
                "Exit status: 0 done, 1 internal error, 2 usage, 3 bad data, 4 limit reached before --tol,\n"
                "5 input/output, 6 memory, 7 numerical failure, 130 interrupted, 143 terminated.\n");
}

static const verb *find(const char *name) {
    for (int i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    spdhg_error err = {0};
    if (name[0] == '-')
        spd_fail(&err, SPDHG_USAGE, "unknown option '%.60s'; before a verb there are --help and --version", name);
    else
        spd_unknown(&err, "verb", name, verbs, VERBS, sizeof *verbs);
    cli_fail("spdhg", &err);
    return NULL;
}

/* Otherwise the next file opened would get a closed standard descriptor, and our messages would be written into it. */
static void occupy_standard_descriptors(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

static int run(const verb *chosen, int argc, char **argv) {
    if (cli_processes() > 1 && !chosen->together) {
        spdhg_error err;
        spd_fail(&err, SPDHG_USAGE,
                 "started as %d processes: only fit and path share their work among several; call %s without mpirun or srun",
                 cli_processes(), chosen->title);
        return cli_fail(chosen->title, &err);
    }
    char title[32]; /* argp and getopt name the command by argv[0] in every message */
    snprintf(title, sizeof title, "%s", chosen->title);
    argv[0] = title;
    return chosen->run(argc, argv);
}

static int dispatch(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        print_help(stderr);
        return SPDHG_USAGE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts(argp_program_version);
        return SPDHG_OK;
    }
    const bool help = strcmp(word, "help") == 0;
    const char *name = help && argc > 2 ? argv[2] : word;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-?") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return SPDHG_OK;
    }
    const verb *chosen = find(name);
    if (!chosen) return SPDHG_USAGE;
    char option[] = "--help", *asked[] = {NULL, option, NULL};
    return help ? run(chosen, 2, asked) : run(chosen, argc - 1, argv + 1);
}

static void finish_at_exit(void) { /* argp ends the process itself after --help and --version */
    if (fflush(stdout) != 0 || ferror(stdout)) _exit(cli_finish(SPDHG_OK));
}

int main(int argc, char **argv) {
    occupy_standard_descriptors();
    cli_processes_hush();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);                    /* a file at its size limit: writing fails, and says so */
    json_set_alloc_funcs(cli_json_memory, free); /* an object that lacks keys would look like any other */
    argp_err_exit_status = SPDHG_USAGE;
    argp_program_version = "spdhg " SPDHG_VERSION;
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    cli_reserve_buffer();
    atexit(finish_at_exit);
    cli_signals_end();
    return cli_finish(dispatch(argc, argv));
}
