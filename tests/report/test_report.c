/* Units, efficiencies, the comparison of two runs, and the writers on a hand-built replay. */
#include "tests/check_tap.h"
#include "tests/report/report_case.h"

#include "base/json.h"
#include "base/units.h"
#include "report/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void check_time(double seconds, int digits, const char *expected)
{
    const struct time_text text = time_text_alone(seconds, digits);
    ck_assert_str_eq(text.text, expected);
}

START_TEST(times_get_the_unit_that_suits_them)
{
    check_time(1.20412, 4, "1.204 s");
    check_time(75.25, 4, "75.25 s");
    check_time(12345.6, 4, "12346 s");
    check_time(0.3012, 4, "301.2 ms");
    check_time(12.3456e-6, 4, "12.35 us");
    check_time(350e-9, 4, "350 ns");
    check_time(0, 4, "0 s");
    check_time(-0.25, 4, "-250.0 ms");
}
END_TEST

START_TEST(a_column_has_one_unit_and_no_negative_zero)
{
    struct time_format format = time_format_for(0.25, 4);
    ck_assert_str_eq(format.unit, "ms");
    const struct time_text small = time_text(&format, 0.0013), zero = time_text(&format, -1e-9);
    ck_assert_str_eq(small.text, "1.3");
    ck_assert_str_eq(zero.text, "0.0");
}
END_TEST

START_TEST(efficiencies_multiply)
{
    struct severity *run = report_case_before();
    struct pop_factors efficiency = pop_factors_of(run);
    ck_assert_double_eq_tol(efficiency.load_balance, 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(efficiency.communication, 1, 1e-12);
    ck_assert_double_eq_tol(efficiency.parallel, 2.0 / 3, 1e-12);
    severity_destroy(run);
    run = report_case_after();
    efficiency = pop_factors_of(run);
    ck_assert_double_eq_tol(efficiency.load_balance, 1, 1e-12);
    ck_assert_double_eq_tol(efficiency.parallel, 2 / 2.1, 1e-12);
    severity_destroy(run);
}
END_TEST

START_TEST(time_below_an_mpi_call_is_no_computation)
{
    const struct severity_path paths[] = {{.parent = SEVERITY_NONE, .name = "app"},
                                          {.parent = 0, .name = "MPI_Allreduce", .mpi = true},
                                          {.parent = 1, .name = "my_operator"}};
    const struct severity_location location = {0, 0, ""};
    struct severity *run = severity_create(paths, 3, &location, 1);
    severity_add(run, METRIC_TIME, 0, 0, 1);
    severity_add(run, METRIC_TIME, 1, 0, 2);
    severity_add(run, METRIC_TIME, 2, 0, 1);
    run->total_seconds = 4;
    ck_assert_double_eq_tol(pop_factors_of(run).parallel, 0.25, 1e-12);
    severity_destroy(run);
}
END_TEST

START_TEST(a_run_without_time_has_no_efficiency)
{
    const struct severity_path path = {.parent = SEVERITY_NONE, .name = "app"};
    const struct severity_location location = {0, 0, ""};
    struct severity *run = severity_create(&path, 1, &location, 1);
    ck_assert_double_nan(pop_factors_of(run).parallel);
    severity_destroy(run);
}
END_TEST

START_TEST(runs_with_different_call_paths_are_compared_by_name)
{
    const struct severity_path one[] = {{.parent = SEVERITY_NONE, .name = "app"},
                                        {.parent = 0, .name = "old"}};
    const struct severity_path two[] = {{.parent = SEVERITY_NONE, .name = "app"},
                                        {.parent = 0, .name = "new"},
                                        {.parent = 0, .name = "old"}};
    const struct severity_location location = {0, 0, ""};
    struct severity *before = severity_create(one, 2, &location, 1);
    struct severity *after = severity_create(two, 3, &location, 1);
    struct comparison comparison;
    struct metric_change changes[4];
    struct error error;
    severity_add(before, METRIC_TIME, 1, 0, 0.3);
    severity_add(after, METRIC_TIME, 2, 0, 0.1);
    severity_add(after, METRIC_TIME, 1, 0, 0.7);
    before->total_seconds = 0.3;
    after->total_seconds = 0.8;
    ck_assert_int_eq(comparison_create(before, after, &comparison, &error), STATUS_OK);
    ck_assert_uint_eq(comparison.before->path_count, 3);
    ck_assert_double_eq(comparison.after->total_seconds, 0.8);
    ck_assert_uint_eq(comparison_rank(&comparison, METRIC_TIME, +1, 0, changes, 4), 1);
    ck_assert_str_eq(comparison.before->paths[changes[0].path].name, "old");
    ck_assert_double_eq(changes[0].before, 0.3); /* exact: not the difference of a difference */
    ck_assert_double_eq(changes[0].after, 0.1);
    ck_assert_uint_eq(comparison_rank(&comparison, METRIC_TIME, -1, 0, changes, 4), 1);
    ck_assert_str_eq(comparison.before->paths[changes[0].path].name, "new");
    ck_assert_double_eq(changes[0].after, 0.7);
    comparison_destroy(&comparison);
    severity_destroy(before);
    severity_destroy(after);
}
END_TEST

START_TEST(a_ranking_keeps_the_largest_of_many)
{
    struct severity_path paths[6] = {{.parent = SEVERITY_NONE, .name = "app"}};
    static const char *const names[] = {"app", "a", "b", "c", "d", "e"};
    static const double saved[] = {0, 2, 5, 1, 4, 3};
    const struct severity_location location = {0, 0, ""};
    struct comparison comparison;
    struct metric_change changes[2];
    struct error error;
    for (uint32_t i = 1; i < 6; i++)
        paths[i] = (struct severity_path){.parent = 0, .name = names[i]};
    struct severity *before = severity_create(paths, 6, &location, 1);
    struct severity *after = severity_create(paths, 6, &location, 1);
    for (uint32_t i = 1; i < 6; i++)
        severity_add(before, METRIC_TIME, i, 0, saved[i]);
    ck_assert_int_eq(comparison_create(before, after, &comparison, &error), STATUS_OK);
    ck_assert_uint_eq(comparison_rank(&comparison, METRIC_TIME, +1, 1.5, changes, 2), 2);
    ck_assert_str_eq(names[changes[0].path], "b");
    ck_assert_str_eq(names[changes[1].path], "d");
    comparison_destroy(&comparison);
    severity_destroy(before);
    severity_destroy(after);
}
END_TEST

/* What a format writes of a replay; to be freed. */
static char *written(const char *format, const struct replay_report *report)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    const struct report_format *found = report_format_find(format);
    ck_assert(found->write
                  ? found->write(&(struct report){.replay = report}, &report->comparison, stream)
                  : found->write_replay(report, stream));
    fclose(stream);
    return text;
}

