/* lasso.h - the path of lambda for F = identity and l1, by columns of A: minimises
 *     f(x,c) = (1/W) sum_i w_i phi(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + lambda ||x||_1,   low <= x_j <= high
 * for one lambda after the other, each time from the previous solution, and proves each. */
#ifndef SPD_LASSO_H
#define SPD_LASSO_H
#include "problem/problem.h"

/* ---- matrix.c: A by columns. row NULL: every column has all n entries. */
typedef struct spd_matrix {
    int64_t n, d, longest; /* longest: entries of the longest column */
    int64_t *ptr;          /* d + 1 */
    int32_t *row;
    double *val;
    double *norm;  /* sqrt( sum_i share_i a_ij^2 ), or a little more */
    double *top;   /* max_i |a_ij| */
    bool borrowed; /* ptr, row and val are the data's */
} spd_matrix;
double spd_matrix_bytes(const spdhg_problem *p);
bool spd_matrix_new(spd_matrix *A, const spdhg_problem *p,
                    const double *share); /* share: w_i/W; false: out of memory; must be freed even then */
void spd_matrix_free(spd_matrix *A);
static inline int64_t spd_matrix_count(const spd_matrix *A, int64_t j) { return A->ptr[j + 1] - A->ptr[j]; }
double spd_matrix_dot(const spd_matrix *A, int64_t j, const double *r);                             /* A_j'r */
void spd_matrix_add(const spd_matrix *A, int64_t j, double t, double *z);                           /* z += t A_j */
void spd_matrix_add_weighted(const spd_matrix *A, int64_t j, double t, const double *q, double *r); /* r += t diag(q) A_j */
double spd_matrix_square(const spd_matrix *A, int64_t j, const double *q);                          /* A_j'diag(q) A_j */
/* out[j] = A_j'r for the columns in list; list NULL: for all. */
void spd_matrix_dots(const spd_matrix *A, int threads, const int32_t *list, int64_t count, const double *r, double *out);

/* The same, with out[q] for the column list[q]. */
void spd_matrix_packed_dots(const spd_matrix *A, int threads, const int32_t *list, int64_t count, const double *r, double *out);
void spd_matrix_combine(const spd_matrix *A, const int32_t *list, int64_t count, const double *d,
                        double *z); /* z += sum_q d_q A_list(q) */

/* ---- rows.c: A_E by rows, of a sparse A, for the columns E of a face. */
typedef struct spd_packed {
    int64_t n;
    int64_t *ptr; /* n + 1 */
    int32_t *idx; /* position in E */
    double *val;
    int64_t count;        /* columns */
    int32_t *column, *at; /* of each position in E; d: position in E, -1: not there */
    double uneven;        /* sum_i (entries of row i)^2 / (entries of A)^2; 1/n if rows are equally long */
} spd_packed;
bool spd_packed_new(spd_packed *s, const spd_matrix *A); /* false: out of memory; must be freed even then. Dense A: nothing */
void spd_packed_free(spd_packed *s);
void spd_packed_fill(spd_packed *s, const spd_matrix *A, const int32_t *list, int64_t count);
/* out = A_E'Q (A_E d + c), returns 1'Q (A_E d + c): one pass over the entries. */
double spd_packed_apply(const spd_packed *s, const double *Q, int64_t count, const double *d, double c, double *out);
/* H = A_E'Q A_E, the lower triangle; ones: the last column of A_E is one of ones. */
void spd_packed_gram(const spd_packed *s, const double *Q, int64_t count, bool ones, double *H);

/* The factor of a face (factor.c). Its first unknown is the intercept, if there is one. */
typedef struct spd_factor {
    int64_t most, n; /* unknowns: there is room for, there are */
    int32_t *column; /* most: the column of an unknown, -1: the intercept */
    int32_t *place;  /* d: -1, or the column's unknown */
    double *L;       /* the lower triangle by columns, `most` apart; M = scale L L' */
    double scale, gamma;
    double *curve, *Q;        /* n: phi'' that it was made with; share phi'' */
    double *bulk, *panel, *w; /* scratch: most x most; of spd_gram_dense, if A is dense; most */
    double *weighted;         /* n: scratch, 0 between calls */
    double excess;            /* what further models with an old phi'' have cost since it was made */
    int iterations;           /* that the last face by conjugate gradients took */
} spd_factor;

