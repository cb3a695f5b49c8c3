/* edges.c - Fx = differences along the edges of a graph, from lines "i j [weight]" separated by blanks or commas; # or % starts a
 * comment. Features count from 1 as in Matrix Market files, unless an index 0 occurs anywhere. A weight w > 0 gives the row
 * w (x_i - x_j). w < 0 means that i and j should have opposite signs: |w| (x_i + x_j). Rows keep the order of the lines. */
#include <stdlib.h>

#include "reader/read.h"
#include "structure/structure.h"

enum { LINE_MAX_BYTES = 1 << 16 };

typedef struct spd_edge {
    int64_t end[2]; /* as written */
    double weight;
    int64_t line;
    int32_t column[2];
} spd_edge;

typedef struct spd_edge_reader {
    const char *path;
    spd_stream *stream;
    char *buffer; /* LINE_MAX_BYTES; a line lies in [from, to) */
    size_t from, to;
    bool ended;
    int64_t line; /* number of the last line returned */
    spd_edge *edge;
    int64_t edges, capacity;
    int64_t zero_line; /* first line with an index 0, or 0 */
} spd_edge_reader;

/* The next line as [*text, *end), without its newline; *text is NULL at the end of the file. */
static spdhg_status next_line(spd_edge_reader *r, const char **text, const char **end, spdhg_error *err) {
    *text = NULL;
    char *newline = memchr(r->buffer + r->from, '\n', r->to - r->from);
    if (!newline && !r->ended) {
        r->to -= r->from;
        memmove(r->buffer, r->buffer + r->from, r->to);
        r->from = 0;
        size_t got, wanted = LINE_MAX_BYTES - r->to;
        SPD_TRY(spd_stream_read(r->stream, r->buffer + r->to, wanted, &got, err));
        r->ended = got < wanted;
        newline = memchr(r->buffer + r->to, '\n', got);
        r->to += got;
        if (!newline && !r->ended)
            return spd_fail(err, SPDHG_DATA, "%s:%lld:1: a line of more than %d bytes; expected 'i j [weight]'", r->path,
                            (long long)r->line + 1, LINE_MAX_BYTES);
    }
    if (r->from == r->to) return SPDHG_OK;
    *text = r->buffer + r->from;
    *end = newline ? newline : r->buffer + r->to;
    r->from = newline ? (size_t)(newline - r->buffer) + 1 : r->to;
    r->line++;
    return SPDHG_OK;
}

static bool separates(const char *at, const char *end) {
    return at == end || *at == ' ' || *at == '\t' || *at == ',' || *at == '\r' || *at == '#' || *at == '%';
}

/* The start of the next field; `end` if only separators or a comment are left. */
static const char *next_field(const char *at, const char *end) {
    while (at < end && separates(at, end) && *at != '#' && *at != '%') at++;
    return at < end && (*at == '#' || *at == '%') ? end : at;
}

static spdhg_status fault(const spd_edge_reader *r, int64_t line, int64_t column, const char *what, spdhg_error *err) {
    return spd_fail(err, SPDHG_DATA, "%s:%lld:%lld: %s", r->path, (long long)line, (long long)column, what);
}

static spdhg_status parse_line(spd_edge_reader *r, const char *text, const char *end, spdhg_error *err) {
    spd_edge edge = {.weight = 1, .line = r->line};
    const bool marked = r->line == 1 && end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* byte order mark */
    const char *at = next_field(text + (marked ? 3 : 0), end);
    if (at == end) return SPDHG_OK;
    for (int i = 0; i < 2; i++) {
        at = next_field(at, end);
        edge.column[i] = (int32_t)(at - text) + 1;
        at = spd_parse_int(at, end, &edge.end[i]);
        if (!at || !separates(at, end))
            return fault(r, r->line, edge.column[i], "expected the number of a feature: 'i j [weight]'", err);
        if (edge.end[i] == 0 && r->zero_line == 0) r->zero_line = r->line;
    }
    if (edge.end[0] == edge.end[1]) return fault(r, r->line, edge.column[1], "an edge from a feature to itself", err);
    at = next_field(at, end);
    if (at != end) {
        const int64_t column = at - text + 1;
        at = spd_parse_double(at, end, &edge.weight);
        if (!at || !separates(at, end) || !isfinite(edge.weight) || edge.weight == 0)
            return fault(r, r->line, column, "expected a weight: a finite number other than 0", err);
        at = next_field(at, end);
        if (at != end) return fault(r, r->line, at - text + 1, "expected the end of the line after 'i j weight'", err);
    }
    if (r->edges == r->capacity) {
        const int64_t capacity = r->capacity ? 2 * r->capacity : 1024;
        spd_edge *grown = spd_grow(r->edge, r->capacity, capacity, sizeof *grown);
        if (!grown) return spd_fail_memory(err, (double)capacity * sizeof *grown);
        r->edge = grown;
        r->capacity = capacity;
    }
    r->edge[r->edges++] = edge;
    return SPDHG_OK;
}

