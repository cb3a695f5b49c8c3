/* problem.h - data + loss + terms + set, composed, checked, evaluated. PROBLEM: minimise over x in X, c
 *     f(x,c) = (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + sum_t lambda_t r_t(F_t x)
 * x is d x K feature-major; y stacks the terms' m_t x K duals. */
#ifndef SPD_PROBLEM_H
#define SPD_PROBLEM_H
#include "data/data.h"
#include "la/la.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "set/set.h"
#include "structure/structure.h"

/* lambda r(F x) with the rows of F cut into the blocks the penalty acts on. */
typedef struct spd_term {
    const spd_penalty *penalty;
    const spdhg_structure *F;
    spdhg_structure *owned;      /* F when row weights made it; freed with the term */
    double lambda, lambda_given; /* now, and as spdhg_problem_term said */
    int64_t m;                   /* rows of F */
    int64_t first;               /* first number of this term's dual in y */
    int64_t blocks;              /* blocks of the penalty */
    int64_t
        *block_ptr; /* blocks + 1 positions in block_row; NULL: every row is a block (blocks == m), or one block (blocks == 1) */
    int64_t *block_row;   /* rows of F, block after block; NULL with block_ptr */
    int64_t largest;      /* rows of the largest block */
    bool pairs;           /* every row of F has exactly two entries */
    int64_t *group_asked; /* groups given by the user until the problem is frozen */
    spd_csr
        placed; /* F with its columns renumbered by the problem's `place` (ptr and val are F's own); empty when there is none */
} spd_term;

struct spdhg_problem {
    const spdhg_data *data;
    int64_t n;    /* rows used */
    int64_t *row; /* their ids in data, or NULL: all */
    int64_t d, K, dK;
    const spdhg_loss *loss;
    double loss_arg, kappa; /* curvature bound of the loss, INFINITY if there is none */
    double kappa_usual;     /* what curvatures are measured by: kappa, or without a bound the mean at x = 0 */
    int64_t terms;
    spd_term *term;
    int64_t m; /* rows of all F_t together; y has m*K numbers */
    double gamma;
    spd_set set;
    bool intercept, standardize, one_class_ok, frozen;
    char *class_weight;

    /* made by spd_problem_freeze */
    const double *val;        /* values the rows point into: data->val, `own`, or those of the base of a subset */
    double *own;              /* values without their column's centre, divided by its scale; NULL: neither */
    spd_centre centre;        /* columns that are far from 0; the problem's c is c~ of centre.c */
    double *scale;            /* d standard deviations, or NULL */
    int64_t targets;          /* numbers of b per row */
    double *b;                /* n x targets as the loss wants them */
    double *weight;           /* n, or NULL when all are 1 */
    double *constant;         /* K: the best intercept at x = 0 of a loss without a bound of its curvature; NULL: 0 will do */
    double W;                 /* sum of weights */
    int64_t classes;          /* 0 for regression */
    double *class_value;      /* raw label of class 0, 1, ...; two classes map to -1, +1 */
    double row_norm2_max;     /* max ||a_i||^2 (+1 with intercept) over rows with weight > 0 */
    double weight_factor_max; /* max N w_i / W * (||a_i||^2 (+1)): for shuffle sampling */
    int64_t nnz;              /* of the rows used */
    bool full;                /* sparse, and every row used has all d entries */
    bool ones;                /* not full, and every value in them is 1 */
    int64_t supports;         /* features that occur in some F_t */
    int32_t
        *place; /* d places: features of the support come first (place < supports), the idle ones behind; NULL when all d occur */
};

/* Maps labels, resolves weights, scales, cuts blocks; idempotent. Every evaluation and solver calls it. */
spdhg_status spd_problem_freeze(spdhg_problem *p, spdhg_error *err);
/* Number of row i in the data. */
static inline int64_t spd_problem_id(const spdhg_problem *p, int64_t i) { return p->row ? p->row[i] : i; }
/* Every row used has every feature, whether the data says so by having no indices or by having all of them. */
static inline bool spd_problem_full(const spdhg_problem *p) { return p->full || !p->data->idx; }
/* The values of rows i, i+1, ... of a full problem, SPD_ABREAST of them. */
static inline void spd_problem_full_rows(const spdhg_problem *p, int64_t i, const double *row[SPD_ABREAST]) {
    for (int64_t r = 0; r < SPD_ABREAST; r++) {
        const int64_t id = spd_problem_id(p, i + r);
        row[r] = p->val + (p->data->idx ? p->data->ptr[id] : id * p->d);
    }
}
/* Entry q of a row of the problem as it was before --standardize divided it, exactly. */
double spd_problem_undivided(const spdhg_problem *p, const spd_row *row, int64_t q);
void spd_problem_row(const spdhg_problem *p, int64_t i, spd_row *row); /* i in 0..n-1; weight = 1 */
/* Of row i: w_i, and its share w_i/W; its K offsets, or NULL. */
static inline double spd_problem_weight(const spdhg_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }
static inline double spd_problem_share(const spdhg_problem *p, int64_t i) { return spd_problem_weight(p, i) / p->W; }
static inline const double *spd_problem_offset(const spdhg_problem *p, int64_t i) {
    return p->data->offset ? p->data->offset + spd_problem_id(p, i) * p->K : NULL;
}

