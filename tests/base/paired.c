/* Paired measurements: the signed-rank interval and test against tables, enumeration and
 * simulation; Holm's correction against its definition. */
#include "base/paired.h"
#include "tests/check_abort.h"
#include "tests/check_tap.h"

#include <math.h>
#include <stdint.h>

static uint64_t state = 88172645463325252u; /* xorshift64 (Marsaglia 2003) */

static double uniform(void) /* (0, 1) */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void) /* Box and Muller */
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double laplace(void)
{
    return log(uniform()) * (uniform() < 0.5 ? -1 : 1);
}

/* The definition: the share of all choices of signs whose sum of positive ranks is as far from the
 * middle as the observed one, or farther. */
static double enumerated_p(const double *differences, size_t count)
{
    double ranks[16], observed = 0, all = 0;
    size_t n = 0, extreme = 0;
    for (size_t i = 0; i < count; i++) {
        if (differences[i] == 0)
            continue;
        double rank = 0.5;
        for (size_t j = 0; j < count; j++)
            if (differences[j] != 0)
                rank += fabs(differences[j]) < fabs(differences[i])    ? 1
                        : fabs(differences[j]) == fabs(differences[i]) ? 0.5
                                                                       : 0;
        ranks[n++] = rank;
        all += rank;
        observed += differences[i] > 0 ? rank : 0;
    }
    for (unsigned signs = 0; signs < 1u << n; signs++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += signs >> i & 1 ? ranks[i] : 0;
        extreme += fabs(sum - all / 2) >= fabs(observed - all / 2) - 1e-9;
    }
    return (double)extreme / (double)(1u << n);
}

START_TEST(p_value_is_that_of_all_choices_of_signs)
{
    for (size_t n = 1; n <= 12; n++)
        for (int attempt = 0; attempt < 20; attempt++) {
            double values[12];
            for (size_t i = 0; i < n; i++) /* every other time with ties and zeros */
                values[i] = attempt % 2 ? floor(6 * uniform()) - 2 : normal() + 0.3;
            if (n != PAIRED_FEWEST)
                ck_assert_double_eq_tol(paired_p_value(values, n), enumerated_p(values, n), 1e-12);
        }
}
END_TEST

/* `count` differences 1, 2, ..., with negative signs for the ranks of `negative`. */
static double p_of(size_t count, const size_t *negative, size_t negatives)
{
    double values[64];
    for (size_t i = 0; i < count; i++)
        values[i] = (double)(i + 1);
    for (size_t i = 0; i < negatives; i++)
        values[negative[i] - 1] *= -1;
    return paired_p_value(values, count);
}

START_TEST(p_value_agrees_with_tables)
{
    /* Hollander and Wolfe, table A.4: P(T+ >= t), n = 7: t = 26 (sum of the others 2): 0.023;
     * n = 10: t = 47 (8): 0.024; n = 15: t = 95 (25): 0.024. Two-sided p is twice that. */
    ck_assert_double_eq_tol(p_of(7, (size_t[]){2}, 1) / 2, 0.023, 0.0005);
    ck_assert_double_eq_tol(p_of(10, (size_t[]){8}, 1) / 2, 0.024, 0.0005);
    ck_assert_double_eq_tol(p_of(15, (size_t[]){10, 15}, 2) / 2, 0.024, 0.0005);
    for (size_t n = 1; n <= 40; n++)
        if (n != PAIRED_FEWEST)
            ck_assert_double_eq_tol(p_of(n, NULL, 0) * ldexp(1, (int)n - 1), 1, 1e-12);
    ck_assert_double_eq(paired_p_value(NULL, 0), 1);
    ck_assert_double_eq(paired_p_value((double[]){0, 0, 0}, 3), 1);
}
END_TEST

START_TEST(approximation_continues_the_exact_values)
{
    for (size_t t = 0; t < 20; t++) {
        size_t some[] = {40, 39, 38, 37, 36, 35, 20 - t};
        double exact = p_of(40, some, 7), approximate = p_of(41, some, 7);
        ck_assert_double_lt(approximate, exact); /* one more of the majority */
        ck_assert_double_gt(approximate, 0.6 * exact);
    }
    /* Signs that are in balance. */
    double values[60];
    for (int i = 0; i < 60; i++)
        values[i] = i % 2 ? 1 + i / 2 : -1 - i / 2;
    ck_assert_double_eq(paired_p_value(values, 60), 1);
}
END_TEST

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

