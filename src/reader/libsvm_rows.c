/* libsvm_rows.c - the grammar of LIBSVM / SVMlight text:  line = [label] [qid:N] {index:value} [# comment].
 * It reads one window of whole tokens at a time (text.h), so a line need not fit in memory. Most of the time goes into the loop
 * over index:value pairs. */
#include "reader/libsvm.h"
#include "text/swar.h"

static const int64_t largest_index = INT32_MAX - 1;
static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline unsigned digit(char c) { return (unsigned)(unsigned char)c - '0'; }
static inline bool is_end(char c) { return spd_is_blank(c) || c == '\n' || c == '#'; }

static spd_token token_at(const spd_text *t, const char *at) {
    const char *end = at;
    while (!is_end(*end)) end++;
    return (spd_token){SPD_TOKEN, at, end, t->line, spd_text_column(t, at)};
}

spdhg_status spd_libsvm_more(spd_text *t, spdhg_error *err) {
    while (t->at == t->safe && !(t->over && t->at == t->end)) {
        const spd_token here = {SPD_TEXT_END, t->at, t->at, t->line, spd_text_column(t, t->at)};
        SPD_TRY(spd_text_fill(t, err));
        if (t->at == t->safe && t->end - t->at >= SPD_TOKEN_BYTES)
            return spd_text_fail(t, &here, err, "more than %d characters without a blank", SPD_TOKEN_BYTES);
    }
    return SPDHG_OK;
}

/* Reports why a token is not a pair. */
static spdhg_status refuse_pair(const spd_part *p, const spd_text *t, const spd_token *token, const spdhg_read_options *o,
                                spdhg_error *err) {
    const spd_shown shown = spd_show(token->at, token->end);
    const char *digits = token->at;
    while (digit(*digits) < 10) digits++;
    if (token->end - token->at > SPD_TOKEN_BYTES)
        return spd_text_fail(t, token, err, "more than %d characters without a blank", SPD_TOKEN_BYTES);
    double value;
    const bool number = spd_parse_double(token->at, token->end, &value) == token->end;
    if (digits == token->at || *digits != ':')
        return spd_text_fail(t, token, err, "expected index:value, found '%s'%s", shown.text,
                             number ? "; if this is a table: --format csv" : "");
    int64_t index;
    if (!spd_parse_int(token->at, digits, &index) || index > largest_index)
        return spd_text_fail(t, token, err, "index of '%s' is above %lld", shown.text, (long long)largest_index);
    if (spd_parse_double(digits + 1, token->end, &value) != token->end)
        return spd_text_fail(t, token, err, "expected index:number, found '%s'", shown.text);
    if (!isfinite(value)) return spd_text_fail(t, token, err, "number out of range in '%s'", shown.text);
    if (index > 0)
        return spd_text_fail(t, token, err, "index %lld, but there are %lld features%s (--features D)", (long long)index,
                             (long long)p->features_most, o->index_base == 0 ? ", the first of which is 0" : "");
    return spd_text_fail(t, token, err, "index 0, but the indices count from 1");
}

/* The slow path for any pair: exponents, signs, many digits. Returns the end of the pair, or NULL if it is not one. */
static const char *read_pair(const spd_text *t, const char *at, int64_t lowest, int64_t highest, int64_t *index, double *value) {
    const spd_token token = token_at(t, at);
    const char *colon = spd_parse_int(at, token.end, index);
    const bool good = colon && *colon == ':' && *index >= lowest && *index <= highest && token.end - at <= SPD_TOKEN_BYTES;
    const char *behind = good ? spd_parse_double(colon + 1, token.end, value) : NULL;
    return behind == token.end && isfinite(*value) ? behind : NULL;
}

/* Records a token out of ascending order: its index equals the previous one, or the row must be sorted later. */
static spdhg_status note_disorder(spd_part *p, const spd_text *t, const char *at, int64_t index, int64_t previous,
                                  const spdhg_read_options *o, spdhg_error *err) {
    const spd_token token = token_at(t, at);
    if (index == previous && o->duplicates == SPDHG_DUPLICATES_ERROR)
        return spd_text_fail(t, &token, err, "index %lld occurs twice in this row (--duplicates sum or last accepts it)",
                             (long long)index);
    SPD_TRY(spd_reserve(&p->disorder, &p->disorder_room, p->disorders + 1, sizeof *p->disorder, &p->budget, err));
    p->disorder[p->disorders++] = (spd_disorder){index, token.column};
    return SPDHG_OK;
}

