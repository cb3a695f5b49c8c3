/* structure.h - the matrices F that define which coefficients belong together. A structure builds its rows once; la/csr.c applies
 * them. */
#ifndef SPD_STRUCTURE_H
#define SPD_STRUCTURE_H
#include "data/columns.h"
#include "la/la.h"

struct spdhg_structure {
    char *spec; /* as the user wrote it, for the model and messages */
    spd_csr F;
    double norm_bound;
    int64_t side[3]; /* grid: height, width, depth (pixel (h,w,l) is feature (h*width + w)*depth + l); else 0 */
};

typedef struct spd_structure_kind {
    const char *name, *help;
    /* arg: the text after ':', or NULL. Fills F->F and, for grids, F->side. */
    spdhg_status (*build)(spdhg_structure *F, const char *arg, int64_t features, spdhg_error *err);
} spd_structure_kind;

extern const spd_structure_kind spd_structure_identity, spd_structure_chain, spd_structure_trend, spd_structure_grid,
    spd_structure_edges, spd_structure_matrix;
const spd_structure_kind *const *spd_structure_table(int *entries);

/* How every structure is made: begin makes an empty one with that spec; finish takes the status of filling F->F and computes the
 * norm bound or, on failure, frees *out and sets it to NULL. */
spdhg_status spd_structure_begin(spdhg_structure **out, const char *spec, int64_t features, spdhg_error *err);
spdhg_status spd_structure_finish(spdhg_structure **out, spdhg_status status, spdhg_error *err);

/* Group of each row (group numbers 0..groups-1): spec is "size:G", "grid" or a file of numbers, one per row. */
spdhg_status spd_structure_groups(const spdhg_structure *F, const char *spec, int64_t **group, spdhg_error *err);
/* ---- by_name.c: files in which features have names. Whether the first line of a file begins with something else than a
 * number. */
spdhg_status spd_file_has_names(const char *path, bool *named, spdhg_error *err);
/* spec: "edges:FILE", lines "from,to[,weight]". */
spdhg_status spd_structure_named_edges(spdhg_structure **out, const char *spec, char *const *name, int64_t features,
                                       spdhg_error *err);
/* Lines "feature,group", where a group is any word; numbers 0..groups-1 come back, one for each feature. */
spdhg_status spd_named_groups(const char *path, char *const *name, int64_t features, int64_t **group, spdhg_error *err);
/* diag(weight) F without the rows of weight 0; kept[e] = row of F it came from (may be NULL). */
spdhg_status spd_structure_weighted(spdhg_structure **out, const spdhg_structure *F, const double *weight, int64_t **kept,
                                    spdhg_error *err);
#endif
