/* Unit tests of the search for periods in signals. */
#include "structure/periods.h"

#include "tests/check_tap.h"

#include <math.h>

enum { COUNT = 4096 };
static float signal[COUNT], result[COUNT];

static uint32_t random_state = 1;

static double random_number(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return (double)(random_state >> 8) / 0x1p24;
}

/* `width` samples of 1 every `period` samples. */
static void pulses(size_t begin, size_t end, size_t period, size_t width)
{
    for (size_t i = begin; i < end; i++)
        signal[i] = (float)((i - begin) % period < width);
}

START_TEST(closing_fills_what_is_narrow)
{
    const float before[12] = {0, 1, 0, 1, 0, 0, 0, 0, 0, 2, 0, 2};
    const float after[12] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 2, 2, 2};
    for (size_t i = 0; i < 12; i++)
        result[i] = before[i];
    ck_assert(signal_close(result, 12, 1));
    for (size_t i = 1; i < 12; i++)
        ck_assert_float_eq(result[i], after[i]);
}
END_TEST

START_TEST(autocorrelation_is_that_of_the_sum)
{
    float direct[64] = {0};
    double mean = 0;
    for (size_t i = 0; i < 64; i++)
        mean += (double)(signal[i] = (float)random_number()) / 64;
    for (size_t k = 0; k < 64; k++)
        for (size_t i = 0; i + k < 64; i++)
            direct[k] += (float)(((double)signal[i] - mean) * ((double)signal[i + k] - mean));
    ck_assert(signal_autocorrelate(signal, 64, result));
    for (size_t k = 0; k < 64; k++)
        ck_assert_float_eq_tol(result[k], direct[k] / direct[0], 1e-5f);
}
END_TEST

START_TEST(a_constant_signal_has_no_period)
{
    struct signal_period period;
    for (size_t i = 0; i < COUNT; i++)
        signal[i] = 3;
    ck_assert_int_eq(signal_find_period(signal, COUNT, &period, NULL), STATUS_OK);
    ck_assert_double_eq(period.length, 0);
}
END_TEST

START_TEST(pulses_have_their_period)
{
    struct signal_period period;
    pulses(0, COUNT, 73, 20);
    ck_assert_int_eq(signal_find_period(signal, COUNT, &period, NULL), STATUS_OK);
    ck_assert_double_eq_tol(period.length, 73, 0.5);
    ck_assert_uint_le(period.begin, 73);
    ck_assert_uint_ge(period.end, COUNT - 2 * 73);
}
END_TEST

START_TEST(a_period_holds_where_it_is)
{
    struct signal_period period;
    for (size_t i = 0; i < COUNT; i++)
        signal[i] = (float)random_number() * 0.2f;
    pulses(1000, 3000, 100, 30);
    ck_assert_int_eq(signal_find_period(signal, COUNT, &period, NULL), STATUS_OK);
    ck_assert_double_eq_tol(period.length, 100, 1);
    ck_assert_uint_ge(period.begin, 900);
    ck_assert_uint_le(period.begin, 1100);
    ck_assert_uint_ge(period.end, 2900);
    ck_assert_uint_le(period.end, 3100);
}
END_TEST

START_TEST(noise_has_no_period)
{
    struct signal_period period;
    for (size_t i = 0; i < COUNT; i++)
        signal[i] = (float)random_number();
    ck_assert_int_eq(signal_find_period(signal, COUNT, &period, NULL), STATUS_OK);
    ck_assert_double_eq(period.length, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("periods");
    TCase *tests = tcase_create("periods");
    tcase_add_test(tests, closing_fills_what_is_narrow);
    tcase_add_test(tests, autocorrelation_is_that_of_the_sum);
    tcase_add_test(tests, a_constant_signal_has_no_period);
    tcase_add_test(tests, pulses_have_their_period);
    tcase_add_test(tests, a_period_holds_where_it_is);
    tcase_add_test(tests, noise_has_no_period);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