/* ---- subset.c: some rows of a frozen problem (positions 0..n-1, not ids of the data) as a problem of its own, frozen: the same
 * labels, weights and terms, nothing of the data copied; --standardize: with a scale, and so values, of its own. Of lambda the
 * values as given. first: F of the first term instead of the base's, or NULL. The base, and first, must outlive it. */
spdhg_status spd_problem_subset(spdhg_problem **out, const spdhg_problem *base, const int64_t *position, int64_t count,
                                const spdhg_structure *first, spdhg_error *err);
/* One row drawn of every `stride`, one with weight where there is one; lambda as it is now. A function of the seed. */
spdhg_status spd_problem_thin(spdhg_problem **out, const spdhg_problem *base, int64_t stride, uint64_t seed, spdhg_error *err);

/* ---- labels.c: classes of the rows used, sorted; b in the loss's own form. Also maps held-out data by the same map. */
spdhg_status spd_problem_map_labels(spdhg_problem *p, spdhg_error *err);
spdhg_status spd_map_targets(const spdhg_problem *p, const spdhg_data *data, double **b, spdhg_error *err);

/* ---- term.c */
void spd_term_apply(const spd_term *t, int64_t K, const double *x, double *z);          /* z = F x */
void spd_term_add_transposed(const spd_term *t, int64_t K, const double *y, double *g); /* g += F'y */
double spd_term_value(const spd_term *t, int64_t K, const double *z, double *work);     /* lambda r(z), z = F x */
void spd_term_project(const spd_term *t, int64_t K, double *y, double *work);           /* y = Pi_{lambda Y}(y) */
int64_t spd_term_block_rows(const spd_term *t, int64_t b);                              /* how many rows block b has */
int64_t spd_term_block_row(const spd_term *t, int64_t b, int64_t r);                    /* its r-th row of F */
double spd_term_block_polar(const spd_term *t, int64_t K, int64_t b, const double *y, double *work);
double spd_term_polar(const spd_term *t, int64_t K, const double *y, double *work); /* smallest lambda with y in lambda Y */
void spd_term_slide(const spd_term *t, int64_t K, const double *v, double *dir, double *work); /* dir = DPi_{lambda Y}(v) dir */
/* open[i] = 1 for the numbers of u whose part (l1: itself; group: its group) is longer than radius; penalties that make no zeros:
 * for all. */
void spd_term_outside(const spd_term *t, int64_t K, const double *u, double radius, double *open, double *work);
double spd_term_radius(const spd_term *t, int64_t K); /* max ||y|| over lambda Y */
int64_t spd_term_work(const spd_term *t, int64_t K);  /* doubles of work for the above */
/* The dual half-step fused with the transposed product, one pass over the rows of F (docs/architecture.md, decision 5):
 *     y = Pi_{lambda Y}(y + s F x);   y_sum += average_weight y;   g += F'y
 * F is the term's own matrix, or its `placed` one when x and g are in that order. */
void spd_term_dual_step(const spd_term *t, const spd_csr *F, int64_t K, double s, const double *x, double *y,
                        double average_weight, double *y_sum, double *g, double *work);

