/* columns_json.h - the columns of a model in its JSON file; docs/model.md has the form. Private to this room. */
#ifndef SPD_COLUMNS_JSON_H
#define SPD_COLUMNS_JSON_H
#include "model/json_file.h"
#include "model/model.h"

/* Columns of numbers with names, in the order of the features: the names say all, and the file has no list of columns. */
bool spd_columns_plain(const spdhg_columns *columns);
json_t *spd_columns_to_json(const spdhg_columns *columns); /* NULL: out of memory */
/* From an untrusted list. The number of features they make must be `features`. */
spdhg_status spd_columns_from_json(spdhg_columns **out, const json_t *list, bool named, int64_t features, const char *path,
                                   spdhg_error *err);
/* A text, or NULL for null; SPDHG_DATA for anything else. */
spdhg_status spd_json_get_text(const json_t *object, const char *key, const char *path, char **out, spdhg_error *err);
#endif
