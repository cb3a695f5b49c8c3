/* interior.h - a primal-dual interior-point method (Mehrotra 1992) for
 *
 *     minimise over u = (x, c), x in X    u'Pu/2 + q'u + (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + lambda r(F x)
 *
 * If phi* is quadratic on an interval, the rows of the loss are pieces like those of the penalty:
 *
 *     phi(z) = max over alpha in the interval of alpha z - phi*(alpha)
 *
 * Otherwise P and q are a model of the loss, and there are no rows.
 *
 * Everything nonsmooth is a list of pairs s, g >= 0 with s g = 0 at the optimum and s g = mu on the central path: g is a distance
 * to a side (of an interval, a ball, X), and s is its multiplier. A Newton step for given targets changes s by
 *
 *     ds = k - s - s dg/g
 *     k = (mu - second-order term of the trial step to mu = 0)/g
 *
 * Eliminating ds leaves one positive definite system in du:
 *
 *     ( P + A'CA/W + F'DF + part of X ) du = -( P u + q + A'(alpha at du = 0) + F'(y at du = 0) ) + part of X
 *
 * The method does not depend on the scale of the columns: scaling x_j scales row and column j of the system. */
#ifndef SPD_INTERIOR_H
#define SPD_INTERIOR_H
#include "face/tied_coordinates.h"
#include "la/sparse_system.h"

/* ---- stack.c: the rows that make up the system, as one sparse matrix over (x, c): the rows of A and of F, and for each block
 * that a penalty couples a row with the values of its normal. Each row occurs once for each output. */
typedef struct spd_interior_stack {
    spd_sparse_pattern pattern;
    double *value;         /* entries of the rows of A and F, followed by those of the blocks, which change */
    int64_t fixed, blocks; /* number of entries in `value` that do not change; number of block rows */
    bool spare;            /* the intercept is redundant, since x can replace it at no cost: c does not move */
} spd_interior_stack;
spdhg_status spd_interior_stack_new(spd_interior_stack **out, const spdhg_problem *p, spd_stop *stop, spdhg_error *err);
int64_t
spd_interior_loss_rows(const spdhg_problem *p); /* the first rows: one for each output or, if they are coupled, each pair */
double spd_interior_stack_bytes(const spd_interior_stack *s);
void spd_interior_stack_free(spd_interior_stack *s);

struct spd_interior;
/* The system M of a step: dense or sparse. */
typedef struct spd_interior_algebra {
    bool (*factor)(struct spd_interior *a);
    void (*solve)(struct spd_interior *a, const double *b, double *out); /* overwrites fix */
    void (*apply)(struct spd_interior *a, const double *x, double *out);
} spd_interior_algebra;
extern const spd_interior_algebra spd_interior_dense, spd_interior_sparse;

typedef struct spd_interior {
    const spdhg_problem *p;
    int threads;
    spd_stop *stop;    /* asked before every step */
    bool pieces, rows; /* the loss has sides; the loss is given by its rows, not by P and q */
    bool corners;      /* every row of the loss has a corner: it is linear on either side */
    const spd_interior_algebra *algebra;
    const spd_interior_stack *stack; /* of the sparse system; NULL: dense */
    spd_sparse_system system;
    bool curved;            /* a step changes the curvature of the loss */
    double loss;            /* at u, for a smooth loss given by its rows */
    int64_t n;              /* entries of u */
    double mu, step;        /* target of the products s g; step length */
    double start;           /* the products at the start */
    bool fine;              /* the system is solved with twice the digits: a band, or small and dense */
    double before, sum;     /* of the products, before and after the last step */
    double residual;        /* relative residual of the solution of a sparse system */
    double prox;            /* of crossover.c, where x may be undetermined: to the diagonal of M, or common rows; else 0 */
    double eta;             /* multiplier of the simplex's sum constraint */
    double *s, *g, *k, *dg; /* pairs: two for each row, entry of F x and coordinate, and two more for X */
    double *u, *du, *q, *rhs, *column, *fix; /* n; fix: scratch of the system, to which X adds factor column column' */
    int32_t *touched;                        /* n: a list of unknowns */
    double *bend, *pull;                     /* n: upper bounds of a coordinate's curvature and (squared) penalty slope */
    double *best_u, *best_y;                 /* n, m x K: the point closest to the optimum so far */
    double *best_alpha, *pulled; /* n_rows x K: the alpha that belongs to it, with pieces; with corners: scratch of crossover.c */
    double *P, *M, *L;           /* n x n, lower triangles: the model's P, the system, its factor */
    spd_twofold *doubled, *doubled_x; /* n x n, n: factor with twice the digits, last solution; NULL: too large, or no pieces */
    double *alpha, *short_of, *curve,
        *next; /* n_rows x K: alpha; z - b, or z for a smooth loss; C (coupled: z); alpha at du = 0, then its change */
    double *y, *z, *dz, *weight, *next_y, *normal; /* m x K: y; F x; its change; D; y at du = 0, then its change; radial parts */
    double *t, *dt, *goal0, *goal, *work;          /* m x K: bound of a block's |z|, in its first entry; its change; cones */
    spd_tied whole;
    double *scratch; /* for passes over the data and the terms */
    int steps;       /* made so far; each makes about six passes over the rows, if any */
} spd_interior;

