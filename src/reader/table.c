/* table.c - the formats: how each is recognised by its first line, and which functions read and write it.
 * A new format needs a file, a line here and a test. */
#include "reader/reader.h"

/* The first line that is neither blank nor a comment; false if the head has none. */
static bool first_line(const char *head, size_t size, char comment, const char **from, const char **to) {
    const char *end = head + size;
    if (size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) head += 3;
    while (head < end) {
        const char *newline = memchr(head, '\n', (size_t)(end - head));
        const char *stop = newline ? newline : end;
        while (head < stop && spd_is_blank(*head)) head++;
        if (head < stop && *head != comment) {
            *from = head;
            *to = stop;
            return true;
        }
        head = newline ? newline + 1 : end;
    }
    return false;
}

static const char *token_end(const char *at, const char *end) {
    while (at < end && !spd_is_blank(*at)) at++;
    return at;
}

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && spd_is_blank(*at)) at++;
    return at;
}

static bool is_pair(const char *at, const char *end) { /* "digits:" or "qid:" */
    if (end - at > 4 && memcmp(at, "qid:", 4) == 0) return true;
    const char *from = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at > from && at < end && *at == ':';
}

/* [label] index:value ... ; a line with a single number is a label without entries. */
static bool is_libsvm(const char *head, size_t size) {
    const char *at, *end;
    if (!first_line(head, size, '#', &at, &end)) return false;
    if (is_pair(at, end)) return true;
    const char *rest = skip_blanks(token_end(at, end), end);
    double number;
    if (rest < end && *rest != '#') return is_pair(rest, end);
    return spd_parse_double(at, end, &number) == token_end(at, end);
}

static bool is_market(const char *head, size_t size) { return size >= 14 && memcmp(head, "%%MatrixMarket", 14) == 0; }
static bool is_cache(const char *head, size_t size) { return size >= 8 && memcmp(head, SPD_CACHE_MAGIC, 8) == 0; }

/* Exactly two or three whole numbers. */
static bool is_cluto(const char *head, size_t size) {
    const char *at, *end;
    if (!first_line(head, size, '%', &at, &end)) return false;
    int count = 0;
    for (int64_t number; at < end; count++, at = skip_blanks(at, end)) {
        const char *next = spd_parse_int(at, end, &number);
        if (!next || number < 0 || (next < end && !spd_is_blank(*next))) return false;
        at = next;
    }
    return count == 2 || count == 3;
}

/* A comma, semicolon, tab or bar in the first line, or words of which none is or begins with a number, nor has a colon. */
static bool is_csv(const char *head, size_t size) {
    const char *at, *end;
    if (!first_line(head, size, '#', &at, &end)) return false;
    for (const char *c = at; c < end; c++) {
        if (*c == ',' || *c == ';' || *c == '\t' || *c == '|') return true;
        if (*c >= 0 && *c < ' ' && *c != '\r') return false;
    }
    double number;
    for (; at < end; at = skip_blanks(token_end(at, end), end))
        if (spd_parse_double(at, end, &number) || memchr(at, ':', (size_t)(token_end(at, end) - at))) return false;
    return true;
}

static const char *const libsvm_endings[] = {".svm", ".libsvm", ".svmlight", ".dat", NULL};
static const char *const csv_endings[] = {".csv", ".tsv", NULL};
static const char *const market_endings[] = {".mtx", ".mm", NULL};
static const char *const cluto_endings[] = {".mat", ".cluto", ".cl", NULL};
static const char *const cache_endings[] = {".spd", NULL};

/* Tests run in this order, the most reliable first. A file that none recognises goes to the first reader. */
static const spd_reader reader_table[] = {
    {"libsvm", "label index:value ..., one row per line", libsvm_endings, is_libsvm, spd_libsvm_read, spd_libsvm_pour,
     spd_libsvm_write},
    {"matrix-market", "rows of a Matrix Market file, labels apart", market_endings, is_market, spd_market_read, NULL,
     spd_market_write},
    {"cluto", "CLUTO's sparse or dense matrix, labels in FILE.rclass", cluto_endings, is_cluto, spd_cluto_read, NULL,
     spd_cluto_write},
    {"cache", "this library's fast checksummed binary file", cache_endings, is_cache, spd_cache_read, NULL, spd_cache_write},
    {"csv", "a table with a header row", csv_endings, is_csv, spd_csv_read, NULL, spd_csv_write},
};

const spd_reader *spd_reader_table(int *entries) {
    *entries = (int)(sizeof reader_table / sizeof *reader_table);
    return reader_table;
}

const spd_reader *spd_table_of_numbers(const char *head, size_t size) {
    const char *at, *end;
    double number;
    if (is_market(head, size)) return &reader_table[1];
    if (!is_csv(head, size) || !first_line(head, size, '#', &at, &end)) return NULL;
    return spd_parse_double(at, end, &number) ? NULL : &reader_table[4];
}
