/* read_time.c - the three things bench/read needs from C: make a large LIBSVM file, convert it to the cache, time one reading.
 *     read_time generate BYTES FILE | convert FILE CACHE | time FILE THREADS (prints seconds, CPU seconds, rows, entries) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spdhg.h"

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t next(uint64_t *state) { /* xorshift64 */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Rows as text classification has them: 40 to 99 ascending indices up to about 40,000, weights in (0, 0.3] with six digits as %g.
 */
static int generate(long bytes, const char *path) {
    FILE *file = fopen(path, "w");
    uint64_t state = 88172645463325252u;
    for (long written = 0; file && written < bytes && !ferror(file);) {
        written += fprintf(file, next(&state) & 1 ? "+1" : "-1");
        const int entries = 40 + (int)(next(&state) % 60);
        long index = 0;
        for (int k = 0; k < entries; k++) {
            index += 1 + (long)(next(&state) % 600);
            written += fprintf(file, " %ld:%.6g", index, 0.001 + 0.3 * (double)(next(&state) >> 11) / 9007199254740992.0);
        }
        written += fprintf(file, "\n");
    }
    return file && fclose(file) == 0 ? 0 : 5;
}

static int report(spdhg_status status, const spdhg_error *err) {
    if (status != SPDHG_OK) fprintf(stderr, "%s\n", err->message);
    return (int)status;
}

int main(int count, char **argument) {
    spdhg_error err;
    spdhg_data *data;
    spdhg_read_options options = SPDHG_READ_OPTIONS;
    if (count != 4) return 2;
    if (strcmp(argument[1], "generate") == 0) return generate(atol(argument[2]), argument[3]);
    if (strcmp(argument[1], "time") == 0) options.threads = atoi(argument[3]);
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    spdhg_status status = spdhg_data_read(&data, argument[2], &options, &err);
    if (status != SPDHG_OK) return report(status, &err);
    if (strcmp(argument[1], "time") == 0)
        printf("%.4f %.4f %lld %lld\n", seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu,
               (long long)spdhg_data_rows(data), (long long)spdhg_data_nonzeros(data));
    else
        status = spdhg_data_write(data, argument[3], "cache", &err);
    spdhg_data_free(data);
    return report(status, &err);
}
