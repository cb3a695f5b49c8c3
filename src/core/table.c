/* table.c - specifications NAME[:ARG]; the lists of names that error messages show, and the name that was probably meant. */
#include <ctype.h>

#include "core/core.h"

bool spd_spec_is(const char *spec, const char *name) {
    const size_t length = strlen(name);
    return strncmp(spec, name, length) == 0 && (spec[length] == '\0' || spec[length] == ':');
}

const char *spd_spec_arg(const char *spec) {
    const char *colon = strchr(spec, ':');
    return colon ? colon + 1 : NULL;
}

void spd_names(char *text, size_t size, const void *table, int entries, size_t stride) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < entries && used < size; i++) {
        const char *name = *(const char *const *)(const void *)((const char *)table + (size_t)i * stride);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
    }
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b, ignoring case: Damerau's distance by rows; `more` if
 * greater. */
static int distance(const char *a, const char *b, int more) {
    enum { MOST = 64 };
    const int n = (int)strlen(a), m = (int)strlen(b);
    if (n > MOST || m > MOST || n - m > more || m - n > more) return more + 1;
    int row[3][MOST + 1]; /* the row before the last, the last, this one */
    for (int j = 0; j <= m; j++) row[1][j] = j;
    for (int i = 1; i <= n; i++) {
        row[2][0] = i;
        for (int j = 1; j <= m; j++) {
            const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int best = row[1][j - 1] + !same;
            if (row[1][j] + 1 < best) best = row[1][j] + 1;
            if (row[2][j - 1] + 1 < best) best = row[2][j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 2]) &&
                                 tolower((unsigned char)a[i - 2]) == tolower((unsigned char)b[j - 1]);
            if (swapped && row[0][j - 2] + 1 < best) best = row[0][j - 2] + 1;
            row[2][j] = best;
        }
        memcpy(row[0], row[1], sizeof row[0]);
        memcpy(row[1], row[2], sizeof row[1]);
    }
    return row[1][m];
}

const char *spd_nearest(const char *word, const void *table, int64_t entries, size_t stride) {
    const char *best = NULL;
    int least = 1 + (int)strlen(word) / 4; /* a longer word may have more wrong letters */
    for (int64_t i = 0; i < entries; i++) {
        const char *name = *(const char *const *)(const void *)((const char *)table + (size_t)i * stride);
        const int edits = name ? distance(word, name, least) : least + 1;
        if (edits > least || (edits == least && best) || edits >= (int)strlen(word)) continue;
        best = name;
        least = edits;
    }
    return best;
}

const char *spd_did_you_mean(char *text, size_t size, const char *word, const void *table, int64_t entries, size_t stride) {
    const char *name = spd_nearest(word, table, entries, stride);
    text[0] = '\0';
    if (name) snprintf(text, size, "; did you mean '%.60s'?", name);
    return text;
}

spdhg_status spd_unknown(spdhg_error *err, const char *what, const char *word, const void *table, int entries, size_t stride) {
    char names[600], meant[SPD_DID_YOU_MEAN_CHARS], name[64];
    spd_names(names, sizeof names, table, entries, stride);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ":"), word);
    spd_did_you_mean(meant, sizeof meant, name, table, entries, stride);
    return spd_fail(err, SPDHG_USAGE, "unknown %s '%.100s'%s %sxpected one of: %s", what, word, meant[0] ? meant : ";",
                    meant[0] ? "E" : "e", names);
}
