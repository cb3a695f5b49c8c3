/* floats.c - the floating-point environment: traps, rounding, flags and the treatment of tiny numbers belong to the caller. Every
 * public function that computes takes the default one and gives the caller's back, also its flags. */
#include "core/core.h"

fenv_t spd_floats_take(void) {
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV); /* also the processor's "flush to zero", which fesetround and feholdexcept leave alone */
    return callers;
}

void spd_floats_restore(const fenv_t *callers) { fesetenv(callers); }
