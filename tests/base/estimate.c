/* Estimates from repeated runs, the clock and the topology. */
#include "base/clock.h"
#include "base/topology.h"
#include "base/estimate.h"
#include "tests/check_abort.h"
#include "tests/check_tap.h"

#include <unistd.h>

START_TEST(median_and_levels)
{
    /* n, rank of the lower bound, level: from tables of the sign test. */
    static const struct {
        size_t n, k;
        double level;
    } known[] = {
        {5, 1, 0.9375},    {6, 1, 0.96875},      {7, 1, 0.984375},    {8, 1, 0.9921875},
        {9, 2, 0.9609375}, {10, 2, 0.978515625}, {15, 4, 0.96484375}, {20, 6, 0.95861053466796875}};
    double values[20];
    for (size_t i = 0; i < 20; i++)
        values[i] = (double)((i * 7) % 20); /* 0 .. 19, shuffled */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = known[i].n;
        double some[20];
        for (size_t j = 0, count = 0; j < 20; j++)
            if (values[j] < (double)n)
                some[count++] = values[j];
        struct estimate estimate = estimate_of(some, n);
        ck_assert_double_eq(estimate.median, (double)(n - 1) / 2);
        ck_assert_double_eq(estimate.low, (double)(known[i].k - 1));
        ck_assert_double_eq(estimate.high, (double)(n - known[i].k));
        ck_assert_double_eq_tol(estimate.level, known[i].level, 1e-12);
    }
}
END_TEST

START_TEST(few_values_claim_nothing)
{
    double values[] = {3, 1, 2, 4};
    struct estimate estimate = estimate_of(values, 4);
    ck_assert_double_eq(estimate.level, 0);
    ck_assert_double_eq(estimate.median, 2.5);
    ck_assert_double_eq(estimate.low, 1);
    ck_assert_double_eq(estimate.high, 4);
    ck_assert(!estimate_is_significant(&estimate));
    ck_assert_double_eq(estimate_of(values, 1).median, 3);
    ck_assert_aborts(estimate_of(values, 0));
    ck_assert_aborts(estimate_widen(&estimate, -1));
}
END_TEST

START_TEST(significance_needs_zero_outside)
{
    double above[] = {1, 2, 3, 4, 5}, across[] = {-1, 2, 3, 4, 5}, below[] = {-1, -2, -3, -4, -5};
    struct estimate estimate = estimate_of(above, 5);
    ck_assert(estimate_is_significant(&estimate));
    estimate_widen(&estimate, 1.5);
    ck_assert_double_eq(estimate.low, -0.5);
    ck_assert_double_eq(estimate.high, 6.5);
    ck_assert(!estimate_is_significant(&estimate));
    estimate = estimate_of(across, 5);
    ck_assert(!estimate_is_significant(&estimate));
    estimate = estimate_of(below, 5);
    ck_assert(estimate_is_significant(&estimate));
}
END_TEST

START_TEST(clock_runs_at_its_rate)
{
    struct clock clock;
    struct timespec before, after;
    clock_open(&clock);
    clock_gettime(CLOCK_MONOTONIC, &before);
    uint64_t first = clock_now(&clock);
    usleep(100000);
    uint64_t last = clock_now(&clock);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds = (double)(last - first) / clock.ticks_per_second;
    double outside =
        (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
    ck_assert_double_ge(seconds, 0.0999);
    ck_assert_double_le(seconds, outside * 1.0001);
    ck_assert_double_gt(clock.read_ns, 0);
    ck_assert_double_lt(clock.read_ns, 100000);
}
END_TEST

START_TEST(topology_binds_to_an_allowed_core)
{
    struct topology *topology;
    struct error error;
    int cores[1024];
    ck_assert_int_eq(topology_open(&topology, &error), STATUS_OK);
    int count = topology_cores(topology, cores, 1024);
    ck_assert_int_ge(count, 1);
    ck_assert_int_eq(topology_bind(topology, cores[count - 1], &error), STATUS_OK);
    ck_assert_int_eq(topology_bind(topology, 100000, &error), STATUS_ENVIRONMENT);
    topology_close(topology);
    ck_assert_int_eq(topology_open(&topology, &error), STATUS_OK);
    ck_assert_int_eq(topology_cores(topology, cores, 1),
                     1); /* the core to which the process was bound */
    topology_close(topology);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("estimate, clock, topology");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, median_and_levels);
    tcase_add_test(tests, few_values_claim_nothing);
    tcase_add_test(tests, significance_needs_zero_outside);
    tcase_add_test(tests, clock_runs_at_its_rate);
    tcase_add_test(tests, topology_binds_to_an_allowed_core);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
