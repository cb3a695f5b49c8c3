/* certify.h - how far from the best possible an answer is, proven: the duality gap of problem.h's f at (x, c) with dual point
 * (alpha, y). docs/certificate.md derives it.
 *
 *   GAP = (1/W) sum_i w_i [ phi_i(z_i) + phi_i*(alpha_i) - alpha_i z_i ]  +  [ h(x) + h*(-v) + v'x ]  +  [ lambda r(Fx) - y'Fx ]
 *   v = (1/W) sum_i w_i alpha_i a_i + F'y,   h(x) = (gamma/2)||x||^2 on X
 *
 * Three brackets that are never negative, for any alpha_i in dom phi_i*, y in lambda Y and -v in dom h*; f(x,c) - GAP is then a
 * lower bound of f. With a free intercept also sum_i w_i alpha_i = 0 is needed. What rounding does to each number is bounded
 * (rounding.c), and what of these conditions holds only nearly is repaired (repair.c): a gap that is called certified is one. */
#ifndef SPD_CERTIFY_H
#define SPD_CERTIFY_H
#include "certify/base_system.h"
#include "problem/problem.h"

typedef enum spd_gap_kind {
    SPD_GAP_NONE,         /* nothing could be proven */
    SPD_GAP_CERTIFIED,    /* f(x,c) - f* <= gap, and objective - gap <= f* */
    SPD_GAP_WITHIN_RADIUS /* the same with the least f(u,c') over ||u|| <= radius in place of f* */
} spd_gap_kind;

/* The dual point that a gap was proven by. */
typedef enum spd_gap_source {
    SPD_GAP_BY_POINT, /* alpha and y of the certifier */
    SPD_GAP_BY_BEST,  /* best_alpha and best_dual_y */
    SPD_GAP_BY_ZERO   /* alpha = 0, y = 0: no loss is below its least value */
} spd_gap_source;

typedef struct spd_gap {
    spd_gap_kind kind;
    double gap, radius;
    spd_gap_source source;
    double objective, loss, penalty; /* f, its first and its last part: as they came, or computed with twice the digits */
} spd_gap;

/* The point whose gap is wanted. */
typedef struct spd_trial {
    const double *x, *constants; /* constants: K, the intercept; read if the problem has one */
    const double *z, *Fx;        /* scores n x K with offset and intercept; m x K */
    double loss, penalty, objective;
    const struct spd_fine_trial *fine; /* NULL: z and Fx are ordinary sums */
} spd_trial;

/* ---- anchors.c: rows of A with one entry, which take up v_j by themselves. */
/* anchor[j]: the row of column j with the largest w_i |a_ij| room_i, -1: none (room NULL: 1 for all). weight[j] as spd_routes_new
 * wants it. */
void spd_anchors_find(const spdhg_problem *p, const double *room, int64_t *anchor, double *weight);
/* Every row has one entry, every column a row, and the intercept, if there is one, adds nothing. work: 3 d numbers. */
bool spd_anchors_suffice(const spdhg_problem *p, const int64_t *anchor, double *work);

/* ---- repair.c: how much worse than (alpha, y) a dual point is that is exactly feasible. */
typedef struct spd_repair {
    double mixed;   /* part of alpha that balances the intercept */
    double energy;  /* E */
    double shrunk;  /* alpha and y were made smaller by this, for room */
    double stretch; /* y is in (1 + stretch) lambda Y, that included */
    bool anchored;  /* rows of A have taken part of v: spd_anchors_cost */
} spd_repair;

/* ---- fine_trial.c: f where rounding decides. Scores and F x as sums with twice the digits: high + low, off by `off`. */
typedef struct spd_fine_trial {
    double *z, *low, *off; /* n x K: high, low, off */
    double *Fx;            /* m x K: high */
    double structure;      /* how far lambda r(F x) and y'F x can be off, together */
} spd_fine_trial;

