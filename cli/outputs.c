/* outputs.c - nothing is written over a file that is read, over another output, or over an existing file of another kind, unless
 * --force was given. Checked before long work, for every verb. */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "signal_file.h"

enum { HEAD = 4096 };

bool cli_same_file(const char *a, const char *b) {
    struct stat first, second;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    const bool exists = stat(a, &first) == 0, also = stat(b, &second) == 0;
    if (exists != also) return false;
    if (exists) return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    char *copies[4] = {spd_strdup(a), spd_strdup(a), spd_strdup(b), spd_strdup(b)}, folder[2][PATH_MAX];
    bool same = copies[0] && copies[1] && copies[2] && copies[3];
    same = same && realpath(dirname(copies[0]), folder[0]) && realpath(dirname(copies[2]), folder[1]);
    same = same && strcmp(folder[0], folder[1]) == 0 && strcmp(basename(copies[1]), basename(copies[3])) == 0;
    for (int i = 0; i < 4; i++) spd_free(copies[i]);
    return same;
}

static bool starts(const char *head, const char *text) { return strncmp(head, text, strlen(text)) == 0; }

/* A file of signals: an array or image by its first bytes; text whose second line, or only one, has numbers in as many columns as
 * the first. */
static bool is_signals(const char *head, size_t size) {
    static const signal_kind *const kind[] = {&signal_kind_npy, &signal_kind_png, &signal_kind_pnm};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (kind[i]->recognise(head, size)) return true;
    const size_t first = strcspn(head, "\n");
    const char *line = head[first] && head[first + 1] ? head + first + 1 : head;
    const size_t length = strcspn(line, "\n");
    size_t cut[2] = {0, 0}, digits = 0;
    for (size_t i = 0; i < first; i++) cut[0] += strchr(",;\t|", head[i]) != NULL;
    for (size_t i = 0; i < length; i++) {
        cut[1] += strchr(",;\t|", line[i]) != NULL;
        digits += line[i] >= '0' && line[i] <= '9';
    }
    return digits > 0 && cut[0] == cut[1] && (cut[1] > 0 || strspn(line, "0123456789+-.eE \r") >= length);
}

/* Whether a file that begins so is what is about to be written. */
static bool of_kind(cli_kind kind, const char *head, size_t size) {
    int entries;
    const spd_reader *reader = spd_reader_table(&entries);
    switch (kind) {
    case CLI_MODEL: return head[0] == '{' && strstr(head, "spdhg-model");
    case CLI_CERTIFICATE: return head[0] == '{' && strstr(head, "spdhg certificate");
    case CLI_TRACE: return starts(head, "solver,");
    case CLI_PATH: return starts(head, "lambda,") && !starts(head, "lambda,feature,");
    case CLI_COEFFICIENTS: return starts(head, "feature,") || starts(head, "lambda,feature,");
    case CLI_PREDICTIONS: return strcspn(head, "\n") > (size_t)0 && memmem(head, strcspn(head, "\n"), "prediction", 10);
    case CLI_REPORT: return starts(head, "<!DOCTYPE html>") && strstr(head, "Content-Security-Policy");
    case CLI_CHECKPOINT: return starts(head, "SPDHGCP");
    case CLI_STRUCTURE: return starts(head, "%%MatrixMarket") || starts(head, "from,to,") || starts(head, "# from,to,");
    case CLI_NUMBERS: return strspn(head, "0123456789+-.eE \t\r\n,") >= strcspn(head, "");
    case CLI_SEGMENTS: return starts(head, "start,end,level,");
    case CLI_SIGNALS: return is_signals(head, size);
    case CLI_DATA:
        for (int i = 0; i < entries; i++)
            if (reader[i].recognise(head, size)) return true;
        return false;
    }
    return false;
}

static const char *kind_name(cli_kind kind) {
    static const char *const name[] = {"a model",     "a certificate", "a trace",      "a path",      "a table of coefficients",
                                       "predictions", "a report",      "a checkpoint", "a structure", "numbers",
                                       "a data set",  "segments",      "signals"};
    return name[kind];
}

bool cli_may_be(cli_kind kind, const char *path) {
    struct stat info;
    if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return true;
    char head[HEAD + 1] = {0};
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(head, 1, HEAD, file) : 0;
    if (file) fclose(file);
    return size == 0 || of_kind(kind, head, size);
}

static spdhg_status check_kind(const cli_output *out, spdhg_error *err) {
    if (cli_may_be(out->kind, out->path)) return SPDHG_OK; /* what cannot be read fails when it is written */
    return spd_fail(err, SPDHG_USAGE,
                    "%s: %s exists and is not %s: nothing was written; choose another name, or give --force to replace it",
                    out->option, out->path, kind_name(out->kind));
}

/* FILE of edges:FILE and matrix:FILE, or the text itself. */
static const char *file_of(const char *text) {
    return spd_spec_is(text, "edges") || spd_spec_is(text, "matrix") ? spd_spec_arg(text) : text;
}

spdhg_status cli_check_outputs(const cli_output *out, size_t outs, const char *const *in, size_t ins, bool force,
                               spdhg_error *err) {
    for (size_t i = 0; i < outs; i++) {
        if (!out[i].path) continue;
        for (size_t j = 0; j < i; j++)
            if (out[j].path && cli_same_file(out[i].path, out[j].path))
                return spd_fail(err, SPDHG_USAGE, "%s and %s would write the same file, %s", out[j].option, out[i].option,
                                out[i].path);
        for (size_t j = 0; j < ins && !force; j++) {
            const char *read = in[j] ? file_of(in[j]) : NULL;
            if (read && cli_same_file(out[i].path, read))
                return spd_fail(err, SPDHG_USAGE,
                                "%s: %s is read by this command: nothing was written; choose another name (--force "
                                "replaces it)",
                                out[i].option, out[i].path);
        }
        if (!force) SPD_TRY(check_kind(&out[i], err));
        SPD_TRY(cli_can_write(out[i].path, err));
    }
    return SPDHG_OK;
}

spdhg_status cli_check_folder(const char *option, const char *path, bool force, spdhg_error *err) {
    static const char *const mark[] = {"runs", "summary.json", "summary.json.xz"};
    DIR *entries = force ? NULL : opendir(path);
    bool empty = true, raced = false;
    if (!entries) return SPDHG_OK; /* what cannot be read fails when it is written */
    for (struct dirent *entry; (entry = readdir(entries));) {
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
        for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) raced = raced || strcmp(entry->d_name, mark[i]) == 0;
    }
    closedir(entries);
    if (empty || raced) return SPDHG_OK;
    return spd_fail(
        err, SPDHG_USAGE,
        "%s: %s exists, has files in it and is not the folder of a race: nothing was written; choose another name, or "
        "give --force to use it",
        option, path);
}
