#include "report/tsv/number_text.h"

#include "tests/check_tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_same(double value)
{
    char expected[64], text[NUMBER_TEXT_SIZE + 1];
    snprintf(expected, sizeof expected, "%.17g", value);
    const size_t length = number_text(value, text);
    ck_assert_uint_le(length, NUMBER_TEXT_SIZE);
    text[length] = '\0';
    ck_assert_str_eq(text, expected);
}

START_TEST(special_values)
{
    static const double values[] = {0,
                                    1,
                                    10,
                                    1e15,
                                    1e16,
                                    1e17,
                                    9007199254740992.0,
                                    9007199254740993.0,
                                    0.1,
                                    0.5,
                                    1e-4,
                                    9.9e-5,
                                    1e-5,
                                    1e-10,
                                    9.9999999999e-11,
                                    1e-300,
                                    5e-324,
                                    1.5e300,
                                    1.0 / 3,
                                    2.0 / 3,
                                    123.25,
                                    99.99999,
                                    0.99999999999999989,
                                    1e22,
                                    12345678.9,
                                    4503599627370496.5,
                                    0.000099999999999999991,
                                    9999999999999998.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        expect_same(values[i]);
        expect_same(-values[i]);
        expect_same(nextafter(values[i], INFINITY));
        expect_same(nextafter(values[i], -INFINITY));
    }
    expect_same(-0.0);
    expect_same(INFINITY);
}
END_TEST

START_TEST(random_values)
{
    srand48(17);
    for (int i = 0; i < 300000; i++) {
        const uint64_t bits = (uint64_t)mrand48() << 32 ^ (uint32_t)mrand48();
        double any;
        memcpy(&any, &bits, sizeof any);
        if (!isnan(any))
            expect_same(any);
        expect_same(floor(drand48() * 1e9) / 1e9);
        expect_same(drand48() * pow(10, floor(drand48() * 30) - 13));
        expect_same(floor(drand48() * 1e12) / exp2(floor(drand48() * 60))); /* ends in 5 */
    }
}
END_TEST

START_TEST(integers)
{
    char expected[64], text[NUMBER_TEXT_SIZE + 1];
    for (uint64_t value = 1; value < UINT64_MAX / 7; value *= 7)
        for (int i = -1; i < 2; i++) {
            const uint64_t number = value + (uint64_t)i;
            snprintf(expected, sizeof expected, "%llu", (unsigned long long)number);
            text[unsigned_text(number, text)] = '\0';
            ck_assert_str_eq(text, expected);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("number_text");
    TCase *tests = tcase_create("number_text");
    tcase_add_test(tests, special_values);
    tcase_add_test(tests, random_values);
    tcase_add_test(tests, integers);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