static spdhg_status sort_row(spd_part *p, const spd_text *t, int64_t first, const spdhg_read_options *o, spdhg_error *err) {
    int64_t count = p->entries - first, twice, descents = 0;
    for (int64_t k = first + 1; k < p->entries; k++) descents += p->idx[k] < p->idx[k - 1];
    p->notes.unsorted_rows += descents > 0;
    SPD_TRY(spd_sort_row(p->idx + first, p->val + first, &count, o->duplicates, &twice, err));
    if (count < p->entries - first && o->duplicates == SPDHG_DUPLICATES_ERROR) {
        int64_t k = p->disorders - 1;
        while (k > 0 && p->disorder[k].index != twice + 1) k--;
        const spd_token token = {SPD_TOKEN, NULL, NULL, t->line, p->disorder[k].column};
        return spd_text_fail(t, &token, err, "index %lld occurs twice in this row (--duplicates sum or last accepts it)",
                             (long long)p->disorder[k].index);
    }
    p->notes.duplicate_entries += p->entries - first - count;
    p->entries = first + count;
    p->disorders = 0;
    return SPDHG_OK;
}

/* Reads the pairs up to the end of the line or of the window. Fast path: at most 10 digits, ':', [-]digits[.digits] that form an
 * integer below 2^53 and a power of ten up to 10^22, so that one division rounds correctly; then a blank or a newline. */
