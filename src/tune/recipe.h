/* recipe.h - a problem described by names: everything needed to build it again for any rows of any data. */
#ifndef SPD_RECIPE_H
#define SPD_RECIPE_H
#include "core/core.h"

/* Not in the table of structures: they need the data, not only their number of columns. */
#define SPD_LEARNED "learned"
#define SPD_CATEGORIES "categories"

typedef struct spd_recipe {
    const char *loss, *penalty, *groups, *structure, *set, *class_weight;
    const char *weights, *offset, *penalty_weights; /* files */
    double lambda, gamma, also_sparse;              /* also_sparse 0: no such term */
    double l1_ratio;                                /* of a path: lambda = l1_ratio and gamma = 1 - l1_ratio at its lambda 1 */
    bool intercept, standardize, one_class_ok, also_sparse_given, gamma_given, l1_ratio_given;
    int threads;         /* for learning a structure; 0: the cores this process may use */
    uint64_t max_memory; /* for that; 0: no limit */
} spd_recipe;

typedef struct spd_recipe_problem {
    spdhg_problem *problem;
    spdhg_structure *structure, *identity;
    spdhg_graph_report learned; /* nodes 0: the structure was not learned */
} spd_recipe_problem;

/* Attaches weights and offsets to the data, before any split. */
spdhg_status spd_recipe_attach(const spd_recipe *o, spdhg_data *data, spdhg_error *err);
bool spd_recipe_learns(const spd_recipe *o);               /* its structure is learned */
spdhg_graph_options spd_recipe_graph(const spd_recipe *o); /* and how */
/* F by its name. A learned F uses these rows only (NULL: all), so that held-out rows stay unseen. */
spdhg_status spd_recipe_structure(spdhg_structure **out, spdhg_graph_report *learned, const spd_recipe *o, const spdhg_data *data,
                                  const int64_t *row, int64_t rows, spdhg_error *err);
/* row NULL: all rows. */
spdhg_status spd_recipe_build(spd_recipe_problem *out, const spd_recipe *o, const spdhg_data *data, const int64_t *row,
                              int64_t rows, spdhg_error *err);
/* The same with an existing structure, which must outlive the problem. */
spdhg_status spd_recipe_build_on(spd_recipe_problem *out, const spd_recipe *o, const spdhg_data *data, const int64_t *row,
                                 int64_t rows, const spdhg_structure *F, spdhg_error *err);
void spd_recipe_clear(spd_recipe_problem *problem);
#endif
