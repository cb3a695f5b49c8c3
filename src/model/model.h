/* model.h - models that are written to disk and read back; the reader expects malicious input. */
#ifndef SPD_MODEL_H
#define SPD_MODEL_H
#include "data/data.h"
#include "loss/loss.h"

struct spdhg_model {
    int64_t features, outputs;
    double *x, *c;     /* original scale; features x outputs, outputs */
    spd_centre centre; /* columns that are shifted to a point within their range to compute scores (data.h); count 0: none */
    double *centred_c; /* outputs, or NULL: c + sum_j s_j x_j, the intercept of these scores; c has lost digits to rounding */
    char loss[48];     /* "NAME" or "NAME:ARG" */
    bool classify;
    int64_t classes;        /* 0 for regression */
    double *class_value;    /* raw labels in sorted order: class 0 is -1, class 1 is +1 for binary losses */
    char **class_text;      /* texts of labels that are not numbers, or NULL */
    int index_base, hash;   /* as in spdhg_read_options */
    char **name;            /* features, or NULL */
    spdhg_columns *columns; /* of the table it was fitted to; NULL: features have no names */
    int64_t rows;           /* that it was fitted to; 0: not known */
    double *spread;         /* standard deviation of each feature over these rows, or NULL; 0 where the coefficients are 0 */
    int64_t *group;         /* coefficients with the same number, from 1, were made equal by the structure; 0: alone; or NULL */
    int64_t side[3];        /* shape of the grid of coefficients, or 0 */
    char *penalty, *structure, *set, *solver, *outcome;
    double lambda, gamma, objective, train_loss, penalty_value, gap, epochs, seconds;
    bool intercept, standardized;
    uint64_t seed;
    char version[24];
};

/* Metrics of scores (rows x outputs) against the labels of the data, using the model's map. */
typedef struct spd_metrics {
    double loss;           /* mean loss, weighted; the others count every row once */
    double accuracy;       /* NAN for regression */
    double rmse, r2;       /* NAN for classification */
    double auc;            /* binary; otherwise NAN */
    double deviance;       /* mean deviance, twice the loss, where scores are not the means themselves; otherwise NAN */
    int64_t rows, unknown; /* labels counted (several in a row for several targets), and those the model does not know */
    int64_t *confusion;    /* classes x classes, truth by row; NULL for regression. Freed by the caller */
} spd_metrics;
spdhg_status spd_model_metrics(const spdhg_model *model, const spdhg_data *data, const double *scores, spd_metrics *out,
                               spdhg_error *err);
/* The class of every label of the data (rows x targets), -1 if the model does not know it; false: out of memory. */
bool spd_model_classes_of(const spdhg_model *model, const spdhg_data *data, int64_t *class_of_label);
/* How reliable the probabilities are: rows grouped in tenths by the predicted probability of class 1. Only for two classes and
 * the logistic loss; *known says so. */
enum { SPD_CALIBRATION_BINS = 10 };
typedef struct spd_calibration {
    int64_t rows;
    double predicted, observed; /* mean predicted probability of class 1, and its observed share; NAN without rows */
} spd_calibration;
spdhg_status spd_model_calibration(const spdhg_model *model, const spdhg_data *data, const double *scores,
                                   spd_calibration bin[SPD_CALIBRATION_BINS], bool *known, spdhg_error *err);
/* The probability that a row of class 1 scores above a row of class 0; ties count half, rows are weighted. Sorts the rows. NAN if
 * a class is missing. */
typedef struct spd_ranked {
    double score, weight;
    int64_t positive; /* 0 or 1 */
} spd_ranked;
double spd_auc(spd_ranked *row, int64_t rows);
/* Class number 0.. for one row's scores (one score for binary losses); probability of each class (false: the loss gives none). */
const spdhg_loss *spd_model_loss(const spdhg_model *model, double *arg); /* NULL: not in the table */
bool spd_model_coupled(const spdhg_model *model);                        /* the outputs are classes */
int64_t spd_model_class(const spdhg_model *model, const double *scores);
bool spd_model_probability(const spdhg_model *model, const double *scores, double *probability);
/* ---- largest.c: the coefficients that are not 0, by value times spread, the largest first; *at is freed by the caller. */
spdhg_status spd_model_largest(const spdhg_model *model, int64_t **at, int64_t *count, spdhg_error *err);
/* Writes the label of a class as text to buffer. */
const char *spd_model_label(const spdhg_model *model, int64_t class_number, char buffer[SPD_NUMBER_CHARS]);
/* The class or target that output k speaks for, or its number; "" if there is only one and it has no name. */
const char *spd_model_output(const spdhg_model *model, int64_t k, char text[SPD_NUMBER_CHARS]);
#endif
