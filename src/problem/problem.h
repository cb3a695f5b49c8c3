/* problem.h - data, loss, terms and set combined into a problem, checked and evaluated. The problem is: minimise over x in X, c
 *     f(x,c) = (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + sum_t lambda_t r_t(F_t x)
 * x is d x K, feature-major; y stacks the m_t x K duals of the terms. */
#ifndef SPD_PROBLEM_H
#define SPD_PROBLEM_H
#include "data/data.h"
#include "la/la.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "ranks/ranks.h"
#include "set/set.h"
#include "structure/structure.h"

/* lambda r(F x) with the rows of F cut into the blocks the penalty acts on. */
typedef struct spd_term {
    const spd_penalty *penalty;
    const spdhg_structure *F;
    spdhg_structure *owned;      /* F if row weights required a copy; freed with the term */
    double lambda, lambda_given; /* the current value, and the one given to spdhg_problem_term */
    int64_t m;                   /* rows of F */
    int64_t first;               /* position in y of this term's dual */
    int64_t blocks;              /* blocks of the penalty */
    int64_t *block_ptr; /* blocks + 1 positions in block_row; NULL: each row is one (blocks == m), or all are (blocks == 1) */
    int64_t *block_row; /* rows of F, block after block; NULL with block_ptr */
    int64_t largest;    /* rows of the largest block */
    double steepest, flattest, units; /* on every block: prepare_terms.c:find_sizes */
    bool pairs;                       /* every row of F has exactly two entries */
    int64_t *group_asked;             /* groups given by the user until the problem is frozen */
    spd_csr placed; /* F with its columns renumbered by the problem's `place` (ptr and val are F's own); may be empty */
} spd_term;

struct spdhg_problem {
    const spdhg_data *data;
    spdhg_ranks *ranks; /* processes that share out the passes over its rows; NULL: one */
    int threads;        /* for freezing it; 0: one */
    int64_t n;          /* rows used */
    int64_t *row;       /* their ids in data, or NULL: all */
    int64_t d, K, dK;
    const spdhg_loss *loss;
    double loss_arg, kappa; /* bound on the curvature of the loss, INFINITY if there is none */
    double kappa_usual;     /* scale for curvatures: kappa or, without a bound, the mean curvature at x = 0 */
    int64_t terms;
    spd_term *term;
    int64_t m;                 /* rows of all F_t together; y has m K entries */
    double gamma, gamma_given; /* the current value, and the one given to spdhg_problem_ridge */
    bool ridge_follows;        /* lambda: both are scaled by the same factor */
    spd_set set;
    bool intercept, standardize, one_class_ok, frozen;
    char *class_weight;

    /* set by spd_problem_freeze */
    const double *val;        /* values the rows point into: data->val, `own`, or those of a subset's base */
    double *own;              /* values minus their column's centre, divided by its scale; NULL: neither applies */
    spd_centre centre;        /* columns far from 0; the problem's c is c~ of centre.c */
    double *scale;            /* d standard deviations, or NULL */
    int64_t targets;          /* targets per row */
    const double *b;          /* n x targets, in the form the loss expects: b_made, or the data's */
    double *b_made, *weight;  /* b, unless it is the data's; n, or NULL when all are 1 */
    double *constant;         /* K: best intercept at x = 0 for a loss without a curvature bound; NULL: 0 will do */
    double W;                 /* sum of weights */
    int64_t classes;          /* 0 for regression */
    double *class_value;      /* raw label of class 0, 1, ...; two classes map to -1, +1 */
    double row_norm2_max;     /* max ||a_i||^2 (+1 with intercept) over rows with weight > 0 */
    double weight_factor_max; /* max N w_i / W * (||a_i||^2 (+1)): for shuffle sampling */
    double row_norm2_mean;    /* sum (w_i/W) (||a_i||^2 (+1)) */
    double row_norm_mean;     /* sum (w_i/W) sqrt(||a_i||^2 (+1)) */
    int64_t nnz;              /* stored entries of the rows used */
    bool full, ones;          /* sparse, but every row used has all d entries; otherwise, and every stored value is 1 */
    int64_t supports;         /* features that occur in some F_t */
    int32_t *place; /* d places: features of the support first (place < supports), the idle ones behind; NULL: all d occur */
};

