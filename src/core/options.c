/* options.c - the option structs of spdhg.h grow only at their end, and each begins with its size as compiled by the caller. */
#include "core/core.h"

spdhg_status spd_options_take(void *own, size_t bytes, const void *given, const char *type, spdhg_error *err) {
    size_t size;
    if (!given) return SPDHG_OK;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return spd_fail(err, SPDHG_USAGE, "%s.size is %zu; expected sizeof(%s): start from the struct's default value", type,
                        size, type);
    memcpy(own, given, size < bytes ? size : bytes);
    memcpy(own, &bytes, sizeof bytes);
    return SPDHG_OK;
}
