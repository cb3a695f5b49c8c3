/* table.c - specifications NAME[:ARG] and the lists of names that error messages show. */
#include "core/core.h"

bool spd_spec_is(const char *spec, const char *name) {
    const size_t length = strlen(name);
    return strncmp(spec, name, length) == 0 && (spec[length] == '\0' || spec[length] == ':');
}

const char *spd_spec_arg(const char *spec) {
    const char *colon = strchr(spec, ':');
    return colon ? colon + 1 : NULL;
}

void spd_names(char *text, size_t size, const void *table, int entries, size_t stride) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < entries && used < size; i++) {
        const char *name = *(const char *const *)(const void *)((const char *)table + (size_t)i * stride);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
    }
}
