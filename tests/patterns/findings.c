/* What pattern families add up, for a rank with few values and one with many. */
#include "../check_tap.h"

#include "patterns/findings.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, PATHS = 500, CASES = 20000 };

struct expected {
    int64_t value[METRIC_COUNT][PATHS];
    double share[METRIC_COUNT][PATHS];
};

/* Adds random values, some of which cancel out, of metrics below `metrics` at paths below
 * `paths`. */
static void add_some(struct findings *findings, struct expected *expected, uint32_t rank, int cases,
                     int metrics, int paths)
{
    for (int i = 0; i < cases; i++) {
        const enum metric metric = (enum metric)(rand() % metrics);
        const uint32_t path = (uint32_t)(rand() % paths);
        const int64_t value = rand() % 5 - 2;
        findings_add(findings, metric, rank, path, value);
        findings_add_share(findings, metric, rank, path, (double)value / 4);
        expected->value[metric][path] += value;
        expected->share[metric][path] += (double)value / 4;
    }
}

static void compare(const struct findings *findings, uint32_t rank, const struct expected *expected)
{
    struct expected *left = malloc(sizeof *left);
    struct finding found[FINDINGS_AT_ONCE];
    size_t place = 0, count;
    ck_assert_ptr_nonnull(left);
    memcpy(left, expected, sizeof *left);
    while ((count = findings_next(findings, rank, &place, found)) > 0)
        for (size_t i = 0; i < count; i++) {
            ck_assert((found[i].value != 0) != (found[i].share != 0));
            ck_assert_int_eq(found[i].is_share, found[i].share != 0);
            left->value[found[i].metric][found[i].path] -= found[i].value;
            left->share[found[i].metric][found[i].path] -= found[i].share;
        }
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        for (uint32_t path = 0; path < PATHS; path++) {
            ck_assert_int_eq(left->value[metric][path], 0);
            ck_assert_double_eq(left->share[metric][path], 0);
            ck_assert_int_eq(findings_get(findings, (enum metric)metric, rank, path),
                             expected->value[metric][path]);
        }
    free(left);
}

START_TEST(values_are_kept)
{
    struct findings findings = {0};
    struct expected *expected = calloc(RANKS, sizeof *expected);
    ck_assert_ptr_nonnull(expected);
    srand(1);
    const struct trace trace = {.owned_count = RANKS, .calltree.paths.count = PATHS};
    ck_assert(findings_open(&findings, &trace));
    compare(&findings, 0, &expected[0]);
    for (int round = 0; round < 4; round++) {
        add_some(&findings, &expected[0], 0, 20, METRIC_COUNT, PATHS);
        add_some(&findings, &expected[1], 1, CASES, METRIC_COUNT, PATHS);
        add_some(&findings, &expected[2], 2, CASES, 3, PATHS);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            compare(&findings, rank, &expected[rank]);
    }
    ck_assert(!findings.out_of_memory);
    findings_clear(&findings);
    free(expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("findings");
    TCase *tests = tcase_create("findings");
    tcase_add_test(tests, values_are_kept);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
