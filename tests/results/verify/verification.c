/* Comparing a prediction with recordings of the changed program, on hand-built severities: two
 * ranks, start-up of 1 s and 0.5 s, foo, and an MPI_Allreduce in which rank 0 waits. */
#include "results/verify/verification.h"
#include "tests/check_tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { APP, INIT, FOO, ALLREDUCE, FINALIZE, PATHS };
enum { RANKS = 2, TRUTHS = 5 };

/* Seconds of each rank in foo itself. Rank 0 waits until rank 1 has finished. */
static struct result make(const char *program, double time_s, double foo0, double foo1)
{
    const struct severity_path paths[PATHS] = {
        {.parent = SEVERITY_NONE, .name = program},
        {.parent = APP, .name = "MPI_Init", .mpi = true},
        {.parent = APP, .name = "foo"},
        {.parent = FOO, .name = "MPI_Allreduce", .mpi = true},
        {.parent = APP, .name = "MPI_Finalize", .mpi = true}};
    const struct severity_location locations[RANKS] = {{0, 0, "a"}, {1, 0, "a"}};
    struct severity *severity = severity_create(paths, PATHS, locations, RANKS);
    ck_assert_ptr_nonnull(severity);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        severity_add(severity, METRIC_TIME, INIT, rank, 1);
        severity_add(severity, METRIC_TIME, FOO, rank, rank == 0 ? foo0 : foo1);
        severity_add(severity, METRIC_TIME, FINALIZE, rank, 0.5);
    }
    severity_add(severity, METRIC_TIME, ALLREDUCE, 0, foo1 - foo0);
    severity_add(severity, METRIC_MPI_WAIT_NXN, ALLREDUCE, 0, foo1 - foo0);
    severity->total_seconds = time_s;
    return (struct result){
        .path = strdup(program), .time_s = time_s, .ranks = RANKS, .severity = severity};
}

struct sides {
    struct result prediction, original, truths[TRUTHS];
    struct verification_input input;
};

/* 10 s become 8 s by the prediction; really 8.5 s, give or take 0.02 s. */
static void make_sides(struct sides *sides, size_t truths)
{
    sides->original = make("app", 10, 4, 8);
    sides->prediction = make("app", 8, 6, 6.5);
    for (size_t i = 0; i < truths; i++)
        sides->truths[i] = make("app-fixed", 8.48 + 0.01 * (double)i, 6, 7);
    sides->input = (struct verification_input){.prediction = &sides->prediction,
                                               .truths = sides->truths,
                                               .truth_count = truths,
                                               .original = &sides->original};
}

static void clear_sides(struct sides *sides)
{
    result_clear(&sides->original);
    result_clear(&sides->prediction);
    for (size_t i = 0; i < sides->input.truth_count; i++)
        result_clear(&sides->truths[i]);
}

static struct verification compare(const struct verification_input *input)
{
    struct verification verification;
    struct error error;
    ck_assert_int_eq(verification_make(input, &verification, &error), STATUS_OK);
    return verification;
}

static const double tolerance = 1e-9;

START_TEST(times_are_compared_with_and_without_start_up)
{
    struct sides sides;
    make_sides(&sides, TRUTHS);
    struct verification made = compare(&sides.input);
    const struct verified_time *whole = &made.times[TIME_WHOLE], *inner = &made.times[TIME_INNER];
    ck_assert_double_eq_tol(whole->predicted.median, 8, tolerance);
    ck_assert_double_eq_tol(whole->measured.median, 8.5, tolerance);
    ck_assert_double_eq_tol(whole->measured.low, 8.48, tolerance);
    ck_assert_double_eq_tol(whole->measured.high, 8.52, tolerance);
    ck_assert_double_eq_tol(whole->error, -0.5 / 8.5, tolerance);
    /* MPI_Init and MPI_Finalize take 1.5 s */
    ck_assert_double_eq_tol(inner->predicted.median, 6.5, tolerance);
    ck_assert_double_eq_tol(inner->measured.median, 7, tolerance);
    ck_assert_double_eq_tol(inner->error, -0.5 / 7, tolerance);
    ck_assert_int_eq(made.main_time, TIME_INNER);
    ck_assert_double_eq(made.times[TIME_REGION].predicted.median, 0);
    ck_assert(made.same_ranks && made.trustworthy);
    verification_clear(&made);
    clear_sides(&sides);
}
END_TEST

START_TEST(saving_and_speed_up_have_one_estimator)
{
    struct sides sides;
    make_sides(&sides, 3);
    struct verification made = compare(&sides.input);
    ck_assert_double_eq_tol(made.speed_up_achieved, 1 / (1 - made.saving_achieved), tolerance);
    ck_assert_double_eq_tol(made.speed_up_estimated, 1 / (1 - made.saving_estimated), tolerance);
    verification_clear(&made);
    clear_sides(&sides);
}
END_TEST

