/* face.h - the set { x : (F x)_i = 0 for i in Z }, on which f is smooth near the minimiser; shared by the
 * files face*.c. */
#ifndef SPD_FACE_H
#define SPD_FACE_H
#include "face/nullspace.h"

typedef struct spd_face {
    const spdhg_problem *p;
    int threads;
    int *passes; /* over the data, that may still be spent */
    spd_stop *stop;
    bool *zero;          /* mK: Z */
    spd_nullspace *null; /* of each output: x = N u */
    int64_t unknowns;    /* u of every output, then the intercepts */
    double *x, *c, *best_x, *best_c;
    double *Fx, *dir, *far;   /* mK each: F x, F p, and F x pushed out of every ball */
    double push;              /* far = push F x */
    double *g, *along, *part; /* dK, dK, d */
    double *gc, *u, *step;    /* K; dK + K: a gradient and a step, behind which is the room for conjugate gradients */
    double *score, *alpha, *curve, *scratch, *work;
    double *H, *M, *room; /* face_dense.c, where it is worth it (dense): two matrices of all coefficients, the factor, scratch */
    bool checked;         /* a step with that factor has been compared with a product */
    bool dense, factored; /* M is a factor of a Hessian near x */
    double pass;          /* numbers that one pass touches */
} spd_face;

/* ---- face_newton.c: Newton from x, c to the least gradient that rounding allows, in best_x and best_c. False: a part of
 * F x would have turned round; then *turned, it is in Z now, and x is where it is 0. */
bool spd_face_minimise(spd_face *f, bool *turned);
/* ---- face_dense.c */
double spd_face_dense_cost(const spdhg_problem *p,
                           double unknowns); /* multiplications of writing it out, with N, and of the factor */
int64_t spd_face_dense_size(const spdhg_problem *p, double pass); /* n if a factor is worth it, else 0; pass: cost of one */
bool spd_face_factor(spd_face *f);                                /* M at f->curve; false: singular, or nearly */
/* ---- face_newton.c */
void spd_face_project(spd_face *f); /* x becomes the nearest one of the face */
#endif
