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
} spd_gap;

/* ---- routes.c: ways along rows of F by which what is left of v reaches a place that can take it. */
enum { SPD_GROUNDED = -1, SPD_UNREACHED = -2, SPD_BY_INTERCEPT = -3 };
typedef struct spd_routes {
    int64_t bases;     /* components of columns from which no row takes anything: there alpha has to */
    bool joined;       /* some base stands for several columns */
    int32_t *order;    /* columns, each behind the one it sends to */
    int32_t *to;       /* the column j sends to; -1: none */
    int64_t *at;       /* first place in y of the row it sends along; -1: j is a base's root */
    double *size;      /* |F_ej| of that row */
    int32_t *base;     /* number of its base, the intercept's last; SPD_GROUNDED: a row with one entry takes it all */
    int64_t *row;      /* the row of A that takes what arrives at j (anchors.c); -1: none; NULL: no row does */
    signed char *sign; /* of j in the direction of its base, along which F is 0 */
} spd_routes;
/* anchor: of each column a row of A with one entry, -1: none; NULL: no rows of A are used. weight: w_i |a_ij| / W of each, with
 * the sign of a_ij. */
bool spd_routes_new(spd_routes *r, const spdhg_problem *p, const int64_t *anchor, const double *weight);
/* excess (d x K), known up to doubt, is sent along, and added up on the way: dy (m x K, 0 before) = the most that each row carries. */
void spd_routes_carry(const spd_routes *r, int64_t d, int64_t K, double *excess, double *doubt, double *dy);
void spd_routes_free(spd_routes *r);

/* ---- anchors.c: rows of A with one entry, which take up v_j by themselves. */
/* anchor[j]: the row of column j with the largest w_i |a_ij| room_i, -1: none (room NULL: 1 for all). weight[j] as spd_routes_new
 * wants it. */
void spd_anchors_find(const spdhg_problem *p, const double *room, int64_t *anchor, double *weight);
/* Every row has one entry, every column a row, and the intercept, if there is one, adds nothing. work: 3 d numbers. */
bool spd_anchors_suffice(const spdhg_problem *p, const int64_t *anchor, double *work);

/* ---- base_system.c, base_rows.c, null_vectors.c: that alpha can take up what the routes leave at their bases. */
typedef struct spd_base_system {
    const spdhg_problem *problem;
    const uint8_t *forced; /* rows whose alpha is 0, or NULL */
    const double *alpha;   /* of the point at hand, n x K */
    int64_t n;             /* unknowns: the bases, then the intercept */
    bool rowless;          /* of F alone: what alpha cannot change, the mean over the outputs of a coupled loss */
    int64_t most;          /* n may become: what the arrays are made for */
    double *G, *copy;      /* n x n; NULL: too many unknowns */
    double *unit, *scale;  /* of each unknown: a power of two, and 1/sqrt of G's diagonal in it */
    double *off;           /* what rounding may have done to its part of G */
    double *D, *share;     /* n: how far each alpha may go; its part of G */
    double top, least;     /* largest and smallest w_i D_i / W that is not 0 */
    double root;           /* sqrt(mu); 0: nothing is proven */
    bool *rest;            /* a term's rows that are not all routes' */
    double *lambda;        /* of the terms, when G was made */
    double *null;          /* nulls x n whole numbers: directions that every row has a 0 for */
    double *null_square;   /* their squared lengths */
    int64_t nulls, failures;
    bool passing; /* some of them only for the alpha at hand */
    bool measured, hopeless;
    spd_twofold *sum; /* one row: h_ib, */
    double *size;     /* the sizes added up in it, */
    int32_t *touched;
    double *vector, *line, *work;
    spd_stop *stop; /* asked on the way; what is stopped proves nothing */
} spd_base_system;
/* False: G could not be shown to be positive. room: of each alpha. cut: rows with less than this of the largest share are left. */
bool spd_base_prove(spd_base_system *s, const spd_routes *r, const double *room, double cut, int threads);
bool spd_base_holds(const spd_base_system *s, const double *room); /* what was proven last is enough here, too */
/* E with r'G^-1 r <= E^2 for every r of K columns no larger than residual (n x K). */
double spd_base_energy(const spd_base_system *s, int64_t K, const double *residual);
bool spd_base_in_null(const spd_base_system *s, int64_t b);
void spd_base_find_units(spd_base_system *s, const spd_routes *r);
bool spd_base_assemble(spd_base_system *s, const spd_routes *r, int threads); /* false: stopped */
int64_t spd_base_row(spd_base_system *s, const spd_routes *r, int64_t i);     /* fills sum, size, touched; returns how many */
void spd_base_clear(spd_base_system *s, int64_t count);
int64_t spd_base_find_nulls(spd_base_system *s, const spd_routes *r); /* how many are known then */
double spd_dual_nu(const spd_term *t); /* a small part of lambda: y moves little against its ball */