START_TEST(savings_are_of_the_time_without_start_up)
{
    struct sides sides;
    make_sides(&sides, 1);
    struct verification made = compare(&sides.input);
    ck_assert_double_eq_tol(made.saving_estimated, 1 - 6.5 / 8.5, tolerance);
    ck_assert_double_eq_tol(made.saving_achieved, 1 - 6.98 / 8.5, tolerance);
    ck_assert_double_eq_tol(made.speed_up_estimated, 8.5 / 6.5, tolerance);
    ck_assert_double_eq_tol(made.speed_up_achieved, 8.5 / 6.98, tolerance);
    verification_clear(&made);
    sides.input.original = NULL;
    made = compare(&sides.input);
    ck_assert(isnan(made.saving_estimated) && isnan(made.saving_achieved));
    ck_assert(isnan(made.speed_up_estimated) && isnan(made.speed_up_achieved));
    verification_clear(&made);
    clear_sides(&sides);
}
END_TEST

START_TEST(a_report_brings_its_intervals_and_what_was_unchanged)
{
    struct sides sides;
    make_sides(&sides, TRUTHS);
    struct result before = make("app", 10.5, 4, 8);
    struct result_report report = {.before = before.severity,
                                   .before_s = 10.5,
                                   .predicted = {8, 7.9, 8.1, 0.98},
                                   .typical = {0.2, 0.19, 0.21, 0.98},
                                   .for_real = {0.2, 0.15, 0.25, 0.98},
                                   .trustworthy = false};
    sides.prediction.report = &report;
    struct verification made = compare(&sides.input);
    const struct verified_time *inner = &made.times[TIME_INNER];
    ck_assert_double_eq_tol(inner->predicted.low, 6.4, tolerance);
    ck_assert_double_eq_tol(inner->predicted.high, 6.6, tolerance);
    /* 15 to 25 % of the unchanged 10.5 s less, without the start-up of 1.5 s */
    ck_assert_double_eq_tol(inner->for_real.low, 10.5 * 0.75 - 1.5, tolerance);
    ck_assert_double_eq_tol(inner->for_real.high, 10.5 * 0.85 - 1.5, tolerance);
    ck_assert(!prediction_is_inside(inner));
    ck_assert_double_eq_tol(inner->typical.low, 10.5 * 0.79 - 1.5, tolerance);
    ck_assert_double_eq_tol(inner->typical.high, 10.5 * 0.81 - 1.5, tolerance);
    ck_assert(truth_is_inside(inner, 1));
    ck_assert_double_eq_tol(made.saving_estimated, 1 - 6.5 / 9, tolerance);
    ck_assert_double_eq_tol(made.saving_achieved, 1 - 7 / 8.5, tolerance);
    ck_assert(!made.trustworthy);
    verification_clear(&made);
    sides.prediction.report = NULL;
    result_clear(&before);
    clear_sides(&sides);
}
END_TEST

START_TEST(inside_means_within_a_claimed_interval)
{
    struct verified_time time = {.predicted = {8, 8, 8, 0},
                                 .typical = {8, 7.8, 8.2, 0.95},
                                 .for_real = {8, 7.5, 8.5, 0.95},
                                 .measured = {8.1, 8, 8.2, 0.94}};
    ck_assert(prediction_is_inside(&time) && truth_is_inside(&time, 1) &&
              truth_is_inside(&time, TYPICAL_TRUTHS));
    time.predicted.median = 7.99;
    time.measured.median = 8.3; /* right for a single run, but not for the median of many */
    ck_assert(!prediction_is_inside(&time) && truth_is_inside(&time, TYPICAL_TRUTHS - 1) &&
              !truth_is_inside(&time, TYPICAL_TRUTHS));
    time.typical.level = 0; /* the report of an older version */
    ck_assert(truth_is_inside(&time, TYPICAL_TRUTHS));
    time.measured.median = 8.51;
    ck_assert(!truth_is_inside(&time, 1));
    time.predicted.median = time.measured.median = 8;
    time.measured.level = time.for_real.level = 0;
    ck_assert(!prediction_is_inside(&time) && !truth_is_inside(&time, 1));
}
END_TEST

