/* options.c - spdhg_option: the options of a problem, a solve, a path, a graph and of reading data: name, default, help.
 * The command's --help and the parameters of the bindings are generated from these lines; defaults that are in an options struct
 * are read from there. */
#include "catalog/catalog.h"

typedef struct option {
    const char *name, *argument;
    spdhg_kind kind;
    const char *topic; /* the topic whose names are the values */
    const char *text;  /* default; NULL: none, or given in the help */
    double value;      /* default of a number or a flag; NAN: none */
    const void *at;    /* the default in a struct: double, int64_t, char * or bool by kind; text and value are then ignored */
    const char *help;
} option;

#define NUMBER SPDHG_KIND_NUMBER, NULL, NULL
#define WHOLE SPDHG_KIND_WHOLE, NULL, NULL
#define FLAG SPDHG_KIND_FLAG, NULL, NULL
#define NAMES(topic, standard) SPDHG_KIND_TEXT, topic, standard, NAN, NULL
#define WORD SPDHG_KIND_TEXT, NULL, NULL, NAN
#define PATH SPDHG_KIND_FILE, NULL, NULL, NAN, NULL

static const option problem[] = {
    {"loss", "LOSS[:ARG]", NAMES("losses", SPD_LOSS), "the loss phi of a score and a target"},
    {"penalty", "PENALTY", NAMES("penalties", SPD_PENALTY), "the norm r of F x"},
    {"groups", "GROUPS", WORD, NULL,
     "for group and linf: size:G, grid (the differences at one pixel), columns (the features of a column), or a file with a "
     "group number "
     "for each row of F, or lines feature,group"},
    {"structure", "STRUCTURE", NAMES("structures", SPD_STRUCTURE), "the matrix F: which coefficients belong together"},
    {"also-sparse", "C", NUMBER, NAN, NULL, "add C*lambda*||x||_1 (default 0; 1 with --structure learned)"},
    {"lambda", "NUMBER", NUMBER, SPD_LAMBDA, NULL, "weight of the penalty"},
    {"gamma", "NUMBER", NUMBER, SPD_GAMMA, NULL, "weight of (1/2)||x||^2"},
    {"l1-ratio", "PART", NUMBER, NAN, NULL,
     "elastic net: this part of lambda weighs r(F x), the rest is gamma, for every lambda (0 to 1; instead of --gamma)"},
    {"set", "SET", NAMES("sets", SPD_SET), "X, the set of allowed coefficients"},
    {"intercept", NULL, FLAG, 1, NULL, "an unpenalised constant"},
    {"no-intercept", NULL, FLAG, 0, NULL, "no constant"},
    {"weights", "COLUMN|FILE", PATH, "column of a CSV file, or file, of row weights, each at least 0"},
    {"offset", "COLUMN|FILE", PATH, "column of a CSV file, or file, with a known part of the score for each row (and output)"},
    {"penalty-weights", "FILE", PATH, "file with a factor of at least 0 for each row of F; 0 removes its penalty"},
    {"class-weight", "balanced|LABEL=W,...", WORD, NULL, "multiply the weights of the rows with that label"},
    {"standardize", NULL, FLAG, 0, NULL, "divide columns by their standard deviation; the model is on the original scale"},
    {"allow-one-class", NULL, FLAG, 0, NULL, "accept data with a single label"},
    {0}};

static const spdhg_options solving = SPDHG_OPTIONS;
static const option solve[] = {
    {"solver", "SOLVER", NAMES("solvers", "auto"), "the algorithm"},
    {"param", "NAME=VALUE", WORD, NULL, "a parameter of the solver, such as L=max; may be repeated; see spdhg list solvers"},
    {"epochs", "E", NUMBER, NAN, NULL,
     "stop after E passes over the data (default without --time and --tol: 10, for auto no limit)"},
    {"time", "SECONDS", NUMBER, NAN, NULL, "stop after this wall time, set-up included"},
    {"tol", "GAP", NUMBER, NAN, NULL,
     "stop at this relative duality gap; exit status 4 if it is not proven; 0: never stop early (default: 1e-6 for auto and "
     "exact solvers, otherwise 0; reaching --epochs or --time before the default gap is not a failure)"},
    {"batch", "B", WHOLE, NAN, NULL, "rows per iteration: a number, or auto (default 1; auto for saga-pd3o and lsvrg-pd3o)"},
    {"sampling", "HOW", NAMES(NULL, "iid"), "iid (rows drawn independently), norm (long rows more often, unbiased) or shuffle"},
    {"seed", "NUMBER", WHOLE, NAN, &solving.seed, "seed of all random choices"},
    {"every", "E", NUMBER, NAN, NULL, "epochs between measured points (default: chosen automatically)"},
    {"checkpoint", "FILE", PATH, "save the running solve to FILE at intervals and at its end"},
    {"checkpoint-every", "SECONDS", NUMBER, NAN, &solving.checkpoint_every, "time between checkpoints"},
    {"resume", "FILE", PATH, "continue from a checkpoint; only --epochs, --time, --tol, --every and --threads may change"},
    {0}};

