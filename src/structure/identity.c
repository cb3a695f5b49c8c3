/* identity.c - F = I: the coefficients themselves are penalised (lasso, and with groups the group lasso).
 * Nothing is stored, see la/csr.c. */
#include "structure/structure.h"

static spdhg_status build(spdhg_structure *F, const char *arg, int64_t features, spdhg_error *err) {
    if (arg) return spd_fail(err, SPDHG_USAGE, "structure '%s': identity takes no argument", F->spec);
    F->F = (spd_csr){.m = features, .n = features};
    return SPDHG_OK;
}

const spd_structure_kind spd_structure_identity = {.name = "identity", .help = "the coefficients themselves", .build = build};
