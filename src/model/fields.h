/* fields.h - the keys of a JSON object, checked as they are read. Private to this room. */
#ifndef SPD_FIELDS_H
#define SPD_FIELDS_H
#include "model/json_file.h"

typedef struct spd_fields {
    const char *path;
    const json_t *object;
    spdhg_error *err;
} spd_fields;

spdhg_status spd_field_wrong(const spd_fields *r, const char *key, const char *expected);
spdhg_status spd_field_integer(const spd_fields *r, const char *key, int64_t low, int64_t high, int64_t *out);
spdhg_status spd_field_number(const spd_fields *r, const char *key, double *out);
spdhg_status spd_field_bool(const spd_fields *r, const char *key, bool *out);
spdhg_status spd_field_text(const spd_fields *r, const char *key, char **out);
spdhg_status spd_field_short(const spd_fields *r, const char *key, char *out, size_t size);
spdhg_status spd_field_fill_numbers(const spd_fields *r, const char *key, const json_t *array, int64_t count, double *out);
spdhg_status spd_field_texts(const spd_fields *r, const char *key, int64_t count, char ***out);

/* ---- model_sum.c */
#define SPD_MODEL_SUM "checksum"
enum { SPD_MODEL_SUM_CHARS = 17 };
spdhg_status spd_model_sum(const json_t *model, char text[SPD_MODEL_SUM_CHARS], spdhg_error *err);
spdhg_status spd_model_sum_check(const spd_fields *r); /* SPDHG_DATA: the values are not those that were written */
#endif
