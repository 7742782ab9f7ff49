/* A hand-built store with everything that a severity file must keep: names that formats must
 * escape, several hosts and threads, metrics of another tool, negative and tiny values. */
#ifndef TESTS_REPORT_SEVERITY_CASE_H
#define TESTS_REPORT_SEVERITY_CASE_H

#include "tests/check_tap.h"

#include "severity/severity.h"

/* Not in preorder: the last path is called by the first. */
static const struct severity_path case_paths[] = {
    {.parent = SEVERITY_NONE, .name = "main"},
    {.parent = 0, .name = "a/b\\c <&> \"q\""},
    {.parent = 1, .name = "MPI_Recv", .mpi = true},
    {.parent = SEVERITY_NONE, .name = "tab\there\nand there"},
    {.parent = 0, .name = "gr\xc3\xbc\xc3\x9f"},
    {.parent = 4, .name = "MPI_Recv", .mpi = true},
    {.parent = 1, .name = "last"},
};

/* Ranks alternate between hosts (round-robin placement). */
static const struct severity_location case_locations[] = {
    {0, 0, "n0"}, {0, 1, "n0"}, {1, 0, "n10"}, {2, 0, "n0"}, {3, 0, "n2"},
};

enum { CASE_PATHS = 7, CASE_LOCATIONS = 5 };

static inline struct severity *severity_case(void)
{
    struct metric_info energy = {.name = "energy",
                                 .unit = UNIT_OTHER,
                                 .unit_name = "J",
                                 .parent = METRIC_NONE,
                                 .title = "Energy <all>",
                                 .description = "Energy used & lost"};
    struct metric_info shortest = {.name = "min_time",
                                   .unit = UNIT_SECONDS,
                                   .parent = METRIC_TIME,
                                   .title = "Shortest",
                                   .description = "",
                                   .merge = MERGE_MIN};
    struct severity *severity =
        severity_create(case_paths, CASE_PATHS, case_locations, CASE_LOCATIONS);
    ck_assert_ptr_nonnull(severity);
    severity->total_seconds = 1.0 / 3;
    enum metric all = severity_metric_add(severity, &energy);
    struct metric_info core = energy;
    core.name = "core_energy";
    core.parent = all;
    enum metric cores = severity_metric_add(severity, &core);
    enum metric fastest = severity_metric_add(severity, &shortest);
    for (uint32_t path = 0; path < CASE_PATHS; path++)
        for (uint32_t i = 0; i < CASE_LOCATIONS; i++) {
            bool added = severity_add(severity, METRIC_TIME, path, i, (path * 7 + i + 1) / 3.0) &&
                         severity_add(severity, METRIC_VISITS, path, i, path * 5 + i + 1) &&
                         severity_add(severity, fastest, path, i, 1e-9 * (path + 1));
            ck_assert(added);
        }
    ck_assert(severity_add(severity, METRIC_MPI_LATESENDER, 2, 3, -1e-12));
    ck_assert(severity_add(severity, METRIC_BYTES_SENT, 5, 4, 0x1p52 + 1));
    ck_assert(severity_add(severity, METRIC_SYNCS_COLL, 2, 0, -3)); /* as in a difference */
    ck_assert(severity_add(severity, all, 6, 2, 2.5e300) &&
              severity_add(severity, cores, 3, 1, 0.1));
    return severity;
}

#endif