static inline bool spd_interior_can_refine(const spd_interior *a) { return a->stack && a->stack->pattern.band; }
/* ---- fine.c: the dense system with twice the digits. add: of the column of X. */
bool spd_interior_fine_fits(const spdhg_problem *p);
bool spd_interior_fine_is_free(const spdhg_problem *p);     /* its factor takes no time worth saving */
bool spd_interior_fine_factor(spd_interior *a, double add); /* false: M is singular, with twice the digits too */
void spd_interior_fine_solve(spd_interior *a, const double *b, double *out);
void spd_interior_fine_terms(const spd_interior *a, double *Fdu); /* F du and A du + dc of the direction solved last */
void spd_interior_fine_rows(const spd_interior *a, double *Adu);
void spd_interior_terms_shift(spd_interior *a, double *Fdu); /* F du of the direction solved last */

/* state: memory that lasts from one step to the next. stack NULL: dense matrices. */
void spd_interior_layout(spd_interior *a, const spdhg_problem *p, int threads, const spd_interior_stack *stack, spd_arena *state,
                         spd_arena *work);
/* Minimises from u, given bend, pull and the model. Results: best_u, in the closed X up to rounding, and best_y. start: an
 * estimate of f minus its minimum. Stops when the products and the decrement are below `enough`. False if it did not come
 * close. */
bool spd_interior_solve(spd_interior *a, double start, double enough);
/* The same step by step. begin: initial pairs for u. advance: false if the system cannot be solved; decrement: du'M du of the
 * step to mu = 0. left: an estimate of f minus its minimum. */
void spd_interior_begin(spd_interior *a, double start);
void spd_interior_stand(spd_interior *a); /* sets every direction to 0 */
bool spd_interior_advance(spd_interior *a, double *decrement);
double spd_interior_left(const spd_interior *a, double decrement);
/* ---- crossover.c: to be called after an advance that multiplied the products by `fall`. If the face of the minimiser can be
 * identified, best_u and best_y become the minimiser itself, with zeros accurate to rounding. */
bool spd_interior_can_cross(const spd_interior *a);
bool spd_interior_cross(spd_interior *a, double fall);
/* ---- corners.c: the rows of a loss with corners, for crossover.c. alpha in next, z - b in short_of, rho or 0 in curve. */
void spd_corners_read(spd_interior *a, double fall, double rho); /* which rows are at their corner */
void spd_corners_score(spd_interior *a, const double *x);
const double *spd_corners_pull(spd_interior *a);
void spd_corners_move(spd_interior *a);
bool spd_corners_hold(const spd_interior *a, const double *x); /* z = b at the corners, up to rounding */
int64_t spd_corners_change(spd_interior *a, const double *x, double rho);
/* ---- value.c: of the problem itself. value: f at u; the scores there and F u must be current. place: computes these; cold:
 * first sets u to the point of X nearest to 0, with the best intercept there. Returns |f|. work: that of the terms. */
double spd_interior_value(spd_interior *a, double *work);
double spd_interior_place(spd_interior *a, bool cold, double *work);
const char *spd_interior_refuses(const spdhg_problem *p);
/* True if the method accepts the problem, and proximal Newton should hand the problem over when in trouble: with a set X, a loss
 * made of pieces, or so few coefficients that factors are cheap. */
bool spd_interior_rescues(const spdhg_problem *p);

/* ---- pairs.c: targets, step lengths and moves of the pairs s, g. */
static inline double spd_pair_change(const spd_interior *a, int64_t i) {
    return a->k[i] - a->s[i] - a->s[i] * (a->dg[i] / a->g[i]);
}
static inline double spd_pair_ratio(const spd_interior *a, int64_t i) { return a->s[i] / a->g[i]; }
void spd_pair_centre(spd_interior *a, int64_t i, double g); /* sets g and s = mu/g; g = INFINITY: no side */
void spd_pairs_aim(spd_interior *a, double mu, bool corrected);
double spd_pairs_longest(const spd_interior *a, double most); /* the largest step <= most that keeps every pair >= 0 */
double spd_pairs_sum(const spd_interior *a, double step);     /* sum of the products after this step */
int64_t spd_pairs_count(const spd_interior *a);               /* number of sides */
void spd_pairs_move(spd_interior *a, double step);

/* Where the pairs of each kind begin, and how many there are. */
static inline int64_t spd_pairs_terms(const spd_interior *a) { return a->pieces ? 2 * a->p->n * a->p->K : 0; }
static inline int64_t spd_pairs_set(const spd_interior *a) { return spd_pairs_terms(a) + 2 * a->p->m * a->p->K; }
static inline bool spd_interior_is_free(const spd_interior *a) { return a->p->set.kind->whole; } /* X has no sides */
static inline int64_t spd_pairs_all(const spd_interior *a) {
    return spd_pairs_set(a) + (spd_interior_is_free(a) ? 0 : 2 * a->p->dK + 2);
}

