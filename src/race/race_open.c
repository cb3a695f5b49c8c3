/* race_open.c - the start of a race: creates and locks its folder, reads its data sets once to check and hash them, and compares
 * the settings with those the folder was raced with before (race_kept.c). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "race/race.h"

enum { NAME_MOST = 120, NUMBERS = 10 }; /* NUMBERS: at least so many are kept for each column */

static bool ends_with(const char *text, const char *ending, size_t *length) {
    const size_t tail = strlen(ending);
    if (*length <= tail || strncmp(text + *length - tail, ending, tail) != 0) return false;
    *length -= tail;
    return true;
}

/* The file name without folder and extensions: "data/splice.svm.xz" is splice. */
static char *name_of(const char *path) {
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends_with(base, packed[i], &length)) break;
    int readers;
    bool found = false;
    const spd_reader *table = spd_reader_table(&readers);
    for (int i = 0; i < readers && !found; i++)
        for (const char *const *ending = table[i].ending; ending && *ending && !found; ending++)
            found = ends_with(base, *ending, &length);
    char *name = spd_strdup(base);
    if (name) name[length] = '\0';
    return name;
}

static spdhg_status name_sources(spd_race *race, const char *const *path, spdhg_error *err) {
    for (int64_t i = 0; i < race->sources; i++) {
        spd_race_source *s = &race->source[i];
        s->path = path[i];
        if (strcmp(path[i], "-") == 0)
            return spd_fail(err, SPDHG_USAGE, "a race reads its data more than once: give a file, not standard input");
        s->name = name_of(path[i]);
        s->structure = s->name ? spd_race_structure(race->o.structure, s->name) : NULL;
        if (!s->structure) return spd_fail_memory(err, 100);
        if (!*s->name || strlen(s->name) > NAME_MOST)
            return spd_fail(err, SPDHG_USAGE, "%s: output files are named after it: expected 1 to %d characters", path[i],
                            NAME_MOST);
        for (int64_t j = 0; j < i; j++)
            if (strcmp(race->source[j].name, s->name) == 0)
                return spd_fail(err, SPDHG_USAGE, "%s and %s would both be called %s: rename one", race->source[j].path, path[i],
                                s->name);
    }
    return SPDHG_OK;
}

static spdhg_status make_folder(const char *path, spdhg_error *err) {
    struct stat info;
    if (mkdir(path, 0777) == 0) return SPDHG_OK;
    if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return SPDHG_OK;
    return spd_fail_io(err, path, "create the folder");
}

/* Removes files that a killed race was writing: NAME.json.tmp.0123456789abcdef and the like. */
static void remove_leftovers(const char *folder) {
    DIR *entries = opendir(folder);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));)
        if (spd_file_is_temporary(entry->d_name)) unlinkat(dirfd(entries), entry->d_name, 0);
    closedir(entries);
}

/* A data set inside the folder could be overwritten by a result, or a result be taken for data. */
static spdhg_status keep_apart(const spd_race *race, spdhg_error *err) {
    struct stat folder, runs, own;
    char *inner = spd_race_path(race->folder, "runs");
    if (!inner) return spd_fail_memory(err, 1000);
    const bool exists = stat(race->folder, &folder) == 0, has_runs = stat(inner, &runs) == 0;
    spd_free(inner);
    for (int64_t i = 0; exists && i < race->sources; i++) {
        char *copy = spd_strdup(race->source[i].path);
        if (!copy) return spd_fail_memory(err, 1000);
        const bool found = stat(dirname(copy), &own) == 0;
        spd_free(copy);
        if (found && own.st_dev == folder.st_dev && (own.st_ino == folder.st_ino || (has_runs && own.st_ino == runs.st_ino)))
            return spd_fail(err, SPDHG_USAGE, "%s is in the folder %s, into which this race would write: choose another folder",
                            race->source[i].path, race->folder);
    }
    return SPDHG_OK;
}

static spdhg_status hold_folder(spd_race *race, spdhg_error *err) {
    SPD_TRY(keep_apart(race, err));
    SPD_TRY(make_folder(race->folder, err));
    char *runs = spd_race_path(race->folder, "runs"), *lock = spd_race_path(race->folder, "runs/lock");
    spdhg_status status = runs && lock ? make_folder(runs, err) : spd_fail_memory(err, 1000);
    if (status == SPDHG_OK) {
        errno = 0;
        race->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (race->lock < 0)
            status = spd_fail_io(err, lock, "open");
        else if (flock(race->lock, LOCK_EX | LOCK_NB) != 0)
            status = spd_fail(err, SPDHG_USAGE, "%s: another race is running in this folder", race->folder);
    }
    if (status == SPDHG_OK) {
        remove_leftovers(race->folder);
        remove_leftovers(runs);
    }
    spd_free(runs);
    spd_free(lock);
    return status;
}

/* Errors about a problem do not name the data set: add it. */
static spdhg_status said_of(const char *path, spdhg_status status, spdhg_error *err) {
    if (!err || strstr(err->message, path)) return status;
    const spdhg_error why = *err;
    return spd_fail(err, status, "%s: %.900s", path, why.message);
}

/* Finds invalid problems now, not after hours. A learned structure is not computed here: it is a function of the data. */
static spdhg_status look_at(spd_race *race, spd_race_source *s, spdhg_error *err) {
    spdhg_data *data;
    SPD_TRY(spdhg_data_read(&data, s->path, race->o.read, err));
    const spdhg_status fits = spd_data_fits(data, s->path, "a race", NUMBERS, race->o.max_memory, err);
    if (fits != SPDHG_OK) {
        spdhg_data_free(data);
        return fits;
    }
    spd_recipe recipe = spd_race_recipe(race, s);
    if (spd_recipe_learns(&recipe)) recipe.structure = "identity", recipe.groups = recipe.penalty_weights = NULL;
    spd_recipe_problem made = {0};
    spdhg_status status = spd_recipe_attach(&recipe, data, err);
    if (status == SPDHG_OK) status = spd_recipe_build(&made, &recipe, data, NULL, 0, err);
    if (status == SPDHG_OK) status = spd_race_hash(made.problem, &s->hash, err);
    s->rows = data->rows;
    s->features = data->features;
    s->weight = (double)data->rows + (double)data->nnz;
    spd_recipe_clear(&made);
    spdhg_data_free(data);
    return status == SPDHG_DATA ? said_of(s->path, status, err) : status;
}

spdhg_status spd_race_open(spd_race *race, const char *const *path, int64_t count, spdhg_error *err) {
    if (count < 1) return spd_fail(err, SPDHG_USAGE, "a race needs data");
    if (count > 1 && (race->o.weights || race->o.offset))
        return spd_fail(err, SPDHG_USAGE, "weights and offsets belong to one data set, %lld are given", (long long)count);
    race->source = SPD_NEW(spd_race_source, count);
    if (!race->source) return spd_fail_memory(err, (double)sizeof *race->source * (double)count);
    race->sources = count;
    SPD_TRY(name_sources(race, path, err));
    SPD_TRY(hold_folder(race, err));
    for (int64_t i = 0; i < count; i++) SPD_TRY(look_at(race, &race->source[i], err));
    return spd_race_settle(race, err);
}
