/* by_name.c - edges and groups whose features are names instead of numbers: CSV lines "from,to[,weight]" and "feature,group". A
 * header is recognised by its names. Files of numbers are left to edges.c and groups.c. */
#include <strings.h>

#include "structure/structure.h"
#include "table/cells.h"
#include "table/labels.h"

typedef struct lines {
    spd_text text;
    char separator;
    const spd_labels *names;
    const char *what; /* "edges" or "groups" */
} lines;

spdhg_status spd_file_has_names(const char *path, bool *named, spdhg_error *err) {
    spd_stream *stream;
    const char *head;
    size_t size = 0;
    *named = false;
    SPD_TRY(spd_stream_open(&stream, path, err));
    const spdhg_status status = spd_stream_peek(stream, &head, &size, err);
    size_t at = size >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (status == SPDHG_OK && at < size && (head[at] == '#' || head[at] == '%' || head[at] == '\n')) {
        while (at < size && head[at] != '\n') at++;
        at += at < size;
    }
    double number;
    if (status == SPDHG_OK && at < size) *named = !spd_parse_double(head + at, head + size, &number);
    spd_stream_close(stream);
    return status;
}

/* The next row of up to three cells; *count is 0 at the end. Texts are owned by the caller. */
static spdhg_status next_row(lines *l, char *cell_text[3], spd_token place[3], int *count, spdhg_error *err) {
    spd_cell cell = {.last = false};
    for (*count = 0; !cell.last;) {
        SPD_TRY(spd_csv_cell(&l->text, l->separator, &cell, err));
        if (cell.token.kind == SPD_TEXT_END) return SPDHG_OK;
        if (*count == 3) return spd_text_fail(&l->text, &cell.token, err, "more cells than expected in a line of %s", l->what);
        place[*count] = cell.token;
        char *bytes = spd_csv_text(&cell);
        cell_text[*count] = bytes ? spd_to_utf8(bytes) : NULL;
        spd_free(bytes);
        if (!cell_text[(*count)++]) return spd_fail_memory(err, 1);
        if (cell.last && *count == 1 && cell_text[0][0] == '\0')
            spd_free(cell_text[0]), *count = 0, cell.last = false; /* blank */
    }
    return SPDHG_OK;
}

static spdhg_status find(const lines *l, const char *name, const spd_token *place, int64_t *feature, spdhg_error *err) {
    *feature = spd_labels_find(l->names, name);
    if (*feature >= 0) return SPDHG_OK;
    char meant[SPD_DID_YOU_MEAN_CHARS];
    spd_did_you_mean(meant, sizeof meant, name, l->names->text, l->names->count, sizeof *l->names->text);
    return spd_text_fail(&l->text, place, err, "no feature is called '%.60s'%s", name, meant);
}

typedef struct rows {
    int64_t *end; /* two features of each edge; of a group: the feature and the code of its word */
    double *weight;
    int64_t count, end_capacity, weight_capacity;
    spd_budget budget;
    spd_labels words;
} rows;

static spdhg_status take_row(lines *l, rows *r, char *const cell[3], const spd_token place[3], int count, bool edges,
                             spdhg_error *err) {
    double weight = 1, code = 0;
    if (count < 2)
        return spd_text_fail(&l->text, &place[0], err, edges ? "expected 'from,to[,weight]'" : "expected 'feature,group'");
    SPD_TRY(spd_reserve(&r->end, &r->end_capacity, 2 * r->count + 2, sizeof *r->end, &r->budget, err));
    SPD_TRY(spd_reserve(&r->weight, &r->weight_capacity, r->count + 1, sizeof *r->weight, &r->budget, err));
    SPD_TRY(find(l, cell[0], &place[0], &r->end[2 * r->count], err));
    if (edges) {
        SPD_TRY(find(l, cell[1], &place[1], &r->end[2 * r->count + 1], err));
        if (count == 3 && (!spd_to_double(cell[2], &weight) || weight == 0))
            return spd_text_fail(&l->text, &place[2], err, "expected a weight: a finite number other than 0");
    } else {
        SPD_TRY(spd_labels_code(&r->words, cell[1], &r->budget, &code, err));
        r->end[2 * r->count + 1] = (int64_t)code;
    }
    r->weight[r->count++] = weight;
    return SPDHG_OK;
}

