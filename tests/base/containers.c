/* Arrays, maps, sets of names and lists of descriptors: what their headers promise. */
#include "base/array.h"
#include "base/descriptors.h"
#include "base/map.h"
#include "base/name_set.h"

#include "tests/check_abort.h"
#include "tests/check_tap.h"

#include <stdio.h>
#include <string.h>

START_TEST(arrays_grow_and_keep_their_items)
{
    ARRAY(uint32_t) array = {0};
    for (uint32_t i = 0; i < 100000; i++)
        ck_assert(array_push(&array, i * 3));
    ck_assert_uint_eq(array.count, 100000);
    ck_assert_uint_ge(array.capacity, array.count);
    for (uint32_t i = 0; i < 100000; i++)
        ck_assert_uint_eq(array.items[i], i * 3);
    free(array.items);
}
END_TEST

START_TEST(reserved_room_is_enough)
{
    ARRAY(uint64_t) array = {0};
    ck_assert(array_reserve(&array, 1000));
    uint64_t *items = array.items;
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert(array_push(&array, i));
    ck_assert_ptr_eq(array.items, items); /* nothing has moved */
    free(array.items);
}
END_TEST

/* A build with AddressSanitizer would end the program where malloc returns NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

START_TEST(arrays_that_no_memory_has_stay_as_they_are)
{
    ARRAY(uint64_t) array = {0};
    ck_assert(array_push(&array, 7));
    size_t capacity = array.capacity;
    ck_assert(!array_reserve(&array, SIZE_MAX / 8)); /* count + more is too many bytes */
    ck_assert(!array_reserve(&array, SIZE_MAX - 1));
    ck_assert(!array_reserve(&array, SIZE_MAX / 64)); /* no machine has that many bytes */
    ck_assert_uint_eq(array.count, 1);
    ck_assert_uint_eq(array.capacity, capacity);
    ck_assert_uint_eq(array.items[0], 7);
    free(array.items);
}
END_TEST

START_TEST(maps_keep_all_keys)
{
    struct map map = {0};
    ck_assert_uint_eq(map_get(&map, 5), MAP_NONE);
    for (uint64_t key = 0; key < 10000; key++)
        ck_assert_ptr_nonnull(map_at(&map, key << 32, (uint32_t)key));
    for (uint64_t key = 0; key < 10000; key++)
        ck_assert_uint_eq(map_get(&map, key << 32), key);
    ck_assert_uint_eq(map_get(&map, 1), MAP_NONE);
    ck_assert_uint_eq(map.count, 10000);
    *map_at(&map, 0, 0) = 77;
    ck_assert_uint_eq(*map_at(&map, 0, 5), 77); /* the key exists, so `initial` is not used */
    ck_assert(map_set(&map, 0, 78));
    ck_assert_uint_eq(map_get(&map, 0), 78);
    map_clear(&map);
    ck_assert_uint_eq(map_get(&map, 0), MAP_NONE);
    ck_assert(map_set(&map, UINT64_MAX, 1)); /* any key, also after clearing */
    ck_assert_uint_eq(map_get(&map, UINT64_MAX), 1);
    map_clear(&map);
}
END_TEST

START_TEST(keys_survive_the_removal_of_others)
{
    struct map map = {0};
    ck_assert_uint_eq(map_take(&map, 1), MAP_NONE);
    for (uint64_t key = 0; key < 1000; key++)
        ck_assert(map_set(&map, key * 64, (uint32_t)key));
    for (uint64_t key = 0; key < 1000; key += 3)
        ck_assert_uint_eq(map_take(&map, key * 64), key);
    for (uint64_t key = 0; key < 1000; key++)
        ck_assert_uint_eq(map_get(&map, key * 64), key % 3 == 0 ? MAP_NONE : key);
    ck_assert_uint_eq(map_take(&map, 12345), MAP_NONE);
    ck_assert_uint_eq(map_take(&map, 0), MAP_NONE);
    ck_assert_uint_eq(map.count, 666);
    map_clear(&map);
}
END_TEST