static spdhg_status read_pairs(spd_part *p, spd_text *t, int64_t *last, const spdhg_read_options *o, spdhg_error *err) {
    const char *at = t->at;
    const int64_t lowest = o->index_base == 1, features = p->features_most - (o->index_base == 0);
    const int64_t highest = p->features_most && features < largest_index ? features : largest_index;
    int64_t previous = *last, entries = p->entries, zeros = 0;
    int64_t room = p->idx_room < p->val_room ? p->idx_room : p->val_room;
    spdhg_status status = SPDHG_OK;
    for (;;) {
        while (spd_is_blank(*at)) at++;
        if (digit(*at) > 9 || at >= t->safe) break;
        const char *token = at;
        uint64_t index = digit(*at++);
        for (unsigned d; (d = digit(*at)) < 10; at++) index = index * 10 + d;
        bool fast = *at == ':' && at - token <= 10 && index <= (uint64_t)highest && index >= (uint64_t)lowest;
        double value = 0;
        if (fast) {
            at++;
            const bool negative = *at == '-';
            at += negative;
            const char *first = at;
            uint64_t mantissa = 0, eight;
            for (unsigned d; (d = digit(*at)) < 10; at++) mantissa = mantissa * 10 + d;
            int64_t digits = at - first, fraction = 0;
            if (*at == '.') {
                first = ++at;
                while (spd_eight_digits(at, &eight)) {
                    mantissa = mantissa * 100000000 + eight;
                    at += 8;
                }
                for (unsigned d; (d = digit(*at)) < 10; at++) mantissa = mantissa * 10 + d;
                fraction = at - first;
            }
            digits += fraction;
            fast = digits > 0 && digits <= 19 && mantissa <= (uint64_t)1 << 53 &&
                   (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t');
            if (fast) {
                value = (double)mantissa / power_of_ten[fraction];
                if (negative) value = -value;
            }
        }
        if (!fast) {
            int64_t whole;
            at = read_pair(t, token, lowest, highest, &whole, &value);
            if (!at) {
                const spd_token bad = token_at(t, token);
                status = refuse_pair(p, t, &bad, o, err);
                break;
            }
            index = (uint64_t)whole;
        }
        if ((int64_t)index <= previous || p->disorders > 0) {
            if ((status = note_disorder(p, t, token, (int64_t)index, previous, o, err)) != SPDHG_OK) break;
        }
        previous = (int64_t)index;
        if (entries == room) {
            p->entries = entries;
            if ((status = spd_libsvm_room(p, err)) != SPDHG_OK) break;
            room = p->idx_room < p->val_room ? p->idx_room : p->val_room;
        }
        p->idx[entries] = (int32_t)((int64_t)index - 1);
        p->val[entries++] = value;
        zeros += value == 0;
    }
    p->entries = entries;
    p->notes.explicit_zeros += zeros;
    *last = previous;
    if (status == SPDHG_OK) t->at += at - t->at; /* after a failure `at` is invalid */
    return status;
}

static spdhg_status read_label(spd_part *p, spd_text *t, const spdhg_read_options *o, double *label, spdhg_error *err) {
    const spd_token token = token_at(t, t->at);
    *label = 0;
    if (memchr(token.at, ':', (size_t)(token.end - token.at))) {
        if (p->unlabelled_line == 0) p->unlabelled_line = t->line;
        if (o->unlabelled_ok) return SPDHG_OK;
        return spd_text_fail(t, &token, err, "expected a label, found '%s'", spd_show(token.at, token.end).text);
    }
    if (token.end - token.at > SPD_TOKEN_BYTES)
        return spd_text_fail(t, &token, err, "more than %d characters without a blank", SPD_TOKEN_BYTES);
    SPD_TRY(spd_text_number(t, &token, label, err));
    p->labelled++;
    t->at += token.end - t->at;
    return SPDHG_OK;
}

static spdhg_status read_group(spd_part *p, spd_text *t, spdhg_error *err) {
    const spd_token token = token_at(t, t->at);
    int64_t number;
    if (token.end - token.at < 5 || memcmp(token.at, "qid:", 4) != 0 ||
        spd_parse_int(token.at + 4, token.end, &number) != token.end || number < 0)
        return spd_text_fail(t, &token, err, "expected index:value, found '%s'", spd_show(token.at, token.end).text);
    const int64_t known = p->group ? p->group_room : 0;
    SPD_TRY(spd_reserve(&p->group, &p->group_room, p->rows + 1, sizeof *p->group, &p->budget, err));
    for (int64_t r = known; r < p->group_room; r++) p->group[r] = -1;
    p->group[p->rows] = number;
    t->at += token.end - t->at;
    return SPDHG_OK;
}

static spdhg_status read_row(spd_part *p, spd_text *t, const spdhg_read_options *o, spdhg_error *err) {
    if (p->rows == p->end_room || p->rows == p->b_room) SPD_TRY(spd_libsvm_room(p, err));
    const int64_t first = p->entries;
    int64_t last = -1;
    double label;
    SPD_TRY(read_label(p, t, o, &label, err));
    if (o->hash) SPD_TRY(spd_hashed_row(p, t, o, err));
    while (!o->hash) {
        SPD_TRY(read_pairs(p, t, &last, o, err));
        if (*t->at == '#') SPD_TRY(spd_text_skip_line(t, err)); /* even if no blank follows */
        if (t->at == t->safe) {
            SPD_TRY(spd_libsvm_more(t, err));
            if (t->at == t->end) break;
        } else if (*t->at == '\n')
            break;
        else
            SPD_TRY(read_group(p, t, err));
    }
    if (p->disorders > 0) SPD_TRY(sort_row(p, t, first, o, err));
    if (p->entries > first) {
        p->index_zero = p->index_zero || p->idx[first] < 0;
        if (p->idx[p->entries - 1] > p->largest) p->largest = p->idx[p->entries - 1];
    }
    p->b[p->rows] = label;
    p->row_end[p->rows++] = p->entry_base + p->entries;
    return SPDHG_OK;
}

spdhg_status spd_libsvm_rows(spd_part *p, spd_text *t, const spdhg_read_options *o, spdhg_error *err) {
    p->largest = -1;
    if (t->offset == 0 && t->at == t->buffer && t->end - t->at >= 3 && memcmp(t->at, "\xef\xbb\xbf", 3) == 0) {
        t->at += 3;
        p->notes.byte_order_mark = true;
    }
    for (;;) {
        while (spd_is_blank(*t->at)) t->at++;
        if (*t->at == '#') {
            SPD_TRY(spd_text_skip_line(t, err));
            p->notes.comment_lines++;
        } else if (t->at == t->safe) {
            SPD_TRY(spd_libsvm_more(t, err));
            if (t->at == t->end && t->over) return SPDHG_OK;
            continue;
        } else if (*t->at == '\n')
            p->notes.blank_lines++;
        else
            SPD_TRY(read_row(p, t, o, err));
        if (t->at < t->end) {
            t->at++;
            p->notes.lines++;
            spd_text_newline(t);
        }
        if (p->rows_most && (p->rows >= p->rows_most || p->entries >= p->entries_most)) return SPDHG_OK;
    }
}
