/* labels.h - labels that are words: each distinct word gets a code; in the end, codes follow the sorted order. Private to this
 * room. */
#ifndef SPD_LABELS_H
#define SPD_LABELS_H

#include "reader/reader.h"

typedef struct spd_labels {
    char **text; /* in order of first appearance until sorted */
    int64_t count, room;
    int64_t *slot; /* open addressing: code + 1, or 0 */
    int64_t slots;
} spd_labels;

spdhg_status spd_labels_code(spd_labels *labels, const char *word, spd_budget *budget, double *code, spdhg_error *err);
/* Sorts the texts and renumbers the codes in b. */
spdhg_status spd_labels_sort(spd_labels *labels, double *b, int64_t rows, spdhg_error *err);
void spd_labels_free(spd_labels *labels);

#endif
