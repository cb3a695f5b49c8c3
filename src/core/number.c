/* number.c - decimal text to double and back, independent of the locale.
 * Fast path (Clinger 1990): up to 19 significant digits are read into an integer. If it is below 2^53 and the power of ten is
 * exact (|p| <= 22), one multiplication or division is correctly rounded. 16 to 19 digits over a power of up to 10^19, common in
 * the output of programs that print 17 digits, take one division of 128 by 64 bits. Everything else goes to strtod_l in the C
 * locale, which is exact too. */
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>

#include "core/core.h"

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* digits / 10^power, 0 < power <= 19, correctly rounded: the quotient has at least 62 bits, the last of which records whether
 * there is a remainder. */
static double quotient(uint64_t digits, int power) {
    uint64_t divisor = 1;
    for (int k = 0; k < power; k++) divisor *= 10;
    const int a = __builtin_clzll(digits), b = __builtin_clzll(divisor);
    const wide numerator = (wide)(digits << a) << 63;
    divisor <<= b;
    const uint64_t whole = (uint64_t)(numerator / divisor), rest = (uint64_t)numerator - whole * divisor;
    return ldexp((double)(whole | (rest != 0)), b - a - 63);
}
#endif

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The exact value of the text [from, to), a well-formed number of any length. */
static double parse_exactly(const char *from, const char *to) {
    char small[256];
    const size_t length = (size_t)(to - from);
    char *copy = length < sizeof small ? small : spd_alloc((int64_t)length + 1, 1);
    if (!copy) return NAN; /* out of memory on a number of that length: the caller rejects what is not finite */
    memcpy(copy, from, length);
    copy[length] = '\0';
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double value = c_locale ? strtod_l(copy, NULL, c_locale) : NAN;
    if (c_locale) freelocale(c_locale);
    if (copy != small) spd_free(copy);
    return value;
}

const char *spd_parse_double(const char *text, const char *end, double *out) {
    const char *at = text;
    bool negative = false;
    if (at < end && (*at == '-' || *at == '+')) negative = *at++ == '-';
    uint64_t digits = 0;
    int kept = 0; /* significant digits in `digits`: 19 always fit */
    int64_t exponent = 0;
    const char *first = at;
    for (; at < end && is_digit(*at); at++) {
        if (kept < 19) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            kept += digits != 0;
        } else {
            exponent++;
            kept = 20; /* digits were dropped: no fast path */
        }
    }
    int64_t count = at - first;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        for (; at < end && is_digit(*at); at++) {
            if (kept < 19) {
                digits = digits * 10 + (uint64_t)(*at - '0');
                kept += digits != 0;
                exponent--;
            } else
                kept = 20;
        }
        count += at - fraction;
    }
    if (count == 0) return NULL;
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *mark = at++;
        bool down = false;
        if (at < end && (*at == '-' || *at == '+')) down = *at++ == '-';
        if (at >= end || !is_digit(*at))
            at = mark; /* "2e" is the number 2 followed by something else */
        else {
            int64_t e = 0;
            for (; at < end && is_digit(*at); at++)
                if (e < 100000000) e = e * 10 + (*at - '0');
            exponent += down ? -e : e;
        }
    }
    double value;
    if (digits == 0 && kept < 20)
        value = 0;
    else if (kept < 20 && digits <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22)
        value = exponent < 0 ? (double)digits / power_of_ten[-exponent] : (double)digits * power_of_ten[exponent];
#ifdef __SIZEOF_INT128__
    else if (kept < 20 && exponent < 0 && exponent >= -19)
        value = quotient(digits, (int)-exponent);
#endif
    else
        value = parse_exactly(first, at);
    *out = negative ? -value : value;
    return at;
}

const char *spd_parse_int(const char *text, const char *end, int64_t *out) {
    const char *at = text;
    bool negative = false;
    if (at < end && (*at == '-' || *at == '+')) negative = *at++ == '-';
    if (at >= end || !is_digit(*at)) return NULL;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (__builtin_mul_overflow(value, (int64_t)10, &value) || __builtin_add_overflow(value, (int64_t)(*at - '0'), &value))
            return NULL;
    *out = negative ? -value : value;
    return at;
}

bool spd_to_double(const char *text, double *out) {
    const char *end = text + strlen(text);
    return spd_parse_double(text, end, out) == end && end != text && isfinite(*out);
}

bool spd_to_int(const char *text, int64_t *out) {
    const char *end = text + strlen(text);
    return spd_parse_int(text, end, out) == end && end != text;
}

int spd_print_double(char text[SPD_NUMBER_CHARS], double value) {
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(text, SPD_NUMBER_CHARS, "%.*g", precision, value);
        for (int i = 0; i < length; i++) /* a locale's decimal comma */
            if (!isalnum((unsigned char)text[i]) && text[i] != '-' && text[i] != '+') text[i] = '.';
        double back;
        if (!isfinite(value) || (spd_parse_double(text, text + length, &back) && back == value)) break;
    }
    return length;
}

double spd_round_towards(double towards, double value, int digits) {
    char text[SPD_NUMBER_CHARS];
    const bool up = towards > value;
    double shown = value;
    for (int tries = 0; value > 0 && isfinite(value) && tries < 3; tries++) { /* twice at most: the unit may have one rounding */
        snprintf(text, sizeof text, "%.*g", digits, shown);
        shown = strtod(text, NULL); /* in the locale of the line above */
        if (up ? shown >= value : shown <= value) break;
        shown += (up ? 1 : -1) * pow(10, floor(log10(shown)) - (digits - 1));
    }
    return shown;
}
