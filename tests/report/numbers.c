/* Numbers as text, against printf: near powers of ten and of two, ties, and at random. */
#include "tests/check_tap.h"

#include "report/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void check(double value)
{
    char text[NUMBER_SIZE], expected[NUMBER_SIZE];
    size_t length = number_print(value, text);
    snprintf(expected, sizeof expected, "%.17g", value);
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(length, strlen(expected));
}

/* A value, its neighbours, and all of them below 0. */
static void check_around(double value)
{
    double below = value, above = value;
    for (int i = 0; i < 20; i++) {
        check(below);
        check(-below);
        check(above);
        below = nextafter(below, 0);
        above = nextafter(above, INFINITY);
    }
}

START_TEST(powers_are_as_printf_writes_them)
{
    for (int exponent = -9; exponent < 18; exponent++)
        check_around(pow(10, exponent));
    for (int exponent = -30; exponent < 60; exponent++) {
        check_around(ldexp(1, exponent));
        check_around(ldexp(0x1.fffffffffffffp0, exponent));
    }
}
END_TEST

START_TEST(ties_go_to_the_even_digit)
{
    for (int64_t half = 1; half < 2000; half += 2) { /* the 18th digit is the last, a 5 */
        check(1125899906842624.0 + (double)half / 4);
        check(70368744177664.0 + (double)half / 16);
    }
}
END_TEST

START_TEST(what_is_out_of_range_is_as_printf_writes_it)
{
    static const double values[] = {0,         -0.0,     1e-300,    5e-324, 1e300, 1e-6,
                                    123456e30, 9.1e15,   0x1p-19,   0.1,    1e-9,  0x1p53,
                                    0x1p64,    INFINITY, -INFINITY, 1.0 / 3};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check(values[i]);
}
END_TEST

static uint64_t next_random(uint64_t *state) /* xorshift64, G. Marsaglia 2003 */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

START_TEST(random_numbers_are_as_printf_writes_them)
{
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next_random(&state);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isnan(value))
            check(value);
        check(ldexp((double)(next_random(&state) >> 11), (int)(next_random(&state) % 80) - 75));
        check((double)(next_random(&state) % 1000000000000u) * 1e-9); /* seconds */
        check((double)(next_random(&state) % 100000) / (double)(1 << next_random(&state) % 30));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("numbers");
    TCase *tests = tcase_create("as text");
    tcase_add_test(tests, powers_are_as_printf_writes_them);
    tcase_add_test(tests, ties_go_to_the_even_digit);
    tcase_add_test(tests, what_is_out_of_range_is_as_printf_writes_it);
    tcase_add_test(tests, random_numbers_are_as_printf_writes_them);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
