/* graph.h - learns F from data: covariances of the columns, screening into components, sparse inverse covariance.
 *     minimise over Theta > 0   -log det Theta + <S, Theta> + rho sum_{i != j} |Theta_ij| [+ rho sum_i Theta_ii]
 * S is the correlation (or covariance) matrix of the columns; it is never stored as a whole. */
#ifndef SPD_GRAPH_H
#define SPD_GRAPH_H
#include "data/data.h"
#include "la/la.h"

/* ---- columns.c: the columns x_j of the chosen rows. For correlations they are divided by their standard deviations; each row
 * is multiplied by the square root of its weight. Then
 *     S_ij = factor (x_i'x_j - N m_i m_j).
 * Columns without implicit zeros are stored centred (m = 0) so that no digits are lost; the others have m^2 <= N variance.
 * Dense data are always centred. Constant columns are empty and have variance 0. */
typedef struct spd_columns {
    int64_t rows, features; /* N: rows of positive weight; d */
    double *X;              /* dense: rows x features; by_row and the columns below are then empty */
    spd_csr by_row;
    int64_t *ptr; /* sparse: entry p of column j, ptr[j] <= p < ptr[j+1], is entry where[p] of by_row, in row row[p] */
    int32_t *row;
    int64_t *where;
    double *mean;     /* of the columns as stored */
    double *variance; /* S_jj */
    int32_t *by_mean; /* the `means` features with nonzero mean, sorted by |mean|, largest first */
    int64_t means;
    double factor;                             /* 1/(N-1) */
    double largest_variance, average_variance; /* the average over the columns that are not constant */
    int64_t constants;
    bool correlation;
} spd_columns;
spdhg_status spd_columns_new(spd_columns **out, const spdhg_data *data, const int64_t *row, int64_t rows, bool covariance,
                             int threads, spdhg_error *err);
void spd_columns_free(spd_columns *c);
/* S_ij from the product x_i'x_j - N m_i m_j. Correlations are clipped so that rounding never makes them exceed 1. */
double spd_columns_scale(const spd_columns *c, double product);

/* ---- covariance.c: parts of S by Gustavson's row products. */
/* S of the p features in list (ascending), p x p. place[j] is the position of feature j in its list, home[j] the index of that
 * list. */
spdhg_status spd_covariance_block(const spd_columns *c, const int32_t *list, int64_t p, const int32_t *home, const int32_t *place,
                                  double *S, spdhg_error *err);
/* out = sum_k coefficient_k S_{.,list_k} for all features; work has N entries, all 0 on entry and on return. */
void spd_covariance_times(const spd_columns *c, int64_t count, const int32_t *list, const double *coefficient, double *work,
                          double *out);

/* ---- pairs.c: all pairs i < j with |S_ij| above a floor, in waves. The consumer of a wave may raise the floor for the next. */
typedef struct spd_pair {
    int32_t i, j;
    double s;
} spd_pair;
typedef spdhg_status (*spd_take_pairs)(void *context, const spd_pair *pair, int64_t pairs, double *floor, spdhg_error *err);
spdhg_status spd_pairs(const spd_columns *c, int threads, double floor, spd_take_pairs take, void *context, spdhg_error *err);
int spd_pair_by_size(const void *a, const void *b); /* |s| descending, then i, j: a strict order */
int spd_pair_by_place(const void *a, const void *b);

typedef struct spd_pair_list {
    spd_pair *pair;
    int64_t count, capacity;
} spd_pair_list;
spdhg_status spd_pair_add(spd_pair_list *list, int32_t i, int32_t j, double s, spdhg_error *err);

/* ---- screen.c: the components of { |S_ij| > rho }, which are those of Theta (Mazumder & Hastie 2012, Witten et al. 2011). */
typedef struct spd_components {
    int64_t count;  /* number of components, single features included; the largest comes first */
    int64_t *first; /* count + 1: where each component starts in list */
    int32_t *list;  /* features, ascending within each component */
    int32_t *home;  /* the component of each feature */
    int32_t *place; /* its position in that component */
} spd_components;
spdhg_status spd_screen(const spd_columns *c, int threads, double rho, spd_components *out, spdhg_error *err);
void spd_components_free(spd_components *components);
/* Components of a list of edges. */
spdhg_status spd_components_of(int64_t nodes, const spd_pair *pair, int64_t pairs, spd_components *out, spdhg_error *err);
/* The smallest rho >= floor whose components have at most `most` features. */
spdhg_status spd_screen_rho(const spd_columns *c, int threads, double floor, int64_t most, double *rho, spdhg_error *err);
/* With probability 95 %, the correlations of all pairs of independent columns stay below this level (scaled by the mean variance
 * for covariances). */
double spd_noise_level(const spd_columns *c);
/* The n-th largest |S_ij| and the largest. The former is 0 if fewer than n pairs are nonzero. */
spdhg_status spd_nth_largest(const spd_columns *c, int threads, int64_t n, double *nth, double *largest, spdhg_error *err);

