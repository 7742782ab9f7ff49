/* Sorting by keys against the definition: keys ascend, equal keys keep their order, nothing is
 * lost.
 */
#include "base/sort.h"

#include "../check_tap.h"

#include <stdlib.h>

enum { MOST = 5000 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void check_sorted(size_t count, uint64_t mask, int shift)
{
    static struct keyed items[MOST];
    static uint64_t keys[MOST];
    uint64_t state = 88172645463325252u + count;
    bool seen[MOST] = {false};
    for (size_t i = 0; i < count; i++) {
        keys[i] = (next_random(&state) & mask) << shift;
        items[i] = (struct keyed){keys[i], (uint32_t)i};
    }
    ck_assert(keyed_sort(items, count));
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(items[i].value, count);
        ck_assert(!seen[items[i].value]);
        seen[items[i].value] = true;
        ck_assert_uint_eq(items[i].key, keys[items[i].value]);
        if (i > 0)
            ck_assert(items[i - 1].key < items[i].key ||
                      (items[i - 1].key == items[i].key && items[i - 1].value < items[i].value));
    }
}

START_TEST(keys_ascend)
{
    const size_t counts[] = {0, 1, 2, 3, 64, 65, 100, MOST};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_sorted(counts[i], UINT64_MAX, 0);
        check_sorted(counts[i], 7, 0); /* many are equal */
        check_sorted(counts[i], 0, 0); /* all are */
        check_sorted(counts[i], 0xffff, 48);
        check_sorted(counts[i], 0xfffff, 20);
    }
}
END_TEST

START_TEST(signed_numbers_are_in_order)
{
    const int64_t numbers[] = {INT64_MIN, -5000000000, -1, 0, 1, 5000000000, INT64_MAX};
    for (size_t i = 1; i < sizeof numbers / sizeof *numbers; i++)
        ck_assert(sort_key(numbers[i - 1]) < sort_key(numbers[i]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sort");
    TCase *tests = tcase_create("sort");
    tcase_add_test(tests, keys_ascend);
    tcase_add_test(tests, signed_numbers_are_in_order);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
