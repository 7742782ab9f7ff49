/* The time of resource vectors: added, and with what a core does at the same time. */
#include "predict/hardware.h"
#include "tests/check_tap.h"

#include <string.h>

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
    .has_chain = {[OPERATION_FLOP_ADD] = true, [OPERATION_LOAD_L1] = true},
    .chain = {[OPERATION_FLOP_ADD] = 4, [OPERATION_LOAD_L1] = 5},
    .footprints = {{1024, 0.01, 2}, {4096, 0.03, 10}, {65536, 0.05, 50}},
    .footprint_count = 3,
    .own = {{"exponential", 20}},
    .own_count = 1,
};

static void assert_vector(const struct resource_vector *vector, double sum, double overlap)
{
    ck_assert_double_eq_tol(hardware_vector_seconds(&hardware, vector, VECTOR_SUM), sum, 1e-12);
    ck_assert_double_eq_tol(hardware_vector_seconds(&hardware, vector, VECTOR_OVERLAP), overlap,
                            1e-12);
}

static void assert_times(const double *counts, double sum, double overlap)
{
    struct resource_vector vector = {.own_s = 0};
    memcpy(vector.counts, counts, sizeof vector.counts);
    assert_vector(&vector, sum, overlap);
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

/* The chain is one of the things that a core does at the same time. */
START_TEST(a_chain_takes_its_latency)
{
    struct resource_vector vector = {
        .counts = {[OPERATION_FLOP_ADD] = 3, [OPERATION_INT] = 8, [OPERATION_BRANCH_MISS] = 1},
        .chain = {[OPERATION_FLOP_ADD] = 2, [OPERATION_LOAD_L1] = 1}};
    assert_vector(&vector, 3 + 4 + 40, 2 * 4 + 5 + 40);
    vector.counts[OPERATION_INT] = 30;
    assert_vector(&vector, 3 + 15 + 40, 15 + 40);
    vector.own_s = 20;
    assert_vector(&vector, 3 + 15 + 40 + 20, 15 + 40 + 20);
}
END_TEST

/* Between two sizes of the file, the logarithm of the size counts. */
START_TEST(a_footprint_decides_what_loads_and_bytes_cost)
{
    const struct {
        double footprint, byte, load;
    } expected[] = {
        {1, 0.01, 2},     {1024, 0.01, 2},   {2048, 0.02, 6},
        {4096, 0.03, 10}, {16384, 0.04, 30}, {1e9, 0.05, 50},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct resource_vector vector = {.counts = {[OPERATION_BYTE] = 100},
                                         .footprint = expected[i].footprint};
        assert_vector(&vector, 100 * expected[i].byte, 100 * expected[i].byte);
        vector.counts[OPERATION_LOAD] = 2;
        assert_vector(&vector, 100 * expected[i].byte + 2 * expected[i].load,
                      100 * expected[i].byte + 2 * expected[i].load);
    }
    const struct resource_vector without = {.counts = {[OPERATION_BYTE] = 100}};
    assert_vector(&without, 25, 25);
    ck_assert(!hardware_prices(&hardware, OPERATION_LOAD, 0));
    ck_assert(hardware_prices(&hardware, OPERATION_LOAD, 1));
    ck_assert(!hardware_prices(&hardware, OPERATION_CALL, 1));
}
END_TEST

START_TEST(own_operations_are_found_by_name)
{
    ck_assert_double_eq(hardware_own_operation(&hardware, "exponential")->cost, 20);
    ck_assert_ptr_null(hardware_own_operation(&hardware, "exponent"));
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
    tcase_add_test(tests, a_chain_takes_its_latency);
    tcase_add_test(tests, a_footprint_decides_what_loads_and_bytes_cost);
    tcase_add_test(tests, own_operations_are_found_by_name);
    tcase_add_test(tests, nothing_takes_no_time);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
