/* libsvm_parts.c - grows the parts of LIBSVM text and joins them into one data set. */
#include "reader/libsvm.h"

spdhg_status spd_libsvm_room(spd_part *p, spdhg_error *err) {
    if (p->fixed) return spd_fail(err, SPDHG_IO, "%s: changed while it was being read", p->budget.path);
    SPD_TRY(spd_reserve(&p->idx, &p->idx_room, p->entries + 1, sizeof *p->idx, &p->budget, err));
    SPD_TRY(spd_reserve(&p->val, &p->val_room, p->entries + 1, sizeof *p->val, &p->budget, err));
    SPD_TRY(spd_reserve(&p->row_end, &p->end_room, p->rows + 1, sizeof *p->row_end, &p->budget, err));
    return spd_reserve(&p->b, &p->b_room, p->rows + 1, sizeof *p->b, &p->budget, err);
}

void spd_libsvm_clear(spd_part *p) {
    p->rows = p->entries = p->labelled = p->unlabelled_line = p->disorders = 0;
    p->notes = (spd_notes){0};
    p->index_zero = false;
}

void spd_libsvm_free(spd_part *p) {
    SPD_FREE_ALL(p->idx, p->val, p->row_end, p->b);
    SPD_FREE_ALL(p->group, p->disorder);
    *p = (spd_part){0};
}

static void add_notes(spd_notes *all, const spd_notes *part) {
    all->lines += part->lines;
    all->blank_lines += part->blank_lines;
    all->comment_lines += part->comment_lines;
    all->unsorted_rows += part->unsorted_rows;
    all->duplicate_entries += part->duplicate_entries;
    all->explicit_zeros += part->explicit_zeros;
    all->byte_order_mark = all->byte_order_mark || part->byte_order_mark;
}

spdhg_status spd_libsvm_join(spd_part *const *part, int64_t parts, const spdhg_read_options *o, const char *path,
                             spdhg_data *data, spdhg_error *err) {
    int64_t largest = -1, labelled = 0, unlabelled_line = 0, all_rows = 0;
    bool index_zero = o->index_base == 0, groups = false;
    for (int64_t k = 0; k < parts; k++) all_rows += part[k]->rows, groups = groups || part[k]->group;
    if (groups && !(data->group = spd_alloc_raw(all_rows, sizeof *data->group)))
        return spd_fail_memory(err, 8 * (double)all_rows);
    for (int64_t k = 0; k < parts; k++) {
        const spd_part *p = part[k];
        memmove(data->idx + data->nnz, p->idx, (size_t)p->entries * sizeof *p->idx);
        memmove(data->val + data->nnz, p->val, (size_t)p->entries * sizeof *p->val);
        memmove(data->b + data->rows, p->b, (size_t)p->rows * sizeof *p->b);
        memmove(data->ptr + 1 + data->rows, p->row_end, (size_t)p->rows * sizeof *p->row_end);
        const int64_t gap = p->entry_base - data->nnz;
        for (int64_t r = 0; gap > 0 && r < p->rows; r++) data->ptr[1 + data->rows + r] -= gap;
        for (int64_t r = 0; groups && r < p->rows; r++)
            data->group[data->rows + r] = p->group && r < p->group_room ? p->group[r] : -1;
        data->rows += p->rows;
        data->nnz += p->entries;
        labelled += p->labelled;
        if (unlabelled_line == 0) unlabelled_line = p->unlabelled_line;
        if (p->largest > largest) largest = p->largest;
        index_zero = index_zero || p->index_zero;
        add_notes(&data->notes, &p->notes);
    }
    if (labelled > 0 && labelled < data->rows)
        return spd_fail(err, SPDHG_DATA, "%s:%lld:1: no label, but other rows have one", path, (long long)unlabelled_line);
    data->ptr[0] = 0;
    data->first_line = data->notes.blank_lines + data->notes.comment_lines == 0;
    data->targets = labelled > 0;
    data->index_base = index_zero ? 0 : 1;
    for (int64_t k = 0; index_zero && k < data->nnz; k++) data->idx[k]++;
    data->hash = o->hash;
    data->features = o->hash ? (int64_t)1 << o->hash : largest + 1 + index_zero;
    return SPDHG_OK;
}
