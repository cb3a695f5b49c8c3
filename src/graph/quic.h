/* quic.h - the state that the parts of QUIC share: a Newton step on a face by conjugate gradients, or by coordinate descent. */
#ifndef SPD_QUIC_H
#define SPD_QUIC_H
#include "graph/graph.h"

typedef struct spd_quic_state {
    spd_glasso g; /* the problem; its rho is halved repeatedly until it reaches the requested one */
    spd_glasso_point *x;
    double *U, *T, *v;     /* p x p, p x p, p: scratch; U = D W during coordinate descent */
    spd_pattern free;      /* the pairs that may change */
    int64_t capacity;      /* of the vectors below, in pairs */
    double *D;             /* the direction: one entry for each free pair, then p for the diagonal */
    double *face;          /* required sign of Theta + D, 0 off the face; same layout as D, as are the vectors of */
    double *R, *Z, *P, *Q; /* conjugate gradients */
    bool whole;            /* the preconditioner uses all of Theta, not only its large entries: */
    spd_csr main;
    bool rough; /* W is well enough conditioned for products in single precision: */
    spd_float_matrix W;
} spd_quic_state;

/* ---- quic_face.c: D minimises
 *     <S - W, D> + tr(W D W D)/2 + penalty(Theta + D)
 * on the face given by the signs of Theta and of the gradient, without the pairs that would leave it. `reduce` is the smallest
 * useful reduction of the residual. D itself may leave the face: the step is projected onto it.
 * Returns the Newton decrement, about sqrt(2 (f - min f)). */
double spd_quic_face(spd_quic_state *s, double reduce);
/* ---- quic_descent.c: D by coordinate descent on the same model over all free pairs; always a descent direction. */
void spd_quic_descent(spd_quic_state *s);
#endif
