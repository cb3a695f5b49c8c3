/* blocks.h - the path of lambda where columns come in blocks: minimises, with x d x K and x_b the rows of x of some features,
 *     f(x,c) = sum_i share_i phi(x'a_i + c + o_i, b_i) + (gamma/2)||x||^2 + lambda sum_b w_b ||x_b||
 * for one lambda after the other, each time from the previous solution, and proves each. The length of x_b is the Euclidean
 * one, or the sum of sizes of its numbers; then each number is penalised by itself, and a block is a feature. Arrays over rows
 * are by output: entry i of output k is at k n + i. */
#ifndef SPD_BLOCKS_H
#define SPD_BLOCKS_H
#include "lasso/lasso.h"

/* Blocks are listed, x is 0 outside the list. */
typedef struct spd_block_point {
    double *x, *c; /* dK feature-major, K */
    int32_t *list;
    int64_t count;
} spd_block_point;

/* The Hessian of the model in a block: V diag(D) V' (hessian.c), or D alone where V is the identity. */
typedef struct spd_block_hessian {
    int64_t size, parts; /* V is size x size, for each of `parts`: 1, or one for each output */
    const double *V, *D; /* V NULL: the identity; D: a diagonal for each part */
} spd_block_hessian;

/* What a proof knows of alpha. */
typedef struct spd_block_dual {
    double tau, lost, loose;
    double all;   /* sqrt( sum_k off_k^2 ) */
    double most;  /* the largest (||g_b|| + E_b) / w_b */
    double scale; /* alpha is multiplied by this */
} spd_block_dual;

/* Newton's method on a face (face.c). */
typedef struct spd_block_face {
    int64_t most, columns; /* numbers and columns there is room for */
    int64_t *at;           /* most: the packed place of an unknown */
    int32_t *unknown;      /* of a packed place: its unknown or -1 */
    int32_t *list, *which; /* columns of a product, and their places among the active ones */
    /* face_shared.c: if phi'' is shared, G has the products of the columns kept in list, after the intercept's */
    int32_t *place;      /* d: 1 + the place of a column there; 0: it is not kept */
    int64_t kept, apart; /* columns; numbers in a row of G */
    spd_packed rows;
    double *M, *H, *G, *work; /* M; A_E'(share phi'')A_E; the product for one pair of outputs; scratch of it */
    double *weight;           /* n */
    double *x, *g, *to;       /* packed: the point, the slopes there, the next point */
    double *step;
    double *right;  /* packed, 7 of them: for conjugate gradients */
    double *length; /* of each active block */
    double entries; /* of the active columns */
} spd_block_face;

enum { SPD_BLOCK_HISTORY = 5 };

typedef struct spd_blocks {
    const spdhg_problem *p;
    int threads;
    double times; /* the lambda solved for, in multiples of the problem's */
    spd_stop *stop;
    spd_matrix A;
    bool single, coupled, shared; /* numbers are penalised one by one; phi'' joins outputs; phi'' is 1, or the same for all */
    int64_t count, largest;       /* blocks; features of the largest */
    int64_t *first;               /* count + 1: positions in feature */
    int32_t *feature;             /* d */
    double *weight;               /* count: w_b */
    double *norm;                 /* count: sqrt of the sum of the squares of its columns' norms */
    double *share, *one, *nothing;
    double *b;                       /* targets by output, if not coupled */
    double least, reference, offset; /* as in lasso.h */
    /* the current point */
    spd_block_point now;
    bool *is_active;                    /* count */
    double *z, *slope, *curve;          /* n K: scores, phi', phi'' (coupled: chances) */
    double loss, ridge, size, penalty;  /* parts of f */
    double *rows, *rows_slope, *second; /* n K row by row: scratch of an evaluation */
    int32_t *set;
    int64_t set_count;
    bool *in_set;
    /* the model */
    spd_block_point origin;
    double *z0, *slope0, *curve0; /* n K */
    double *Q, *r;                /* n K: share phi''; share times the slopes of the model at now */
    double stiff;                 /* phi'' is multiplied by this, after steps that were too long */
    int64_t number;               /* of the model */
    int64_t *made, *place;        /* count: the model a block's Hessian was made for, and where it is */
    double *pool;                 /* Hessians */
    int64_t pool_size, pool_used;
    double *bound;                       /* count: of a block too large for a Hessian */
    double *c_curve, *c_V;               /* of the intercept: D, V */
    double *V, *work;                    /* scratch: a Hessian; of its eigenvectors */
    double *s, *u, *to, *by, *D, *t, *v; /* scratch of a visit: the largest block's numbers; v: n K */
    double *c_s, *c_by;                  /* K: of the intercept */
    int32_t *columns;                    /* d: scratch, the columns of active blocks */
    double *packed;                      /* d: scratch, their coefficients */
    double touched, count_work;          /* multiplications: of all steps; of the sweeps since they were added to that */
    double most, allowed;
    /* past points of the sweeps, to extrapolate from */
    double *past; /* (SPD_BLOCK_HISTORY + 1) x past_size */
    int64_t past_size, past_count, past_of,
        version; /* numbers in one; how many; the list's version; now's list has changed so often */
    spd_block_face face;
    /* the dual point of a proof */
    double *alpha, *g, *score; /* n K; dK: A'(share alpha); count: length of g_b, in the norm dual to the penalty's */
    double *columns_g;         /* d: scratch */
    double *off;               /* K: g_jk is off by off_k norm_j + lost */
    /* the solution before the last one */
    spd_block_point before;
    double lambda, fallen;
    double *partial;
} spd_blocks;

