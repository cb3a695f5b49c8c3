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
    for (int64_t r = 0; p->group && r < p->group_room; r++) p->group[r] = -1;
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

static void add(spd_libsvm_sum *sum, const spd_part *p) {
    sum->rows += p->rows;
    sum->labelled += p->labelled;
    if (sum->unlabelled_line == 0) sum->unlabelled_line = p->unlabelled_line;
    if (p->largest > sum->largest) sum->largest = p->largest;
    sum->index_zero = sum->index_zero || p->index_zero;
    add_notes(&sum->notes, &p->notes);
}

spdhg_status spd_libsvm_join(spd_part *const *part, int64_t parts, spd_libsvm_sum *sum, spdhg_data *data, spdhg_error *err) {
    int64_t all_rows = 0;
    bool groups = false;
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
        add(sum, p);
    }
    data->ptr[0] = 0;
    return SPDHG_OK;
}

spdhg_status spd_libsvm_conclude(const spd_libsvm_sum *sum, const spdhg_read_options *o, const char *path, spdhg_data *data,
                                 spdhg_error *err) {
    const bool zero = o->index_base == 0 || sum->index_zero;
    if (sum->labelled > 0 && sum->labelled < sum->rows)
        return spd_fail(err, SPDHG_DATA, "%s:%lld:1: no label, but other rows have one", path, (long long)sum->unlabelled_line);
    data->notes = sum->notes;
    data->first_line = sum->notes.blank_lines + sum->notes.comment_lines == 0;
    data->targets = sum->labelled > 0;
    data->index_base = zero ? 0 : 1;
    data->hash = o->hash;
    data->features = o->hash ? (int64_t)1 << o->hash : sum->largest + 1 + zero;
    return SPDHG_OK;
}
