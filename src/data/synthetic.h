/* synthetic.h - shared by the kinds of synthetic data: a recipe gives its defaults, its truth and how labels follow from it.
 * Every value is a pure function of (seed, purpose, position), so any part can be regenerated separately. */
#ifndef SPD_SYNTHETIC_H
#define SPD_SYNTHETIC_H
#include "data/data.h"

typedef enum spd_draw {
    SPD_DRAW_VALUE = 1,
    SPD_DRAW_GAP,
    SPD_DRAW_LABEL,
    SPD_DRAW_TRUTH,
    SPD_DRAW_FACTOR,
    SPD_DRAW_LENGTH
} spd_draw;
typedef enum spd_rows { SPD_ROWS_SERIES, SPD_ROWS_CLUSTERS, SPD_ROWS_WORDS } spd_rows;
typedef enum spd_answer { SPD_ANSWER_NUMBER, SPD_ANSWER_SIGN, SPD_ANSWER_CLASS } spd_answer;

typedef struct spd_recipe {
    const char *name;
    spd_synthetic_options standard; /* used where an option is 0 */
    spd_rows rows;
    spd_answer answer;
    bool grid;                                                             /* features = height x width */
    double (*truth)(const spd_synthetic_options *o, int64_t j, int64_t k); /* shape of the coefficients; scaled afterwards */
} spd_recipe;

void spd_draw_bits(uint64_t seed, spd_draw what, uint64_t position, uint64_t bits[2]);
double spd_draw_normal(uint64_t seed, spd_draw what,
                       uint64_t position); /* positions 2p and 2p+1 share one call of the generator */

/* ---- synthetic_rows.c: fills ptr, idx, val of data. */
spdhg_status spd_synthetic_rows(spdhg_data *data, const spd_recipe *recipe, const spd_synthetic_options *o, spdhg_error *err);
enum { SPD_CLUSTER = 10 }; /* features of a cluster */
/* Variance of a'x over rows a, x one column of a features x K array. */
double spd_synthetic_variance(const spd_recipe *recipe, const spd_synthetic_options *o, const double *x, int64_t K);

#endif
