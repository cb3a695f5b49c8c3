/* utf8.c - whether a text is UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
#include "core/core.h"

/* The length in bytes of the sequence at text, or 0 if it is invalid. */
static int sequence(const unsigned char *text) {
    const unsigned first = text[0];
    const int length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0; /* also the end of the text */
    if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F)) return 0;
    if ((first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F)) return 0;
    return length;
}

int spd_utf8_length(const char *at, const char *end) {
    unsigned char copy[5] = {0};
    memcpy(copy, at, end - at < 4 ? (size_t)(end - at) : 4);
    return sequence(copy);
}

bool spd_is_utf8(const char *text) {
    for (int length; *text; text += length)
        if ((length = sequence((const unsigned char *)text)) == 0) return false;
    return true;
}

/* Text that is not UTF-8 is read as Latin-1, in which every byte is the character with that code. */
char *spd_to_utf8(const char *text) {
    if (spd_is_utf8(text)) return spd_strdup(text);
    char *out = spd_alloc(2 * (int64_t)strlen(text) + 1, 1), *to = out;
    for (; out && *text; text++) {
        const unsigned byte = (unsigned char)*text;
        if (byte >= 0x80) *to++ = (char)(0xC0 | byte >> 6);
        *to++ = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
    }
    return out;
}