/* Slopes by H = A'SA (gram.c). The intercept, if any, is the last column. */
typedef struct spd_gram {
    int64_t size;  /* 0: by columns, H is not made */
    spd_matrix H;  /* size x size, dense */
    double *q, *s; /* size: slopes at x = 0; of the model at now */
    double *work;  /* scratch of spd_gram_dense */
    double target; /* norm of the losses' slopes at x = 0 */
} spd_gram;

/* A vector x of which only the listed entries may differ from 0, with an intercept. */
typedef struct spd_sparse_point {
    double *x, c;
    int32_t *list;
    int64_t count;
} spd_sparse_point;

typedef struct spd_lasso {
    const spdhg_problem *p;
    int threads;
    bool path;        /* many lambdas */
    double times;     /* the lambda solved for, in multiples of the problem's */
    double low, high; /* sides.h */
    spd_stop *stop;
    spd_matrix A;
    double *share, *nothing; /* n: w_i/W; 0 */
    double least, reference; /* the mean of the rows' least losses; scale of a relative gap where f is nearly 0 */
    double offset;           /* the largest |o_i| */
    /* the current point; its list holds the columns with x_j != 0 */
    spd_sparse_point now;
    bool *is_active;             /* d: in the list of now */
    double *z, *slope, *curve;   /* n: scores, phi', phi'' */
    double *z_before;            /* n: scores of the solution before the last one */
    double loss, ridge, penalty; /* the parts of f there */
    /* the columns that may move: the active ones and those that the strong rule leaves */
    int32_t *set;
    int64_t size;
    bool *in_set; /* d */
    /* the model, made at another point */
    spd_sparse_point origin;
    double *z0, *slope0, *curve0; /* n: its scores, phi', phi'' */
    double *Q, *r;                /* n: share phi'' of the model; share times the slopes of the model at now */
    double damp;                  /* added to phi'', in units of its usual size: after steps that were too long */
    double *h;                    /* d: A_j'Q A_j, if ... */
    int64_t *h_of, number;        /* ... h_of[j] is the number of the model */
    double work;                  /* multiplications of the sweeps since the last step on a face */
    double touched, most;         /* multiplications of all steps so far; with more than this, solve.c gives up */
    double allowed;               /* the same for --epochs: a resume repeats the step without that limit */
    bool kept, ready;             /* the model has taken the factor's curvature; the factor has the model's */
    spd_factor factor;
    spd_packed packed;
    spd_gram gram;
    double gram_cost; /* multiplications after which it is made */
    double *face;     /* scratch of a face */
    int32_t *edge;    /* d: the same */
    int32_t *fresh;   /* d: columns that enter a face */
    double *s, *at;   /* d: slopes of the model, of the columns of the set; x there, or where a column that left the face stays */
    /* the dual point of a proof */
    double *alpha;               /* n */
    double *g;                   /* d: A'(share alpha), of the columns in examined */
    double *known, *known_alpha; /* d, n: A'(share alpha) of an earlier alpha, for all columns; that alpha */
    double known_off;            /* known_j is off by at most known_off norm_j + lost */
    double *older, *older_alpha; /* the same of the one before, if older_off is finite */
    double older_off;
    double examined_entries; /* entries of the columns outside the set examined since then */
    int32_t *examined;       /* the columns that the last proof looked at: those whose g_j is known */
    int64_t examined_count;
    /* the solution before the last one, to extrapolate from */
    spd_sparse_point before;
    double lambda, fallen; /* of the last solution, and its decrease there; 0: none */
    double ratio;          /* of the last two lambdas */
    double *partial;       /* scratch of the sums over rows */
} spd_lasso;

/* The answer at one lambda. x and c are those of a->now. */
typedef struct spd_lasso_answer {
    double objective, loss, penalty, gap, relative;
    bool proven;  /* to the tolerance asked for */
    bool settled; /* the zeros of x are those of the optimum, as far as the gradient tells */
} spd_lasso_answer;

