/* on_disk.h - data whose entries stay in a file: who reads them (a room above), and who needs them. */
#ifndef SPD_ON_DISK_H
#define SPD_ON_DISK_H

#include "core/core.h"

/* Brings entries from the file. Entries first..first+count-1 of the data have their addresses in data->idx and data->val. */
typedef struct spd_disk_source {
    void *context;
    spdhg_status (*read)(void *context, int64_t first, int64_t count, spdhg_error *err);  /* by the thread that reads ahead */
    spdhg_status (*check)(void *context, int64_t first, int64_t count, spdhg_error *err); /* by the one that needs them */
    void (*free)(void *context);
} spd_disk_source;

typedef struct spd_disk spd_disk;
/* Addresses for idx (of sparse data) and val of data whose rows, features, nnz and ptr are set. The source belongs to the data
 * from now on, also if this fails. piece: entries that are read at a time; most: pieces in memory, unless threads need more. */
spdhg_status spd_disk_new(struct spdhg_data *data, const spd_disk_source *source, bool sparse, int64_t piece, int64_t most,
                          spdhg_error *err);
void spd_disk_free(spd_disk *disk);
double spd_disk_bytes(const spd_disk *disk); /* of the pieces in memory */
/* Rows first..first+rows-1 are in memory when it returns, and stay there until this thread has asked for other rows twice. If
 * the file cannot be read, they are zeros, and spd_data_good says so. */
void spd_disk_need(const struct spdhg_data *data, int64_t first, int64_t rows);

#endif