/* ---- repair.c: how much worse than (alpha, y) a dual point is that is exactly feasible. */
typedef struct spd_repair {
    double mixed;   /* part of alpha that balances the intercept */
    double energy;  /* E */
    double shrunk;  /* alpha and y were made smaller by this, for room */
    double stretch; /* y is in (1 + stretch) lambda Y, that included */
    bool anchored;  /* rows of A have taken part of v: spd_anchors_cost */
} spd_repair;

enum { SPD_CERTIFIER_PARTS = 41 };
typedef struct spd_certifier {
    const spdhg_problem *problem;
    int threads;
    spd_stop *stop;     /* asked in loops of the proof, which then fails; NULL: none */
    bool exact;         /* some coordinate has neither ridge nor bound: v must vanish there */
    int64_t identity;   /* a term with F = identity and lambda > 0, or -1: absorbs v without a solve */
    double start_value; /* f(0): scale of the relative gap */
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
    /* repair */
    spd_routes routes;
    spd_base_system base, mean; /* mean: with a coupled loss */
    double *room, *excess, *doubt, *residual;
    /* anchors */
    int64_t *anchor; /* of each column, where rows of A make routes or take all of v; NULL: they do neither */
    bool diagonal;   /* they take all of v: spd_anchors_take */
    double *anchor_weight, *anchor_before, *taken; /* w_i |a_ij| / W; the same of the routes at hand; d x K: parts of the room */
    /* a fixed point of X, at which the bound of a dual point is computed by itself */
    double *origin, *origin_z, *origin_Fx, origin_loss, origin_ridge;
    double *best_alpha, *best_dual_y;   /* one behind the other, as a checkpoint keeps them */
    double *owned[SPD_CERTIFIER_PARTS]; /* every array of doubles above */
} spd_certifier;

/* forced: of spd_recession, which outlives it. */
spdhg_status spd_certifier_new(spd_certifier *c, const spdhg_problem *p, int threads, const uint8_t *forced, spdhg_error *err);
/* z: scores n x K with offset and intercept; Fx: m x K; objective = f(x, c), loss its first part. y: any dual, projected here. The
 * caller has put phi'(z), or another guess, into c->alpha. c->gradient tells whether c->g and c->gc are still the gradient of the
 * loss afterwards. */
void spd_certify(spd_certifier *c, const double *x, const double *y, const double *z, const double *Fx, double loss,
                 double objective, spd_gap *out);
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
double spd_dual_shrink(spd_certifier *c);   /* the largest factor <= 1 that brings y into its ball */
void spd_dual_drop_small(spd_certifier *c); /* alphas as good as 0 become 0; g follows */
/* ---- polish.c: lowers h*(-g - F'y) over y in lambda Y by a few accelerated projected gradient steps from c->y. With ridge the
 * gap is `rest` plus that; none are made where it is good enough for the objective, or too bad to be worth it. */
void spd_dual_polish(spd_certifier *c, double rest, double objective);
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
/* first: the first bracket as computed; 0: alpha is phi'(z). */
double spd_dual_error_of_loss(const spd_certifier *c, const double *x, const double *z, double loss, double first, bool by_rows);
double spd_dual_error_of_structure(const spd_certifier *c, const double *x, const double *Fx);
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
bool spd_dual_repair_all(spd_certifier *c, spd_repair *out);       /* that and -v in dom h*; false: not proven to exist */
double spd_dual_repair_cost(const spd_certifier *c, const spd_repair *r, const double *z, double loss, double objective);
#endif