const char *spd_lasso_refuses(const spdhg_problem *p);
bool spd_lasso_pays(const spdhg_problem *p); /* along a path, beside Newton's method with a dense Hessian of all columns */
double spd_lasso_bytes(const spdhg_problem *p);
/* path: there will be many lambdas. */
spdhg_status spd_lasso_new(spd_lasso **out, const spdhg_problem *p, bool path, int threads, spdhg_error *err);
/* Starts at (x, c), the solution at this lambda (INFINITY: at an unknown one). */
void spd_lasso_start(spd_lasso *a, const double *x, double c, double lambda);
/* The solution at the problem's present lambda, from the last one. plain: it is proven by phi'(z), as a proof by x alone has to
 * do it, which takes more steps. Not proven: it could not be, or the work was stopped. */
void spd_lasso_solve(spd_lasso *a, double tol, bool plain, spd_stop *stop, spd_lasso_answer *out);
void spd_lasso_dual(spd_lasso *a, double *y); /* y of the solution, d */
/* Forgets all but the problem, so that what follows is a function of the start alone. */
void spd_lasso_forget(spd_lasso *a);
void spd_lasso_free(spd_lasso *a);

/* f at the current point, its parts, scores, slopes and curvatures: from the nonzero columns alone, and afresh, so that rounding
 * errors do not add up. */
double spd_lasso_evaluate(spd_lasso *a);
double spd_lasso_evaluate_scores(spd_lasso *a); /* the same with the scores as they are */

/* ---- model.c: minimises the quadratic model over the columns of the set, from the current point. */
void spd_lasso_model(spd_lasso *a);                    /* makes the model at the current point */
void spd_lasso_descend(spd_lasso *a, double accuracy); /* until the slopes are right to accuracy lambda */
/* Coordinate steps of the listed columns, at most so many times each, until slopes are right to accuracy lambda. */
void spd_lasso_sweeps(spd_lasso *a, const int32_t *list, int64_t count, int most, double accuracy);
double spd_lasso_move(spd_lasso *a, int64_t j, double to);      /* x_j = to, the slopes follow; returns the change */
void spd_lasso_shift(spd_lasso *a, double by);                  /* the same for c += by */
double spd_lasso_curvature(spd_lasso *a, int64_t j);            /* h_j */
void spd_lasso_keep(const spd_lasso *a, spd_sparse_point *out); /* out = now, in time proportional to the nonzeros */
void spd_lasso_tidy(spd_lasso *a);                              /* takes columns that have become 0 from the list of now */
/* ---- face.c: moves to the minimiser of the model with the present signs, its slopes right to `accuracy`. False: it failed. */
bool spd_lasso_face(spd_lasso *a, double accuracy);
int64_t spd_lasso_face_work(int64_t n, int64_t d);
/* ---- direct.c: moves to the minimiser of the model over the set, as far as its signs were guessed. The slopes do not follow.
 * False: it could not; the slopes are right. */
