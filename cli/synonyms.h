/* synonyms.h - what other packages call the things that options name. */
#ifndef CLI_SYNONYMS_H
#define CLI_SYNONYMS_H
#include <stddef.h>

/* What their word is called here, or NULL. option: "--loss", "--penalty", "--structure"; "" if the word is itself an option, "--"
 * left out; "elsewhere" if it is an option that another verb has. */
const char *cli_our_word(const char *option, const char *theirs, size_t length);

#endif
