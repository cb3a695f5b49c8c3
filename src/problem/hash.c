/* hash.c - a hash of a frozen problem: XXH3 over rows, targets, weights and scale, and over loss, terms, set and ridge. Equal
 * problems have equal hashes; a checkpoint or race with a different hash belongs to another problem. */
#include "problem/hash.h"

void spd_mix(XXH3_state_t *h, const void *block, int64_t count, size_t size) {
    XXH3_64bits_update(h, &count, sizeof count);
    if (block && count > 0) XXH3_64bits_update(h, block, (size_t)count * size);
}

void spd_mix_text(XXH3_state_t *h, const char *text) { spd_mix(h, text, (int64_t)strlen(text), 1); }
static void mix_double(XXH3_state_t *h, double value) { spd_mix(h, &value, 1, sizeof value); }

/* spd_mix of idx or val, a few rows at a time: they may be on disk. */
static void mix_entries(XXH3_state_t *h, const spdhg_data *data, const void *block, int64_t stored, size_t size) {
    enum { ROWS = 256 };
    const int64_t step = data->disk ? ROWS : data->rows, count = block ? stored : 0;
    XXH3_64bits_update(h, &count, sizeof count);
    for (int64_t i = 0; block && i < data->rows; i += step) {
        const int64_t end = data->rows - i < step ? data->rows : i + step;
        const int64_t from = data->ptr ? data->ptr[i] : i * data->features,
                      to = data->ptr ? data->ptr[end] : end * data->features;
        spd_data_need(data, i, end - i);
        if (to > from) XXH3_64bits_update(h, (const char *)block + (size_t)from * size, (size_t)(to - from) * size);
    }
}

void spd_hash_data(XXH3_state_t *h, const spdhg_problem *p) {
    const spdhg_data *data = p->data;
    spd_data_whole(data);
    const int64_t stored = data->idx ? data->ptr[data->rows] : data->rows * data->features;
    spd_mix(h, data->ptr, data->ptr ? data->rows + 1 : 0, sizeof *data->ptr);
    mix_entries(h, data, data->idx, stored, sizeof *data->idx);
    mix_entries(h, data, p->val, stored, sizeof *p->val);
    if (p->centre.count > 0) spd_mix(h, p->centre.value, p->centre.count, sizeof *p->centre.value);
    spd_mix(h, p->row, p->row ? p->n : 0, sizeof *p->row);
    spd_mix(h, p->b, p->n * p->targets, sizeof *p->b);
    spd_mix(h, p->weight, p->weight ? p->n : 0, sizeof *p->weight);
    spd_mix(h, data->offset, data->offset ? data->rows * data->offsets : 0, sizeof *data->offset);
}

static void hash_term(XXH3_state_t *h, const spd_term *t) {
    const spd_csr *F = &t->F->F;
    const bool identity = spd_csr_is_identity(F);
    spd_mix_text(h, t->penalty->name);
    mix_double(h, t->lambda);
    spd_mix(h, F->ptr, identity ? 0 : F->m + 1, sizeof *F->ptr);
    spd_mix(h, F->idx, identity ? 0 : F->ptr[F->m], sizeof *F->idx);
    spd_mix(h, F->val, identity ? 0 : F->ptr[F->m], sizeof *F->val);
    spd_mix(h, t->block_ptr, t->block_ptr ? t->blocks + 1 : 0, sizeof *t->block_ptr);
    spd_mix(h, t->block_row, t->block_row ? t->m : 0, sizeof *t->block_row);
}

void spd_hash_problem(XXH3_state_t *h, const spdhg_problem *p) {
    spd_mix_text(h, p->loss->name);
    mix_double(h, p->loss_arg);
    mix_double(h, p->gamma);
    spd_mix_text(h, p->set.kind->name);
    spd_mix(h, p->set.arg, p->set.kind->args, sizeof *p->set.arg);
    spd_mix(h, &p->intercept, 1, sizeof p->intercept);
    for (int64_t t = 0; t < p->terms; t++) hash_term(h, &p->term[t]);
}
