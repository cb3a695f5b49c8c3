/* certify.h - proves how far an answer is from the optimum, by the duality gap of problem.h's f at (x, c) and a dual point
 * (alpha, y). docs/certificate.md derives it.
 *   GAP = (1/W) sum_i w_i [ phi_i(z_i) + phi_i*(alpha_i) - alpha_i z_i ]  +  [ h(x) + h*(-v) + v'x ]  +  [ lambda r(Fx) - y'Fx ]
 *   v = (1/W) sum_i w_i alpha_i a_i + F'y,   h(x) = (gamma/2)||x||^2 on X
 *
 * The three brackets are never negative, for any alpha_i in dom phi_i*, y in lambda Y and -v in dom h*; f(x,c) - GAP is then a
 * lower bound of f. A free intercept also requires sum_i w_i alpha_i = 0.
 * All rounding errors are bounded (rounding.c), and conditions that hold only approximately are repaired (repair.c). A gap that
 * is called certified therefore holds rigorously. */
#ifndef SPD_CERTIFY_H
#define SPD_CERTIFY_H
#include <float.h>

#include "certify/base_system.h"
#include "chain/network.h"
#include "face/slack_flow.h"

typedef enum spd_gap_kind {
    SPD_GAP_NONE,         /* nothing could be proven */
    SPD_GAP_CERTIFIED,    /* f(x,c) - f* <= gap, and objective - gap <= f* */
    SPD_GAP_WITHIN_RADIUS /* the same with the least f(u,c') over ||u|| <= radius in place of f* */
} spd_gap_kind;

/* The dual point that proves a gap. */
typedef enum spd_gap_source {
    SPD_GAP_BY_POINT, /* alpha and y of the certifier */
    SPD_GAP_BY_BEST,  /* best_alpha and best_dual_y */
    SPD_GAP_BY_ZERO   /* alpha = 0, y = 0: no loss is below its minimum */
} spd_gap_source;

typedef struct spd_gap {
    spd_gap_kind kind;
    double gap, radius;
    spd_gap_source source;
    double objective, loss, penalty; /* f and its two parts: as given, or recomputed in twice the precision */
} spd_gap;

/* The point whose gap is wanted. */
typedef struct spd_trial {
    const double *x, *constants; /* constants: K, the intercept; read if the problem has one */
    const double *z, *Fx;        /* scores n x K with offset and intercept; m x K */
    double loss, penalty, objective;
    const struct spd_fine_trial *fine; /* NULL: z and Fx are ordinary sums */
} spd_trial;

/* ---- anchors.c: rows of A with one entry, whose alpha can bring v_j to 0 without changing other columns. */
/* anchor[j]: the row of column j with the largest w_i |a_ij| slack_i, -1: none (slack NULL: 1 for all). weight[j] as
 * spd_routes_new expects it. */
void spd_anchors_find(const spdhg_problem *p, const double *slack, int64_t *anchor, double *weight);
/* True if every row has one entry, every column has an anchor, and an intercept, if any, is redundant. work: 3 d doubles. */
bool spd_anchors_suffice(const spdhg_problem *p, const int64_t *anchor, double *work);

/* ---- repair.c: how much worse than (alpha, y) an exactly feasible dual point can be. */
typedef struct spd_repair {
    double mixed;   /* fraction of alpha that is changed to balance the intercept */
    double energy;  /* E */
    double shrunk;  /* alpha and y were multiplied by 1 - shrunk, to gain slack */
    double stretch; /* y is in (1 + stretch) lambda Y; includes `shrunk` */
    bool anchored;  /* rows of A took up part of v, which costs spd_anchors_cost */
} spd_repair;

/* ---- fine_trial.c: f where rounding errors dominate. Scores and F x in twice the precision: high + low, error at most `off`. */
typedef struct spd_fine_trial {
    double *z, *low, *off; /* n x K: high, low, off */
    double *Fx;            /* m x K: high */
    double structure;      /* bound on the errors of lambda r(F x) and y'F x together */
} spd_fine_trial;

/* ---- dual_newton.c: alpha and y where phi'(z) is not good enough. One block of memory, allocated when first needed. */
typedef struct spd_newton_dual {
    double *M, *scale, *r, *p; /* N x N; N: 1/sqrt of M's diagonal; right-hand side; solution */
    double *s, *reply;         /* N: direction s of the multiplier tau of X, and M^-1 s */
    double *low, *curve, *t;   /* n x K */
    double *point, *direction; /* m x K */
    double *sigma, *scratch;   /* one for each term */
} spd_newton_dual;