static spdhg_status read_rows(lines *l, rows *r, bool edges, spdhg_error *err) {
    if (l->text.end - l->text.at >= 3 && memcmp(l->text.at, "\xef\xbb\xbf", 3) == 0) l->text.at += 3;
    while (l->text.at < l->text.end && (*l->text.at == '#' || *l->text.at == '%')) {
        SPD_TRY(spd_text_skip_line(&l->text, err));
        if (l->text.at < l->text.end) l->text.at++;
        spd_text_newline(&l->text);
    }
    l->separator = spd_csv_separator(&l->text);
    for (bool first = true;; first = false) {
        char *cell[3] = {NULL, NULL, NULL};
        spd_token place[3];
        int count;
        spdhg_status status = next_row(l, cell, place, &count, err);
        const bool header =
            first && count >= 2 && spd_labels_find(l->names, cell[0]) < 0 &&
            (strcasecmp(cell[0], "from") == 0 || strcasecmp(cell[0], "feature") == 0 || strcasecmp(cell[0], "name") == 0);
        if (status == SPDHG_OK && count > 0 && !header) status = take_row(l, r, cell, place, count, edges, err);
        SPD_FREE_ALL(cell[0], cell[1], cell[2]);
        if (status != SPDHG_OK || count == 0) return status;
    }
}

static spdhg_status read_file(const char *path, char *const *name, int64_t features, bool edges, rows *r, spdhg_error *err) {
    spd_labels names = {0};
    lines l = {.names = &names, .what = edges ? "edges" : "groups"};
    spd_stream *stream = NULL;
    spdhg_status status = SPDHG_OK;
    r->budget.path = path;
    double code;
    for (int64_t j = 0; status == SPDHG_OK && j < features; j++) {
        status = spd_labels_code(&names, name[j], &r->budget, &code, err);
        if (status == SPDHG_OK && (int64_t)code != j)
            status = spd_fail(err, SPDHG_DATA, "%s: two features are called '%.60s'", path, name[j]);
    }
    if (status == SPDHG_OK) status = spd_stream_open(&stream, path, err);
    if (status == SPDHG_OK) status = spd_text_open(&l.text, stream, err);
    if (status == SPDHG_OK) status = read_rows(&l, r, edges, err);
    if (l.text.buffer) spd_text_close(&l.text);
    if (stream) spd_stream_close(stream);
    spd_labels_free(&names);
    return status;
}

static void clear(rows *r) {
    spd_labels_free(&r->words);
    spd_free(r->end);
    spd_free(r->weight);
}

spdhg_status spd_structure_named_edges(spdhg_structure **out, const char *spec, char *const *name, int64_t features,
                                       spdhg_error *err) {
    rows r = {0};
    *out = NULL;
    const char *path = spd_spec_arg(spec);
    spdhg_status status = read_file(path, name, features, true, &r, err);
    if (status == SPDHG_OK && r.count == 0)
        status = spd_fail(err, SPDHG_DATA, "%s: no edge in this file, expected 'from,to[,weight]'", path);
    if (status == SPDHG_OK) status = spdhg_structure_from_edges(out, features, r.count, r.end, r.weight, err);
    char *copy = status == SPDHG_OK ? spd_strdup(spec) : NULL;
    if (copy) {
        spd_free((*out)->spec);
        (*out)->spec = copy;
    }
    clear(&r);
    return status;
}

spdhg_status spd_named_groups(const char *path, char *const *name, int64_t features, int64_t **group, spdhg_error *err) {
    rows r = {0};
    *group = SPD_NEW(int64_t, features);
    spdhg_status status = *group ? read_file(path, name, features, false, &r, err) : spd_fail_memory(err, 8.0 * (double)features);
    for (int64_t j = 0; status == SPDHG_OK && j < features; j++) (*group)[j] = -1;
    for (int64_t e = 0; status == SPDHG_OK && e < r.count; e++) (*group)[r.end[2 * e]] = r.end[2 * e + 1];
    char all[600] = "";
    size_t used = 0;
    for (int64_t j = 0; status == SPDHG_OK && j < features; j++)
        if ((*group)[j] < 0 && used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s'%.60s'", used ? ", " : "", name[j]);
    if (used > 0) status = spd_fail(err, SPDHG_DATA, "%s: features without a group: %s", path, all);
    clear(&r);
    if (status == SPDHG_OK) return SPDHG_OK;
    spd_free(*group);
    *group = NULL;
    return status;
}