static const spdhg_path_options walking = SPDHG_PATH_OPTIONS;
static const option path[] = {
    {"lambdas", "COUNT", WHOLE, NAN, &walking.lambdas, "number of lambdas, evenly spaced on a logarithmic scale"},
    {"lambda-ratio", "PART", NUMBER, NAN, NULL,
     "smallest over largest lambda (default 1e-4 for more rows than features, else 1e-2)"},
    {"lambda-max", "NUMBER", NUMBER, NAN, NULL, "the largest lambda (default: the smallest at which Fx is 0)"},
    {"saturation", "PART", NUMBER, NAN, &walking.saturation,
     "stop early when this fraction of the loss is explained or nothing more is gained; 0: never"},
    {"gammas", "G,...", WORD, NULL, "compute a path for each of these --gamma"},
    {"sparsities", "C,...", WORD, NULL, "compute a path for each of these --also-sparse; 0: none"},
    {"folds", "K", WHOLE, NAN, &walking.folds, "folds of the cross-validation; 0: none"},
    {"repeats", "R", WHOLE, NAN, &walking.repeats, "cross-validations with different folds, averaged"},
    {"fold-groups", "FILE", PATH,
     "file with a whole number for each row: rows with the same number stay in one fold (default: qid, if the data has it)"},
    {"fold-file", "FILE", PATH, "file with the fold of each row, from 0"},
    {"choose", "CRITERION", WORD, &walking.choose, "criterion: loss, accuracy, auc, aic, bic, ebic, cp"},
    {"noise", "SIGMA", NUMBER, NAN, NULL, "for cp: the known standard deviation of the targets around their means"},
    {"rule", "RULE", WORD, &walking.rule, "1se: the largest lambda within one standard error of the best; min: the best"},
    {0}};

static const spdhg_graph_options learning = SPDHG_GRAPH_OPTIONS;
static const option graph[] = {
    {"method", "METHOD", SPDHG_KIND_TEXT, "methods", NULL, NAN, &learning.method, "how edges are found"},
    {"rho", "R", NUMBER, NAN, NULL,
     "weight of |Theta_ij|, or the smallest correlation of an edge; auto (default) keeps components small and stays above "
     "noise, ebic and stars choose by the extended Bayes criterion or by stability"},
    {"edges", "N", WHOLE, NAN, NULL, "choose rho so that there are N edges, or slightly fewer"},
    {"neighbours", "K", WHOLE, NAN, &learning.neighbours, "knn: number of neighbours of each feature"},
    {"max-component", "P", WHOLE, NAN, &learning.max_component, "rho auto: most features a component may have"},
    {"tol", "GAP", NUMBER, NAN, &learning.tol, "stop at this duality gap per feature of a component"},
    {"threshold", "T", NUMBER, NAN, &learning.threshold, "entries with |Theta_ij| <= T are not edges"},
    {"cov", NULL, FLAG, NAN, &learning.covariance, "use covariances instead of correlations"},
    {"penalize-diagonal", NULL, FLAG, NAN, &learning.penalize_diagonal, "penalise Theta_ii too"},
    {"both", NULL, FLAG, NAN, &learning.both, "neighbourhood: an edge must be chosen by both of its ends, not only one"},
    {"seed", "NUMBER", WHOLE, NAN, &learning.seed, "seed of the subsamples of stars"},
    {"form", "FORM", WORD, &learning.form, "rows of F: edge (x_i - x_j or x_i + x_j), edge+I, skew"},
    {"precision", NULL, FLAG, 0, NULL, "write the precision matrix Theta instead of F"},
    {0}};

