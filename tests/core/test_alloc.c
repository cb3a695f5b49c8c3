/* test_alloc.c - memory is 0 where it is first read, also where a large block takes the place of one that was written; and what
 * is never touched takes no memory. */
#include <sys/mman.h>
#include <unistd.h>

#include "small.h"

static bool all_zero(const unsigned char *block, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (block[i]) return false;
    return true;
}

/* Sizes around a page, the threshold, and the sizes that malloc takes from the heap again and again. A small block behind each
 * keeps the heap from being given back. */
static void zero_after_use(void **state) {
    (void)state;
    const size_t size[] = {1,       64, 4095, 1 << 20, (1 << 22) - 64, 1 << 22, (1 << 22) + 4104, (1 << 22) + 4160, (1 << 23) + 1,
                           31 << 20};
    enum { COUNT = sizeof size / sizeof *size, ROUNDS = 3 };
    void *kept[ROUNDS * COUNT];
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < COUNT; i++) {
            unsigned char *block = spd_alloc((int64_t)size[i], 1);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 64, 0);
            assert_true(all_zero(block, size[i]));
            void *behind = spd_alloc(100, 1);
            memset(block, 0xA5, size[i]);
            spd_free(block);
            kept[round * COUNT + i] = behind;
        }
    spd_free_all(kept, ROUNDS * COUNT);
}

static void untouched_memory_is_free(void **state) {
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 64 << 20, pages = bytes / page;
    unsigned char *block = spd_alloc((int64_t)bytes, 1), *resident = malloc(pages);
    assert_non_null(block);
    assert_int_equal(mincore(block, bytes, resident), 0);
    size_t held = 0;
    for (size_t i = 0; i < pages; i++) held += resident[i] & 1;
    assert_true(held <= pages / 8); /* sanitizers write a little at the start of a block */
    free(resident);
    spd_free(block);
}

static void copies_are_equal(void **state) {
    (void)state;
    enum { COUNT = 700001 };
    double *from = spd_alloc(COUNT, sizeof *from);
    for (int64_t i = 0; i < COUNT; i++) from[i] = (double)i;
    double *to = spd_copy(from, COUNT, sizeof *from);
    assert_memory_equal(from, to, COUNT * sizeof *from);
    spd_free(from);
    spd_free(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(zero_after_use), cmocka_unit_test(untouched_memory_is_free),
                                       cmocka_unit_test(copies_are_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