START_TEST(keys_that_come_and_go_take_no_memory)
{
    struct map map = {0};
    for (uint64_t key = 0; key < 1000000; key++) {
        ck_assert(map_set(&map, key, (uint32_t)key));
        if (key >= 10)
            ck_assert_uint_eq(map_take(&map, key - 10), key - 10);
    }
    ck_assert_uint_eq(map.count, 10);
    ck_assert_uint_le(map.slots, 64);
    map_clear(&map);
}
END_TEST

START_TEST(maps_refuse_the_value_that_means_none)
{
    struct map map = {0};
    ck_assert_aborts(map_at(&map, 1, MAP_NONE));
    ck_assert_aborts(map_set(&map, 1, MAP_NONE));
    map_clear(&map);
}
END_TEST

START_TEST(names_are_numbered_in_order)
{
    struct name_set set = {0};
    char name[20];
    bool added;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 5000; i++) {
            snprintf(name, sizeof name, "region %u", i);
            ck_assert_uint_eq(name_set_text(&set, name, &added), i);
            ck_assert_int_eq(added, round == 0);
        }
    memset(name, 0, sizeof name); /* the set has its own copies */
    ck_assert_str_eq(set.items.items[4711].data, "region 4711");
    ck_assert_uint_eq(set.items.items[4711].size, 12);
    name_set_clear(&set);
    ck_assert_uint_eq(name_set_text(&set, "another", NULL), 0);
    name_set_clear(&set);
}
END_TEST

START_TEST(names_are_equal_in_all_bytes)
{
    struct name_set set = {0};
    ck_assert_uint_eq(name_set_add(&set, "a\0b", 3, NULL), 0);
    ck_assert_uint_eq(name_set_add(&set, "a\0c", 3, NULL), 1);
    ck_assert_uint_eq(name_set_add(&set, "a\0b", 2, NULL), 2);
    ck_assert_uint_eq(name_set_add(&set, NULL, 0, NULL), 3);
    ck_assert_uint_eq(name_set_add(&set, "", 0, NULL), 3);
    ck_assert_uint_eq(name_set_text(&set, "", NULL), 4); /* with its end */
    ck_assert_uint_eq(name_set_add(&set, "a\0b", 3, NULL), 0);
    name_set_clear(&set);
}
END_TEST

START_TEST(descriptors_are_added_in_front_of_the_last_ones)
{
    static const char a, b, c;
    const char *const list[] = {&a, &b, NULL}, *const empty[] = {NULL};
    const char **longer = descriptors_with(list, &c, 0), **between = descriptors_with(list, &c, 1),
               **first = descriptors_with(empty, &c, 0);
    ck_assert_uint_eq(descriptors_count(list), 2);
    ck_assert_uint_eq(descriptors_count(empty), 0);
    ck_assert(longer[0] == &a && longer[1] == &b && longer[2] == &c && !longer[3]);
    ck_assert(between[0] == &a && between[1] == &c && between[2] == &b && !between[3]);
    ck_assert(first[0] == &c && !first[1]);
    free(longer);
    free(between);
    free(first);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("containers");
    TCase *tests = tcase_create("containers");
    tcase_add_test(tests, arrays_grow_and_keep_their_items);
    tcase_add_test(tests, reserved_room_is_enough);
    tcase_add_test(tests, arrays_that_no_memory_has_stay_as_they_are);
    tcase_add_test(tests, maps_keep_all_keys);
    tcase_add_test(tests, keys_survive_the_removal_of_others);
    tcase_add_test(tests, keys_that_come_and_go_take_no_memory);
    tcase_add_test(tests, maps_refuse_the_value_that_means_none);
    tcase_add_test(tests, names_are_numbered_in_order);
    tcase_add_test(tests, names_are_equal_in_all_bytes);
    tcase_add_test(tests, descriptors_are_added_in_front_of_the_last_ones);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