/* Maps labels, resolves weights, scales columns, cuts blocks. Idempotent: every evaluation and solver calls it. */
spdhg_status spd_problem_freeze(spdhg_problem *p, spdhg_error *err);
static inline bool spd_problem_has_corners(const spdhg_problem *p) { return spd_loss_has_corner(p->loss, p->loss_arg); }
bool spd_problem_is_signal(const spdhg_problem *p); /* every row has at most one entry */
/* Index of row i in the data. */
static inline int64_t spd_problem_id(const spdhg_problem *p, int64_t i) { return p->row ? p->row[i] : i; }
/* Every row used has every feature, whether the data has no indices or lists all of them. */
static inline bool spd_problem_full(const spdhg_problem *p) { return p->full || !p->data->idx; }
void spd_problem_need_rows(const spdhg_problem *p, int64_t i, int64_t rows); /* of data on disk: all at the same time */
/* The values of rows i, i+1, ... of a full problem, SPD_ABREAST of them. */
static inline void spd_problem_full_rows(const spdhg_problem *p, int64_t i, const double *row[SPD_ABREAST]) {
    if (p->data->disk) spd_problem_need_rows(p, i, SPD_ABREAST);
    for (int64_t r = 0; r < SPD_ABREAST; r++) {
        const int64_t id = spd_problem_id(p, i + r);
        row[r] = p->val + (p->data->idx ? p->data->ptr[id] : id * p->d);
    }
}
/* Entry q of a row of the problem before --standardize divided it, exactly. */
double spd_problem_undivided(const spdhg_problem *p, const spd_row *row, int64_t q);
void spd_problem_row(const spdhg_problem *p, int64_t i, spd_row *row); /* i in 0..n-1; weight = 1 */
/* For row i: w_i; its share w_i/W; its K offsets, or NULL. */
static inline double spd_problem_weight(const spdhg_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }
static inline double spd_problem_share(const spdhg_problem *p, int64_t i) { return spd_problem_weight(p, i) / p->W; }
static inline const double *spd_problem_offset(const spdhg_problem *p, int64_t i) {
    return p->data->offset ? p->data->offset + spd_problem_id(p, i) * p->K : NULL;
}

/* ---- subset.c: some rows of a frozen problem (positions 0..n-1, not data indices) as a frozen problem of its own. It has the
 * same labels, weights and terms and copies nothing of the data; with --standardize it has its own scale and hence its own
 * values. lambda is as first given. first: F of the first term instead of the base's, or NULL. The base and first must outlive
 * it. */
spdhg_status spd_problem_subset(spdhg_problem **out, const spdhg_problem *base, const int64_t *position, int64_t count,
                                const spdhg_structure *first, spdhg_error *err);
/* One row of every `stride`, with positive weight if possible; lambda has its current value. Depends on the seed alone. */
spdhg_status spd_problem_thin(spdhg_problem **out, const spdhg_problem *base, int64_t stride, uint64_t seed, spdhg_error *err);

/* ---- labels.c: sorted classes of the rows used; b in the form the loss expects. Held-out data is mapped in the same way. */
spdhg_status spd_problem_map_labels(spdhg_problem *p, spdhg_error *err);
spdhg_status spd_map_targets(const spdhg_problem *p, const spdhg_data *data, double **b, spdhg_error *err);