/* ---- dual_newton.c: alpha and y where phi'(z) is not good enough: one block of numbers, made when first needed. */
typedef struct spd_newton_dual {
    double *M;                 /* N x N */
    double *scale, *r, *p;     /* N: 1/sqrt of its diagonal; right side; solution */
    double *s, *reply;         /* N: direction of the multiplier tau of X, and M^-1 of it */
    double *low, *curve, *t;   /* n x K */
    double *point, *direction; /* m x K */
    double *sigma;             /* of the terms */
    double *scratch;
} spd_newton_dual;

enum { SPD_CERTIFIER_PARTS = 41 };
typedef struct spd_certifier {
    const spdhg_problem *problem;
    int threads;
    spd_stop *stop;     /* asked in loops of the proof, which then fails; NULL: none */
    bool exact;         /* some coordinate has neither ridge nor bound: v must vanish there */
    int64_t identity;   /* a term with F = identity and lambda > 0, or -1: absorbs v without a solve */
    double start_value; /* f(0) */
    double reference;   /* of the relative gap, where f is less: spd_gap_refer */
    double least;       /* what f never is below, whatever x is: the rows' least losses */
    double best_dual;   /* largest certified lower bound of f seen so far: the bound of best_alpha and best_y */
    double worth; /* a relative gap (without ridge: within a radius) above this is not worth more work; INFINITY: always try */
    double last, fall;          /* f at the point before, and what it had fallen by to there (NAN: unknown): gap.c:left_over */
    double enough;              /* a relative gap at which no better y is looked for */
    bool slopes;                /* set by the caller: alpha is phi'(z), as far as that is in the domain */
    bool gradient;              /* g = A'phi'(z)/W, gc its intercept's part */
    const uint8_t *forced;      /* rows whose alpha must be 0 (not 0 there), or NULL */
    double *alpha, *y, *g, *gc; /* the dual point; g = A'alpha/W */
    double *v, *v0;             /* g + F'y, and the intercept's part */
    double *P, *work;           /* d x K, and scratch of the pieces */
    double *best_y, *Fq;        /* m x K */
    double *curve, *t;          /* n x K each: exact correction */
    double *M, *p, *r, *Mwork;  /* the system of the correction; M NULL: matrix-free */
    double *kept;               /* n x K: the D that M is a factor for, if ... */
    bool factored;              /* ... there is one; lambda is still the same */
    double *saved;              /* alpha and y, should the factor at hand fail */
    const double *lent, *lent_curve; /* A'diag(w D)A/W, lower triangle, and D = phi'' near z: the solver's, or NULL */
    double *scale, *q;               /* 1/sqrt of the system's diagonal; scratch: with the system */
    /* rounding */
    double *norm, *top;               /* of every column of A: root mean square and largest size */
    double *F_norm;                   /* of every column of F */
    int64_t *F_entries, *A_entries;   /* the same, and of A: how many it has */
    int64_t longest;                  /* entries of the longest row */
    bool measured;                    /* these are known */
    double *e;                        /* v is off by at most this; the intercept's K numbers last */
    double *alpha_size, *slope, *tau; /* K each: root mean square of alpha; scratch */
    double vanishing;                 /* what products too small for a double may add up to, for an entry of 1 */
    double lost;                      /* the same in all, for entries of any size */
    double loose;                     /* a coupled loss's alphas do not add up to 0 by this */
    spd_twofold *fine;                /* W v with twice the digits, made when first needed */
    spd_fine_trial fine_trial;        /* the same */
    spd_newton_dual newton;           /* the same */
    const double *low;                /* n x K: alpha + low is the dual point; NULL: alpha is */
    bool refines;                     /* a better dual point may be looked for where phi'(z) is not good enough */
    /* repair */
    spd_routes routes;
    spd_base_system base, mean; /* mean: with a coupled loss */
    double *room, *excess, *doubt, *residual;
    /* anchors */
    int64_t *anchor; /* of each column, where rows of A make routes or take all of v; NULL: they do neither */
    bool diagonal;   /* they take all of v: spd_anchors_take */
    double *anchor_weight, *anchor_before, *taken; /* w_i |a_ij| / W; the same of the routes at hand; d x K: parts of the room */
    bool *whole; /* d x K: the repair leaves nothing of v_j, though a side of X would allow it */
    /* a fixed point of X, at which the bound of a dual point is computed by itself */
    double *origin, *origin_z, *origin_Fx, origin_loss, origin_ridge;
    double *best_alpha, *best_dual_y;   /* one behind the other, as a checkpoint keeps them */
    double *owned[SPD_CERTIFIER_PARTS]; /* every array of doubles above */
} spd_certifier;

