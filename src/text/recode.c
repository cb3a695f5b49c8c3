/* recode.c - UTF-16 (RFC 2781) to UTF-8, and carriage returns to newlines. Byte order marks are dropped. */
#include "text/recode.h"

spd_form spd_form_of(const char *head, size_t size) {
    if (size >= 2 && memcmp(head, "\xff\xfe", 2) == 0) return SPD_FORM_UTF16_LITTLE;
    if (size >= 2 && memcmp(head, "\xfe\xff", 2) == 0) return SPD_FORM_UTF16_BIG;
    const char *cr = memchr(head, '\r', size);
    const bool text = cr && cr + 1 < head + size && !memchr(head, '\n', size) && !memchr(head, '\0', size);
    return text ? SPD_FORM_CR : SPD_FORM_PLAIN;
}

static unsigned unit(spd_form form, const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return form == SPD_FORM_UTF16_LITTLE ? b[0] | (unsigned)b[1] << 8 : b[1] | (unsigned)b[0] << 8;
}

static size_t put(char *to, unsigned code) {
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    const size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = bytes; i-- > 1; code >>= 6) to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)(lead[bytes] | code);
    return bytes;
}

static size_t from_utf16(spd_form form, const char *from, size_t *taken, bool last, char *to, size_t capacity) {
    size_t at = 0, written = 0;
    while (at + 2 <= *taken && written + 4 <= capacity) {
        unsigned code = unit(form, from + at), next = 0;
        const bool high = code >= 0xD800 && code < 0xDC00;
        if (high && at + 4 > *taken && !last) break; /* its second half has not been read yet */
        if (high && at + 4 <= *taken) next = unit(form, from + at + 2);
        const bool pair = next >= 0xDC00 && next < 0xE000;
        if (pair)
            code = 0x10000 + ((code - 0xD800) << 10) + (next - 0xDC00);
        else if (code >= 0xD800 && code < 0xE000)
            code = 0xFFFD;
        at += pair ? 4 : 2;
        if (code != 0xFEFF) written += put(to + written, code);
    }
    if (last && *taken - at == 1) at++; /* half a character at the end */
    *taken = at;
    return written;
}

size_t spd_recode(spd_form form, const char *from, size_t *taken, bool last, char *to, size_t capacity) {
    if (form != SPD_FORM_CR) return from_utf16(form, from, taken, last, to, capacity);
    if (*taken > capacity) *taken = capacity;
    for (size_t i = 0; i < *taken; i++) to[i] = from[i] == '\r' ? '\n' : from[i];
    return *taken;
}