/* Metrics as a whole, then call paths by their differences; the program's file has another name. */
START_TEST(rows_are_means_over_ranks_the_largest_difference_first)
{
    struct sides sides;
    make_sides(&sides, TRUTHS);
    struct verification made = compare(&sides.input);
    ck_assert_uint_eq(made.total_count, 2);
    ck_assert_int_eq(made.rows[0].metric, METRIC_TIME);
    ck_assert_int_eq(made.rows[1].metric, METRIC_MPI_WAIT_NXN);
    ck_assert_double_eq_tol(made.rows[1].predicted, 0.25, tolerance);
    ck_assert_double_eq_tol(made.rows[1].measured.median, 0.5, tolerance);
    ck_assert_double_eq_tol(made.rows[1].difference, -0.25, tolerance);
    ck_assert_uint_eq(made.row_count, 2 + 5);
    for (size_t i = made.total_count + 1; i < made.row_count; i++)
        ck_assert_double_ge(fabs(made.rows[i - 1].difference), fabs(made.rows[i].difference));
    char *text = severity_path_text(made.stores[0], made.rows[2].path);
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_eq(strstr(text, "app/foo"), text);
    free(text);
    ck_assert_uint_eq(made.stores[0]->path_count, PATHS);
    verification_clear(&made);
    clear_sides(&sides);
}
END_TEST

START_TEST(a_region_narrows_the_comparison)
{
    struct sides sides;
    make_sides(&sides, TRUTHS);
    sides.input.region = "foo";
    struct verification made = compare(&sides.input);
    ck_assert_int_eq(made.main_time, TIME_REGION);
    ck_assert_double_eq_tol(made.times[TIME_REGION].predicted.median, 6.5, tolerance);
    ck_assert_double_eq_tol(made.times[TIME_REGION].measured.median, 7, tolerance);
    ck_assert_double_eq_tol(made.rows[0].predicted, 6.5, tolerance); /* without MPI_Init */
    for (size_t i = made.total_count; i < made.row_count; i++)
        ck_assert(path_is_within(made.stores[0], made.rows[i].path, "foo"));
    verification_clear(&made);

    struct error error;
    sides.input.region = "bar";
    ck_assert_int_eq(verification_make(&sides.input, &made, &error), STATUS_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "has no region \"bar\" (--region)"));
    verification_clear(&made);
    clear_sides(&sides);
}
END_TEST

/* A plug-in's metric has different numbers in the stores. */
START_TEST(metrics_of_plug_ins_are_found_by_name)
{
    struct sides sides;
    make_sides(&sides, 1);
    const struct metric_info other = {.name = "other", .unit = UNIT_COUNT, .parent = METRIC_NONE},
                             drops = {.name = "drops", .unit = UNIT_COUNT, .parent = METRIC_NONE};
    struct severity *truth = sides.truths[0].severity;
    enum metric predicted = severity_metric_add(sides.prediction.severity, &drops);
    ck_assert_int_ne(severity_metric_add(truth, &other), METRIC_NONE);
    enum metric measured = severity_metric_add(truth, &drops);
    ck_assert_int_ne(predicted, measured);
    severity_add(sides.prediction.severity, predicted, FOO, 0, 6);
    severity_add(truth, measured, FOO, 1, 10);
    struct verification made = compare(&sides.input);
    const struct verified_row *row = NULL;
    for (size_t i = 0; i < made.total_count; i++)
        if (strcmp(made.stores[0]->metrics[made.rows[i].metric].name, "drops") == 0)
            row = &made.rows[i];
    ck_assert_ptr_nonnull(row);
    ck_assert_double_eq_tol(row->predicted, 3, tolerance);
    ck_assert_double_eq_tol(row->measured.median, 5, tolerance);
    verification_clear(&made);
    clear_sides(&sides);
}
END_TEST

START_TEST(other_numbers_of_ranks_are_noted)
{
    struct sides sides;
    make_sides(&sides, 1);
    sides.truths[0].ranks = RANKS + 1;
    struct verification made = compare(&sides.input);
    ck_assert(!made.same_ranks);
    verification_clear(&made);
    clear_sides(&sides);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verification");
    TCase *cases = tcase_create("verification");
    tcase_add_test(cases, times_are_compared_with_and_without_start_up);
    tcase_add_test(cases, saving_and_speed_up_have_one_estimator);
    tcase_add_test(cases, savings_are_of_the_time_without_start_up);
    tcase_add_test(cases, a_report_brings_its_intervals_and_what_was_unchanged);
    tcase_add_test(cases, inside_means_within_a_claimed_interval);
    tcase_add_test(cases, rows_are_means_over_ranks_the_largest_difference_first);
    tcase_add_test(cases, a_region_narrows_the_comparison);
    tcase_add_test(cases, metrics_of_plug_ins_are_found_by_name);
    tcase_add_test(cases, other_numbers_of_ranks_are_noted);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
