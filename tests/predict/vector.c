/* The time of resource vectors: added, and with what a core does at the same time. */
#include "predict/hardware.h"
#include "tests/check_tap.h"

static const struct hardware hardware = {
    .has_operation = {[OPERATION_FLOP_ADD] = true,
                      [OPERATION_FLOP_DIV] = true,
                      [OPERATION_INT] = true,
                      [OPERATION_BRANCH_MISS] = true,
                      [OPERATION_LOAD_L1] = true,
                      [OPERATION_STORE] = true,
                      [OPERATION_LOAD_MEMORY] = true,
                      [OPERATION_BYTE] = true},
    .operation = {[OPERATION_FLOP_ADD] = 1,
                  [OPERATION_FLOP_DIV] = 10,
                  [OPERATION_INT] = 0.5,
                  [OPERATION_BRANCH_MISS] = 40,
                  [OPERATION_LOAD_L1] = 2,
                  [OPERATION_STORE] = 3,
                  [OPERATION_LOAD_MEMORY] = 100,
                  [OPERATION_BYTE] = 0.25},
};

static void assert_times(const double *counts, double sum, double overlap)
{
    ck_assert_double_eq(hardware_vector_seconds(&hardware, counts, VECTOR_SUM), sum);
    ck_assert_double_eq(hardware_vector_seconds(&hardware, counts, VECTOR_OVERLAP), overlap);
}

START_TEST(parts_of_a_core_overlap)
{
    double counts[OPERATION_COUNT] = {[OPERATION_FLOP_ADD] = 3,
                                      [OPERATION_FLOP_DIV] = 1,
                                      [OPERATION_LOAD_L1] = 2,
                                      [OPERATION_STORE] = 1,
                                      [OPERATION_INT] = 4};
    assert_times(counts, 13 + 7 + 2, 13);
    counts[OPERATION_STORE] = 4;
    assert_times(counts, 13 + 16 + 2, 16);
    counts[OPERATION_BYTE] = 96;
    assert_times(counts, 13 + 16 + 2 + 24, 24);
    counts[OPERATION_INT] = 100;
    assert_times(counts, 13 + 16 + 50 + 24, 50);
}
END_TEST

START_TEST(what_stops_a_core_is_added)
{
    double counts[OPERATION_COUNT] = {
        [OPERATION_LOAD_MEMORY] = 2, [OPERATION_BRANCH_MISS] = 0.5, [OPERATION_INT] = 8};
    assert_times(counts, 224, 224);
    counts[OPERATION_FLOP_ADD] = 5;
    assert_times(counts, 229, 225);
}
END_TEST

START_TEST(nothing_takes_no_time)
{
    double counts[OPERATION_COUNT] = {0};
    assert_times(counts, 0, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vectors");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, parts_of_a_core_overlap);
    tcase_add_test(tests, what_stops_a_core_is_added);
    tcase_add_test(tests, nothing_takes_no_time);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
