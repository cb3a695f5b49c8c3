/* checkpoint_lock.c - two runs that write the same checkpoint would destroy each other's: the second one is refused. The lock
 * is on a file beside it, as the checkpoint itself is replaced all the time; the system releases it however the process ends. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint.h"

static char *name_of(const char *path) {
    const size_t size = strlen(path) + sizeof ".lock";
    char *name = spd_alloc((int64_t)size, 1);
    if (name) snprintf(name, size, "%s.lock", path);
    return name;
}

/* Whether the file that was opened still has that name: the run that held it removes it when it ends. */
static bool is_there(int lock, const char *name) {
    struct stat opened, named;
    return fstat(lock, &opened) == 0 && stat(name, &named) == 0 && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

spdhg_status spd_checkpoint_lock(const char *path, int *lock, spdhg_error *err) {
    char *name = name_of(path);
    *lock = -1;
    if (!name) return spd_fail_memory(err, (double)strlen(path));
    spdhg_status status = SPDHG_OK;
    for (bool again = true; again;) {
        *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (*lock < 0) break; /* what cannot be written there is reported with the first checkpoint */
        const bool held = flock(*lock, LOCK_EX | LOCK_NB) != 0, taken = held && errno == EWOULDBLOCK;
        again = !held && !is_there(*lock, name);
        if (taken)
            status = spd_fail(err, SPDHG_USAGE, "%s: another run is writing this checkpoint; give each run one of its own", path);
        if (held || again) {
            close(*lock);
            *lock = -1;
        }
    }
    spd_free(name);
    return status;
}

void spd_checkpoint_unlock(const char *path, int lock) {
    if (lock < 0) return;
    char *name = name_of(path);
    if (name) unlink(name); /* while the lock is held: who opens it later makes another file */
    spd_free(name);
    close(lock);
}
