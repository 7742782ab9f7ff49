/* Estimates from repeated runs, and what they are measured with: clock and topology. */
#include "base/clock.h"
#include "base/topology.h"
#include "base/estimate.h"
#include "base/shift.h"
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

/* Orders of a and b values in which at most u of the pairs have the later value below, by counting
 * all of them. */
static double share_of_orders(unsigned a, unsigned b, unsigned u)
{
    double orders = 0, within = 0;
    for (unsigned set = 0; set < 1u << (a + b); set++) {
        unsigned after = 0, below = 0;
        for (unsigned place = 0; place < a + b; place++) {
            after += set >> place & 1;
            below += set >> place & 1 ? 0 : after;
        }
        orders += after == a;
        within += after == a && below <= u;
    }
    return within / orders;
}

START_TEST(shifts_have_the_level_of_all_orders)
{
    for (unsigned a = 1; a <= 7; a++)
        for (unsigned b = 1; b <= 7; b++) {
            double pairs[49];
            unsigned k = 0;
            while (2 * (k + 1) <= a * b && 1 - 2 * share_of_orders(a, b, k) >= 0.98)
                k++;
            for (unsigned i = 0; i < a * b; i++)
                pairs[i] = (i * 7 + 3) % (a * b) + i / 1000.0;
            const struct estimate estimate = shift_estimate(pairs, a, b);
            ck_assert_double_eq(estimate.low, pairs[k > 0 ? k - 1 : 0]);
            ck_assert_double_eq(estimate.high, pairs[a * b - (k > 0 ? k : 1)]);
            ck_assert_double_eq_tol(estimate.level,
                                    k > 0 ? 1 - 2 * share_of_orders(a, b, k - 1) : 0, 1e-12);
        }
}
END_TEST

START_TEST(shifts_of_many_values)
{
    enum { MOST = 40 };
    double pairs[MOST * MOST];
    /* The bounds by tables of the rank-sum test, one-sided 1 %: the largest u that is significant
     * is 19 of 10 and 10 values, 114 of 20 and 20. */
    for (int i = 0; i < 100; i++)
        pairs[i] = i;
    ck_assert_double_eq(shift_estimate(pairs, 10, 10).low, 19);
    for (int i = 0; i < 400; i++)
        pairs[i] = i;
    const struct estimate exact = shift_estimate(pairs, 20, 20);
    ck_assert_double_eq(exact.low, 114);
    ck_assert_double_eq(exact.median, 199.5);
    for (int i = 0; i < MOST * MOST; i++)
        pairs[i] = i;
    const struct estimate normal = shift_estimate(pairs, MOST, MOST);
    /* 800 - 2.326 * sqrt(1600 * 81 / 12) - 1/2 */
    ck_assert_double_eq_tol(normal.low, 557.7, 1.5);
    ck_assert_double_ge(normal.level, 0.98);
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
    ck_assert_int_eq(topology_cores(topology, cores, 1), 1); /* what it was bound to */
    topology_close(topology);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("estimate, clock, topology");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, median_and_levels);
    tcase_add_test(tests, few_values_claim_nothing);
    tcase_add_test(tests, shifts_have_the_level_of_all_orders);
    tcase_add_test(tests, shifts_of_many_values);
    tcase_add_test(tests, significance_needs_zero_outside);
    tcase_add_test(tests, clock_runs_at_its_rate);
    tcase_add_test(tests, topology_binds_to_an_allowed_core);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
