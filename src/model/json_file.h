/* json_file.h - a file that holds one JSON object. */
#ifndef SPD_JSON_FILE_H
#define SPD_JSON_FILE_H
#include <jansson.h>

#include "core/core.h"

/* what: "model" or the like, for messages. SPDHG_IO when there is no such file, SPDHG_DATA when it holds something else. */
spdhg_status spd_json_read(json_t **out, const char *path, const char *what, spdhg_error *err);
/* The same from memory; path: what messages call it. */
spdhg_status spd_json_parse(json_t **out, const char *text, size_t size, const char *path, const char *what, spdhg_error *err);
double spd_json_double(const json_t *value); /* NAN if it is not a number */
#endif
