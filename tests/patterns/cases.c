/* Runs every case of tests/patterns/cases: the pattern search must find what the case says, and no
 * other wait. Volume, time and visits are compared where a case says anything about them. */
#include "../mpi_check.h"
#include "case_reader.h"

#include "base/mpi/handles.h"
#include "patterns/search.h"

#include <glob.h>
#include <math.h>
#include <string.h>

static double expected_value(const struct test_case *test_case, enum metric metric,
                             const char *path, uint32_t rank, bool *mentioned)
{
    double value = 0;
    for (size_t i = 0; i < test_case->expectations.count; i++) {
        const struct expectation *e = &test_case->expectations.items[i];
        *mentioned = *mentioned || e->metric == metric;
        if (e->metric == metric && e->rank == rank && strcmp(e->path, path) == 0)
            value += e->value;
    }
    return value;
}

/* A case must list all waits and their counts, but not their causes and effects. */
static bool always_compared(enum metric metric)
{
    const char *name = metric_infos[metric].name;
    return strncmp(name, "mpi_", 4) == 0 && strstr(name, "direct_") == NULL &&
           strncmp(name, "mpi_wait_propagating_", 21) != 0 &&
           strncmp(name, "mpi_wait_terminal_", 18) != 0;
}

static bool holds(const struct test_case *test_case, const struct severity *severity)
{
    bool all = true;
    double expected_sum = 0, found_sum = 0;
    char path[128];
    for (size_t i = 0; i < test_case->expectations.count; i++)
        expected_sum += test_case->expectations.items[i].value;
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        for (uint32_t p = 0; p < severity->path_count; p++) {
            severity_path_format(severity, p, path, sizeof path);
            for (uint32_t rank = 0; rank < severity->location_count; rank++) {
                bool mentioned = always_compared((enum metric)metric);
                double expected =
                    expected_value(test_case, (enum metric)metric, path, rank, &mentioned);
                double found = severity_get(severity, (enum metric)metric, p, rank);
                if (!mentioned)
                    continue;
                found_sum += found;
                if (found == expected)
                    continue;
                all = false;
                fprintf(stderr, "# %s %s %u: expected %g, found %g\n", metric_infos[metric].name,
                        path, rank, expected, found);
            }
        }
    }
    if (all && expected_sum != found_sum) /* a path or rank that is not in the trace */
        fprintf(stderr, "# not all that is expected was looked at\n");
    return all && expected_sum == found_sum;
}

static bool run_case(const char *path, struct processes *processes)
{
    struct error error;
    struct severity *local = NULL, *whole = NULL;
    struct test_case *test_case = case_read(path, processes);
    bool passed = pattern_search(test_case->trace, &local, &error) == STATUS_OK &&
                  severity_gather(&local, processes, &whole, &error) == STATUS_OK;
    if (passed && processes->rank == 0)
        passed = holds(test_case, whole);
    severity_destroy(whole);
    severity_destroy(local);
    case_destroy(test_case);
    return passed;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    glob_t files;
    char pattern[4096];
    const char *source = getenv("top_srcdir");
    mpi_check_begin(&argc, &argv);
    snprintf(pattern, sizeof pattern, "%s/tests/patterns/cases/*.case", source ? source : ".");
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes open");
    mpi_check(glob(pattern, 0, NULL, &files) == 0, "the cases are there");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        bool passed = run_case(files.gl_pathv[i], &processes);
        mpi_check(passed, strrchr(files.gl_pathv[i], '/') + 1);
    }
    globfree(&files);
    processes_close(&processes);
    return mpi_check_end();
}