START_TEST(interval_has_the_ranks_of_tables)
{
    /* Ranks of the Walsh averages and levels: Hollander and Wolfe, table A.4, with
     * k = n (n + 1) / 2 + 1 - t(alpha / 2). */
    static const struct {
        size_t n, k;
        double level;
    } known[] = {{6, 1, 0.96875}, {7, 3, 0.953125},  {8, 4, 0.9609375}, {9, 6, 0.9609375},
                 {10, 9, 0.951},  {12, 14, 0.958},   {15, 26, 0.952},   {20, 53, 0.952},
                 {40, 265, 0.95}, {41, 280, 0.9503}, {60, 649, 0.951}};
    for (size_t c = 0; c < sizeof known / sizeof *known; c++) {
        size_t n = known[c].n, averages = 0;
        double values[60], walsh[60 * 61 / 2];
        for (size_t i = 0; i < n; i++)
            values[i] = normal();
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++)
                walsh[averages++] = (values[i] + values[j]) / 2;
        qsort(walsh, averages, sizeof *walsh, order);
        struct estimate estimate = paired_estimate(values, n);
        ck_assert_double_eq_tol(estimate.level, known[c].level, 0.001);
        const size_t low = known[c].k - 1, high = averages - known[c].k;
        const size_t slack = n > 40; /* the approximation: the rank, or the next one outside */
        ck_assert_double_ge(estimate.low, walsh[low - slack]);
        ck_assert_double_le(estimate.low, walsh[low]);
        ck_assert_double_ge(estimate.high, walsh[high]);
        ck_assert_double_le(estimate.high, walsh[high + slack]);
        ck_assert_double_eq(estimate.median, estimate_of(values, n).median);
    }
}
END_TEST

/* Student's table for 4 degrees of freedom: 2.132, 2.776 and 4.604 are exceeded with the
 * probabilities 0.1, 0.05 and 0.01 on both sides together. */
START_TEST(five_differences_are_taken_as_normal)
{
    static const double known[][2] = {{2.132, 0.1}, {2.776, 0.05}, {4.604, 0.01}};
    const double spread[] = {-2, -1, 0, 1, 2}, error = sqrt(10.0 / 4 / 5);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double values[5];
            for (size_t j = 0; j < 5; j++)
                values[j] = spread[j] + sign * known[i][0] * error;
            const struct estimate estimate = paired_estimate(values, 5);
            ck_assert_double_eq_tol(paired_p_value(values, 5), known[i][1], 1e-4);
            ck_assert_double_eq_tol(estimate.high - estimate.low, 2 * 2.7764451 * error, 1e-9);
            ck_assert_double_eq(estimate.level, 0.95);
        }
    ck_assert_double_eq(paired_p_value((double[]){0, 0, 0, 0, 0}, 5), 1);
    ck_assert_double_eq(paired_p_value((double[]){1, 1, 1, 1, 1}, 5), 0);
    const struct estimate odd = paired_estimate((double[]){0, 0, 0, 0, 100}, 5);
    ck_assert(odd.low <= 0 && odd.median == 0 && odd.high >= 20);
}
END_TEST

START_TEST(few_differences_claim_nothing)
{
    struct estimate estimate = paired_estimate((double[]){3, 1, 2, 4}, 4);
    ck_assert_double_eq(estimate.level, 0);
    ck_assert_double_eq(estimate.median, 2.5);
    ck_assert_double_eq(estimate.low, 1);
    ck_assert_double_eq(estimate.high, 4);
    estimate = paired_estimate((double[]){-7}, 1);
    ck_assert(estimate.median == -7 && estimate.low == -7 && estimate.high == -7);
    ck_assert_aborts(paired_estimate(&estimate.low, 0));
    estimate = paired_estimate((double[]){0, 0, 0, 0, 0, 0, 0}, 7);
    ck_assert(estimate.low == 0 && estimate.high == 0 && !signbit(estimate.low));
}
END_TEST

/* The share of 4000 simulated sweeps whose interval contains the true saving, 3. Each round has a
 * drift that is the same on both sides of the pair and large against the noise. */
static double coverage(size_t rounds, double (*noise)(void), double drift)
{
    int covered = 0;
    enum { SWEEPS = 4000 };
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double differences[32], machine = 0;
        for (size_t i = 0; i < rounds; i++) {
            machine += drift * normal();
            const double unchanged = 100 + machine + noise();
            const double changed = 97 + machine + noise();
            differences[i] = unchanged - changed;
        }
        struct estimate estimate = paired_estimate(differences, rounds);
        covered += estimate.low <= 3 && 3 <= estimate.high;
        ck_assert(estimate.low <= estimate.median && estimate.median <= estimate.high);
    }
    return (double)covered / SWEEPS;
}

START_TEST(interval_covers_the_truth)
{
    static const size_t rounds[] = {8, 9, 12};
    ck_assert_double_ge(coverage(5, normal, 10), 0.94);
    ck_assert_double_ge(coverage(5, laplace, 10), 0.94);
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        ck_assert_double_ge(coverage(rounds[i], normal, 0), 0.95);
        ck_assert_double_ge(coverage(rounds[i], laplace, 0), 0.95);
        ck_assert_double_ge(coverage(rounds[i], normal, 10), 0.95);
        ck_assert_double_ge(coverage(rounds[i], laplace, 10), 0.95);
    }
    ck_assert_double_lt(coverage(12, normal, 0), 0.98); /* and is not just wide */
}
END_TEST

