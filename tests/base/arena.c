/* Arenas: what their header promises. */
#include "base/arena.h"

#include "tests/base/blocks.h"
#include "tests/check_abort.h"
#include "tests/check_tap.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sizes around that of a chunk (64 KiB), and around the smallest block that gets a separate chunk
 * (16 KiB). */
static const size_t sizes[] = {0,     1,     7,     15,    16,    17,    1000,  16383,  16384,
                               16385, 65535, 65536, 65537, 20000, 40000, 30000, 100000, 1000000};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes, ROUNDS = 20 };

START_TEST(blocks_are_zeroed_aligned_and_apart)
{
    struct arena *arena = arena_create();
    unsigned char *blocks[ROUNDS][SIZE_COUNT];
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < SIZE_COUNT; i++) {
            unsigned char *block = arena_alloc(arena, sizes[i]);
            ck_assert_ptr_nonnull(block);
            ck_assert_uint_eq((uintptr_t)block % _Alignof(max_align_t), 0);
            ck_assert(all_are(block, sizes[i], 0));
            memset(block, round + 1, sizes[i]);
            blocks[round][i] = block;
        }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < SIZE_COUNT; i++)
            ck_assert(all_are(blocks[round][i], sizes[i], round + 1)); /* no other wrote here */
    arena_destroy(arena);
}
END_TEST

START_TEST(copies_are_the_arenas_own)
{
    struct arena *arena = arena_create();
    char text[] = "rank";
    uint32_t numbers[] = {1, 2, 3};
    char *same_text = arena_strdup(arena, text);
    uint32_t *same_numbers = arena_memdup(arena, numbers, sizeof numbers);
    memset(text, 0, sizeof text);
    memset(numbers, 0, sizeof numbers);
    ck_assert_str_eq(same_text, "rank");
    ck_assert_uint_eq(same_numbers[2], 3);
    ck_assert_ptr_nonnull(arena_memdup(arena, NULL, 0));
    ck_assert_str_eq(arena_strdup(arena, ""), "");
    ck_assert_str_eq(arena_strndup(arena, "rank 3", 4), "rank");
    ck_assert_str_eq(arena_strndup(arena, "rank", 0), "");
    arena_destroy(arena);
}
END_TEST

START_TEST(sizes_that_no_memory_has_are_refused)
{
    struct arena *arena = arena_create();
    ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX));
    ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX - 20));
    ck_assert_ptr_null(arena_alloc_array(arena, SIZE_MAX / 8 + 1, 16)); /* the product wraps */
    ck_assert_ptr_null(arena_alloc_array(arena, (size_t)1 << 32, (size_t)1 << 32));
    char *block = arena_alloc_array(arena, 0, 8); /* the arena can still be used */
    ck_assert_ptr_nonnull(block);
    ck_assert_ptr_nonnull(arena_alloc(arena, 8));
    arena_destroy(arena);
}
END_TEST

/* Freed twice or never would be seen by valgrind and by the address sanitizer. */
START_TEST(adopted_blocks_are_freed_with_it)
{
    struct arena *arena = arena_create();
    for (int i = 0; i < 10000; i++) { /* the list of them fills several chunks */
        char *block = malloc(10);
        ck_assert_ptr_eq(arena_adopt(arena, block), block);
    }
    ck_assert_ptr_null(arena_adopt(arena, NULL));
    arena_destroy(arena);
    arena_destroy(NULL);
}
END_TEST

START_TEST(wrong_calls_abort)
{
    struct arena *arena = arena_create();
    ck_assert_aborts(arena_alloc(NULL, 1));
    ck_assert_aborts(arena_alloc_array(arena, 1, 0));
    ck_assert_aborts(arena_memdup(arena, NULL, 1));
    ck_assert_aborts(arena_strdup(arena, NULL));
    arena_destroy(arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arena");
    TCase *tests = tcase_create("arena");
    tcase_add_test(tests, blocks_are_zeroed_aligned_and_apart);
    tcase_add_test(tests, copies_are_the_arenas_own);
    tcase_add_test(tests, sizes_that_no_memory_has_are_refused);
    tcase_add_test(tests, adopted_blocks_are_freed_with_it);
    tcase_add_test(tests, wrong_calls_abort);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
