/* synonyms.c - what other packages call the things that options name, and what they are called here. */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "synonyms.h"

typedef struct word {
    const char *option, *theirs, *ours; /* option "": theirs is an option, and ours begins with the one it is here */
} word;

static const word words[] = {
    {"--loss", "gaussian mse l2 ols linear least-squares regression", "squared"},
    {"--loss", "binomial log logit log-loss log_loss binary bce", "logistic"},
    {"--loss", "multinomial multiclass cross-entropy crossentropy", "softmax"},
    {"--loss", "l1 mae lad median", "absolute"},
    {"--loss", "svm svc", "hinge"},
    {"--loss", "pinball", "quantile"},
    {"--loss", "lasso ridge elasticnet", "squared, with --penalty, --gamma or --l1-ratio"},
    {"--penalty", "lasso", "l1"},
    {"--penalty", "l2 ridge tikhonov", "--gamma NUMBER (with --lambda 0 alone)"},
    {"--penalty", "elasticnet elastic-net enet", "l1 with --l1-ratio PART"},
    {"--penalty", "group-lasso grouplasso grlasso", "group with --groups"},
    {"--penalty", "fused fused-lasso fusedlasso tv", "l1 with --structure chain"},
    {"--penalty", "trace", "nuclear"},
    {"--penalty", "none", "--lambda 0"},
    {"--structure", "graph network", "edges:FILE, or learned"},
    {"--structure", "fused line 1d tv", "chain"},
    {"--structure", "image 2d", "grid:HEIGHTxWIDTH"},
    {"--structure", "none", "identity"},
    {"", "alpha reg C", "--lambda (README: Coming from another package)"},
    {"", "l2 ridge", "--gamma"},
    {"", "family objective", "--loss"},
    {"", "target response outcome", "--label"},
    {"", "exclude ignore", "--drop"},
    {"", "impute na", "--missing"},
    {"", "factor factors", "--categorical"},
    {"", "row-names index", "--id"},
    {"", "normalize scale", "--standardize"},
    {"", "max-iter max_iter iterations", "--epochs"},
    {"", "jobs n_jobs cores", "--threads"},
    {"", "cv nfolds", "--folds"},
    {"elsewhere", "cv nfolds folds lambdas rule choose", "spdhg path compares lambdas by cross-validation"},
    {"", "test-size test_size validation", "--test-fraction"},
};

static bool listed(const char *list, const char *wanted, size_t length) {
    for (const char *at = list; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strcspn(at, " ") == length && strncasecmp(at, wanted, length) == 0) return length > 0;
    }
    return false;
}

const char *cli_our_word(const char *option, const char *theirs, size_t length) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].option, option) == 0 && listed(words[i].theirs, theirs, length)) return words[i].ours;
    return NULL;
}