/* The nuclear norm of one row or column is its Euclidean norm, a group; that of a matrix is supported only for lambda = 0. */
static inline bool spd_part_is_group(const spd_term *t, int64_t K) {
    return t->penalty->length || (t->penalty->singular_values && (t->m == 1 || K == 1));
}
static inline bool spd_part_known(const spd_term *t, int64_t K) {
    const spd_penalty *r = t->penalty;
    return r->sum_of_sizes || r->largest_size || spd_part_is_group(t, K) || (t->lambda == 0 && t->lambda_given == 0);
}
/* A block: entries of F x that a penalty couples; with l1 a single entry. */
typedef struct spd_part {
    const spd_term *t;
    int64_t K, b, size, pair;
} spd_part;
static inline int64_t spd_parts_of(const spd_term *t, int64_t K) { return t->penalty->sum_of_sizes ? t->m * K : t->blocks; }
static inline spd_part spd_part_of(const spd_interior *a, const spd_term *t, int64_t b) {
    const int64_t K = a->p->K, size = t->penalty->sum_of_sizes ? 1 : spd_term_block_rows(t, b) * K;
    return (spd_part){.t = t, .K = K, .b = b, .size = size, .pair = spd_pairs_terms(a)};
}
/* The index of the block's entry i in an m x K array, and that of its first pair. */
static inline int64_t spd_part_at(const spd_part *B, int64_t i) {
    if (B->t->penalty->sum_of_sizes) return B->t->first + B->b;
    return B->t->first + spd_term_block_row(B->t, B->b, i / B->K) * B->K + i % B->K;
}
static inline int64_t spd_part_pair(const spd_part *B, int64_t i) { return B->pair + 2 * spd_part_at(B, i); }

/* ---- cone.c: one group. reach: the largest step <= most that stays in the cones. */
void spd_cone_centre(spd_interior *a, const spd_part *B);
void spd_cone_aim(spd_interior *a, const spd_part *B, double mu, bool corrected);
void spd_cone_prepare(spd_interior *a, const spd_part *B);
void spd_cone_follow(spd_interior *a, const spd_part *B);
void spd_cone_move(spd_interior *a, const spd_part *B); /* by a->step, after y has moved */
double spd_cone_reach(const spd_interior *a, const spd_part *B, double most);
double spd_cone_product(const spd_interior *a, const spd_part *B, double step);
/* ---- terms.c: all groups, like spd_pairs_... */
void spd_cones_aim(spd_interior *a, double mu, bool corrected);
double spd_cones_longest(const spd_interior *a, double most);
double spd_cones_sum(const spd_interior *a, double step, int64_t *count);

/* ---- rows.c, terms.c, set.c: one file for each kind of piece.
 *   centre    the best pairs for u and mu
 *   prepare   the part of the system, and the dual at du = 0
 *   follow    the change for du
 *   move      makes a step of that change */
void spd_interior_rows_score(spd_interior *a); /* computes z - b at u */
void spd_interior_rows_centre(spd_interior *a);
void spd_interior_rows_prepare(spd_interior *a);
void spd_interior_rows_follow(spd_interior *a);
void spd_interior_rows_move(spd_interior *a, double step);
void spd_interior_rows_keep(spd_interior *a, const double *alpha); /* as best_alpha; nothing to do without pieces */
double spd_interior_rows_trust(spd_interior *a, double step);      /* how long a step the model of a smooth loss holds for */
void spd_interior_terms_centre(spd_interior *a);
void spd_interior_terms_prepare(spd_interior *a);
typedef void spd_part_task(spd_interior *a, const spd_part *B);
void spd_interior_terms_each(spd_interior *a, spd_part_task *l1, spd_part_task *group, spd_part_task *linf, spd_part_task *none);
void spd_interior_terms_follow(spd_interior *a);
void spd_interior_terms_move(spd_interior *a, double step);
void spd_interior_set_enter(spd_interior *a); /* moves u into the interior of X; sets its pairs */
void spd_interior_set_matrix(spd_interior *a, double *diagonal, int64_t stride); /* what X adds to M: on the diagonal, */
double spd_interior_set_column(spd_interior *a); /* and as factor column column'; returns factor */
void spd_interior_set_prepare(spd_interior *a);  /* adds to rhs */
void spd_interior_set_follow(spd_interior *a);
double spd_interior_set_trust(const spd_interior *a, double step); /* how long a step X allows, besides its pairs */
void spd_interior_set_settle(spd_interior *a);                     /* moves best_u onto the sides that hold it */
double spd_interior_set_sum(const spd_interior *a);                /* the required sum_j x_j; NAN: none */
#endif
