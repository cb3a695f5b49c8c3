/* memory.c - how much memory is free at the moment, for those who were given no limit: a small compressed file may unpack to
 * more than there is, and then the system would end this process, or another one. */
#include "core/core.h"

static bool first_number(const char *path, const char *before, int64_t *out) {
    FILE *file = fopen(path, "re");
    if (!file) return false;
    char line[128];
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        const size_t skip = strlen(before);
        if (strncmp(line, before, skip) != 0) continue;
        found = spd_parse_int(line + skip + strspn(line + skip, " "), line + strlen(line), out) != NULL;
    }
    fclose(file);
    return found;
}

uint64_t spd_memory_free(void) {
    int64_t kilobytes, limit, used;
    uint64_t bytes = UINT64_MAX;
    if (first_number("/proc/meminfo", "MemAvailable:", &kilobytes) && kilobytes >= 0 && kilobytes < INT64_MAX / 1024)
        bytes = (uint64_t)kilobytes * 1024;
    if (first_number("/sys/fs/cgroup/memory.max", "", &limit) && first_number("/sys/fs/cgroup/memory.current", "", &used)) {
        const uint64_t left = limit > used ? (uint64_t)(limit - used) : 0;
        if (left < bytes) bytes = left;
    }
    return bytes;
}
