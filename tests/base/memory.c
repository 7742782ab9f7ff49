/* Memory of a process: what src/base/memory.h promises. The sanitizers and valgrind replace the C
 * library's heap. */
#include "base/memory.h"

#include "tests/base/blocks.h"
#include "tests/check_tap.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

START_TEST(advice_about_any_block_is_taken)
{
    char *block = malloc(8 << 20);
    memory_advise_huge(NULL, 100, true);
    memory_advise_huge(block, 0, false);
    memory_advise_huge(block, 8 << 20, false);
    memset(block, 1, 8 << 20);
    memory_advise_huge(block, 8 << 20, true);
    ck_assert(all_are((unsigned char *)block, 8 << 20, 1));
    free(block);
}
END_TEST

#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

enum { MIB = 1 << 20 };

/* Takes memory in small blocks and frees all but the last, so that the C library keeps them. */
static void *take_and_free(size_t bytes)
{
    enum { BLOCK = 1024 };
    const size_t count = bytes / BLOCK;
    char **blocks = malloc(count * sizeof *blocks);
    ck_assert_ptr_nonnull(blocks);
    for (size_t i = 0; i < count; i++) {
        blocks[i] = malloc(BLOCK);
        ck_assert_ptr_nonnull(blocks[i]);
        memset(blocks[i], 1, BLOCK);
    }
    char *last = blocks[count - 1];
    for (size_t i = 0; i < count - 1; i++)
        free(blocks[i]);
    free(blocks);
    return last;
}

START_TEST(freed_memory_is_given_back)
{
    void *last = take_and_free(64 * MIB);
    const long before = resident_bytes();
    memory_trim();
    ck_assert_int_le(resident_bytes() + 48 * MIB, before);
    free(last);
}
END_TEST

START_TEST(prepared_memory_is_kept)
{
    memory_begin();
    memory_begin();
    void *last = take_and_free(64 * MIB);
    const long before = resident_bytes();
    memory_trim();
    free(last);
    memory_keep_freed();
    ck_assert_int_le(before - 4 * MIB, resident_bytes());
    ck_assert_int_ge(before, 60 * MIB);
}
END_TEST

/* The flags that /proc/self/smaps lists for the memory in which an address lies. */
static void find_flags(const char *address, char *flags, size_t size)
{
    char line[512];
    unsigned long begin = 0, end = 0, from, to;
    FILE *maps = fopen("/proc/self/smaps", "r");
    ck_assert_ptr_nonnull(maps);
    *flags = 0;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            begin = from;
            end = to;
        }
        if (strncmp(line, "VmFlags:", 8) == 0 && begin <= (uintptr_t)address &&
            (uintptr_t)address < end)
            snprintf(flags, size, "%s", line);
    }
    fclose(maps);
}

static void expect_huge_pages(const char *address)
{
    char flags[512];
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        return; /* the kernel has none */
    find_flags(address, flags, sizeof flags);
    ck_assert_msg(strstr(flags, " hg"), "the block lies in memory with \"%s\"", flags);
}

START_TEST(the_heap_begins_with_huge_pages)
{
    char *blocks[10];
    memory_begin();
    for (int i = 0; i < 10; i++) {
        blocks[i] = malloc(24 * MIB);
        ck_assert_ptr_nonnull(blocks[i]);
        ck_assert(blocks[i] < (char *)sbrk(0)); /* not mapped */
        expect_huge_pages(blocks[i] + 22 * MIB);
    }
    ck_assert_int_lt(resident_bytes(), 120 * MIB);
    for (int i = 0; i < 10; i++)
        free(blocks[i]);
}
END_TEST

/* With ulimit -v, the process needs its address space for other things. */
START_TEST(little_address_space_is_enough)
{
    const char *before = sbrk(0);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &(struct rlimit){512 * MIB, 512 * MIB}), 0);
    memory_begin();
    ck_assert_int_lt((const char *)sbrk(0) - before, 16 * MIB);
    char *block = malloc(4 * MIB);
    ck_assert_ptr_nonnull(block);
    expect_huge_pages(block + 2 * MIB);
    free(block);
}
END_TEST

#endif

int main(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, advice_about_any_block_is_taken);
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    const char *preloaded = getenv("LD_PRELOAD");
    if (!preloaded || !strstr(preloaded, "vgpreload")) {
        tcase_add_test(tests, freed_memory_is_given_back);
        tcase_add_test(tests, prepared_memory_is_kept);
        tcase_add_test(tests, the_heap_begins_with_huge_pages);
        tcase_add_test(tests, little_address_space_is_enough);
    }
#endif
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
