/* interior.h - a primal-dual interior-point method (Mehrotra 1992) for
 *
 *     minimise over u = (x, c), x in X    u'Pu/2 + q'u + (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + lambda r(F x)
 *
 * Where phi* is quadratic on an interval the rows of the loss are pieces like those of the penalty: max over alpha in the interval
 * of alpha z - phi*(alpha). Else P and q are a model of the loss and there are no rows.
 *
 * Everything that is not smooth is a list of pairs s, g >= 0 with s g = 0 at the optimum and s g = mu on the way there: g is a
 * distance to a side (of an interval, a ball, X), s its multiplier. A Newton step for given targets changes s by
 * k - s - s dg/g, k = (mu - what the step before it left)/g. What remains is one positive system in du:
 *
 *     ( P + A'CA/W + F'DF + that of X ) du = -( P u + q + A'(alpha at du = 0) + F'(y at du = 0) ) + that of X
 *
 * It is the same for columns of any scale: scaling x_j scales row and column j of the system. */
#ifndef SPD_INTERIOR_H
#define SPD_INTERIOR_H
#include "face/tied_coordinates.h"
#include "la/sparse_system.h"

/* ---- stack.c: what the system is made of, as rows of one sparse matrix over (x, c): those of A, of F, and one for each block that a
 * penalty couples, whose values are the normal's. Each counts once for each output. */
typedef struct spd_interior_stack {
    spd_sparse_pattern pattern;
    double *value;         /* of the rows of A and F; behind them those of the blocks, which change */
    int64_t fixed, blocks; /* numbers of `value` that stay; rows of blocks */
    bool spare;            /* x can do what the intercept does, at no cost: c stays where it is */
} spd_interior_stack;
spdhg_status spd_interior_stack_new(spd_interior_stack **out, const spdhg_problem *p, spdhg_error *err);
double spd_interior_stack_bytes(const spd_interior_stack *s);
void spd_interior_stack_free(spd_interior_stack *s);

struct spd_interior;
/* The system M of a step, in one of two ways. */
typedef struct spd_interior_algebra {
    bool (*factor)(struct spd_interior *a);
    void (*solve)(struct spd_interior *a, const double *b, double *out); /* fix is lost */
    void (*apply)(struct spd_interior *a, const double *x, double *out);
} spd_interior_algebra;
extern const spd_interior_algebra spd_interior_dense, spd_interior_sparse;

typedef struct spd_interior {
    const spdhg_problem *p;
    int threads;
    spd_stop *stop;    /* asked before every step */
    bool pieces, rows; /* the loss has sides; its rows are in the problem, P and q are not */
    const spd_interior_algebra *algebra;
    const spd_interior_stack *stack; /* of the sparse one, or NULL: dense */
    spd_sparse_system system;
    bool curved;                             /* a step changes the curvature of the loss */
    double loss;                             /* of a smooth one whose rows are in the problem, at u */
    int64_t n;                               /* numbers of u */
    double mu, step;                         /* the products aimed at; the part of the direction that is made */
    double eta;                              /* multiplier of the sum of the simplex */
    double *s, *g, *k, *dg;                  /* pairs: two for each row, entry of F x and coordinate, two more for X */
    double *u, *du, *q, *rhs, *column, *fix; /* n: fix: scratch of the system; column: what X adds to it as column column' */
    int32_t *touched;                        /* n: a list of unknowns */
    double *bend, *pull;                     /* n: the most curvature and penalty that a coordinate can meet (squared) */
    double *best_u, *best_y;                 /* n, m x K: the nearest to the optimum so far */
    double *P, *M, *L;                       /* n x n, lower: P of the model, the system, its factor */
    double *alpha, *short_of, *curve,
        *next; /* n_rows x K: alpha; z - b, of a smooth loss z; C; alpha at du = 0, then its change */
    double *y, *z, *dz, *weight, *next_y, *normal; /* m x K: y; F x; its change; D; y at du = 0, then its change; radial parts */
    double *t, *dt, *goal0, *goal, *work;          /* m x K: of a block's first number: bound of its |z|, its change; cones */
    spd_tied whole;
    double *scratch; /* of the collectives */
    int steps;       /* made; each with rows looks at them six times */
} spd_interior;