/* The share of 4000 runs of a sweep whose interval contains the true saving, 0, if a run stops
 * after five rounds when half the interval is at most `tolerance` (sweep/rounds.c), and otherwise
 * has nine rounds. */
static double stopped_coverage(double (*noise)(void), double tolerance)
{
    int covered = 0;
    enum { RUNS = 4000 };
    for (int run = 0; run < RUNS; run++) {
        double differences[9];
        for (size_t i = 0; i < 9; i++)
            differences[i] = noise() - noise();
        struct estimate estimate = paired_estimate(differences, PAIRED_FEWEST);
        if ((estimate.high - estimate.low) / 2 > tolerance)
            estimate = paired_estimate(differences, 9);
        covered += estimate.low <= 0 && 0 <= estimate.high;
    }
    return (double)covered / RUNS;
}

START_TEST(interval_covers_the_truth_in_spite_of_stops)
{
    for (double tolerance = 0.5; tolerance < 10; tolerance *= 1.3) {
        ck_assert_double_ge(stopped_coverage(normal, tolerance), 0.935);
        ck_assert_double_ge(stopped_coverage(laplace, tolerance), 0.935);
    }
}
END_TEST

START_TEST(interval_and_test_agree)
{
    for (int attempt = 0; attempt < 500; attempt++) {
        double values[9];
        for (int i = 0; i < 9; i++)
            values[i] = normal() + 0.8;
        struct estimate estimate = paired_estimate(values, 9);
        const bool inside = estimate.low <= 0 && 0 <= estimate.high;
        ck_assert_int_eq(inside, paired_p_value(values, 9) > 1 - estimate.level + 1e-12);
    }
}
END_TEST

/* As Holm states it: reject the smallest p as long as it is at most level / (tests left). */
static void literal_holm(const double *p, size_t count, double level, bool *significant)
{
    bool tested[32] = {false};
    for (size_t i = 0; i < count; i++)
        significant[i] = false;
    for (size_t left = count; left > 0; left--) {
        size_t smallest = count;
        for (size_t i = 0; i < count; i++)
            if (!tested[i] && (smallest == count || p[i] < p[smallest]))
                smallest = i;
        if (p[smallest] > level / (double)left)
            return;
        tested[smallest] = significant[smallest] = true;
    }
}

START_TEST(holm_rejects_step_by_step)
{
    bool significant[32], expected[32];
    double p[32] = {0.01, 0.04, 0.03, 0.005};
    ck_assert(holm_significant(p, 4, 0.05, significant));
    ck_assert(significant[0] && !significant[1] && !significant[2] && significant[3]);
    ck_assert(holm_significant(NULL, 0, 0.05, NULL));
    for (int attempt = 0; attempt < 1000; attempt++) {
        size_t count = (size_t)(1 + 31 * uniform());
        for (size_t i = 0; i < count; i++)
            p[i] = attempt % 2 ? 0.1 * pow(uniform(), 3) : ldexp(1, -(int)(14 * uniform()));
        literal_holm(p, count, 0.05, expected);
        ck_assert(holm_significant(p, count, 0.05, significant));
        for (size_t i = 0; i < count; i++)
            ck_assert_int_eq(significant[i], expected[i]);
    }
}
END_TEST

START_TEST(rounds_suffice_for_significance)
{
    ck_assert_uint_eq(paired_rounds_needed(0, 0.05), 7);
    ck_assert_uint_eq(paired_rounds_needed(1, 0.05), 7);
    ck_assert_uint_eq(paired_rounds_needed(3, 0.05), 7);
    ck_assert_uint_eq(paired_rounds_needed(4, 0.05), 8);
    ck_assert_uint_eq(paired_rounds_needed(10, 0.05), 9);
    for (size_t count = 1; count <= 64; count++) {
        bool significant[64];
        double p[64];
        size_t rounds = paired_rounds_needed(count, 0.05);
        for (size_t i = 0; i < count; i++)
            p[i] = i == 0 ? p_of(rounds, NULL, 0) : 1;
        ck_assert(holm_significant(p, count, 0.05, significant));
        ck_assert(significant[0]);
        p[0] = p_of(rounds - 1, NULL, 0);
        ck_assert(holm_significant(p, count, 0.05, significant));
        ck_assert(rounds == 7 || !significant[0]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("paired measurements");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, p_value_is_that_of_all_choices_of_signs);
    tcase_add_test(tests, p_value_agrees_with_tables);
    tcase_add_test(tests, approximation_continues_the_exact_values);
    tcase_add_test(tests, interval_has_the_ranks_of_tables);
    tcase_add_test(tests, five_differences_are_taken_as_normal);
    tcase_add_test(tests, few_differences_claim_nothing);
    tcase_add_test(tests, interval_covers_the_truth);
    tcase_add_test(tests, interval_covers_the_truth_in_spite_of_stops);
    tcase_add_test(tests, interval_and_test_agree);
    tcase_add_test(tests, holm_rejects_step_by_step);
    tcase_add_test(tests, rounds_suffice_for_significance);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