const char *spd_blocks_refuses(const spdhg_problem *p);
bool spd_blocks_pays(const spdhg_problem *p); /* along a path, beside Newton's method with a dense Hessian of all columns */
double spd_blocks_bytes(const spdhg_problem *p);
spdhg_status spd_blocks_new(spd_blocks **out, const spdhg_problem *p, int threads, spdhg_error *err);
/* Starts at (x, c), the solution at this lambda (INFINITY: at an unknown one). */
void spd_blocks_start(spd_blocks *a, const double *x, const double *c, double lambda);
/* The solution at the problem's present lambda, from the last one. plain: proven by phi'(z). */
void spd_blocks_solve(spd_blocks *a, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out);
void spd_blocks_dual(spd_blocks *a, double *y); /* y of the solution */
void spd_blocks_forget(spd_blocks *a);          /* all but the problem */
void spd_blocks_free(spd_blocks *a);

/* ---- evaluate.c */
double spd_blocks_evaluate(spd_blocks *a); /* f at now and its parts, scores, slopes and curvatures, afresh */
double spd_blocks_size(const spd_blocks *a, int64_t b, const double *x);              /* of x_b, packed */
void spd_blocks_gather(const spd_blocks *a, int64_t b, const double *x, double *out); /* x_b */
void spd_blocks_scatter(const spd_blocks *a, int64_t b, const double *from, double *x);
void spd_blocks_keep(const spd_blocks *a, spd_block_point *out); /* out = now */
void spd_blocks_activate(spd_blocks *a, int64_t b);
void spd_blocks_tidy(spd_blocks *a); /* takes blocks that have become 0 from the list of now */
/* v += A_b by, for the packed rows `by` of a block, by output. */
void spd_blocks_add(const spd_blocks *a, int64_t b, const double *by, double *v);
/* ---- hessian.c */
void spd_blocks_model(spd_blocks *a);                    /* makes the model at now */
double spd_blocks_curve(const spd_blocks *a, double *v); /* v = share phi'' v, returns v'share phi'' v of the old v */
/* r += share phi''(A_b by) */
void spd_blocks_move(spd_blocks *a, int64_t b, const double *by);
bool spd_blocks_hessian(spd_blocks *a, int64_t b, spd_block_hessian *out); /* false: the block is too large */
/* H of a coupled block with one feature, K x K; it is kept like the above. */
const double *spd_blocks_square(spd_blocks *a, int64_t b);
int64_t spd_blocks_hessian_most(void);
/* ---- shrink.c. Minimises over y   sum_q (D_q/2) y_q^2 - u_q y_q  +  lambda ||y||, into y. */
void spd_blocks_shrink(int64_t n, const double *D, double gamma, double lambda, const double *u, double *y);
/* Minimises s'(y - x) + (y - x)'H(y - x)/2 + (gamma/2)||y - x||^2 + lambda ||y||_1; s is used up, y starts anywhere. */
void spd_blocks_shrink_numbers(int64_t n, const double *H, double gamma, double lambda, const double *x, double *s, double *y);
/* ---- descend.c */
void spd_blocks_descend(spd_blocks *a, double accuracy); /* minimises the model over the set, slopes right to accuracy lambda */
/* ---- ahead.c: a point of a sweep is remembered; after enough of them, moves to what they lead
 * to, if the model is lower there. */
bool spd_blocks_ahead(spd_blocks *a);
void spd_blocks_ahead_forget(spd_blocks *a);
/* ---- step.c */
int64_t spd_blocks_list(spd_blocks *a); /* the columns of active blocks, into a->columns; returns how many */
void spd_blocks_pack(const spd_blocks *a, double *out);
bool spd_blocks_try(spd_blocks *a, const double *x,
                    const double *to); /* moves from packed x = now to `to`; false: m is not lower */
/* ---- face.c */
bool spd_block_face_new(spd_block_face *f, const spd_matrix *A, int64_t K); /* false: out of memory; must be freed even then */
void spd_block_face_free(spd_block_face *f);
double spd_blocks_face_cost(const spd_blocks *a);     /* in multiplications of a sweep; INFINITY: the face is too large */
bool spd_blocks_face(spd_blocks *a, double accuracy); /* true: x has moved */
/* ---- face_shared.c: the same for blocks of one feature with several outputs and a common phi''. False: it has no factor. */
bool spd_blocks_face_is_shared(const spd_blocks *a);
bool spd_blocks_face_shared(spd_blocks *a, int64_t columns);
void spd_blocks_face_products(spd_blocks *a, int64_t columns, int64_t N); /* face.H, of all outputs, by products that are kept */
void spd_block_face_forget(spd_blocks *a);                                /* them */
/* ---- face_gradients.c: face.to = the point that Newton's step leads to, its slopes right to
 * `accuracy` as far as 12 steps go. */
bool spd_block_face_gradients(spd_blocks *a, int64_t columns, double accuracy);
/* ---- proof.c: true if blocks that violate the optimality conditions were added to the set. */
bool spd_blocks_prove(spd_blocks *a, spd_lasso_answer *out);
/* ---- brackets.c */
double spd_blocks_gap(const spd_blocks *a, const spd_block_dual *u); /* if alpha is multiplied by u->scale */
double spd_blocks_first_bracket(const spd_blocks *a, double scale);  /* at scale alpha; INFINITY: outside the domain */

static inline bool spd_blocks_over(const spd_blocks *a) {
    return a->touched + a->count_work > fmin(a->most, a->allowed) || spd_stop_now(a->stop);
}
static inline double spd_blocks_lambda(const spd_blocks *a) { return a->times * a->p->term[0].lambda; }
static inline int64_t spd_blocks_features(const spd_blocks *a, int64_t b) { return a->first[b + 1] - a->first[b]; }
static inline int64_t spd_blocks_numbers(const spd_blocks *a, int64_t b) { return spd_blocks_features(a, b) * a->p->K; }
#endif
