/* face.h - the set { x : (F x)_i = 0 for i in Z }, on which f is smooth near the minimiser; shared by the
 * files face*.c. */
#ifndef SPD_FACE_H
#define SPD_FACE_H
#include "face/nullspace.h"

typedef struct spd_face {
    const spdhg_problem *p;
    int threads;
    int *passes; /* over the data that may still be made */
    spd_stop *stop;
    bool *zero;          /* mK: Z */
    spd_nullspace *null; /* one for each output: x = N u */
    int64_t unknowns;    /* the u of every output, then the intercepts */
    double *x, *c, *best_x, *best_c;
    double *Fx, *dir, *far;   /* mK each: F x, F p, and F x scaled to lie outside every ball */
    double push;              /* far = push F x */
    double *g, *along, *part; /* dK, dK, d */
    double *gc, *u, *step;    /* K; dK + K: a gradient and a step, followed by scratch for conjugate gradients */
    double *score, *alpha, *curve, *scratch, *work;
    double *H, *M, *normal; /* face_dense.c, if dense: two matrices over all coefficients, the factor, scratch */
    bool checked;           /* a step with that factor has been verified by a product */
    bool dense, factored;   /* M is a factor of a Hessian near x */
    double pass;            /* entries that one pass reads */
} spd_face;

/* ---- face_newton.c: Newton's method from x, c until rounding prevents a smaller gradient; result in best_x and best_c. False: a
 * part of F x would have changed its direction. Then *turned is set, the part is in Z, and x is the point where it is 0. */
bool spd_face_minimise(spd_face *f, bool *turned);
/* ---- face_dense.c */
double spd_face_dense_cost(const spdhg_problem *p,
                           double unknowns); /* multiplications to assemble M, reduce it by N, and factor it */
int64_t spd_face_dense_size(const spdhg_problem *p, double pass); /* n if a factor pays off, else 0; pass: its cost */
bool spd_face_factor(spd_face *f);                                /* M at f->curve; false: (nearly) singular */
/* ---- face_newton.c */
void spd_face_project(spd_face *f); /* moves x to the nearest point of the face */
#endif
