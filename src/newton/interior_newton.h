/* interior_newton.h - what the two interior-point solvers share. */
#ifndef SPD_INTERIOR_NEWTON_H
#define SPD_INTERIOR_NEWTON_H
#include "interior/interior.h"
#include "newton/newton.h"

/* bend and pull of a: curvature that a coordinate can have (of a loss with a narrow kink: over a width of 1), and penalty, squared. */
void spd_interior_newton_scales(spd_interior *a);
#endif
