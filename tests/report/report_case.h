/* A hand-built replay for the tests of the writers: two ranks, foo balanced from 1 s and 3 s to
 * 2 s each, so that rank 0's wait of 2 s in MPI_Allreduce goes away and 0.1 s of it moves to
 * MPI_Barrier. */
#ifndef TESTS_REPORT_REPORT_CASE_H
#define TESTS_REPORT_REPORT_CASE_H

#include "report/replay_report.h"

#include <string.h>

enum { CASE_APP, CASE_FOO, CASE_ALLREDUCE, CASE_BARRIER };

static inline struct severity *report_case_run(const double foo[2], const double wait[2],
                                               const double barrier[2], double seconds)
{
    static const struct severity_path paths[] = {
        {.parent = SEVERITY_NONE, .name = "app"},
        {.parent = CASE_APP, .name = "foo"},
        {.parent = CASE_APP, .name = "MPI_Allreduce", .mpi = true},
        {.parent = CASE_APP, .name = "MPI_Barrier", .mpi = true}};
    static const struct severity_location locations[] = {{0, 0, "host"}, {1, 0, "host"}};
    struct severity *run = severity_create(paths, 4, locations, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        severity_add(run, METRIC_TIME, CASE_FOO, rank, foo[rank]);
        severity_add(run, METRIC_TIME, CASE_ALLREDUCE, rank, wait[rank]);
        severity_add(run, METRIC_TIME, CASE_BARRIER, rank, barrier[rank]);
        if (wait[rank] > 0)
            severity_add(run, METRIC_MPI_WAIT_NXN, CASE_ALLREDUCE, rank, wait[rank]);
        if (barrier[rank] > 0)
            severity_add(run, METRIC_MPI_BARRIER_WAIT, CASE_BARRIER, rank, barrier[rank]);
    }
    run->total_seconds = seconds;
    return run;
}

/* The unchanged run takes 3 s, the changed one 2.1 s. */
static inline struct severity *report_case_before(void)
{
    return report_case_run((double[]){1, 3}, (double[]){2, 0}, (double[]){0, 0}, 3);
}

static inline struct severity *report_case_after(void)
{
    return report_case_run((double[]){2, 2}, (double[]){0, 0}, (double[]){0.1, 0.1}, 2.1);
}

static double report_case_baseline_s[] = {3.01, 3, 3.02, 3.015, 3.005};
static double report_case_aggregate[] = {0.002, 0.001, 0.003, 0.002, 0.002};
static double report_case_total[] = {0.0033, 0, 0.0067, 0.005, 0.0017};
static double report_case_predicted_s[] = {2.1, 2.11, 2.09, 2.1, 2.1};
static struct report_recording report_case_recording = {
    .path = "run1/traces.otf2",
    .time_s = 3,
    .unchanged = {report_case_baseline_s, report_case_total, report_case_aggregate},
    .changed = {.times_s = report_case_predicted_s},
};
static const char *report_case_hypotheses[] = {"balance foo: region foo, mode instance"};

static inline struct replay_report report_case_make(void)
{
    struct replay_report report = {
        .program = "/opt/app",
        .config = "balance.ini",
        .engine = "realtime",
        .machine = "host",
        .mpi_library = "MPICH 4",
        .trace_writer = "silas",
        .rank_count = 2,
        .repeat = 5,
        .hypotheses = report_case_hypotheses,
        .hypothesis_count = 1,
        .recordings = &report_case_recording,
        .recording_count = 1,
        .trace_time_s = 3,
        .baseline = {3.01, 3, 3.02, 0.9375},
        .predicted = {2.1, 2.09, 2.11, 0.9375},
        .saving = {0.302, 0.297, 0.308, 0.9375},
        .saving_s = {0.91, 0.89, 0.93, 0.9375},
        .significant = true,
        .has_accuracy = true,
        .total_error = 0.0033,
        .aggregate_error = 0.002,
        .trustworthy = true,
    };
    struct severity *before = report_case_before(), *after = report_case_after();
    struct error error;
    comparison_create(before, after, &report.comparison, &error);
    report.efficiency_before = pop_factors_of(before);
    report.efficiency_after = pop_factors_of(after);
    severity_destroy(before);
    severity_destroy(after);
    return report;
}

#endif
