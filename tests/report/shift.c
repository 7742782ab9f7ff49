/* Shifts between two groups of measurements, against all orders of their values and against tables.
 */
#include "results/shift.h"
#include "tests/check_tap.h"

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

int main(void)
{
    Suite *suite = suite_create("shift");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, shifts_have_the_level_of_all_orders);
    tcase_add_test(tests, shifts_of_many_values);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