/* forced: of spd_recession, which outlives it. */
spdhg_status spd_certifier_new(spd_certifier *c, const spdhg_problem *p, int threads, const uint8_t *forced, spdhg_error *err);
/* y: any dual, projected here. The caller has put phi'(z), or another guess, into c->alpha. c->gradient tells whether c->g and c->gc
 * are still the gradient of the loss afterwards. */
void spd_certify(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out);
/* What a relative gap at x is a part of: f or, where f is as good as 0, what rounding x does to f: u = 1e-16 of f(0) and of the sums
 * that F x is the small rest of. That is to be 1e-6 of it. */
static inline double spd_gap_scale(const spd_certifier *c, double objective) { return fmax(fabs(objective), c->reference); }
void spd_gap_refer(spd_certifier *c, const double *x);
/* Makes the bound of (alpha, y) the best known: what a checkpoint has kept is computed anew, and only that is believed. */
void spd_certify_known(spd_certifier *c, const double *alpha, const double *y);
/* False: whatever x is, nothing can be shown for all of them, only within a radius: too many unknowns, or a matrix that is singular as
 * far as anyone can tell. */
bool spd_certifier_may_prove(const spd_certifier *c);
void spd_certifier_free(spd_certifier *c);

/* A bracket is never negative but for rounding; one that overflowed proves nothing (fmax makes 0 of what is not a number). */
static inline double spd_bracket(double sum) { return sum >= 0 ? sum : isfinite(sum) ? 0 : INFINITY; }

/* ---- dual_point.c */
bool spd_dual_balance(spd_certifier *c); /* sum_i w_i alpha_i = 0 in every output, alpha kept in the domain; true if it moved */
double spd_dual_fenchel(const spd_certifier *c, const double *z); /* first bracket; INFINITY if alpha left the domain */
/* The bound that alpha = 0, y = 0 gives: the mean of the rows' least losses. c->alpha must be 0. */
double spd_dual_least(const spd_certifier *c);
double spd_dual_shrink(spd_certifier *c);             /* the largest factor <= 1 that brings y into its ball */
void spd_dual_scale(spd_certifier *c, double factor); /* alpha, y and v times it; alpha + low keeps all its digits */
void spd_dual_drop_small(spd_certifier *c);           /* alphas as good as 0 become 0; g follows */
/* ---- polish.c: lowers h*(-g - F'y) over y in lambda Y by a few accelerated projected gradient steps from c->y. With ridge the
 * gap is `rest` plus that; none are made where it is good enough for the objective, or too bad to be worth it. */
void spd_dual_polish(spd_certifier *c, double rest, double objective);
/* ---- gap.c */
#define SPD_GAP_SHARE 0.1 /* of a gap may be rounding before it is bounded more finely */
/* Repair and sum for the alpha and y at hand; v is theirs. R > 0: within that radius. moved: alpha is not phi'(z). */
double spd_dual_prove(spd_certifier *c, const spd_trial *at, double R, bool moved, spd_repair *r);
/* x is a point of X but for what rounding may do to a norm or a sum. The brackets mean nothing for another. */
bool spd_dual_inside(spd_certifier *c, const double *x);
/* The gap at a point, from c->alpha and y; returns how much of it may be there because f is rounded. */
double spd_dual_gap_at(spd_certifier *c, const spd_trial *at, const double *y, spd_gap *out);
/* ---- second_bracket.c */
/* At the repaired v: 0 where X has no bound; on the bounded side of a half-line v keeps its sign. */
double spd_dual_exact_bracket(const spd_certifier *c, const double *x);
double spd_dual_radius_bracket(const spd_certifier *c, const double *x, double R); /* of u with ||u|| <= R */
/* ---- dual_newton.c: a better alpha, then with c->low, and y for the same x; g, gc and v follow. False: none, they are as they were
 * or lost. */