bool spd_lasso_direct(spd_lasso *a);
/* The same on the face of the present signs alone, for a model that goes on: the slopes follow. */
bool spd_lasso_face_by_factor(spd_lasso *a);
int64_t spd_lasso_direct_work(int64_t d, int64_t most);
/* ---- products.c */
double spd_lasso_iteration_cost(const spd_lasso *a); /* of conjugate gradients, in multiplications of a sweep */
double spd_lasso_face_cost(const spd_lasso *a);      /* the same, of a face */
bool spd_factor_keeps(spd_lasso *a);        /* whether a model here may keep the factor's curvature, times its new scale */
void spd_factor_insufficient(spd_lasso *a); /* that model did not do */
/* The columns enter; for a new factor, with the model's curvature. False: they cannot. work: most + d */
bool spd_factor_enter(spd_lasso *a, const int32_t *list, int64_t count, double *work);
bool spd_factor_make(spd_lasso *a, const int32_t *list, int64_t count, double *work);
/* ---- factor.c */
bool spd_factor_new(spd_factor *f, const spd_matrix *A, int64_t most); /* false: out of memory; must be freed even then */
void spd_factor_free(spd_factor *f);
void spd_factor_drop(spd_factor *f);
void spd_factor_remove(spd_factor *f, int64_t u); /* unknown u, not the intercept */
/* The rows of M for `count` more unknowns are in L, below the others: they become rows of the factor. False: M has no numbers. */
bool spd_factor_append(spd_factor *f, const int32_t *column, int64_t count);
void spd_factor_solve(const spd_factor *f, double *b);      /* b = (L L')^-1 b */
double spd_factor_multiply(const spd_factor *f, double *v); /* v = L L'v; returns v'L L'v of the old v */
/* z = M^-1 r for the columns e that the factor has; the others keep their z. */
void spd_factor_apply(const spd_factor *f, const int32_t *e, int64_t k, bool intercept, const double *r, double *z);
/* ---- gram.c */
/* Multiplications of sweeps that H has to save, of `most` columns at most; INFINITY: it never pays. */
double spd_gram_cost(const spdhg_problem *p, int64_t most);
bool spd_gram_new(spd_lasso *a); /* room for it; false: out of memory; must be freed even then */
void spd_gram_make(spd_lasso *a);
void spd_gram_when_due(spd_lasso *a); /* between sweeps: H and the slopes by it, once sweeps have cost more than it does */
void spd_gram_free(spd_gram *g);
/* H = A_E'Q A_E for a dense A, the lower triangle; E: the listed columns, NULL: the first ones, then perhaps one of ones. */
void spd_gram_dense(const spd_matrix *A, const double *Q, const int32_t *list, int64_t count, bool ones, double *work, double *H);
int64_t spd_gram_work(int64_t size); /* numbers of work for this many columns */
void spd_gram_slopes(const spd_lasso *a,
                     double *s); /* s = the slopes of the loss at now, afresh; the scratch of a face is used */
void spd_gram_move(const spd_gram *g, int64_t j, double by, double *s); /* s after x_j += by */
/* E such that each of these slopes is right to E UNIT norm_j, up to underflow: at most DBL_MIN
 * times the operations times *size. */
double spd_gram_error(const spd_lasso *a, double *size);
/* ---- sums.c */
double spd_lasso_distance(const spd_lasso *a, const double *u, const double *v); /* sqrt( sum_i share_i (u_i - v_i)^2 ) or more */
/* sum_i share_i (|phi'_i| + |phi'_i - alpha_i| + more), and *product = sum_i share_i |alpha_i
 * z_i|; alpha is multiplied by scale */
double spd_lasso_slopes(const spd_lasso *a, double scale, double more, double *product);
/* ---- known.c: examined = the columns whose |G_j| may exceed `rest`, and the active ones. E_j = q
 * norm_j + lost bounds what rounding does. */
void spd_lasso_examine(spd_lasso *a, double q, double lost, double rest);               /* finds their g */
void spd_lasso_list(spd_lasso *a, const double *g, double q, double lost, double rest); /* by g, known for all columns */
/* ---- proof.c */
double spd_lasso_off(const spd_lasso *a,
                     const double *alpha); /* E_j = this times norm_j + lost bounds the rounding of A_j'(share alpha) */
double spd_lasso_first_bracket(const spd_lasso *a, double scale); /* at scale alpha; INFINITY: outside the domain */
/* Looks at the columns whose |g_j| may be above `rest` and adds those that violate the optimality conditions to the set. Then the
 * gap at the current point, as the dual point alpha proves it. True if columns were added. */
bool spd_lasso_prove(spd_lasso *a, double rest, spd_lasso_answer *out);
/* The same with gram.c, where alpha has to be phi'(z) at the current point. */
bool spd_lasso_prove_by_gram(spd_lasso *a, double rest, spd_lasso_answer *out);

/* Whether the work is to end: called off, or too long. */
static inline bool spd_lasso_over(const spd_lasso *a) {
    return a->touched + a->work > fmin(a->most, a->allowed) || spd_stop_now(a->stop);
}
static inline double spd_lasso_lambda(const spd_lasso *a) { return a->times * a->p->term[0].lambda; }
#endif
