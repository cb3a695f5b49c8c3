/* quic.h - the state that the two halves of QUIC share: coordinate descent finds the face, conjugate gradients minimise on it. */
#ifndef SPD_QUIC_H
#define SPD_QUIC_H
#include "graph/graph.h"

typedef struct spd_quic_state {
    const spd_glasso *g;
    spd_glasso_point *x;
    double *U, *T, *v; /* p x p, p x p, p: scratch; U = D W during coordinate descent */
    int64_t *start;    /* free pairs (i, other[q]), start[i] <= q < start[i+1] */
    int32_t *other;
    int64_t room; /* for pairs */
    double *D;    /* the direction: `pairs` numbers for the free pairs, then p for the diagonal */
    double *face; /* sign of Theta + D, 0 off the face; same layout, as are the vectors of conjugate gradients: */
    double *R, *Z, *P, *Q, *kept;
} spd_quic_state;

/* ---- quic_face.c: minimises <S - W, D> + tr(W D W D)/2 + penalty(Theta + D) over the face of D, on which signs are fixed. D is
 * the start and the result; it may leave the face: the step is projected onto it. */
void spd_quic_face(spd_quic_state *s);
#endif