/* ---- term.c */
void spd_term_apply(const spd_term *t, int64_t K, const double *x, double *z);          /* z = F x */
void spd_term_add_transposed(const spd_term *t, int64_t K, const double *y, double *g); /* g += F'y */
double spd_term_value(const spd_term *t, int64_t K, const double *z, double *work);     /* lambda r(z), z = F x */
void spd_term_project(const spd_term *t, int64_t K, double *y, double *work);           /* y = Pi_{lambda Y}(y) */
int64_t spd_term_block_rows(const spd_term *t, int64_t b);                              /* number of rows in block b */
int64_t spd_term_block_row(const spd_term *t, int64_t b, int64_t r);                    /* its r-th row of F */
double spd_term_block_polar(const spd_term *t, int64_t K, int64_t b, const double *y, double *work);
double spd_term_polar(const spd_term *t, int64_t K, const double *y, double *work); /* smallest lambda with y in lambda Y */
void spd_term_project_derivative(const spd_term *t, int64_t K, const double *v, double *dir, double *work); /* dir = DPi(v) dir */
/* open[i] = 1 for the entries of u whose part (l1: the entry itself; group: its group) is longer than radius; for penalties
 * that make no zeros: for all entries. */
void spd_term_outside(const spd_term *t, int64_t K, const double *u, double radius, double *open, double *work);
double spd_term_radius(const spd_term *t, int64_t K); /* max ||y|| over lambda Y */
int64_t spd_term_work(const spd_term *t, int64_t K);  /* doubles of work needed by the above */
/* The dual half-step fused with the transposed product, one pass over the rows of F (docs/architecture.md, decision 5):
 *     y = Pi_{lambda Y}(y + s F x)
 *     y_sum += average_weight y
 *     g += F'y
 * F is the term's own matrix, or its `placed` one if x and g are in that order. */
void spd_term_dual_step(const spd_term *t, const spd_csr *F, int64_t K, double s, const double *x, double *y,
                        double average_weight, double *y_sum, double *g, double *work);

/* ---- stack.c: all terms together, F = [F_1; F_2; ...], y in the product of the balls. */
void spd_problem_apply(const spdhg_problem *p, const double *x, double *z);          /* z = F x */
void spd_problem_add_transposed(const spdhg_problem *p, const double *y, double *g); /* g += F'y */
void spd_problem_project_dual(const spdhg_problem *p, double *y, double *work);      /* y = Pi_{lambda Y}(y) */
double spd_problem_penalty(const spdhg_problem *p, const double *z, double *work);   /* sum_t lambda_t r_t(z_t) */
/* M += sum_t weight(t) F_t'F_t for K outputs, lower triangle of a row-major n x n matrix. */
void spd_problem_add_gram(const spdhg_problem *p, double (*weight)(const spd_term *), int64_t n, double *M);
void spd_problem_gram_diagonal(const spdhg_problem *p, double *diagonal); /* diagonal of F'F, d entries */
bool spd_problem_can_differentiate(const spdhg_problem *p);               /* the projection of every penalty has a derivative */
void spd_problem_project_derivative(const spdhg_problem *p, const double *v, double *dir, double *work);
int64_t spd_problem_term_work(const spdhg_problem *p); /* work of the largest term */

/* Accelerated projected gradient over y in lambda Y. The caller provides m x K arrays for y, the extrapolated
 * point u and the previous y. After start, repeat: the caller makes the gradient step in u; project; extrapolate to the next
 * u. */
typedef struct spd_accelerated {
    double *y, *u, *previous;
    double t;
} spd_accelerated;
void spd_accelerated_start(spd_accelerated *a, const spdhg_problem *p);
void spd_accelerated_project(spd_accelerated *a, const spdhg_problem *p, double *work); /* y = Pi(u) */
void spd_accelerated_extrapolate(spd_accelerated *a, const spdhg_problem *p);

/* ---- objective.c: collectives over all rows, blocked and threaded; the result is the same to the bit for any number of
 * threads. */