/* ---- stack.c: all terms together, F = [F_1; F_2; ...], y in the product of the balls. */
void spd_problem_apply(const spdhg_problem *p, const double *x, double *z);          /* z = F x */
void spd_problem_add_transposed(const spdhg_problem *p, const double *y, double *g); /* g += F'y */
void spd_problem_project_dual(const spdhg_problem *p, double *y, double *work);      /* y = Pi_{lambda Y}(y) */
double spd_problem_penalty(const spdhg_problem *p, const double *z, double *work);   /* sum_t lambda_t r_t(z_t) */
/* M += sum_t weight(t) F_t'F_t for K outputs, lower triangle of a row-major n x n matrix. */
void spd_problem_add_gram(const spdhg_problem *p, double (*weight)(const spd_term *), int64_t n, double *M);
void spd_problem_gram_diagonal(const spdhg_problem *p, double *diagonal); /* of F'F, d numbers */
bool spd_problem_can_slide(const spdhg_problem *p);                       /* every penalty has its derivative */
void spd_problem_slide(const spdhg_problem *p, const double *v, double *dir, double *work);
int64_t spd_problem_term_work(const spdhg_problem *p); /* work of the largest term */

/* ---- accelerated.c: accelerated projected gradient over y in lambda Y. Arrays m x K of the caller: y, the point u ahead of it, y
 * before. After start, in turn: the caller's gradient step in u; project; extrapolate, which makes the next u. */
typedef struct spd_accelerated {
    double *y, *u, *previous;
    double t;
} spd_accelerated;
void spd_accelerated_start(spd_accelerated *a, const spdhg_problem *p);
void spd_accelerated_project(spd_accelerated *a, const spdhg_problem *p, double *work); /* y = Pi(u) */
void spd_accelerated_extrapolate(spd_accelerated *a, const spdhg_problem *p);

/* ---- objective.c: collectives over all rows, blocked and threaded; the same bits for any number of threads. */
typedef struct spd_value {
    double objective, loss, ridge, penalty;
} spd_value;
int64_t spd_problem_blocks(const spdhg_problem *p); /* fixed blocks of rows that sums are made of */
/* Scores z = A x + o (n x K), without intercept. */
void spd_problem_scores(const spdhg_problem *p, int threads, const double *x, double *z);
void spd_problem_shift(const spdhg_problem *p, const double *c, double *z); /* z += c, every row */
enum { SPD_ROWS_PER_BLOCK = 2048 };
/* ---- centre.c: the intercept of a caller, for the columns as they are in the data, to c~ of the centred ones, and back. In
 * place; x on the scale that is penalised. Nothing changes without centred columns. */
void spd_problem_c_inward(const spdhg_problem *p, const double *x, double *c);
void spd_problem_c_outward(const spdhg_problem *p, const double *x, double *c);
/* ---- intercept.c: minimise the loss over the intercept, in place, started at c; z from spd_problem_scores. Newton in K
 * dimensions; softmax: sum c = 0. partial: spd_problem_blocks (1 + 3K) numbers, newton: 8K. Stopped, c is better than it was. */
void spd_problem_best_intercept(const spdhg_problem *p, int threads, const double *z, double *c, double *partial, double *newton,
                                spd_stop *stop);
/* ---- losses.c: at the scores z + c + t move (c, move may be NULL): the mean loss, and where they are not NULL alpha = phi' and
 * curve = phi'' (coupled losses: the scores themselves), unweighted, n x K. partial: spd_problem_blocks (1 + K) numbers. */
typedef struct spd_scores {
    const double *z, *c, *move;
    double t;
} spd_scores;
double spd_problem_losses(const spdhg_problem *p, int threads, const spd_scores *at, double *alpha, double *curve,
                          double *partial);
/* f at (x, c); with an intercept c is minimised in place first. alpha, curve: as in spd_problem_losses, may be NULL. scratch:
 * spd_problem_value_work doubles; it holds F x first. */
void spd_problem_value(const spdhg_problem *p, int threads, const double *x, double *c, double *alpha, double *curve,
                       double *scratch, spd_value *out, spd_stop *stop);
int64_t spd_problem_value_work(const spdhg_problem *p);
/* The scores z = A x + o (n x K, without intercept) that spd_problem_value left in its scratch. */
double *spd_problem_value_scores(const spdhg_problem *p, double *scratch);
void spd_row_score(const spdhg_problem *p, const spd_row *row, const double *x, double *z); /* z = a'x + o, K numbers */

/* ---- gradient.c: collectives that end in A'u. scratch: spd_problem_gradient_work doubles for each. gc (K, for the intercept)
 * may be NULL. */
/* g (d x K) = (1/W) sum w_i phi'(z_i) a_i'. slope (n x K, may be NULL): phi'(z_i) of every row, unweighted, as variance-reduced
 * solvers keep them. */
void spd_problem_gradient(const spdhg_problem *p, int threads, const double *x, const double *c, double *g, double *gc,
                          double *slope, double *scratch);
