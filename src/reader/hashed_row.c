/* hashed_row.c - rows whose features are words:  NAME[:VALUE] ..., value 1 unless given; NAME is everything up to the last colon.
 * The hashing trick (Weinberger et al., ICML 2009): with h = XXH3(NAME), the word adds +value or -value, by the top bit of h,
 * to the feature that the lowest bits of h number. No dictionary is kept, and because of the signs two words that collide
 * disturb a score by an amount whose mean is 0. Words that collide in a row are added up. */
#include <xxhash.h>

#include "reader/libsvm.h"

enum { BITS_MOST = 30 };

spdhg_status spd_hash_check(const spdhg_read_options *o, spdhg_error *err) {
    if (o->hash == 0) return SPDHG_OK;
    if (o->hash < 0 || o->hash > BITS_MOST)
        return spd_fail(err, SPDHG_USAGE, "hash: %d bits, expected 1 to %d", o->hash, BITS_MOST);
    if (o->format && strcmp(o->format, "auto") != 0 && strcmp(o->format, "libsvm") != 0)
        return spd_fail(err, SPDHG_USAGE, "hash: reads LIBSVM text, LABEL NAME[:VALUE] ..., not the format %s", o->format);
    if (o->names) return spd_fail(err, SPDHG_USAGE, "hash: a feature has no name of its own, several words may share it");
    if (o->features) return spd_fail(err, SPDHG_USAGE, "hash: there are 2^BITS features; do not give their number as well");
    return SPDHG_OK;
}

static spdhg_status add_word(spd_part *p, const spd_text *t, const spd_token *token, const spdhg_read_options *o,
                             spdhg_error *err) {
    const char *end = token->end;
    while (end > token->at && end[-1] != ':') end--;
    const bool given = end > token->at;
    const char *name_end = given ? end - 1 : token->end;
    double value = 1;
    if (name_end == token->at || (given && spd_parse_double(end, token->end, &value) != token->end) || !isfinite(value))
        return spd_text_fail(t, token, err, "expected NAME or NAME:NUMBER, found '%s'", spd_show(token->at, token->end).text);
    const uint64_t h = XXH3_64bits(token->at, (size_t)(name_end - token->at));
    if (p->entries == p->idx_room || p->entries == p->val_room) SPD_TRY(spd_libsvm_room(p, err));
    p->idx[p->entries] = (int32_t)(h & (((uint64_t)1 << o->hash) - 1));
    p->val[p->entries++] = h >> 63 ? -value : value;
    p->notes.explicit_zeros += value == 0;
    return SPDHG_OK;
}

spdhg_status spd_hashed_row(spd_part *p, spd_text *t, const spdhg_read_options *o, spdhg_error *err) {
    const int64_t first = p->entries;
    for (;;) {
        while (t->at < t->safe && spd_is_blank(*t->at)) t->at++;
        if (t->at == t->safe) {
            SPD_TRY(spd_libsvm_more(t, err));
            if (t->at == t->end) break;
            continue;
        }
        if (*t->at == '\n') break;
        char *end = t->at;
        while (!spd_is_blank(*end) && *end != '\n') end++;
        const spd_token word = {SPD_TOKEN, t->at, end, t->line, spd_text_column(t, t->at)};
        SPD_TRY(add_word(p, t, &word, o, err));
        t->at = end;
    }
    int64_t count = p->entries - first, twice;
    SPD_TRY(spd_sort_row(p->idx + first, p->val + first, &count, SPDHG_DUPLICATES_SUM, &twice, err));
    p->entries = first + count;
    return SPDHG_OK;
}