/* ---- glasso.c: what QUIC and ALM share, namely one component, its objective and its duality gap. */
struct spd_glasso_point;
typedef struct spd_glasso {
    int64_t p;
    const double *S;                /* p x p */
    double rho, diagonal;           /* weight of |Theta_ij|, i != j, and of Theta_ii */
    double tol;                     /* stop at gap <= tol p */
    int most;                       /* maximum number of iterations */
    const spdhg_graph_options *ask; /* whose callback may end it earlier */
    double before, own;             /* parts of the graph that were solved before this component, and that it is */
} spd_glasso;
bool spd_glasso_goes_on(const spd_glasso *g, const struct spd_glasso_point *x); /* glasso.c: neither limit nor callback ends it */
typedef struct spd_glasso_point {
    double *Theta, *W;             /* p x p, W = Theta^{-1} */
    double logdet, trace, penalty; /* f = -logdet + <S, Theta> + penalty */
    double gap;
    int iterations;
} spd_glasso_point;
double spd_glasso_value(const spd_glasso_point *x);
/* trace and penalty of Theta. */
void spd_glasso_evaluate(const spd_glasso *g, spd_glasso_point *x);
/* f(Theta) - dual value at S + clip(W - S, rho). With `signs`, the dual point is S + rho sign(Theta) where Theta is nonzero,
 * which gives a much smaller gap if the signs are right. INFINITY if the dual point is not positive definite. work: p p. */
double spd_glasso_gap(const spd_glasso *g, const spd_glasso_point *x, bool signs, double *work);
/* quic.c and alm.c: Theta and W are outputs; their contents on entry do not matter. False: out of memory. */
bool spd_quic(const spd_glasso *g, spd_glasso_point *x);
bool spd_alm(const spd_glasso *g, spd_glasso_point *x);

/* ---- a learned graph, independent of the method that learned it. */
typedef struct spd_graph {
    int64_t nodes;
    spd_pair_list
        edge;         /* sorted by i, then j; s = partial correlation, correlation or regression coefficient, whose sign F uses */
    double *diagonal; /* methods with a precision matrix: Theta_ii, or 0 where S_ii = 0 leaves it unbounded; otherwise NULL */
    double *theta;    /* Theta_ij of each edge; NULL without a precision matrix */
    double logdet, trace, objective, gap;
    double seconds;     /* processor time in QUIC or ALM, summed over the components */
    int64_t iterations; /* the largest number that any component needed */
    double rho;
    bool converged;
} spd_graph;
void spd_graph_free(spd_graph *graph);

typedef struct spd_graph_method {
    const char *name, *help;
    bool precision; /* has Theta, a gap and a likelihood */
    bool uses_rho;
    spdhg_status (*learn)(const spd_columns *c, double rho, const spdhg_graph_options *o, spd_graph *out, spdhg_error *err);
} spd_graph_method;
extern const spd_graph_method spd_method_quic, spd_method_alm, spd_method_neighbourhood, spd_method_correlation, spd_method_knn;
const spd_graph_method *const *spd_graph_method_table(int *entries);

/* ---- choose.c: rho when it is not given. A request says what to learn and from which data. */
typedef struct spd_graph_request {
    const spd_graph_method *method;
    const spdhg_data *data;
    const int64_t *row;
    int64_t rows;
    const spd_columns *c; /* of these rows */
    const spdhg_graph_options *o;
} spd_graph_request;
enum { SPD_RHO_GRID = 16 };
spdhg_status spd_choose_rho(const spd_graph_request *request, double *rho, spdhg_error *err);
/* ---- stars.c: the smallest rho of a descending grid at which the graphs of subsamples still agree (Liu, Roeder & Wasserman
 * 2010). */
spdhg_status spd_choose_stars(const spd_graph_request *request, const double grid[SPD_RHO_GRID], double *rho, spdhg_error *err);

/* ---- learn.c: like spdhg_structure_learn, but also returns the graph, which the caller frees. */
spdhg_status spd_graph_learn(spdhg_structure **out, spd_graph *graph, const spdhg_data *data, const int64_t *row, int64_t rows,
                             const spdhg_graph_options *options, spdhg_graph_report *report, spdhg_error *err);

/* ---- from_precision.c: F of a graph: edge, edge+I, skew, or precision (Theta itself). */
spdhg_status spd_structure_from_graph(spdhg_structure **out, const spd_graph *graph, const char *form, const char *spec,
                                      spdhg_error *err);
/* ---- clusters.c: the cluster of every node, numbered from 0; home has one entry for each. Every pair counts as one edge. */
spdhg_status spd_clusters_of(int64_t nodes, const spd_pair *pair, int64_t pairs, int32_t *home, int64_t *count, spdhg_error *err);

/* ---- layout.c: positions for the nodes of a graph, in a box of width x height; a pure function of the edges. */
typedef struct spd_layout {
    int64_t nodes, edges; /* of the drawing; its edges are the first `edges` of pair, whose ends are nodes of the drawing */
    int32_t *feature;     /* the feature of each node */
    int64_t *degree;
    int32_t *cluster; /* of each node */
    double *x, *y;
    double unit; /* typical distance of a node from its nearest neighbour */
    spd_pair *pair;
} spd_layout;
/* At most `most` nodes: all that have an edge, or those of the strongest edges. */
spdhg_status spd_layout_new(spd_layout *out, const spd_graph *graph, int64_t most, double width, double height, spdhg_error *err);
void spd_layout_free(spd_layout *layout);
/* Edges are the rows of F with two entries, of opposite signs for features that belong together. graph must be empty. */
spdhg_status spd_graph_of_rows(const spd_csr *F, spd_graph *graph, spdhg_error *err);
#endif
