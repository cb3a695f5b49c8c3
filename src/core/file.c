/* file.c - output files that appear complete or not at all: a file without a name in the same folder, which vanishes with the
 * process however that ends; when it is complete: fsync, a temporary name, rename, fsync of the folder. File systems that have no
 * files without a name get the temporary name at once. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"

/* A device or a pipe cannot be replaced by renaming: it is written directly. */
static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

enum { TRIES = 100 }; /* temporary names that may be taken already */

static const char MARK[] = ".tmp."; /* in a temporary name, before its 16 random digits */

bool spd_file_is_temporary(const char *name) {
    const char *mark = strstr(name, MARK);
    if (!mark || mark == name) return false;
    mark += strlen(MARK);
    return strlen(mark) == 16 && strspn(mark, "0123456789abcdef") == 16;
}

/* Another temporary name, which cannot be guessed. False if it has no room or there are no random numbers. */
static bool new_name(spd_file *file) {
    const size_t size = strlen(file->path) + sizeof MARK + 16;
    uint64_t bits;
    if (!file->temporary) file->temporary = spd_alloc((int64_t)size, 1);
    if (!file->temporary || getrandom(&bits, sizeof bits, 0) != sizeof bits) return false;
    snprintf(file->temporary, size, "%s%s%016llx", file->path, MARK, (unsigned long long)bits);
    return true;
}

static void forget_name(spd_file *file) {
    spd_free(file->temporary);
    file->temporary = NULL;
}

/* A file without a name, in the folder of the path; -1 if there is none to be had. */
static int open_nameless(const char *path, int access) {
    char *copy = spd_strdup(path);
    const int descriptor = copy ? open(dirname(copy), O_TMPFILE | access | O_CLOEXEC, 0666) : -1;
    spd_free(copy);
    return descriptor;
}

/* Created with the mode that files usually get, then private until it is complete. */
static int open_named(spd_file *file) {
    for (int i = 0; i < TRIES && new_name(file); i++) {
        const int descriptor = open(file->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

static spdhg_status open_beside(spd_file *file, spdhg_error *err) {
    struct stat info;
    const bool named_later = access("/proc/self/fd", X_OK) == 0; /* it could not be otherwise */
    int descriptor = named_later ? open_nameless(file->path, O_WRONLY) : -1;
    if (descriptor < 0 && (descriptor = open_named(file)) < 0) {
        forget_name(file);
        return spd_fail_io(err, file->path, "create");
    }
    bool good = fstat(descriptor, &info) == 0;
    file->mode = info.st_mode & 0777;
    if (stat(file->path, &info) == 0) file->mode = info.st_mode & 0777; /* that of the file which it replaces */
    if (good && fchmod(descriptor, 0600) == 0 && (file->stream = fdopen(descriptor, "w"))) {
        file->beside = true;
        return SPDHG_OK;
    }
    const spdhg_status status = spd_fail_io(err, file->path, "create");
    close(descriptor);
    return status;
}

/* Gives a file without a name a temporary one. */
static bool give_name(spd_file *file) {
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(file->stream));
    for (int i = 0; i < TRIES && new_name(file); i++) {
        if (linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0) return true;
        if (errno != EEXIST) break;
    }
    const int cause = errno;
    forget_name(file); /* there is nothing of that name to remove */
    errno = cause;
    return false;
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
        if (!(file->stream = fopen(path, "we"))) status = spd_fail_io(err, path, "open for writing");
    } else
        status = open_beside(file, err);
    if (status != SPDHG_OK) spd_file_abort(file);
    return status;
}

int spd_file_scratch(const char *path) {
    const char *folder = getenv("TMPDIR");
    spd_file file = {0};
    char *elsewhere = NULL;
    if (strcmp(path, "-") == 0 || is_special(path)) {
        if (!folder || !*folder) folder = "/tmp";
        elsewhere = spd_alloc((int64_t)strlen(folder) + 7, 1);
        if (!elsewhere) return -1;
        stpcpy(stpcpy(elsewhere, folder), "/spdhg");
        path = elsewhere;
    }
    int descriptor = open_nameless(path, O_RDWR);
    file.path = (char *)(uintptr_t)path;
    for (int i = 0; descriptor < 0 && i < TRIES && new_name(&file); i++) { /* no files without a name here */
        descriptor = open(file.temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
        if (descriptor >= 0) unlink(file.temporary);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    forget_name(&file);
    spd_free(elsewhere);
    return descriptor;
}

static void sync_folder(const char *path) {
    char *copy = spd_strdup(path);
    if (!copy) return;
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder); /* some file systems do not support this: the rename has happened anyway */
        close(folder);
    }
    spd_free(copy);
}

/* Everything but the rename; the order matters to a machine that loses its power in between. */
static bool complete(spd_file *file) {
    if (fflush(file->stream) != 0 || ferror(file->stream)) return false;
    if (!file->beside) return true;
    const int descriptor = fileno(file->stream);
    return fchmod(descriptor, file->mode) == 0 && (file->unsynced || fsync(descriptor) == 0) &&
           (file->temporary || give_name(file));
}

spdhg_status spd_file_commit(spd_file *file, spdhg_error *err) {
    errno = 0;
    bool good = complete(file);
    if (file->stream != stdout) {
        good = fclose(file->stream) == 0 && good;
        file->stream = NULL;
    }
    if (good && file->beside) good = rename(file->temporary, file->path) == 0;
    if (!good) {
        const spdhg_status status = spd_fail_io(err, file->path, "write");
        spd_file_abort(file);
        return status;
    }
    if (file->beside) {
        if (!file->unsynced) sync_folder(file->path);
        forget_name(file);
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