/* g = (1/W) sum w_i alpha_i a_i' for any alpha (n x K). */
void spd_problem_adjoint(const spdhg_problem *p, int threads, const double *alpha, double *g, double *gc, double *scratch);
/* (1/W) sum w_i |alpha_i| |a_i|': what g's numbers are sums of. Rounding leaves about 1e-16 of it. */
void spd_problem_adjoint_sizes(const spdhg_problem *p, int threads, const double *alpha, double *g, double *gc, double *scratch);
/* g = (1/W) sum w_i C_i(a_i'x + c) a_i': a product with the Hessian or with a matrix like it. Scalar losses: C_i = curve (n x K).
 * Coupled losses: C_i = phi''(z_i) at the scores z in `curve`. c may be NULL. */
void spd_problem_normal_product(const spdhg_problem *p, int threads, const double *curve, const double *x, const double *c,
                                double *g, double *gc, double *scratch);
int64_t spd_problem_gradient_work(const spdhg_problem *p);
int64_t spd_problem_gradient_blocks(const spdhg_problem *p); /* blocks of rows with a partial sum of d numbers or more each */

/* ---- hessian.c: the same matrix written out, row-major n x n with n = (d + 1) K (intercept last, d K without), lower triangle.
 */
double spd_problem_normal_cost(const spdhg_problem *p); /* of writing it out, for each row, in additions to scattered numbers */
/* False: stopped on the way, H is not whole. */
bool spd_problem_normal_matrix(const spdhg_problem *p, int threads, const double *curve, double *H, double *scratch,
                               spd_stop *stop);
int64_t spd_problem_normal_size(const spdhg_problem *p);
/* NULL, or why a solver that factors it refuses: it has more than SPD_DENSE_MOST rows. */
const char *spd_problem_refuses_factor(const spdhg_problem *p);
int64_t spd_problem_normal_work(const spdhg_problem *p, int threads);
/* H as written out with the curvatures `kept` (n x K) becomes H with others, no further than `within` of them from those in
 * `curve`: only rows that changed more are added again, with the difference, unless they are many. kept: what H has now. first: H
 * and kept are to be made. Coupled losses: all anew. diff: n x K numbers. False: stopped, H and kept are to be made anew. */
bool spd_problem_normal_update(const spdhg_problem *p, int threads, const double *curve, double within, bool first, double *H,
                               double *kept, double *diff, double *scratch, spd_stop *stop);

/* ---- curvature.c: constants of the step sizes. */
/* Diagonal of the Hessian, (d + 1) K numbers with an intercept, d K without. */
void spd_problem_curvature_diagonal(const spdhg_problem *p, const double *curve, double *diagonal);
double spd_problem_lipschitz(const spdhg_problem *p, spdhg_sampling sampling); /* kappa max_i(||a_i||^2 [+1]) + gamma */
/* What the coefficients live on: F of the first term, or NULL. */
static inline const spdhg_structure *spd_problem_structure(const spdhg_problem *p) { return p->terms > 0 ? p->term[0].F : NULL; }
double spd_problem_structure_norm(const spdhg_problem *p); /* bound on || [F_1; F_2; ...] || */
double spd_problem_dual_radius(const spdhg_problem *p);    /* max ||y|| over the product of the lambda Y_t */
/* Every row's loss has a direction in which it falls for ever: where they agree f has no minimiser, and its loss the infimum 0. */
bool spd_problem_falls(const spdhg_problem *p);
/* H = (kappa/W) sum_i w_i a_i a_i', a_i with a last entry 1 if there is an intercept: the Hessian of the loss is at most H for
 * every output. Vectors have d + 1 numbers, the last of the intercept. D: positive numbers, a diagonal to measure H in. */
spdhg_status spd_problem_find_curvature(spdhg_problem *p, spdhg_error *err);  /* kappa and kappa_usual; the rows are ready */
void spd_problem_curvature_columns(const spdhg_problem *p, double *diagonal); /* of H, with kappa_usual for kappa */
double spd_problem_curvature_rows(const spdhg_problem *p, spdhg_sampling sampling,
                                  const double *D); /* max_i (N w_i/W) kappa a_i'D^-1 a_i; iid: no factor */
/* lmax(D^-1/2 H D^-1/2) from below: power iterations until they gain less than 1/2 %, at most `rounds`. v: start and result,
 * positive and irregular is good. work: d + 1 numbers and spd_problem_gradient_work. */
double spd_problem_curvature_norm(const spdhg_problem *p, int threads, const double *D, int rounds, double *v, double *work);

#endif
