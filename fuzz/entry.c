/* entry.c - one target as a libFuzzer program; FUZZ_TARGET is its name in the table. */
#include <stdlib.h>

#include "targets.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const fuzz_target *target = fuzz_find(FUZZ_TARGET);
    if (!target) abort();
    target->feed(bytes, size);
    return 0;
}
