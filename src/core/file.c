/* file.c - output files that appear complete or not at all: a temporary file in the same folder, fsync, rename, fsync of the
 * folder. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"

/* A device or a pipe cannot be replaced by renaming: it is written directly. */
static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static spdhg_status open_beside(spd_file *file, spdhg_error *err) {
    const size_t size = strlen(file->path) + 16;
    file->temporary = spd_alloc((int64_t)size, 1);
    if (!file->temporary) return spd_fail_memory(err, (double)size);
    snprintf(file->temporary, size, "%s.tmp.XXXXXX", file->path);
    const int descriptor = mkstemp(file->temporary);
    if (descriptor < 0) {
        spd_free(file->temporary);
        file->temporary = NULL;
        return spd_fail_io(err, file->path, "create");
    }
    /* mkstemp makes files private. Set the mode of ordinary creation: the old file's mode, else 0666 less the umask. */
    struct stat info;
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t mode = stat(file->path, &info) == 0 ? info.st_mode & 0777 : 0666 & ~mask;
    if (fchmod(descriptor, mode) != 0 || !(file->stream = fdopen(descriptor, "w"))) {
        const spdhg_status status = spd_fail_io(err, file->path, "create");
        close(descriptor);
        return status;
    }
    return SPDHG_OK;
}

spdhg_status spd_file_create(spd_file *file, const char *path, spdhg_error *err) {
    *file = (spd_file){0};
    file->path = spd_strdup(path);
    if (!file->path) return spd_fail_memory(err, (double)strlen(path));
    spdhg_status status = SPDHG_OK;
    if (strcmp(path, "-") == 0)
        file->stream = stdout;
    else if (is_special(path)) {
        errno = 0;
        if (!(file->stream = fopen(path, "w"))) status = spd_fail_io(err, path, "open for writing");
    } else
        status = open_beside(file, err);
    if (status != SPDHG_OK) spd_file_abort(file);
    return status;
}

static void sync_folder(const char *path) {
    char *copy = spd_strdup(path);
    if (!copy) return;
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY);
    if (folder >= 0) {
        fsync(folder); /* some file systems do not support this: the rename has happened anyway */
        close(folder);
    }
    spd_free(copy);
}

spdhg_status spd_file_commit(spd_file *file, spdhg_error *err) {
    errno = 0;
    bool good = fflush(file->stream) == 0 && !ferror(file->stream);
    if (file->temporary && !file->unsynced) good = good && fsync(fileno(file->stream)) == 0;
    if (file->stream != stdout) {
        good = fclose(file->stream) == 0 && good;
        file->stream = NULL;
    }
    if (good && file->temporary) good = rename(file->temporary, file->path) == 0;
    if (!good) {
        const spdhg_status status = spd_fail_io(err, file->path, "write");
        spd_file_abort(file);
        return status;
    }
    if (file->temporary) {
        if (!file->unsynced) sync_folder(file->path);
        spd_free(file->temporary);
        file->temporary = NULL;
    }
    spd_file_abort(file);
    return SPDHG_OK;
}

void spd_file_abort(spd_file *file) {
    if (file->stream && file->stream != stdout) fclose(file->stream);
    if (file->temporary) unlink(file->temporary);
    spd_free(file->temporary);
    spd_free(file->path);
    *file = (spd_file){0};
}
