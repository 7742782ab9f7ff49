/* Medians, intervals and their levels, against values worked out by hand (binomial tails). */
#include "tests/check_tap.h"

#include "replay/repeat.h"

#include <math.h>

static const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static void check_interval(size_t count, double low, double high, double level)
{
    struct interval interval = interval_of(rising, count);
    ck_assert_double_eq(interval.low, low);
    ck_assert_double_eq(interval.high, high);
    ck_assert_double_eq_tol(interval.level, level, 1e-12);
}

START_TEST(levels_are_those_of_the_binomial_distribution)
{
    check_interval(5, 1, 5, 0.9375);
    check_interval(6, 1, 6, 0.96875);
    check_interval(7, 1, 7, 0.984375);
    check_interval(8, 1, 8, 0.9921875);
    check_interval(9, 2, 8, 1 - 2 * 10.0 / 512);
    check_interval(12, 3, 10, 1 - 2 * 79.0 / 4096);
}
END_TEST

START_TEST(below_five_no_interval_is_claimed)
{
    for (size_t count = 1; count < 5; count++)
        check_interval(count, 1, (double)count, 0);
    ck_assert_double_eq(interval_of(rising, 0).median, 0);
}
END_TEST

START_TEST(samples_come_in_any_order_and_stay)
{
    const double samples[] = {5, 1, 4, 2, 3};
    struct interval interval = interval_of(samples, 5);
    ck_assert_double_eq(interval.median, 3);
    ck_assert_double_eq(interval.low, 1);
    ck_assert_double_eq(samples[0], 5);
    ck_assert_double_eq(median_of(samples, 4), 3);
    ck_assert_uint_eq(median_index(samples, 5), 4);
    ck_assert_uint_eq(median_index(samples, 1), 0);
}
END_TEST

START_TEST(paired_differences_cancel_what_disturbs_both)
{
    const double before[] = {10, 20, 30, 40, 50}, after[] = {9, 19, 29, 39, 49};
    struct interval saving = interval_of_savings(before, after, 5);
    ck_assert_double_eq(saving.low, 1);
    ck_assert_double_eq(saving.high, 1);
    ck_assert(interval_is_significant(&saving));
    struct interval fraction = interval_of_fractions(before, after, 5);
    ck_assert_double_eq_tol(fraction.high, 0.1, 1e-15);
    ck_assert_double_eq_tol(fraction.median, 1.0 / 30, 1e-15);
}
END_TEST

START_TEST(an_interval_with_zero_is_not_significant)
{
    const double before[] = {10, 10, 10, 10, 10}, after[] = {9, 9, 9, 9, 10.5};
    struct interval saving = interval_of_savings(before, after, 5);
    ck_assert(!interval_is_significant(&saving));
    saving = interval_of_savings(before, after, 4);
    ck_assert(!interval_is_significant(&saving)); /* none claimed */
    const struct interval loss = {-2, -3, -1, 0.95};
    ck_assert(interval_is_significant(&loss));
}
END_TEST

START_TEST(several_recordings_widen_the_interval)
{
    const struct interval each[] = {{3, 2, 4, 0.98}, {10, 9, 12, 0.94}, {5, 1, 6, 0.98}};
    struct interval all = interval_unite(each, 3);
    ck_assert_double_eq(all.median, 5);
    ck_assert_double_eq(all.low, 1);
    ck_assert_double_eq(all.high, 12);
    ck_assert_double_eq(all.level, 0.94);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("repeat");
    TCase *cases = tcase_create("repeat");
    tcase_add_test(cases, levels_are_those_of_the_binomial_distribution);
    tcase_add_test(cases, below_five_no_interval_is_claimed);
    tcase_add_test(cases, samples_come_in_any_order_and_stay);
    tcase_add_test(cases, paired_differences_cancel_what_disturbs_both);
    tcase_add_test(cases, an_interval_with_zero_is_not_significant);
    tcase_add_test(cases, several_recordings_widen_the_interval);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
