/* Pools: what their header promises, of few blocks and of many. */
#include "patterns/pool.h"

#include "tests/base/blocks.h"
#include "tests/check_tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, BLOCKS = 30000, EXPECTED = 64 * MIB };

static size_t size_of(int block)
{
    return block % 1000 == 999 ? MIB : (size_t)(1 + block * 37 % 5000);
}

/* Blocks of a pool in which every third one is freed and made again. */
static void use_pool(size_t expected)
{
    static unsigned char *blocks[BLOCKS];
    struct pool pool;
    pool_open(&pool, expected);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < BLOCKS; i += 1 + 2 * round) {
            if (round > 0)
                pool_free(&pool, blocks[i], size_of(i));
            blocks[i] = pool_alloc(&pool, size_of(i));
            ck_assert_ptr_nonnull(blocks[i]);
            ck_assert_uint_eq((uintptr_t)blocks[i] % 64, 0);
            ck_assert(all_are(blocks[i], size_of(i), 0));
            memset(blocks[i], i % 255 + 1, size_of(i));
        }
    for (int i = 0; i < BLOCKS; i++) {
        ck_assert(all_are(blocks[i], size_of(i), i % 255 + 1)); /* no other wrote here */
        pool_free(&pool, blocks[i], size_of(i));
    }
    pool_free(&pool, NULL, 100);
    pool_close(&pool);
}

START_TEST(blocks_are_zeroed_aligned_and_apart)
{
    use_pool(0);
    use_pool(EXPECTED);
}
END_TEST

START_TEST(memory_goes_back)
{
    enum { SIZE = 2000, COUNT = EXPECTED / SIZE };
    struct pool pool;
    pool_open(&pool, EXPECTED);
    unsigned char **blocks = calloc(COUNT, sizeof *blocks);
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = pool_alloc(&pool, SIZE);
        memset(blocks[i], 1, SIZE);
    }
    const long full = resident_bytes();
    for (int i = 0; i < COUNT / 2; i++)
        pool_free(&pool, blocks[i], SIZE);
    const long half = resident_bytes();
    for (int i = COUNT / 2; i < COUNT; i++)
        pool_free(&pool, blocks[i], SIZE);
    pool_close(&pool);
    free(blocks);
    ck_assert_int_gt(full, EXPECTED / 2);
#ifndef __SANITIZE_ADDRESS__
    ck_assert_int_lt(half, full - EXPECTED / 3);
    ck_assert_int_lt(resident_bytes(), full - EXPECTED / 4 * 3);
#else
    (void)half;
#endif
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pool");
    TCase *tests = tcase_create("pool");
    tcase_add_test(tests, blocks_are_zeroed_aligned_and_apart);
    tcase_add_test(tests, memory_goes_back);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
