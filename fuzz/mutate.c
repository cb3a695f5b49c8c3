/* mutate.c - changes to text that keep it text: a number becomes another number, a token another token of the same file, a line
 * is doubled, moved or left out, a JSON value becomes a value of another kind. Half of the changes are libFuzzer's own, of
 * bytes and of words of the dictionary. */
#include <stdbool.h>
#include <string.h>

#include "targets.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned int seed);

typedef struct span {
    size_t at, length;
} span;

/* xorshift: repeatable from libFuzzer's seed. */
static unsigned next(unsigned *state) {
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state;
}
static size_t below(unsigned *state, size_t n) { return n ? next(state) % n : 0; }

static bool of_token(uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '+' || c == '-' ||
           c == '_';
}

/* The token around a random place; length 0 if there is a separator. */
static span token(const uint8_t *bytes, size_t size, unsigned *state) {
    size_t from = below(state, size), to;
    for (to = from; to < size && of_token(bytes[to]); to++) {}
    while (from > 0 && from < to && of_token(bytes[from - 1])) from--;
    return (span){from, to - from};
}

/* The line around a random place, with its end. */
static span line(const uint8_t *bytes, size_t size, unsigned *state) {
    size_t from = below(state, size), to = from;
    while (from > 0 && bytes[from - 1] != '\n') from--;
    while (to < size && bytes[to] != '\n') to++;
    return (span){from, (to < size ? to + 1 : to) - from};
}

/* Puts TEXT in the place of WHAT; the size, which stays as it is if there is no room. */
static size_t put(uint8_t *bytes, size_t size, size_t most, span what, const void *text, size_t length) {
    if (size - what.length + length > most) return size;
    memmove(bytes + what.at + length, bytes + what.at + what.length, size - what.at - what.length);
    memcpy(bytes + what.at, text, length);
    return size - what.length + length;
}

static size_t copy(uint8_t *bytes, size_t size, size_t most, span what, span where) {
    uint8_t kept[512];
    if (what.length > sizeof kept) return size;
    memcpy(kept, bytes + what.at, what.length);
    return put(bytes, size, most, where, kept, what.length);
}

static size_t text_of(uint8_t *bytes, size_t size, size_t most, span what, const char *const *list, size_t entries,
                      unsigned *state) {
    const char *text = list[below(state, entries)];
    return put(bytes, size, most, what, text, strlen(text));
}

static size_t change(uint8_t *bytes, size_t size, size_t most, unsigned state) {
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "0.5",
                                          "1e308",
                                          "1e-308",
                                          "1e309",
                                          "-0",
                                          "nan",
                                          "inf",
                                          "2147483647",
                                          "2147483648",
                                          "9223372036854775807",
                                          "18446744073709551616",
                                          "1e",
                                          "+",
                                          "0x10",
                                          "1.7976931348623157e308",
                                          "00012"};
    static const char *const values[] = {"null", "true",      "false",   "{}",          "[]", "\"\"",
                                         "[[]]", "{\"a\":1}", "[1,2,3]", "\"\\u0000\"", "-1", "1e999"};
    static const char *const marks[] = {",", ";", "\t", " ", ":", "\n", "\r\n", "\"", "\"\"",
                                        "#", "%", "{",  "}", "[", "]",  "\\",   "|",  "\xef\xbb\xbf"};
    const span word = token(bytes, size, &state), row = line(bytes, size, &state);
    const span here = {below(&state, size), 0}, start = {line(bytes, size, &state).at, 0};
    switch (next(&state) % 8) {
    case 0: return text_of(bytes, size, most, word, numbers, sizeof numbers / sizeof *numbers, &state);
    case 1: return text_of(bytes, size, most, word, values, sizeof values / sizeof *values, &state);
    case 2: return text_of(bytes, size, most, here, marks, sizeof marks / sizeof *marks, &state);
    case 3: return copy(bytes, size, most, token(bytes, size, &state), word);
    case 4: return copy(bytes, size, most, row, start);
    case 5: return put(bytes, size, most, row, "", 0);
    case 6: return put(bytes, size, most, word, "", 0);
    default: return copy(bytes, size, most, row, line(bytes, size, &state));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned int seed) {
    unsigned state = seed | 1;
    const bool ours = size > 0 && fuzz_find(FUZZ_TARGET)->text && next(&state) % 2;
    const size_t changed = ours ? change(bytes, size, most, state) : 0;
    return changed ? changed : LLVMFuzzerMutate(bytes, size, most);
}
