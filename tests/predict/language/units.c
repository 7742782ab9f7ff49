/* What the corpus of scripts does not show: arithmetic, errors at a place, ends of scripts. */
#include "predict/arithmetic.h"
#include "predict/script.h"

#include <math.h>
#include <string.h>

#include "tests/check_tap.h"

static double apply(enum expression_kind kind, double a, double b)
{
    return arithmetic_operator(kind, a, b);
}

START_TEST(quotients)
{
    ck_assert(apply(EXPRESSION_FLOOR_DIVIDE, -7, 2) == -4);
    ck_assert(apply(EXPRESSION_FLOOR_DIVIDE, 7, -2) == -4);
    ck_assert(apply(EXPRESSION_MODULO, -7, 2) == 1);
    ck_assert(apply(EXPRESSION_MODULO, 7, -2) == -1);
    ck_assert(apply(EXPRESSION_MODULO, -6, 3) == 0);
    /* 1 / 0.1 is rounded to 10, but 0.1 is a little more than a tenth. */
    ck_assert(apply(EXPRESSION_FLOOR_DIVIDE, 1, 0.1) == 9);
    ck_assert(fabs(apply(EXPRESSION_MODULO, 1, 0.1) - 0.1) < 1e-15);
    ck_assert(apply(EXPRESSION_FLOOR_DIVIDE, 9007199254740991.0, 2) == 4503599627370495.0);
    ck_assert(apply(EXPRESSION_MODULO, 9007199254740991.0, 1000) == 991);
    ck_assert(!isfinite(apply(EXPRESSION_FLOOR_DIVIDE, 1, 0)));
    ck_assert(isnan(apply(EXPRESSION_MODULO, 1, 0)));
}
END_TEST

START_TEST(truth)
{
    ck_assert(apply(EXPRESSION_NOT, 0, 0) == 1 && apply(EXPRESSION_NOT, -0.5, 0) == 0);
    ck_assert(apply(EXPRESSION_LESS, 1, 2) == 1 && apply(EXPRESSION_LESS, 2, 2) == 0);
    ck_assert(apply(EXPRESSION_LESS_EQUAL, 2, 2) == 1 && apply(EXPRESSION_UNEQUAL, 2, 2) == 0);
    ck_assert(apply(EXPRESSION_GREATER, 2, 1) == 1 && apply(EXPRESSION_GREATER_EQUAL, 1, 2) == 0);
    ck_assert(apply(EXPRESSION_EQUAL, 2, 2) == 1 && apply(EXPRESSION_NEGATE, 2, 0) == -2);
}
END_TEST

static double call(enum script_function function, double a, double b, double c)
{
    double arguments[] = {a, b, c};
    return arithmetic_function(function, arguments);
}

START_TEST(functions)
{
    ck_assert(call(FUNCTION_XOR, 5, 3, 0) == 6);
    ck_assert(call(FUNCTION_XOR, 0x1p52, 1, 0) == 0x1p52 + 1);
    ck_assert(isnan(call(FUNCTION_XOR, 0.5, 1, 0)) && isnan(call(FUNCTION_XOR, -1, 1, 0)));
    ck_assert(call(FUNCTION_DIMS, 12, 2, 0) == 4 && call(FUNCTION_DIMS, 12, 2, 1) == 3);
    ck_assert(isnan(call(FUNCTION_DIMS, 0, 2, 0)) && isnan(call(FUNCTION_DIMS, 4, 2, 2)));
    for (int i = 0; i < FUNCTION_COUNT; i++)
        ck_assert(script_function_arguments[i] <= 3 && script_function_names[i]);
    ck_assert_ptr_null(script_function_names[FUNCTION_COUNT]);
}
END_TEST

START_TEST(error_at_a_place)
{
    struct model_script script = {.path = "a.silas"};
    struct error error;
    struct script_position place = {3, 14};
    ck_assert_int_eq(script_error(&script, place, &error, "%d of %s", 2, "them"), STATUS_INPUT);
    ck_assert_str_eq(error.text, "a.silas:3:14: 2 of them");
    ck_assert_int_eq(error.status, STATUS_INPUT);
    ck_assert_int_eq(script_error(&script, place, NULL, "nobody listens"), STATUS_INPUT);
}
END_TEST

START_TEST(no_script)
{
    struct model_script *script = (struct model_script *)&script;
    ck_assert_int_eq(script_read("/nonexistent/a.silas", &script, NULL), STATUS_INPUT);
    ck_assert_ptr_null(script);
    script_destroy(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("language");
    TCase *all = tcase_create("all");
    tcase_add_test(all, quotients);
    tcase_add_test(all, truth);
    tcase_add_test(all, functions);
    tcase_add_test(all, error_at_a_place);
    tcase_add_test(all, no_script);
    suite_add_tcase(suite, all);
    return check_tap(suite);
}