static const spdhg_denoise_options denoising = SPDHG_DENOISE_OPTIONS;
static const option denoise[] = {
    {"structure", "STRUCTURE", WORD, NULL,
     "which values belong together: chain (constant pieces), trend:ORDER (pieces of polynomials), grid or grid:HxW[xD] (pixels), "
     "edges:FILE (a graph), matrix:FILE.mtx (default: grid for images and with --isotropic, else chain)"},
    {"isotropic", NULL, FLAG, NAN, &denoising.isotropic,
     "grid: penalise the length of the gradient at each pixel instead of its entries one by one"},
    {"loss", "LOSS[:ARG]", SPDHG_KIND_TEXT, "losses", NULL, NAN, &denoising.loss, "what a deviation from the data costs"},
    {"lambda", "NUMBER", NUMBER, NAN, NULL,
     "weight of the penalty relative to the mean loss, as in fit; in genlasso and scikit-image it is relative to the sum: theirs "
     "is "
     "this times the number of values (default: chosen)"},
    {"choose", "HOW", WORD, &denoising.choose,
     "how lambda is chosen: cv (held-out points), cp (the noise is known), aic, bic, ebic"},
    {"noise", "SIGMA", NUMBER, NAN, NULL,
     "standard deviation of the noise: lambda is chosen by Mallows' Cp, Stein's estimate of the error (--choose cp)"},
    {"folds", "K", WHOLE, NAN, &denoising.folds, "cv: every K-th point is held out in turn"},
    {"rule", "RULE", WORD, &denoising.rule, "cv: min, the best; 1se, the largest lambda within one standard error of it"},
    {"lambdas", "COUNT", WHOLE, NAN, &denoising.lambdas,
     "number of lambdas that are tried, evenly spaced on a logarithmic scale"},
    {"lambda-ratio", "PART", NUMBER, NAN, &denoising.ratio, "smallest over largest lambda that is tried"},
    {"positions", "COLUMN|FILE", WORD, NULL,
     "where the values are, if not evenly spaced: a column of the table, or a file with a number for each value"},
    {"weights", "COLUMN|FILE", WORD, NULL, "a weight of at least 0 for each value; 0: as if it were missing"},
    {"column", "NAME[,NAME...]", WORD, NULL, "columns of a table to denoise, each separately (default: all that hold numbers)"},
    {0}};

static const option reading[] = {
    {"format", "FORMAT", NAMES("formats", "auto"), "format of the file; auto detects it from the content"},
    {"label", "NAME[,NAME...]", WORD, NULL,
     "the target column(s) of a CSV file (default: label, target, y, class or the last column)"},
    {"no-label", NULL, FLAG, 0, NULL, "no column is the target: all are features"},
    {"columns", "NAME[,NAME...]", WORD, NULL, "use only these columns of a CSV file as features (default: all)"},
    {"drop", "NAME[,NAME...]", WORD, NULL, "do not use these columns"},
    {"id", "NAME", WORD, NULL, "this column names the rows: not a feature, but carried to predictions"},
    {"categorical", "NAME[,NAME...]", WORD, NULL,
     "columns of categories: a feature for each level (default: columns whose cells are text)"},
    {"ordered", "NAME[=LEVEL<...],...", WORD, NULL,
     "columns of categories whose levels have an order: numbers by their size, words as given, 'size=small<medium<large'"},
    {"reference", "first|NAME=LEVEL,...", WORD, NULL,
     "the level of a category that has no feature: the first of each, or the one named (default: every level has a feature)"},
    {"missing", "WHAT", NAMES(NULL, "error"),
     "cells without a value: error, drop (the row), mean or median (of the column; a feature marks the gaps)"},
    {"unseen", "WHAT", NAMES(NULL, "error"),
     "levels that the model does not know: error, or other (the row gets no level's coefficient)"},
    {"header", NULL, FLAG, 0, NULL, "the first row of a CSV file contains the names, even if it looks like data"},
    {"no-header", NULL, FLAG, 0, NULL, "the first row of a CSV file is data; columns are called x1, x2, ..."},
    {"targets", "FILE", PATH, "file with a matrix of targets, one row for each row of the data"},
    {"names", "FILE", PATH, "file with one feature name per line (default: the header of a CSV file)"},
    {"features", "D", WHOLE, NAN, NULL, "at least D columns (training data may lack the last ones)"},
    {"hash", "BITS", WHOLE, NAN, NULL,
     "LIBSVM text whose features are words, NAME[:VALUE]: 2^BITS features, found by hashing the words"},
    {"duplicates", "WHAT", NAMES(NULL, "error"), "if an index occurs twice in one row: error, sum or last"},
    {"threads", "T", WHOLE, NAN, NULL, "threads (default: the cores this process may use); the result does not depend on it"},
    {"max-memory", "BYTES", WHOLE, NAN, NULL, "refuse early rather than use more memory than this: 2000000, 500M, 2G"},
    {"on-disk", NULL, FLAG, 0, NULL,
     "leave the entries of a cache (.spd) in its file, as happens if they would fill more than half of --max-memory"},
    {"block", "BYTES", WHOLE, NAN, NULL, "read data that stay on disk in blocks of this size (default: 6M)"},
    {0}};