typedef struct spd_value {
    double objective, loss, ridge, penalty;
} spd_value;
int64_t spd_problem_blocks(const spdhg_problem *p); /* number of row blocks that sums are split into */
/* Scores z = A x + o (n x K), without intercept. */
void spd_problem_scores(const spdhg_problem *p, int threads, const double *x, double *z);
/* t = A x, n x K: the change of the scores along x. Offsets are never added, since t may be small beside them. */
void spd_problem_products(const spdhg_problem *p, int threads, const double *x, double *t);
void spd_problem_shift(const spdhg_problem *p, const double *c, double *z); /* z += c in every row */
/* ---- centre.c: converts the caller's intercept, for the columns as in the data, to c~ of the centred columns, and back. In
 * place; x is on the penalised scale. Without centred columns nothing changes. */
void spd_problem_c_inward(const spdhg_problem *p, const double *x, double *c);
void spd_problem_c_outward(const spdhg_problem *p, const double *x, double *c);
/* ---- intercept.c: minimises the loss over the intercept, in place, starting from c; z is from spd_problem_scores. Newton in K
 * dimensions; softmax: sum c = 0. Sizes: partial spd_problem_blocks (1 + 3K), newton 8K. If stopped, c has still improved. */
void spd_problem_best_intercept(const spdhg_problem *p, int threads, const double *z, double *c, double *partial, double *newton,
                                spd_stop *stop);
/* ---- losses.c: at the scores z + c + t move (c and move may be NULL) the mean loss and, where not NULL, alpha = phi' and
 * curve = phi'' (coupled losses: the scores themselves), unweighted, n x K. Size of partial: spd_problem_blocks (1 + K). */
typedef struct spd_scores {
    const double *z, *c, *move;
    double t;
} spd_scores;
double spd_problem_losses(const spdhg_problem *p, int threads, const spd_scores *at, double *alpha, double *curve,
                          double *partial);
/* f at (x, c); with an intercept, c is first minimised in place. alpha, curve: as in spd_problem_losses, may be NULL.
 * scratch: spd_problem_value_work doubles, of which the first m K hold Fx on return. */
void spd_problem_value(const spdhg_problem *p, int threads, const double *x, double *c, double *alpha, double *curve,
                       double *scratch, spd_value *out, spd_stop *stop);
int64_t spd_problem_value_work(const spdhg_problem *p);
/* The scores z = A x + o (n x K, without intercept) that spd_problem_value left in its scratch. */
double *spd_problem_value_scores(const spdhg_problem *p, double *scratch);
void spd_row_score(const spdhg_problem *p, const spd_row *row, const double *x, double *z); /* z = a'x + o, K entries */

/* ---- gradient.c: collectives that end in A'u. Each needs spd_problem_gradient_work doubles of scratch. gc (K, for the
 * intercept) may be NULL. */
/* g (d x K) = (1/W) sum w_i phi'(z_i) a_i'. slope (n x K, may be NULL): phi'(z_i) of every row, unweighted, for the
 * variance-reduced solvers. */
void spd_problem_gradient(const spdhg_problem *p, int threads, const double *x, const double *c, double *g, double *gc,
                          double *slope, double *scratch);
/* g = (1/W) sum w_i alpha_i a_i' for any alpha (n x K). */
void spd_problem_adjoint(const spdhg_problem *p, int threads, const double *alpha, double *g, double *gc, double *scratch);
/* (1/W) sum w_i |alpha_i| |a_i|': the sizes of the summands of g. The rounding error of g is about 1e-16 times this. */
void spd_problem_adjoint_sizes(const spdhg_problem *p, int threads, const double *alpha, double *g, double *gc, double *scratch);
/* g = (1/W) sum w_i C_i(a_i'x + c) a_i': a product with the Hessian or with a matrix like it. Scalar losses: C_i = curve (n x K).
 * Coupled losses: C_i = phi''(z_i) at the scores z in `curve`. c may be NULL. */
void spd_problem_normal_product(const spdhg_problem *p, int threads, const double *curve, const double *x, const double *c,
                                double *g, double *gc, double *scratch);