/* state: what is carried from one step to the next. stack NULL: dense matrices. */
void spd_interior_layout(spd_interior *a, const spdhg_problem *p, int threads, const spd_interior_stack *stack, spd_arena *state,
                         spd_arena *work);
/* From u, with what bend, pull and the model say, to the minimiser: best_u, in the closed X but for rounding, and best_y. start:
 * what f may be above its minimum by; until products and decrement are below `enough`. False if it did not come near. */
bool spd_interior_solve(spd_interior *a, double start, double enough);
/* The same step by step. begin: pairs for u. advance: false if the system cannot be solved; decrement: du'M du of the step to mu = 0.
 * left: about what f is above its minimum by. */
void spd_interior_begin(spd_interior *a, double start);
void spd_interior_stand(spd_interior *a); /* every direction is 0 */
bool spd_interior_advance(spd_interior *a, double *decrement);
double spd_interior_left(const spd_interior *a, double decrement);
/* ---- cross.c: after an advance that left the part `fall` of the products: best_u and best_y become the minimiser itself, with exact zeros
 * but for rounding, if its face can be told by now. */
bool spd_interior_can_cross(const spd_interior *a);
bool spd_interior_cross(spd_interior *a, double fall);
const char *spd_interior_refuses(const spdhg_problem *p);
/* It takes the problem, and is what proximal Newton should leave it to in trouble: a set X, a loss that is made of pieces, or
 * so few coefficients that factors cost nothing. */
bool spd_interior_rescues(const spdhg_problem *p);

/* ---- pairs.c: count pairs from `first` on. */
static inline double spd_pair_change(const spd_interior *a, int64_t i) {
    return a->k[i] - a->s[i] - a->s[i] * (a->dg[i] / a->g[i]);
}
static inline double spd_pair_ratio(const spd_interior *a, int64_t i) { return a->s[i] / a->g[i]; }
void spd_pair_centre(spd_interior *a, int64_t i, double g); /* g and s = mu/g; INFINITY: no side */
void spd_pairs_aim(spd_interior *a, double mu, bool corrected);
double spd_pairs_longest(const spd_interior *a, double most); /* the largest step <= most that leaves every pair at least 0 */
double spd_pairs_sum(const spd_interior *a, double step);     /* of the products after this step; */
int64_t spd_pairs_count(const spd_interior *a);               /* of the sides there are */
void spd_pairs_move(spd_interior *a, double step);

/* Where the pairs of each kind begin, and how many there are. */
static inline int64_t spd_pairs_terms(const spd_interior *a) { return a->pieces ? 2 * a->p->n * a->p->K : 0; }
static inline int64_t spd_pairs_set(const spd_interior *a) { return spd_pairs_terms(a) + 2 * a->p->m * a->p->K; }
static inline bool spd_interior_is_free(const spd_interior *a) { return a->p->set.kind->whole; } /* X has no sides */
static inline int64_t spd_pairs_all(const spd_interior *a) {
    return spd_pairs_set(a) + (spd_interior_is_free(a) ? 0 : 2 * a->p->dK + 2);
}

