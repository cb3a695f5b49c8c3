/* certify.h - how far from the best possible an answer is, proven: the duality gap of problem.h's f at (x, c) with dual point
 * (alpha, y).
 *
 *   GAP = (1/W) sum_i w_i [ phi_i(z_i) + phi_i*(alpha_i) - alpha_i z_i ]  +  [ h(x) + h*(-v) + v'x ]  +  [ lambda r(Fx) - y'Fx ]
 *   v = (1/W) sum_i w_i alpha_i a_i + F'y,   h(x) = (gamma/2)||x||^2 on X
 *
 * Three brackets that are never negative, for any alpha_i in dom phi_i*, y in lambda Y and -v in dom h*; f(x,c) - GAP is then a
 * lower bound of f. With a free intercept also sum_i w_i alpha_i = 0 is needed. */
#ifndef SPD_CERTIFY_H
#define SPD_CERTIFY_H
#include "problem/problem.h"

typedef enum spd_gap_kind {
    SPD_GAP_NONE,         /* nothing could be proven */
    SPD_GAP_CERTIFIED,    /* f(x,c) - f* <= gap */
    SPD_GAP_WITHIN_RADIUS /* f(x,c) - f(u,c') <= gap for every u with ||u|| <= radius */
} spd_gap_kind;

typedef struct spd_gap {
    spd_gap_kind kind;
    double gap, radius;
} spd_gap;

typedef struct spd_certifier {
    const spdhg_problem *problem;
    int threads;
    spd_stop *stop;     /* asked in loops of the proof, which then fails; NULL: none */
    bool exact;         /* some coordinate has neither ridge nor bound: v must vanish there */
    int64_t identity;   /* a term with F = identity and lambda > 0, or -1: absorbs v without a solve */
    double start_value; /* f(0): scale of the relative gap */
    double least;       /* what f never is below, whatever x is: the rows' least losses */
    double best_dual;   /* largest certified lower bound of f seen so far, less what rounding may have added */
    double worth; /* a relative gap (without ridge: within a radius) above this is not worth more work; INFINITY: always try */
    double last, fall; /* f at the point before, and what it had fallen by to there (NAN: unknown): gap.c:left_over */
    double enough;     /* a relative gap at which no better y is looked for */
    bool slopes;       /* set by the caller: alpha is phi'(z), as far as that is in the domain */
    bool gradient;     /* g = A'phi'(z)/W, gc its intercept's part */
    uint8_t *forced;   /* rows whose alpha must be 0 (not 0 there), or NULL */
    double *push;      /* with forced: an x that brings their loss near 0 and leaves the penalty and all other rows alone */
    bool unattained;   /* f falls for ever along some direction, from every x: no minimiser exists */
    double *alpha, *y, *g, *gc;      /* the dual point; g = A'alpha/W */
    double *v, *P, *work;            /* d x K each but work: scratch of the pieces */
    double *best_y, *Fq;             /* m x K */
    double *curve, *t;               /* n x K each: exact correction */
    double *M, *p, *r, *Mwork;       /* the system of the correction; M NULL: matrix-free */
    double *kept;                    /* n x K: the D that M is a factor for, if ... */
    bool factored;                   /* ... there is one; lambda is still the same */
    double *saved;                   /* alpha and y, should the factor at hand fail */
    const double *lent, *lent_curve; /* A'diag(w D)A/W, lower triangle, and D = phi'' near z: the solver's, or NULL */
    double *size, *scale, *q;        /* what v's numbers are sums of; 1/sqrt of the system's diagonal; scratch: with the system */
    int32_t *tied;                   /* column -> a number all columns share that F ties together: with the system */
} spd_certifier;

spdhg_status spd_certifier_new(spd_certifier *c, const spdhg_problem *p, int threads, spdhg_error *err);
/* z: scores n x K with offset and intercept; Fx: m x K; objective = f(x, c). y: any dual, projected here. The caller has put
 * phi'(z), or another guess, into c->alpha. c->gradient tells whether c->g and c->gc are still the gradient of the loss
 * afterwards. */
void spd_certify(spd_certifier *c, const double *x, const double *y, const double *z, const double *Fx, double objective,
                 spd_gap *out);
void spd_certifier_free(spd_certifier *c);

/* A bracket is never negative but for rounding; one that overflowed proves nothing (fmax makes 0 of what is not a number). */
static inline double spd_bracket(double sum) { return sum >= 0 ? sum : isfinite(sum) ? 0 : INFINITY; }

/* ---- dual_point.c */
bool spd_dual_balance(spd_certifier *c); /* sum_i w_i alpha_i = 0 in every output, alpha kept in the domain; true if it moved */
double spd_dual_fenchel(const spd_certifier *c, const double *z); /* first bracket; INFINITY if alpha left the domain */
/* The bound that alpha = 0, y = 0 gives: the mean of the rows' least losses. c->alpha must be 0. */
double spd_dual_least(const spd_certifier *c);
double spd_dual_shrink(spd_certifier *c);   /* the largest factor <= 1 that brings y into its ball */
void spd_dual_drop_small(spd_certifier *c); /* alphas as good as 0 become 0; g follows */
/* ---- polish.c: lowers h*(-g - F'y) over y in lambda Y by a few accelerated projected gradient steps from c->y. With ridge the
 * gap is `rest` plus that; none are made where it is good enough for the objective, or too bad to be worth it. */
void spd_dual_polish(spd_certifier *c, double rest, double objective);
/* ---- sizes.c: c->tied (once) and c->size (of the alpha and y at hand) */
void spd_dual_find_ties(const spdhg_problem *p, int32_t *tied);
void spd_dual_find_sizes(spd_certifier *c);
/* ---- exact.c: moves alpha and y so that -v is in dom h*; false if that would leave a domain. */
bool spd_dual_make_exact(spd_certifier *c, const double *x, const double *z);
void spd_dual_sides(const spdhg_problem *p, double *low, double *high); /* of X in every coordinate, where X is separable */
/* The part of v that must vanish: how far each v_j is outside what X's unbounded sides allow (0 where allowed). */
double spd_dual_excess(const spdhg_problem *p, double vj);
#endif