static spdhg_status check_range(const spd_edge_reader *r, int64_t features, spdhg_error *err) {
    const int64_t first = r->zero_line ? 0 : 1, last = features - 1 + first;
    for (int64_t e = 0; e < r->edges; e++)
        for (int i = 0; i < 2; i++) {
            const int64_t j = r->edge[e].end[i];
            if (j >= first && j <= last) continue;
            char why[80] = "";
            if (r->zero_line) snprintf(why, sizeof why, ", counted from 0 as in line %lld", (long long)r->zero_line);
            return spd_fail(err, SPDHG_DATA, "%s:%lld:%d: feature %lld is out of range, expected %lld to %lld%s", r->path,
                            (long long)r->edge[e].line, r->edge[e].column[i], (long long)j, (long long)first, (long long)last,
                            why);
        }
    return SPDHG_OK;
}

typedef struct spd_edge_key {
    int64_t low, high, position;
} spd_edge_key;

static int compare(const void *a, const void *b) {
    const spd_edge_key *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->position < q->position ? -1 : p->position > q->position;
}

/* Row e of F: the edge between features end[0] and end[1]; columns ascend. */
static void put_row(spd_csr *F, int64_t e, const int64_t end[2], double weight) {
    const int low = end[0] < end[1] ? 0 : 1;
    const double value[2] = {fabs(weight), -weight};
    F->ptr[e + 1] = 2 * (e + 1);
    for (int i = 0; i < 2; i++) {
        F->idx[2 * e + i] = (int32_t)end[low ^ i];
        F->val[2 * e + i] = value[low ^ i];
    }
}

/* Positions of the first edge that repeats an earlier one, in either direction, and of the earlier one; *again = edges if none
 * does. */
static spdhg_status find_duplicate(const int64_t *end, size_t stride, int64_t edges, int64_t *again, int64_t *before,
                                   spdhg_error *err) {
    spd_edge_key *key = SPD_NEW(spd_edge_key, edges);
    if (!key) return spd_fail_memory(err, (double)edges * sizeof *key);
    for (int64_t e = 0; e < edges; e++) {
        const int64_t *both = (const int64_t *)(const void *)((const char *)end + (size_t)e * stride);
        key[e] = (spd_edge_key){
            .low = both[0] < both[1] ? both[0] : both[1], .high = both[0] < both[1] ? both[1] : both[0], .position = e};
    }
    qsort(key, (size_t)edges, sizeof *key, compare);
    *again = edges;
    for (int64_t e = 1; e < edges; e++)
        if (key[e].low == key[e - 1].low && key[e].high == key[e - 1].high && key[e].position < *again) {
            *again = key[e].position;
            *before = key[e - 1].position;
        }
    spd_free(key);
    return SPDHG_OK;
}

/* Reports the first line that repeats an earlier edge, in either direction. */
static spdhg_status check_duplicates(const spd_edge_reader *r, spdhg_error *err) {
    int64_t again = 0, before = 0;
    if (r->edges > 0) SPD_TRY(find_duplicate(r->edge->end, sizeof *r->edge, r->edges, &again, &before, err));
    if (again == r->edges) return SPDHG_OK;
    return spd_fail(err, SPDHG_DATA, "%s:%lld:%d: the edge between features %lld and %lld was given before, in line %lld",
                    r->path, (long long)r->edge[again].line, r->edge[again].column[0], (long long)r->edge[again].end[0],
                    (long long)r->edge[again].end[1], (long long)r->edge[before].line);
}