int64_t spd_problem_gradient_work(const spdhg_problem *p);
int64_t spd_problem_shards(const spdhg_problem *p); /* of the rows: each has a partial sum of at least d entries */
/* ---- hessian.c: the same matrix written out, row-major n x n, lower triangle; n = (d + 1) K (intercept last), d K without. */
double spd_problem_normal_cost(const spdhg_problem *p); /* cost per row of writing it out, in scattered additions */
/* False: stopped before H was complete. */
bool spd_problem_normal_matrix(const spdhg_problem *p, int threads, const double *curve, double *H, double *scratch,
                               spd_stop *stop);
int64_t spd_problem_normal_size(const spdhg_problem *p);
int64_t spd_problem_matrix_shards(const spdhg_problem *p, int64_t size); /* few, unless the matrices are smaller than the data */
/* NULL, or the reason why a solver that factors H refuses: H has more than SPD_DENSE_MOST rows. */
const char *spd_problem_refuses_factor(const spdhg_problem *p);
/* M = (1/W) sum_i w_i a_i a_i', of order d (+ 1 with an intercept), lower triangle: scalar losses share it between outputs.
 * ones: n doubles. gram_work: size of M and scratch. */
void spd_problem_gram(const spdhg_problem *p, int threads, double *ones, double *M, double *scratch);
int64_t spd_problem_gram_work(const spdhg_problem *p, int threads);
int64_t spd_problem_normal_work(const spdhg_problem *p, int threads);
/* Updates H from the curvatures `kept` (n x K) to `curve`, up to a relative difference of `within`: only rows that changed more
 * are added again, with the difference, unless there are many. On return kept holds the curvatures in H. first: computes H and
 * kept from scratch, as coupled losses always do. diff: n x K doubles. False: stopped, H and kept are invalid. */
bool spd_problem_normal_update(const spdhg_problem *p, int threads, const double *curve, double within, bool first, double *H,
                               double *kept, double *diff, double *scratch, spd_stop *stop);

/* ---- curvature.c: the constants behind the step sizes. */
/* diagonals.c: of the Hessian, (d + 1) K entries with an intercept, d K without. work: spd_problem_gradient_work. */
void spd_problem_curvature_diagonal(const spdhg_problem *p, int threads, const double *curve, double *diagonal, double *work);
void spd_problem_curvature_columns(const spdhg_problem *p, int threads, double *diagonal, double *work); /* of H below, usually */
/* The structure of the coefficients: F of the first term, or NULL. */
static inline const spdhg_structure *spd_problem_structure(const spdhg_problem *p) { return p->terms > 0 ? p->term[0].F : NULL; }
double spd_problem_structure_norm(const spdhg_problem *p); /* bound on || [F_1; F_2; ...] || */
double spd_problem_dual_radius(const spdhg_problem *p);    /* max ||y|| over the product of the lambda Y_t */
/* Every row's loss keeps falling in some direction. Where these agree, f has no minimiser and the infimum of the loss is 0. */
bool spd_problem_falls(const spdhg_problem *p);
/* H = (kappa/W) sum_i w_i a_i a_i', where a_i has a last entry 1 if there is an intercept. The Hessian of the loss is at most H
 * for every output. Vectors have d + 1 entries, the intercept's last. D: a positive diagonal, the metric for H. */
spdhg_status spd_problem_find_curvature(spdhg_problem *p, spdhg_error *err); /* kappa and kappa_usual; the rows are ready */
double spd_problem_curvature_rows(const spdhg_problem *p, spdhg_sampling sampling,
                                  const double *D); /* max_i (N w_i/W) kappa a_i'D^-1 a_i; iid: no factor */
/* Lower estimate of lmax(D^-1/2 H D^-1/2): power iterations until they gain less than 1/2 %, at most `rounds`. v: start and
 * result; a good start is positive and irregular. work: d + 1 doubles and spd_problem_gradient_work. */
double spd_problem_curvature_norm(const spdhg_problem *p, int threads, const double *D, int rounds, double *v, double *work);

#endif