enum { SPD_CERTIFIER_PARTS = 42 };
typedef struct spd_certifier {
    const spdhg_problem *problem;
    int threads;
    spd_stop *stop;     /* asked in the loops of a proof; a stopped proof fails; NULL: none */
    bool exact;         /* some coordinate has neither ridge nor bound: v must vanish there */
    bool absorbs;       /* rows of F with one entry, all of one size, absorb v without a solve */
    double start_value; /* f(0) */
    double reference;   /* scale of the relative gap where f is smaller: spd_gap_refer */
    double least;       /* lower bound of f for every x: the mean of the rows' least losses */
    double best_dual;   /* largest certified lower bound of f so far, given by best_alpha and best_dual_y */
    double brackets;    /* what a point's own dual point proved last, without rounding errors */
    double worth; /* a relative gap (without ridge: within a radius) above this is not worth more work; INFINITY: always try */
    double last, fall;               /* f at the previous point, and its decrease to there (NAN: unknown): gap.c:left_over */
    double enough;                   /* a relative gap so small that no better y is sought */
    bool slopes;                     /* set by the caller: alpha is phi'(z), where that is in the domain */
    bool gradient;                   /* g = A'phi'(z)/W holds, and gc is its intercept part */
    const uint8_t *forced;           /* nonzero for rows whose alpha must be 0, or NULL */
    double *alpha, *y, *g, *gc;      /* the dual point; g = A'alpha/W */
    double *v, *v0;                  /* g + F'y, and its intercept part */
    double *P, *work;                /* d x K, and scratch */
    double *best_y, *Fq;             /* m x K */
    double *curve, *t;               /* n x K each: exact correction */
    double *M, *p, *r, *Mwork;       /* the system of the correction; M NULL: matrix-free */
    double *kept;                    /* n x K: the D for which M was factored, if ... */
    bool factored;                   /* ... it was, with the present lambda */
    double *saved;                   /* alpha and y, restored if the existing factor fails */
    const double *lent, *lent_curve; /* A'diag(w D)A/W, lower triangle, and D = phi'' near z: the solver's, or NULL */
    double *scale, *q;               /* 1/sqrt of the system's diagonal; scratch; both only with a system */
    /* rounding */
    double *norm, *top;               /* of every column of A: root mean square and largest size */
    double *F_norm;                   /* of every column of F */
    int64_t *F_entries, *A_entries;   /* number of entries in every column of F and of A */
    int64_t longest;                  /* entries of the longest row */
    bool measured, open;              /* the members above are filled in; in a pass over rows that are made of columns */
    double *e;                        /* bound on the error of v; the intercept's K entries come last */
    double *alpha_size, *slope, *tau; /* K each: root mean square of alpha; scratch */
    double alpha_most;                /* the largest |alpha| when they were measured */
    double vanishing;                 /* bound on the sum of underflowed products, for an entry of size 1 */
    double lost;                      /* the part of that bound that does not depend on the entry */
    double loose;                     /* bound on |sum_k alpha_ik|, which should be 0 for a coupled loss */
    spd_twofold *fine;                /* W v in twice the precision, allocated when first needed */
    spd_fine_trial fine_trial;        /* allocated when first needed */
    spd_newton_dual newton;           /* allocated when first needed */
    spd_slack_flow slack_flow;        /* the same */
    spd_balance balance;              /* the same, if F is a graph */
    const double *low;                /* n x K: alpha + low is the dual point; NULL: alpha is */
    bool refines;                     /* a better dual point may be sought where phi'(z) is not good enough */
    /* repair */
    spd_routes routes;
    spd_base_system base, mean; /* mean: only with a coupled loss */
    double *slack, *excess, *doubt, *residual;
    /* anchors */
    int64_t *anchor; /* the anchor row of each column, if rows of A end routes or take up all of v; else NULL */
    bool diagonal;   /* anchors can take up all of v: spd_anchors_take */
    double *anchor_weight, *anchor_before, *taken; /* w_i |a_ij| / W; as for the present routes; d x K: share of slack used */
    bool *whole; /* d x K: the repair brings v_j to 0, although a side of X would allow it to keep a sign */
    /* a fixed point of X, at which the lower bound of a dual point is computed independently of x */
    double *origin, *origin_z, *origin_Fx, origin_loss, origin_ridge;
    double *best_alpha, *best_dual_y;   /* contiguous, as a checkpoint stores them */
    double *owned[SPD_CERTIFIER_PARTS]; /* every array of doubles above */
    /* Rows of F with a tiny lambda cannot absorb even the rounding of v. Another certifier leaves all of v to alpha. It is made
     * when first needed, and changes places with this one where it proves more. */
    struct spd_certifier *other;
    bool only_alpha, tried; /* this certifier does so; the other has been tried */
    spdhg_problem *wide;    /* this certifier's problem, if it is a copy of `asked` with X = R^d in place of a bounded X */
    const spdhg_problem *asked;
} spd_certifier;

