/* interior_newton.h - shared by the two interior-point solvers. */
#ifndef SPD_INTERIOR_NEWTON_H
#define SPD_INTERIOR_NEWTON_H
#include "interior/interior.h"
#include "newton/newton.h"

/* Sets bend and pull of a. bend: the largest curvature of each coordinate (for a loss with a narrow kink: over a width of 1).
 * pull: the penalty on it, squared. */
void spd_interior_newton_scales(spd_interior *a);
#endif