static spdhg_status read_edges(spd_edge_reader *r, spdhg_error *err) {
    for (;;) {
        const char *text, *end;
        SPD_TRY(next_line(r, &text, &end, err));
        if (!text) return SPDHG_OK;
        SPD_TRY(parse_line(r, text, end, err));
    }
}

static spdhg_status make_rows(const spd_edge_reader *r, spdhg_structure *F, int64_t features, spdhg_error *err) {
    SPD_TRY(check_range(r, features, err));
    SPD_TRY(check_duplicates(r, err));
    if (r->edges == 0) return spd_fail(err, SPDHG_DATA, "%s: no edge in this file, expected lines 'i j [weight]'", r->path);
    SPD_TRY(spd_csr_new(&F->F, r->edges, features, 2 * r->edges, err));
    for (int64_t e = 0; e < r->edges; e++) {
        const spd_edge *edge = &r->edge[e];
        const int64_t first = r->zero_line ? 0 : 1, end[2] = {edge->end[0] - first, edge->end[1] - first};
        put_row(&F->F, e, end, edge->weight);
    }
    return SPDHG_OK;
}

static spdhg_status build(spdhg_structure *F, const char *arg, int64_t features, spdhg_error *err) {
    if (!arg || !*arg) return spd_fail(err, SPDHG_USAGE, "structure '%s': expected a file name after 'edges:'", F->spec);
    spd_edge_reader r = {.path = arg};
    SPD_TRY(spd_stream_open(&r.stream, arg, err));
    r.buffer = SPD_NEW(char, LINE_MAX_BYTES);
    spdhg_status status = r.buffer ? read_edges(&r, err) : spd_fail_memory(err, LINE_MAX_BYTES);
    if (status == SPDHG_OK) status = make_rows(&r, F, features, err);
    spd_stream_close(r.stream);
    spd_free(r.buffer);
    spd_free(r.edge);
    return status;
}

static spdhg_status take_edges(spdhg_structure *F, int64_t features, int64_t edges, const int64_t *end, const double *weight,
                               spdhg_error *err) {
    for (int64_t e = 0; e < edges; e++) {
        const int64_t i = end[2 * e], j = end[2 * e + 1];
        if (i < 0 || i >= features || j < 0 || j >= features || i == j)
            return spd_fail(err, SPDHG_DATA,
                            "edge %lld, between features %lld and %lld: expected two different ones of 0 to %lld", (long long)e,
                            (long long)i, (long long)j, (long long)features - 1);
        if (weight && (!isfinite(weight[e]) || weight[e] == 0))
            return spd_fail(err, SPDHG_DATA, "edge %lld: the weight is %g, expected a finite number other than 0", (long long)e,
                            weight[e]);
    }
    int64_t again = 0, before = 0;
    SPD_TRY(find_duplicate(end, 2 * sizeof *end, edges, &again, &before, err));
    if (again < edges)
        return spd_fail(err, SPDHG_DATA, "edge %lld, between features %lld and %lld, was given before as edge %lld",
                        (long long)again, (long long)end[2 * again], (long long)end[2 * again + 1], (long long)before);
    SPD_TRY(spd_csr_new(&F->F, edges, features, 2 * edges, err));
    for (int64_t e = 0; e < edges; e++) put_row(&F->F, e, end + 2 * e, weight ? weight[e] : 1);
    return SPDHG_OK;
}

spdhg_status spdhg_structure_from_edges(spdhg_structure **out, int64_t features, int64_t edges, const int64_t *end,
                                        const double *weight, spdhg_error *err) {
    SPD_DEFAULT_FLOATS;
    *out = NULL;
    if (edges < 1 || edges > INT64_MAX / 4 || !end) return spd_fail(err, SPDHG_USAGE, "a graph needs at least one edge");
    SPD_TRY(spd_structure_begin(out, "edges", features, err));
    return spd_structure_finish(out, take_edges(*out, features, edges, end, weight, err), err);
}

const spd_structure_kind spd_structure_edges = {
    .name = "edges",
    .help = "differences along the edges of a graph, lines 'i j [weight]' counted from 1; weight < 0: opposite signs; edges:FILE",
    .build = build};
