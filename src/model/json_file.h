/* json_file.h - a file that holds one JSON object. */
#ifndef SPD_JSON_FILE_H
#define SPD_JSON_FILE_H
#include <jansson.h>

#include "core/core.h"

/* what: "model" or the like, for messages. SPDHG_IO if there is no such file, SPDHG_DATA if it holds something else. */
spdhg_status spd_json_read(json_t **out, const char *path, const char *what, spdhg_error *err);
/* The same from memory; path is used in messages. */
spdhg_status spd_json_parse(json_t **out, const char *text, size_t size, const char *path, const char *what, spdhg_error *err);
double spd_json_double(const json_t *value); /* NAN if it is not a number */

/* ---- json_write.c. A value that cannot be created is NULL. If a value cannot be added, the whole is freed and becomes NULL;
 * later calls and json_pack pass the NULL on. */
void spd_json_append(json_t **array, json_t *value); /* takes ownership of the value */
void spd_json_set(json_t **object, const char *key, json_t *value);
json_t *spd_json_number(double value);   /* null if not finite */
json_t *spd_json_text(const char *text); /* bytes that are not UTF-8 become '?'; null for NULL */
json_t *spd_json_numbers(const double *value, int64_t count);
json_t *spd_json_integers(const int64_t *value, int64_t count);
json_t *spd_json_texts(char *const *value, int64_t count); /* null for NULL */
/* Takes ownership of the object; form: jansson flags. */
spdhg_status spd_json_write(const char *path, json_t *object, size_t form, bool unsynced, spdhg_error *err);
#endif