/* forced: from spd_recession, which must outlive the certifier. only_alpha: all of v is left to alpha. */
spdhg_status spd_certifier_new(spd_certifier *c, const spdhg_problem *p, int threads, const uint8_t *forced, bool only_alpha,
                               spdhg_error *err);
/* y: any dual vector; it is projected here. The caller has put phi'(z), or another guess, into c->alpha. Afterwards c->gradient
 * tells whether c->g and c->gc are still the gradient of the loss. */
void spd_certify(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out);
/* The scale of a relative gap at x: f or, where f is nearly 0, c->reference. Rounding x changes f by about u = 1e-16 times f(0)
 * and times the sums that cancel in F x; scores z that are off by 100 u of themselves change it by (100 u)^2 phi'' z^2, at a
 * corner by 100 u |z| times the jump of phi'. The reference is 1e6 times the largest change. */
static inline double spd_gap_scale(const spd_certifier *c, double objective) { return fmax(fabs(objective), c->reference); }
void spd_gap_refer(spd_certifier *c, const double *x, const double *z);
/* Makes (alpha, y), as stored in a checkpoint, the best known dual point if its bound, which is recomputed here, is the best. */
void spd_certify_known(spd_certifier *c, const double *alpha, const double *y);
/* False: a gap can only be proven within a radius, whatever x is: too many unknowns, or the matrix appears to be singular. */
bool spd_certifier_may_prove(const spd_certifier *c);
void spd_certifier_free(spd_certifier *c);
/* A bracket is negative only by rounding. One that overflowed proves nothing; fmax would turn NAN into 0. */
static inline double spd_bracket(double sum) { return sum >= 0 ? sum : isfinite(sum) ? 0 : INFINITY; }

/* ---- dual_point.c */
bool spd_dual_balance(spd_certifier *c); /* sum_i w_i alpha_i = 0 in every output, alpha kept in the domain; true if it moved */
double spd_dual_fenchel(const spd_certifier *c, const double *z); /* first bracket; INFINITY if alpha left the domain */
/* The lower bound given by alpha = 0, y = 0: the mean of the rows' least losses. c->alpha must be 0. */
double spd_dual_least(const spd_certifier *c);
double spd_dual_shrink(spd_certifier *c);                      /* the largest factor <= 1 that brings y into its ball */
void spd_dual_scale(spd_certifier *c, double factor);          /* multiplies alpha, y and v; alpha + low keeps its precision */
void spd_dual_drop_small(spd_certifier *c, double affordable); /* sets negligible alphas to 0 and updates g */
void spd_dual_even_out(const spdhg_problem *p, int64_t i, double *alpha); /* the alphas of a row of a coupled loss sum to 0 */
/* ---- polish.c: lowers h*(-g - F'y) over y in lambda Y by a few accelerated projected gradient steps from c->y. With a ridge the
 * gap is `rest` plus that value; no steps are made if the gap is already small enough, or too large to be worth the work. */
void spd_dual_polish(spd_certifier *c, double rest, double objective);
/* ---- far.c: no gap at this point can be small enough to be worth a proof, by a step that shows it. */
bool spd_dual_is_far(spd_certifier *c, const spd_trial *at);
/* ---- gap.c */
void spd_dual_recall(spd_certifier *c, const double *alpha, const double *y); /* the present dual point, with g and v */
#define SPD_GAP_SHARE 0.1 /* the part of a gap that may be rounding error before a finer bound is computed */
/* Repairs c->alpha and c->y, whose v is known, and returns the gap. R > 0: within that radius. moved: alpha is not phi'(z). */
double spd_dual_prove(spd_certifier *c, const spd_trial *at, double R, bool moved, spd_repair *r);
/* True if x is in X up to the rounding of a norm or a sum. Outside X the brackets are meaningless. */
bool spd_dual_inside(spd_certifier *c, const double *x);
/* The gap at a point, from c->alpha and y (NULL: from bounds known); returns how much of it may be due to rounding of f. */
double spd_dual_gap_at(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out);
/* ---- gap_without_ridge.c: the second bracket for gamma = 0, for all x and over ||u|| <= R. */
double spd_bracket_without_ridge(const spd_certifier *c, const double *x);
double spd_bracket_within_radius(const spd_certifier *c, const double *x, double R);
/* ---- dual_newton.c: a better alpha (+ c->low) and y for the same x, with g, gc and v. still: y keeps the sides of its ball.
 * False: none was found, and alpha and y may be others. _curve.c: domain of alpha_i; c->newton.curve. _solve.c: M p + tau s = r,
 * s'p = 0, for unknowns with scale > 0; overwrites M. False: M has no factor. */