static const spdhg_race_options racing = SPDHG_RACE_OPTIONS;
static const option race[] = {
    {"task", "TASK", WORD, &racing.tasks, "gglr: loss + lambda r(F x); ggrlr: the same + (gamma/2)||x||^2"},
    {"solvers", "LIST", WORD, &racing.solvers, "names separated by commas; see spdhg list solvers"},
    {"repeats", "R", WHOLE, NAN, NULL, "repeats, each with its own split and learned structure (default 10)"},
    {"epochs", "E", NUMBER, NAN, NULL,
     "passes over the data per run (default 10); exact solvers are compared by seconds instead"},
    {"every", "E", NUMBER, NAN, &racing.every, "epochs between measured points"},
    {"run-time", "SECONDS", NUMBER, NAN, NULL, "time limit of a run; longer ones are recorded as time-outs (default 300)"},
    {"time-outs", "N", WHOLE, NAN, NULL,
     "if a solver's first N repeats all time out, record the others as time-outs without running them; likewise, if the first "
     "N points of its tuning grid time out, skip the rest (default: run everything)"},
    {"test-fraction", "P", NUMBER, NAN, &racing.test_fraction, "fraction of the rows that is held out"},
    {"protocol", "HOW", WORD, &racing.protocol,
     "paper: spdhg by theory with the paper's L (max), the others tuned by cross-validation on the training rows; theory: the "
     "same with L of Assumption 1; fair: all tuned by the same grid and budget"},
    {"preset", "NAME", WORD, NULL, "matlab: spdhg and lpdhg as in the paper's published scripts"},
    {"tune-by", "WHAT", WORD, NULL, "loss (of held-out rows) or objective (reached); default: objective for fair, else loss"},
    {"tune-fraction", "P", NUMBER, NAN, NULL, "fraction of the training rows that tuning uses (default 1)"},
    {"tune-folds", "K", WHOLE, NAN, &racing.tune_folds, "folds of the cross-validation that tunes"},
    {"quick", NULL, FLAG, NAN, &racing.quick, "defaults of --repeats 3 --epochs 3 --run-time 10 --tune-fraction 0.2"},
    {"batch", "B", WHOLE, NAN, NULL, "rows per iteration: a number, or auto (default 1; auto for saga-pd3o and lsvrg-pd3o)"},
    {"sampling", "HOW", NAMES(NULL, "iid"), "iid (rows drawn independently), norm (long rows more often, unbiased) or shuffle"},
    {"seed", "NUMBER", WHOLE, NAN, &racing.seed, "seed of all random choices; repeat r uses the same as fit --seed (NUMBER + r)"},
    {"jobs", "J", WHOLE, NAN, NULL,
     "number of parallel runs (default: the cores this process may use); the results do not depend on it"},
    {"reuse", "DIR", PATH,
     "folder of another race: a run done there with the same data, settings and parameters, however tuned, is taken over with "
     "its times instead of being repeated"},
    {0}};

static const struct group {
    const char *name;
    const option *option;
} groups[] = {{"problem", problem}, {"solve", solve},     {"path", path},   {"graph", graph},
              {"race", race},       {"denoise", denoise}, {"data", reading}};

static void fill(spdhg_entry *out, const option *o) {
    *out = (spdhg_entry){.name = o->name,
                         .help = o->help,
                         .kind = o->kind,
                         .argument = o->argument,
                         .topic = o->topic,
                         .text = o->text,
                         .value = o->value,
                         .min = NAN,
                         .max = NAN};
    if (!o->at) return;
    if (o->kind == SPDHG_KIND_NUMBER) out->value = *(const double *)o->at;
    if (o->kind == SPDHG_KIND_WHOLE) out->value = (double)*(const int64_t *)o->at;
    if (o->kind == SPDHG_KIND_FLAG) out->value = *(const bool *)o->at;
    if (o->kind == SPDHG_KIND_TEXT) out->text = *(const char *const *)o->at;
}

bool spdhg_option(const char *group, int64_t at, spdhg_entry *out) {
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        if (strcmp(groups[g].name, group) != 0) continue;
        for (int64_t i = 0; groups[g].option[i].name; i++)
            if (i == at) {
                fill(out, &groups[g].option[i]);
                return true;
            }
    }
    return false;
}

bool spd_option_find(const char *group, const char *name, spdhg_entry *out) {
    for (int64_t i = 0; spdhg_option(group, i, out); i++)
        if (strcmp(out->name, name) == 0) return true;
    return false;
}
