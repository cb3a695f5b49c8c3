/* quic.h - the state that the parts of QUIC share: a Newton step on a face by conjugate gradients, or by coordinate descent. */
#ifndef SPD_QUIC_H
#define SPD_QUIC_H
#include "graph/graph.h"

typedef struct spd_quic_state {
    spd_glasso g; /* the problem; its rho comes down to the one asked for, half by half */
    spd_glasso_point *x;
    double *U, *T, *v;     /* p x p, p x p, p: scratch; U = D W during coordinate descent */
    spd_pattern free;      /* the pairs that may change */
    int64_t room;          /* of the vectors below, for pairs */
    double *D;             /* the direction: a number for each free pair, then p for the diagonal */
    double *face;          /* sign that Theta + D shall have, 0 off the face; same layout, as are the vectors of */
    double *R, *Z, *P, *Q; /* conjugate gradients */
    bool whole;            /* their preconditioner is of the whole Theta, not only of what matters most: */
    spd_csr main;
    bool rough; /* W is conditioned well enough for products with it in single precision: */
    spd_float_matrix W;
} spd_quic_state;

/* ---- quic_face.c: D minimises <S - W, D> + tr(W D W D)/2 + penalty(Theta + D) on the face that the signs of Theta and of the
 * gradient say, without what would leave it; `reduce` is the least reduction of the residual that is of any use. D may leave the
 * face: the step is projected onto it. Returns the Newton decrement, about sqrt(2 (f - min f)). */
double spd_quic_face(spd_quic_state *s, double reduce);
/* ---- quic_descent.c: D by coordinate descent on the same over all free pairs: always a descent. */
void spd_quic_descent(spd_quic_state *s);
#endif
