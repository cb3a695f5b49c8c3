/* tiny.h - bytes as a problem of a few rows and features: any loss, penalty, structure, set,
 * weights; columns that nearly depend on each other. */
#ifndef FUZZ_TINY_H
#define FUZZ_TINY_H
#include "run/run.h"
#include "targets.h"

enum { TINY_ROWS = 6, TINY_FEATURES = 4, TINY_CLASSES = 3 };

/* The bytes that are left; 0 when there are none. */
typedef struct tiny_source {
    const uint8_t *at, *end;
} tiny_source;
int tiny_byte(tiny_source *s);
int tiny_choice(tiny_source *s, int n); /* 0 .. n - 1 */
double tiny_number(tiny_source *s);     /* mostly small whole numbers, sometimes large, tiny or equal ones */
#define TINY_PICK(s, list) (list)[tiny_choice(s, (int)(sizeof(list) / sizeof *(list)))]

typedef struct tiny {
    spdhg_data *data;
    spdhg_structure *F, *I;
    spdhg_problem *problem;
} tiny;
bool tiny_make(tiny_source *s, tiny *t); /* false: the library refuses the problem, and says why. Freed either way */
void tiny_free(tiny *t);
double tiny_start_value(const tiny *t); /* f where every solver starts: the projection of 0 */
/* Limits under which solvers run here: few steps, and a moment. */
spdhg_options tiny_options(uint64_t seed);
/* What a run ended with keeps its promises: finite numbers, a gap that is not negative and a lower bound that is not above f at
 * the start. Returns the proven lower bound, or -INFINITY. */
double tiny_promises(const spdhg_solution *s, spdhg_outcome outcome, double start, double tol);
#endif