bool spd_dual_newton_may(const spd_certifier *c);
bool spd_dual_newton(spd_certifier *c, const spd_trial *at, bool still);
void spd_newton_dual_domain(const spdhg_problem *p, int64_t i, double *least, double *most);
void spd_newton_dual_curvatures(spd_certifier *c, const spd_trial *at, bool first);
bool spd_newton_dual_solve(spd_newton_dual *a, int64_t N, double *tau);
/* ---- dual_without_ridge.c: moves alpha and y so that -v is nearly in dom h*; false if that would leave a domain, or the gap
 * would rise by more than `affordable`. */
bool spd_dual_without_ridge(spd_certifier *c, const double *x, const double *z, double affordable);
bool spd_dual_can_correct(const spd_certifier *c);
bool spd_dual_correct(spd_certifier *c, const double *z); /* once more, from the current v and v0; false: alpha left its domain */
/* The part of v_j that must vanish: 0 where the unbounded sides of X, of low and high, allow v_j. */
static inline double spd_dual_excess(double vj, double low, double high) { return isfinite(vj > 0 ? low : high) ? 0 : vj; }

/* ---- rounding.c */
static inline double spd_rounding(double k) { /* gamma_k: relative error of k operations */
    const double all = k * 0x1p-53;
    return all < 0.5 ? all / (1 - all) : INFINITY;
}
/* With --standardize a model has w_j = x_j / scale_j, rounded, and thus stands for another x:
 *   |w_j scale_j - x_j| <= u (|x_j| + scale_j DBL_MIN),   the second part where the quotient underflows */
static inline double spd_written(const spdhg_problem *p, const double *x, int64_t q) {
    return p->scale ? x[q] / p->scale[q / p->K] : x[q];
}
static inline double spd_written_loss(const spdhg_problem *p, int64_t j) { return p->scale ? p->scale[j] * DBL_MIN : 0; }
void spd_dual_error_of_v(spd_certifier *c); /* e for the current v */
bool spd_dual_fine_v(spd_certifier *c);     /* recomputes v, v0 and e in twice the precision; false: not possible */
/* ---- magnitudes.c */
int64_t spd_dual_rounding_work(const spdhg_problem *p); /* numbers of Mwork that these use */
/* A sum over rows (ranks/ranks.h) of up to 2 (d + 1) K numbers, with c as the context. The sum is in Mwork. */
void spd_dual_sum_rows(spd_certifier *c, int64_t width, spd_add_rows *add, spd_join *join);
void spd_dual_measure_columns(spd_certifier *c); /* norm, top, A_entries, longest, F_norm, F_entries: once */
void spd_dual_alpha_sizes(spd_certifier *c);     /* alpha_size, alpha_most, vanishing, lost */
void spd_dual_find_slacks(const spd_certifier *c, double shrunk, double *slack); /* how far each row's alpha may move */
/* ---- rounding_objective.c */
/* moved: alpha is not phi'(z). first: the first bracket as computed. */
double spd_dual_error_of_loss(const spd_certifier *c, const spd_trial *at, bool moved, double first, bool by_rows);
double spd_dual_error_of_structure(const spd_certifier *c, const double *x, const double *Fx);
double spd_dual_error_of_writing(const spd_certifier *c, const double *x, bool bracket); /* of ridge or second bracket */
/* ---- fine_trial.c. False: out of memory, or a value is not finite. out points into c. */
bool spd_fine_trial_make(spd_certifier *c, const spd_trial *at, spd_trial *out);
double spd_dual_penalty_bracket(spd_certifier *c, const double *Fx); /* third bracket, rounding included */

/* ---- repair.c */
double spd_dual_outside(const spd_certifier *c); /* t: y is in (1 + t) lambda Y */
/* ---- anchors.c, for a certifier */
/* Moves alpha so that v changes by c->r, shrinks (alpha, y) if alpha leaves its domain, and updates g. False, with nothing
 * changed: A is not diagonal, alpha has no slack, or the cost exceeds `affordable`. */
bool spd_anchors_take(spd_certifier *c, double affordable);
bool spd_anchors_follow(spd_certifier *c); /* routes that end at rows with slack; false: no memory or too many bases */
bool spd_anchors_reach(spd_certifier *c);  /* taken: what arrives, relative to the slack; false: some exceeds it */
double spd_anchors_cost(const spd_certifier *c, double shrunk, const double *z);
void spd_dual_repair_intercept(spd_certifier *c, spd_repair *out); /* sum_i w_i alpha_i = 0; adds v's change to e */
/* Ensures that and -v in dom h*; x: the current point. False: no such dual point is proven to exist. */
bool spd_dual_repair_all(spd_certifier *c, const double *x, spd_repair *out);
double spd_dual_repair_cost(const spd_certifier *c, const spd_repair *r, const double *z, double loss, double objective);
#endif