static void check_has(const char *text, const char *expected)
{
    ck_assert_msg(strstr(text, expected) != NULL, "no \"%s\" in\n%s", expected, text);
}

START_TEST(the_text_says_what_is_predicted_and_where)
{
    struct replay_report report = report_case_make();
    char *text = written("text", &report);
    check_has(text, "app, 2 ranks: what if ...\n  balance foo: region foo, mode instance\n");
    check_has(text, "  predicted                2.1000 s    2.0900 .. 2.1100\n");
    check_has(text,
              "  saving                    30.20 %    29.70 .. 30.80   (910.0 ms; significant)");
    check_has(text, "93.8 %");
    check_has(text, "1.0000       0.0000       1.0000    33.3  app/MPI_Allreduce\n");
    check_has(text, "Wait at N x N: app/MPI_Allreduce");
    check_has(text, "0.00       100.00       100.00     3.3  Wait at Barrier: app/MPI_Barrier\n");
    check_has(text, "parallel efficiency              66.7 %     95.2 %\n");
    ck_assert_ptr_null(strstr(text, "Time: app/MPI_Barrier")); /* its waiting says it */
    ck_assert_ptr_null(strstr(text, "TRUSTWORTHY"));
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(a_corrected_saving_says_what_will_be_measured)
{
    struct replay_report report = report_case_make();
    report.corrected = true;
    report.saving_for_real = (struct estimate){0.302, 0.291, 0.314, 0.9375};
    report.saving_typical = (struct estimate){0.302, 0.297, 0.308, 0.9375};
    char *text = written("text", &report);
    check_has(
        text,
        "  between typical runs                29.70 .. 30.80   (median of many pairs: error of");
    check_has(
        text,
        "  between two single runs             29.10 .. 31.40   (error and noise of the replays");
    free(text);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(a_saving_that_rounds_to_nothing_is_no_loss)
{
    struct replay_report report = report_case_make();
    report.saving.median = -0.00001;
    char *text = written("text", &report);
    check_has(text, "  saving                     0.00 %");
    free(text);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(an_untrustworthy_result_says_so_loudly)
{
    struct replay_report report = report_case_make();
    report.trustworthy = false;
    report.untrustworthy_reason = "4 ranks share 2 cores";
    char *text = written("text", &report);
    check_has(text, "*** NOT TRUSTWORTHY ***: 4 ranks share 2 cores\n");
    check_has(text, "(910.0 ms; not trustworthy)\n");
    free(text);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(without_an_interval_nothing_is_significant)
{
    struct replay_report report = report_case_make();
    report.predicted.level = report.baseline.level = report.saving.level = 0;
    report.significant = false;
    char *text = written("text", &report);
    check_has(text, "fewer than 5 replays give no interval");
    ck_assert_ptr_null(strstr(text, " .. "));
    ck_assert_ptr_null(strstr(text, "significant"));
    free(text);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(an_identity_replay_reports_its_errors)
{
    struct replay_report report = report_case_make();
    report.identity = true;
    report.hypothesis_count = 0;
    report.predicted = report.baseline;
    char *text = written("text", &report);
    check_has(text, "app, 2 ranks: replayed unchanged\n");
    check_has(text, "total error                0.33 %");
    check_has(text, "aggregate error            0.20 %");
    ck_assert_ptr_null(strstr(text, "saving"));
    free(text);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(the_tsv_has_every_value_once)
{
    struct replay_report report = report_case_make();
    char *text = written("tsv", &report);
    check_has(text, "metric\tcall path\tlocation\tbefore\tafter\tdifference\n"
                    "time\tapp/foo\t0.0\t1\t2\t-1\n"
                    "time\tapp/foo\t1.0\t3\t2\t1\n"
                    "time\tapp/MPI_Allreduce\t0.0\t2\t0\t2\n");
    check_has(text, "\nmpi_barrier_wait\tapp/MPI_Barrier\t1.0\t0\t0.10000000000000001\t");
    ck_assert_ptr_null(strstr(text, "\t0\t0\t0\n"));
    free(text);
    comparison_destroy(&report.comparison);
}
END_TEST

/* report.json of a report, read back; to be released. */
static json_t *json_of(const struct replay_report *report)
{
    json_error_t json_error;
    char *text = written("json", report);
    json_t *object = json_loads(text, 0, &json_error);
    ck_assert_msg(object != NULL, "%s", json_error.text);
    free(text);
    return object;
}

START_TEST(the_json_has_what_is_documented)
{
    struct replay_report report = report_case_make();
    json_t *object = json_of(&report);
    double trace, median, low, high, level, fraction, total, aggregate, parallel;
    int trustworthy, significant;
    ck_assert_int_eq(json_unpack(object,
                                 "{s:{s:F}, s:{s:{s:F, s:F, s:F, s:F}}, s:{s:F, s:b},"
                                 " s:b, s:{s:F, s:F}, s:{s:{s:F}}}",
                                 "trace", "time_s", &trace, "predicted", "time_s", "median",
                                 &median, "low", &low, "high", &high, "level", &level, "saving",
                                 "fraction", &fraction, "significant", &significant, "trustworthy",
                                 &trustworthy, "identity", "total_error", &total, "aggregate_error",
                                 &aggregate, "efficiency", "after", "parallel", &parallel),
                     0);
    ck_assert_double_eq(trace, 3);
    ck_assert_double_eq(median, 2.1);
    ck_assert_double_eq(low, 2.09);
    ck_assert_double_eq(high, 2.11);
    ck_assert_double_eq(level, 0.9375);
    ck_assert_double_eq(fraction, 0.302);
    ck_assert(significant && trustworthy);
    ck_assert_double_eq(total, 0.0033);
    ck_assert_double_eq_tol(parallel, 2 / 2.1, 1e-11);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "runs")), 5);
    json_t *first = json_array_get(json_object_get(object, "metrics"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(first, "name")), "time");
    ck_assert_double_eq_tol(json_real_value(json_object_get(first, "difference")), 1.8, 1e-11);
    json_decref(object);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(the_json_claims_no_interval_below_five_runs)
{
    struct replay_report report = report_case_make();
    report.predicted.level = 0;
    report.program = "caf\xe9"; /* Latin-1: not UTF-8 */
    json_t *object = json_of(&report);
    json_t *time = json_object_get(json_object_get(object, "predicted"), "time_s");
    ck_assert(json_is_null(json_object_get(time, "low")));
    ck_assert(json_is_null(json_object_get(time, "high")));
    ck_assert_str_eq(json_string_value(json_object_get(object, "program")), "caf\xc3\xa9");
    json_decref(object);
    comparison_destroy(&report.comparison);
}
END_TEST

/* Allocations of jansson before the one that fails. */
static size_t blocks_left;

static void *failing_malloc(size_t size)
{
    return blocks_left-- == 0 ? NULL : malloc(size);
}

/* Whichever allocation fails: no report.json, one message. Never one with parts missing. */
START_TEST(a_json_without_memory_is_an_error)
{
    struct replay_report report = report_case_make();
    const struct report_format *json = report_format_find("json");
    char *whole = written("json", &report);
    char directory[] = "test_report.XXXXXX", path[64];
    enum status status = STATUS_ENVIRONMENT;
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/report.json", directory);
    for (size_t blocks = 0; status != STATUS_OK; blocks++) {
        struct error error = {STATUS_OK, ""};
        blocks_left = blocks;
        json_set_alloc_funcs(failing_malloc, free);
        status = report_write(&(struct report){.replay = &report}, json, path, &error);
        json_set_alloc_funcs(malloc, free);
        if (status == STATUS_OK)
            break;
        ck_assert_int_eq(status, STATUS_ENVIRONMENT);
        check_has(error.text, "not enough memory for test_report.");
        ck_assert_int_ne(access(path, F_OK), 0);
    }
    FILE *file = fopen(path, "r");
    char *text = calloc(strlen(whole) + 2, 1);
    ck_assert_uint_eq(fread(text, 1, strlen(whole) + 1, file), strlen(whole));
    ck_assert_str_eq(text, whole);
    fclose(file);
    unlink(path);
    rmdir(directory);
    free(text);
    free(whole);
    comparison_destroy(&report.comparison);
}
END_TEST

START_TEST(an_unwritable_file_is_an_error)
{
    struct replay_report report = report_case_make();
    struct error error;
    ck_assert_int_eq(report_write(&(struct report){.replay = &report}, report_format_find("json"),
                                  "/nonexistent/report.json", &error),
                     STATUS_ENVIRONMENT);
    check_has(error.text, "/nonexistent/report.json");
    comparison_destroy(&report.comparison);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        times_get_the_unit_that_suits_them,
        a_column_has_one_unit_and_no_negative_zero,
        efficiencies_multiply,
        time_below_an_mpi_call_is_no_computation,
        a_run_without_time_has_no_efficiency,
        runs_with_different_call_paths_are_compared_by_name,
        a_ranking_keeps_the_largest_of_many,
        the_text_says_what_is_predicted_and_where,
        a_saving_that_rounds_to_nothing_is_no_loss,
        an_untrustworthy_result_says_so_loudly,
        a_corrected_saving_says_what_will_be_measured,
        without_an_interval_nothing_is_significant,
        an_identity_replay_reports_its_errors,
        the_tsv_has_every_value_once,
        the_json_has_what_is_documented,
        the_json_claims_no_interval_below_five_runs,
        a_json_without_memory_is_an_error,
        an_unwritable_file_is_an_error,
    };
    Suite *suite = suite_create("report");
    TCase *cases = tcase_create("report");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(cases, tests[i]);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
