/* grid.c - Fx = differences of neighbouring pixels of an H x W or H x W x D image: total variation.
 * Pixel (h,w,l) is feature (h W + w) D + l. Rows are ordered by pixel, and at each pixel towards larger h, w, l:
 *     x_neighbour - x_pixel */
#include "structure/structure.h"

/* Parses "3x4" or "3x4x5" into side; a missing third side is 1. */
static bool sides(const char *at, int64_t side[3]) {
    const char *end = at + strlen(at);
    side[2] = 1;
    for (int i = 0; i < 3; i++) {
        at = spd_parse_int(at, end, &side[i]);
        if (!at || side[i] < 1) return false;
        if (*at == '\0') return i > 0;
        if (*at++ != 'x') return false;
    }
    return false;
}

static spdhg_status build(spdhg_structure *F, const char *arg, int64_t features, spdhg_error *err) {
    int64_t side[3], pixels;
    if (!arg || !sides(arg, side))
        return spd_fail(err, SPDHG_USAGE, "structure '%s': expected 'grid:HxW' or 'grid:HxWxD', whole numbers above 0", F->spec);
    if (__builtin_mul_overflow(side[0], side[1], &pixels) || __builtin_mul_overflow(pixels, side[2], &pixels))
        return spd_fail(err, SPDHG_USAGE, "structure '%s': too many pixels for %lld features", F->spec, (long long)features);
    if (pixels != features)
        return spd_fail(err, SPDHG_USAGE, "structure '%s': the grid has %lld pixels, the data have %lld features", F->spec,
                        (long long)pixels, (long long)features);
    const int64_t stride[3] = {side[1] * side[2], side[2], 1};
    int64_t m = 0;
    for (int i = 0; i < 3; i++) m += pixels / side[i] * (side[i] - 1);
    SPD_TRY(spd_csr_new(&F->F, m, features, 2 * m, err));
    memcpy(F->side, side, sizeof side);
    int64_t e = 0;
    for (int64_t j = 0; j < pixels; j++)
        for (int i = 0; i < 3; i++) {
            if (j / stride[i] % side[i] == side[i] - 1) continue; /* the last pixel in this direction */
            F->F.idx[2 * e] = (int32_t)j;
            F->F.val[2 * e] = -1;
            F->F.idx[2 * e + 1] = (int32_t)(j + stride[i]);
            F->F.val[2 * e + 1] = 1;
            e++;
            F->F.ptr[e] = 2 * e;
        }
    return SPDHG_OK;
}

const spd_structure_kind spd_structure_grid = {
    .name = "grid",
    .help = "differences of neighbouring pixels of an image or volume: total variation; grid:HxW[xD]",
    .build = build};
