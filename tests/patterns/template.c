/* The template of a pattern family works when it is searched for alone. */
#include "../mpi_check.h"
#include "case_reader.h"

#include "patterns/search.h"

extern const struct pattern template_pattern;

/* Time is the sweep's; without it the template's values stand alone. */
static double found(const struct severity *severity, uint32_t rank)
{
    double sum = 0;
    for (uint32_t path = 0; path < severity->path_count; path++)
        sum += severity_get(severity, METRIC_MPI_LATERECEIVER, path, rank);
    return sum;
}

int main(int argc, char **argv)
{
    static const struct pattern *const patterns[] = {&template_pattern, NULL};
    struct processes processes;
    struct error error;
    struct severity *severity = NULL;
    char path[4096];
    mpi_check_begin(&argc, &argv);
    processes_open(&processes, MPI_COMM_WORLD, &error);
    snprintf(path, sizeof path, "%s/tests/patterns/cases/late-receiver.case",
             getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    struct test_case *test_case = case_read(path, &processes);
    mpi_check(pattern_search_for(test_case->trace, patterns, NULL, &severity, &error) == STATUS_OK,
              "the search runs");
    /* Sent at 31 and received at 41, at 51 and 56, at 70 and 75. */
    mpi_check(severity && found(severity, 0) == 0 && found(severity, 1) == 10 + 5 + 5,
              "three messages are early");
    severity_destroy(severity);
    case_destroy(test_case);
    processes_close(&processes);
    return mpi_check_end();
}