/* The nuclear norm of one row or column is its length, a group; of a matrix only without lambda. */
static inline bool spd_part_is_group(const spd_term *t, int64_t K) {
    return t->penalty->length || (t->penalty->singular_values && (t->m == 1 || K == 1));
}
static inline bool spd_part_known(const spd_term *t, int64_t K) {
    const spd_penalty *r = t->penalty;
    return r->sum_of_sizes || r->largest_size || spd_part_is_group(t, K) || (t->lambda == 0 && t->lambda_given == 0);
}
/* The numbers of F x that a penalty couples; l1: each by itself. */
typedef struct spd_part {
    const spd_term *t;
    int64_t K, b, size, pair;
} spd_part;
static inline int64_t spd_parts_of(const spd_term *t, int64_t K) { return t->penalty->sum_of_sizes ? t->m * K : t->blocks; }
static inline spd_part spd_part_of(const spd_interior *a, const spd_term *t, int64_t b) {
    const int64_t K = a->p->K, size = t->penalty->sum_of_sizes ? 1 : spd_term_block_rows(t, b) * K;
    return (spd_part){.t = t, .K = K, .b = b, .size = size, .pair = spd_pairs_terms(a)};
}
/* Where number i of the block is among the m x K, and its first pair. */
static inline int64_t spd_part_at(const spd_part *B, int64_t i) {
    if (B->t->penalty->sum_of_sizes) return B->t->first + B->b;
    return B->t->first + spd_term_block_row(B->t, B->b, i / B->K) * B->K + i % B->K;
}
static inline int64_t spd_part_pair(const spd_part *B, int64_t i) { return B->pair + 2 * spd_part_at(B, i); }

/* ---- cone.c: one group; reach: the largest step <= most that stays in the cones. */
void spd_cone_centre(spd_interior *a, const spd_part *B);
void spd_cone_aim(spd_interior *a, const spd_part *B, double mu, bool corrected);
void spd_cone_prepare(spd_interior *a, const spd_part *B);
void spd_cone_follow(spd_interior *a, const spd_part *B);
void spd_cone_move(spd_interior *a, const spd_part *B); /* by a->step; y has moved */
double spd_cone_reach(const spd_interior *a, const spd_part *B, double most);
double spd_cone_product(const spd_interior *a, const spd_part *B, double step);
/* ---- terms.c: all of them, as spd_pairs_... */
void spd_cones_aim(spd_interior *a, double mu, bool corrected);
double spd_cones_longest(const spd_interior *a, double most);
double spd_cones_sum(const spd_interior *a, double step, int64_t *count);

/* ---- rows.c, terms.c, set.c: each kind of piece. centre: the best for u and mu. prepare: its part of
 * the system and its dual at du = 0. follow: its change for du. move: by a part of it. */
void spd_interior_rows_look(spd_interior *a); /* z - b at u */
void spd_interior_rows_centre(spd_interior *a);
void spd_interior_rows_prepare(spd_interior *a);
void spd_interior_rows_follow(spd_interior *a);
void spd_interior_rows_move(spd_interior *a, double step);
double spd_interior_rows_trust(spd_interior *a, double step); /* of a smooth loss: the part of a step for which its model holds */
void spd_interior_terms_centre(spd_interior *a);
void spd_interior_terms_prepare(spd_interior *a);
typedef void spd_part_task(spd_interior *a, const spd_part *B);
void spd_interior_terms_each(spd_interior *a, spd_part_task *l1, spd_part_task *group, spd_part_task *linf, spd_part_task *none);
void spd_interior_terms_follow(spd_interior *a);
void spd_interior_terms_move(spd_interior *a, double step);
void spd_interior_set_enter(spd_interior *a);                                    /* u into the inside of X, and its pairs */
void spd_interior_set_matrix(spd_interior *a, double *diagonal, int64_t stride); /* what it adds to M, on the diagonal; */
double spd_interior_set_column(spd_interior *a);                                 /* and by factor column column', 0: nothing */
void spd_interior_set_prepare(spd_interior *a);                                  /* adds to rhs */
void spd_interior_set_follow(spd_interior *a);
void spd_interior_set_settle(spd_interior *a);      /* best_u on the sides that hold it */
double spd_interior_set_sum(const spd_interior *a); /* what sum_j x_j is to be; NAN: anything */
#endif
