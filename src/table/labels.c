/* labels.c - a dictionary of words: hash table with open addressing. Codes are numbered by first appearance, and in the end
 * by sorted order (bytes). */
#include <stdlib.h>
#include <xxhash.h>

#include "table/labels.h"

static int64_t find(const spd_labels *l, const char *word) {
    int64_t at = (int64_t)(XXH3_64bits(word, strlen(word)) % (uint64_t)l->slots);
    while (l->slot[at] && strcmp(l->text[l->slot[at] - 1], word) != 0) at = (at + 1) % l->slots;
    return at;
}

static spdhg_status make_slots(spd_labels *l, spdhg_error *err) {
    if (2 * (l->count + 1) <= l->slots) return SPDHG_OK;
    const int64_t slots = 2 * l->slots + 64;
    int64_t *fresh = SPD_NEW(int64_t, slots);
    if (!fresh) return spd_fail_memory(err, 8 * (double)slots);
    spd_free(l->slot);
    l->slot = fresh;
    l->slots = slots;
    for (int64_t code = 0; code < l->count; code++) l->slot[find(l, l->text[code])] = code + 1;
    return SPDHG_OK;
}

spdhg_status spd_labels_code(spd_labels *l, const char *word, spd_budget *budget, double *code, spdhg_error *err) {
    SPD_TRY(make_slots(l, err));
    const int64_t at = find(l, word);
    if (!l->slot[at]) {
        SPD_TRY(spd_reserve(&l->text, &l->capacity, l->count + 1, sizeof *l->text, budget, err));
        if (!(l->text[l->count] = spd_strdup(word))) return spd_fail_memory(err, (double)strlen(word));
        l->slot[at] = ++l->count;
    }
    *code = (double)(l->slot[at] - 1);
    return SPDHG_OK;
}

int64_t spd_labels_find(const spd_labels *l, const char *word) { return l->slots > 0 ? l->slot[find(l, word)] - 1 : -1; }

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int by_number(const void *a, const void *b) {
    double x, y;
    const bool first = spd_to_double(*(char *const *)a, &x), second = spd_to_double(*(char *const *)b, &y);
    if (first != second) return first ? -1 : 1;
    return first && x != y ? (x < y ? -1 : 1) : by_text(a, b);
}

spdhg_status spd_labels_sort(spd_labels *l, bool numbers_first, double *b, int64_t stride, int64_t rows, spdhg_error *err) {
    int (*const order)(const void *, const void *) = numbers_first ? by_number : by_text;
    char **old = spd_copy(l->text, l->count, sizeof *l->text);
    double *renumbered = SPD_NEW(double, l->count);
    if (!old || !renumbered) {
        spd_free(old);
        spd_free(renumbered);
        return spd_fail_memory(err, 8 * (double)l->count);
    }
    qsort(l->text, (size_t)l->count, sizeof *l->text, order);
    for (int64_t code = 0; code < l->count; code++) {
        char **place = bsearch(&old[code], l->text, (size_t)l->count, sizeof *l->text, order);
        renumbered[code] = (double)(place - l->text);
    }
    for (int64_t i = 0; i < rows; i++)
        if (b[i * stride] >= 0) b[i * stride] = renumbered[(int64_t)b[i * stride]];
    memset(l->slot, 0, (size_t)l->slots * sizeof *l->slot);
    for (int64_t code = 0; code < l->count; code++) l->slot[find(l, l->text[code])] = code + 1;
    spd_free(old);
    spd_free(renumbered);
    return SPDHG_OK;
}

void spd_labels_free(spd_labels *l) {
    for (int64_t i = 0; i < l->count; i++) spd_free(l->text[i]);
    spd_free(l->text);
    spd_free(l->slot);
    *l = (spd_labels){0};
}
