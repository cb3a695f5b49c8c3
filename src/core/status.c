/* status.c - the texts of the two enums, and functions that fill an error. */
#include <errno.h>
#include <stdarg.h>

#include "core/core.h"

const char *spdhg_version(void) { return SPDHG_VERSION; }

const char *spdhg_status_text(spdhg_status status) {
    switch (status) {
#define X(name, number, text)                                                                                                    \
    case SPDHG_##name: return text;
        SPDHG_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *spdhg_outcome_text(spdhg_outcome outcome) {
    switch (outcome) {
#define X(name, number, text)                                                                                                    \
    case SPDHG_OUTCOME_##name: return text;
        SPDHG_OUTCOME_LIST(X)
#undef X
    }
    return "unknown outcome";
}

int spdhg_outcome_exit_status(spdhg_outcome outcome) {
    switch (outcome) {
#define X(name, number, text)                                                                                                    \
    case SPDHG_OUTCOME_##name: return number;
        SPDHG_OUTCOME_LIST(X)
#undef X
    }
    return 1;
}

void spd_say(spdhg_error *err, spdhg_status status, const char *format, ...) {
    if (!err) return;
    va_list arguments;
    va_start(arguments, format);
    err->status = status;
    vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
}

#define RAN_OUT "out of memory: "

void spd_say_memory(spdhg_error *err, double bytes) {
    spd_say(err, SPDHG_MEMORY, RAN_OUT "cannot allocate %.3g MB", bytes / 1e6);
}

bool spd_ran_out(const spdhg_error *err) {
    return err->status == SPDHG_MEMORY && strncmp(err->message, RAN_OUT, strlen(RAN_OUT)) == 0;
}

spdhg_status spd_fail_io(spdhg_error *err, const char *path, const char *doing) {
    const int number = errno;
    return spd_fail(err, number == ENOMEM ? SPDHG_MEMORY : SPDHG_IO, "%s: cannot %s: %s", path, doing,
                    number ? strerror(number) : "unknown reason");
}
