/* The result of a run and its file. */
#include "sweep/result.h"
#include "tests/check_tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/silas-result-XXXXXX";

static char path[sizeof folder + sizeof "/result.json"];

static void write_text(const char *text)
{
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    fputs(text, stream);
    fclose(stream);
}

START_TEST(absent_is_open)
{
    struct run_result result;
    struct error error;
    ck_assert_int_eq(run_result_read(path, &result, &error), STATUS_OK);
    ck_assert_int_eq(result.state, RUN_OPEN);
    ck_assert(isnan(result.model_saving));
    run_result_clear(&result);
    ck_assert_int_eq(run_result_read("/nowhere/at/all/result.json", &result, &error), STATUS_OK);
    ck_assert_int_eq(result.state, RUN_OPEN);
    run_result_clear(&result);
}
END_TEST

START_TEST(what_is_written_is_read)
{
    struct run_pair pairs[] = {{1.0 / 3, 0.1, 7, NAN}, {1e-9, 2.5, 0, 1e300}};
    struct run_result written = {.state = RUN_DONE,
                                 .engine = "realtime",
                                 .pairs = pairs,
                                 .pair_count = 2,
                                 .trustworthy = false,
                                 .reason = "3 ranks share \"2\" cores\n",
                                 .lost_fraction = 0.0123456789012345678,
                                 .changes = 2,
                                 .regions = 5,
                                 .model_saving = 0.1,
                                 .typical_error = 0.02,
                                 .overstated = 0.01,
                                 .report = "runs/007/report/report.json"};
    struct run_result read;
    struct error error;
    char temporary[sizeof path + sizeof ".part"];
    ck_assert_int_eq(run_result_write(&written, path, &error), STATUS_OK);
    ck_assert_int_eq(run_result_read(path, &read, &error), STATUS_OK);
    ck_assert_int_eq(read.state, RUN_DONE);
    ck_assert_str_eq(read.engine, "realtime");
    ck_assert_ptr_null(read.message);
    ck_assert_uint_eq(read.pair_count, 2);
    ck_assert(isnan(read.pairs[0].objective_changed));
    read.pairs[0].objective_changed = pairs[0].objective_changed = 0;
    ck_assert_mem_eq(read.pairs, pairs, sizeof pairs); /* to the last bit */
    ck_assert(!read.trustworthy);
    ck_assert_str_eq(read.reason, written.reason);
    ck_assert(read.lost_fraction == written.lost_fraction && read.model_saving == 0.1);
    ck_assert(read.typical_error == 0.02 && read.overstated == 0.01);
    ck_assert_uint_eq(read.changes, 2);
    ck_assert_uint_eq(read.regions, 5);
    ck_assert_str_eq(read.report, written.report);
    run_result_clear(&read);
    snprintf(temporary, sizeof temporary, "%s.part", path);
    ck_assert_int_ne(access(temporary, F_OK), 0);
}
END_TEST

START_TEST(a_failure_replaces_what_was_there)
{
    struct run_result written = {.state = RUN_FAILED,
                                 .message = (char[]){"no region is called caf\xe9"},
                                 .model_saving = NAN};
    struct run_result read;
    struct error error;
    ck_assert_int_eq(run_result_write(&written, path, &error), STATUS_OK);
    ck_assert_int_eq(run_result_read(path, &read, &error), STATUS_OK);
    ck_assert_int_eq(read.state, RUN_FAILED);
    ck_assert_str_eq(read.message, "no region is called caf\xc3\xa9");
    ck_assert_ptr_null(read.engine);
    ck_assert_uint_eq(read.pair_count, 0);
    ck_assert(isnan(read.model_saving));
    run_result_clear(&read);
}
END_TEST

START_TEST(damaged_files_are_refused)
{
    static const char *const bad[] = {
        "",
        "{",
        "[]",
        "{\"format\": 1}",
        "{\"format\": 2, \"state\": \"done\", \"engine\": null, \"message\": null, "
        "\"trustworthy\": "
        "true, \"reason\": null, \"lost_fraction\": 0, \"changes\": 1, \"regions\": 1, "
        "\"model_saving\": null, \"report\": null, \"pairs\": []}",
        "{\"format\": 1, \"state\": \"lost\", \"engine\": null, \"message\": null, "
        "\"trustworthy\": "
        "true, \"reason\": null, \"lost_fraction\": 0, \"changes\": 1, \"regions\": 1, "
        "\"model_saving\": null, \"report\": null, \"pairs\": []}",
        "{\"format\": 1, \"state\": \"done\", \"engine\": \"model\", \"message\": \"m\", "
        "\"trustworthy\": true, \"reason\": null, \"lost_fraction\": 0, \"changes\": 1, "
        "\"regions\": 1, \"model_saving\": null, \"report\": null, \"pairs\": [[1, 2, 3]]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct run_result result;
        struct error error;
        write_text(bad[i]);
        ck_assert_int_eq(run_result_read(path, &result, &error), STATUS_INPUT);
        ck_assert_ptr_nonnull(strstr(error.text, "result.json is not the result of a run"));
        run_result_clear(&result);
    }
    unlink(path);
}
END_TEST

START_TEST(unwritable_places_are_named)
{
    struct run_result result = {.state = RUN_DONE, .engine = "model"};
    struct error error;
    ck_assert_int_eq(run_result_write(&result, "/nowhere/at/all/result.json", &error),
                     STATUS_ENVIRONMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/at/all/result.json"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("results of runs");
    TCase *tests = tcase_create("all");
    if (!mkdtemp(folder))
        return 99;
    snprintf(path, sizeof path, "%s/" RESULT_FILE, folder);
    tcase_add_test(tests, absent_is_open);
    tcase_add_test(tests, what_is_written_is_read);
    tcase_add_test(tests, a_failure_replaces_what_was_there);
    tcase_add_test(tests, damaged_files_are_refused);
    tcase_add_test(tests, unwritable_places_are_named);
    suite_add_tcase(suite, tests);
    int result = check_tap(suite);
    rmdir(folder);
    return result;
}
