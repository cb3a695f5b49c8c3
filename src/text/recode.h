/* recode.h - text that is not in the form the readers expect: UTF-16, or lines that end in a carriage return alone. Private to
 * this room. */
#ifndef SPD_RECODE_H
#define SPD_RECODE_H
#include "core/core.h"

typedef enum spd_form { SPD_FORM_PLAIN, SPD_FORM_CR, SPD_FORM_UTF16_LITTLE, SPD_FORM_UTF16_BIG } spd_form;

/* By the first bytes: a byte order mark of UTF-16; carriage returns and no newline. */
spd_form spd_form_of(const char *head, size_t size);
/* Turns UTF-16 into UTF-8 and \r\n or \r into \n: takes whole characters from [from, from + *taken) while they fit into
 * `capacity` bytes, sets *taken to what was used, and returns the bytes written. last: no bytes follow. A lone surrogate
 * becomes U+FFFD. */
size_t spd_recode(spd_form form, const char *from, size_t *taken, bool last, char *to, size_t capacity);
#endif
