/* labels.h - words with codes: the labels of rows, the levels of a category, the names of columns. Each distinct word gets a code
 * by first appearance; in the end, codes follow the sorted order. */
#ifndef SPD_LABELS_H
#define SPD_LABELS_H

#include "data/data.h"

typedef struct spd_labels {
    char **text; /* in order of first appearance until sorted */
    int64_t count, capacity;
    int64_t *slot; /* open addressing: code + 1, or 0 */
    int64_t slots;
} spd_labels;

spdhg_status spd_labels_code(spd_labels *labels, const char *word, spd_budget *budget, double *code, spdhg_error *err);
int64_t spd_labels_find(const spd_labels *labels, const char *word); /* its code, or -1 */
/* Sorts the texts and renumbers the codes in b[0], b[stride], ...; what is not a code (negative, NAN) stays. By bytes, or, if
 * numbers_first, numbers by their value and then the rest by bytes. */
spdhg_status spd_labels_sort(spd_labels *labels, bool numbers_first, double *b, int64_t stride, int64_t rows, spdhg_error *err);
void spd_labels_free(spd_labels *labels);

#endif
