/* catalog.h - everything that can be selected by name: the entries of every table, and the options that the command and the
 * bindings share. */
#ifndef SPD_CATALOG_H
#define SPD_CATALOG_H
#include "core/core.h"

/* The defaults of a problem, defined only here. */
#define SPD_LOSS "logistic"
#define SPD_PENALTY "l1"
#define SPD_STRUCTURE "identity"
#define SPD_SET "all"
#define SPD_LAMBDA 1e-3
#define SPD_GAMMA 0

/* The option of that name in a group; false if there is none. */
bool spd_option_find(const char *group, const char *name, spdhg_entry *out);
/* Writes "a, b, c", the names of a topic. */
const char *spd_topic_names(char *text, size_t size, const char *topic);
#endif
