/* The template of a pattern family works when it is searched for alone. */
#include "../mpi_check.h"
#include "case_reader.h"

#include "base/mpi/handles.h"
#include "patterns/search.h"

#include <silas/plugin.h>
#include <string.h>

/* The template's first metric is the first behind those of the list. */
static double found(const struct severity *severity, uint32_t rank)
{
    double sum = 0;
    for (uint32_t path = 0; path < severity->path_count; path++)
        sum += severity_get(severity, METRIC_COUNT, path, rank);
    return sum;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    struct severity *severity = NULL;
    char path[4096];
    mpi_check_begin(&argc, &argv);
    processes_open(&processes, MPI_COMM_WORLD, &error);
    snprintf(path, sizeof path, "%s/tests/patterns/cases/late-receiver.case",
             getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    struct test_case *test_case = case_read(path, &processes);
    mpi_check(pattern_search_for(test_case->trace, silas_plugin.patterns, NULL, &severity,
                                 &error) == STATUS_OK,
              "the search runs");
    /* The calls begin at 10 and 25, 30 and 40, 50 and 55, 70 and 75. */
    mpi_check(severity && found(severity, 0) == 0 && found(severity, 1) == 15 + 10 + 5 + 5,
              "four messages are early");
    mpi_check(severity && severity->metric_count == METRIC_COUNT + 2 &&
                  strcmp(severity->metrics[METRIC_COUNT].name, "early_message") == 0,
              "its metrics are in the store");
    severity_destroy(severity);
    case_destroy(test_case);
    processes_close(&processes);
    return mpi_check_end();
}
