/* pages.c - bytes as a trace and as the summary of a race: a page is made of them, or they are refused with a message. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"
#include "targets.h"

static void made_or_refused(spdhg_status status, const spdhg_error *err) {
    FUZZ_MUST(status == SPDHG_OK || status == SPDHG_DATA || status == SPDHG_MEMORY);
    FUZZ_MUST(status == SPDHG_OK || (err->status == status && err->message[0]));
}

void fuzz_trace(const uint8_t *bytes, size_t size) {
    fuzz_file file = fuzz_file_of(bytes, size);
    spdhg_error err = {0};
    const char *const trace[] = {file.path, file.path}; /* twice: every solver gets the name of its file */
    made_or_refused(spd_report_traces(trace, 1 + (int)(size % 2), NULL, "/dev/null", &err), &err);
    fuzz_file_close(&file);
}

/* A folder that has nothing but the summary. */
void fuzz_race(const uint8_t *bytes, size_t size) {
    char folder[] = "/tmp/spdhg_fuzz_XXXXXX", path[64];
    FUZZ_MUST(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/summary.json", folder);
    FILE *summary = fopen(path, "wb");
    FUZZ_MUST(summary && fwrite(bytes, 1, size, summary) == size);
    fclose(summary);
    spdhg_error err = {0};
    made_or_refused(spd_report_race(folder, "/dev/null", &err), &err);
    unlink(path);
    rmdir(folder);
}