bool spd_dual_newton_may(const spd_certifier *c);
/* ---- dual_newton_solve.c: M p + tau s = r, s'p = 0, for numbers of scale > 0; M is lost. False: no factor. */
bool spd_newton_dual_solve(spd_newton_dual *a, int64_t N, double *tau);
bool spd_dual_newton(spd_certifier *c, const spd_trial *at);
/* ---- exact.c: moves alpha and y so that -v is in dom h*, nearly; false if that would leave a domain. affordable: a gap that
 * may be added. */
bool spd_dual_make_exact(spd_certifier *c, const double *x, const double *z, double affordable);
bool spd_dual_can_correct(const spd_certifier *c);
bool spd_dual_correct(spd_certifier *c, const double *z); /* again, by v and v0 as they are; false: alpha left its domain */
/* The part of v that must vanish: how far each v_j is outside what X's unbounded sides allow (0 where allowed). */
double spd_dual_excess(const spdhg_problem *p, double vj);

/* ---- rounding.c */
static inline double spd_rounding(double k) { /* gamma_k: what k operations can do to a number */
    const double all = k * 0x1p-53;
    return all < 0.5 ? all / (1 - all) : INFINITY;
}
void spd_dual_measure_columns(spd_certifier *c);
void spd_dual_error_of_v(spd_certifier *c); /* e for the v at hand */
bool spd_dual_fine_v(spd_certifier *c);     /* v, v0 and e again, with twice the digits; false: not possible */
/* ---- rounding_objective.c */
/* moved: alpha is not phi'(z), and first is the first bracket as computed. */
double spd_dual_error_of_loss(const spd_certifier *c, const spd_trial *at, bool moved, double first, bool by_rows);
double spd_dual_error_of_structure(const spd_certifier *c, const double *x, const double *Fx);
/* ---- fine_trial.c. False: no memory, or a number that is not finite. out points into c. */
bool spd_fine_trial_make(spd_certifier *c, const spd_trial *at, spd_trial *out);
double spd_dual_penalty_bracket(spd_certifier *c, const double *Fx); /* third bracket, its rounding counted */

/* ---- repair.c */
double spd_dual_outside(const spd_certifier *c); /* t: y is in (1 + t) lambda Y */
/* ---- anchors.c, for a certifier */
/* alpha moves so that v does by c->r; (alpha, y) shrinks where that leaves a domain; g follows. False, and nothing happened: A is
 * not diagonal, alpha has no room, or it costs more than affordable. */
bool spd_anchors_take(spd_certifier *c, double affordable);
bool spd_anchors_follow(spd_certifier *c); /* routes by the rows that have room now; false: no memory, or no place */
bool spd_anchors_reach(spd_certifier *c);  /* taken: what arrives, in parts of the room; false: more than that */
double spd_anchors_cost(const spd_certifier *c, double shrunk, const double *z);
void spd_dual_repair_intercept(spd_certifier *c, spd_repair *out); /* sum_i w_i alpha_i = 0; e grows by what v may move */
/* That and -v in dom h*; x: of the point at hand. False: not proven to exist. */
bool spd_dual_repair_all(spd_certifier *c, const double *x, spd_repair *out);
double spd_dual_repair_cost(const spd_certifier *c, const spd_repair *r, const double *z, double loss, double objective);
#endif
