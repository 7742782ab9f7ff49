/* Random programs with collective operations of all kinds: the search in bulk finds the delay costs
 * and indirect waits that its literal twin finds, and nothing else, whatever the number of
 * processes. */
#include "base/mpi/handles.h"

#include "case_reader.h"
#include "naive_causes.h"
#include "random_collectives.h"
#include "random_twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct expected {
    double *values; /* [metric][path][rank] */
    uint32_t paths, ranks;
};

static double *value_at(struct expected *expected, int metric, uint32_t path, uint32_t rank)
{
    return &expected->values[((size_t)metric * expected->paths + path) * expected->ranks + rank];
}

static void add(void *context, const char *metric, uint32_t path, uint32_t rank, double ticks)
{
    *value_at(context, (int)metric_from_name(metric), path, rank) += ticks;
}

static bool is_compared(const char *metric)
{
    return strncmp(metric, "delay_", 6) == 0 || strncmp(metric, "mpi_wait_indirect_", 18) == 0;
}

static bool holds(struct expected *expected, const struct severity *severity, unsigned seed,
                  int *found)
{
    bool all = true;
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        for (uint32_t p = 0; is_compared(metric_infos[metric].name) && p < expected->paths; p++) {
            for (uint32_t rank = 0; rank < expected->ranks; rank++) {
                const double wanted = *value_at(expected, metric, p, rank);
                const double got = severity_get(severity, (enum metric)metric, p, rank);
                found[metric] += got != 0;
                if (fabs(got - wanted) <= 1e-9 * fabs(wanted))
                    continue;
                char path[128];
                severity_path_format(severity, p, path, sizeof path);
                fprintf(stderr, "# seed %u: %s %s %u: twin %.17g, search %.17g\n", seed,
                        metric_infos[metric].name, path, rank, wanted, got);
                all = false;
            }
        }
    }
    return all;
}

static bool agrees(const char *path, const struct severity *severity, unsigned seed, int *found)
{
    struct processes alone;
    struct error error;
    if (processes_open(&alone, MPI_COMM_SELF, &error) != STATUS_OK)
        return false;
    struct test_case *test_case = case_read(path, &alone);
    struct expected expected = {.paths = severity->path_count, .ranks = severity->location_count};
    expected.values =
        calloc((size_t)METRIC_COUNT * expected.paths * expected.ranks, sizeof(double));
    naive_causes_find(test_case->trace, add, &expected);
    const bool same = holds(&expected, severity, seed, found);
    free(expected.values);
    case_destroy(test_case);
    processes_close(&alone);
    return same;
}

/* The random programs have no threads. */
static bool must_occur(const char *metric)
{
    return is_compared(metric) && strstr(metric, "delay_") && !strstr(metric, "latereceiver") &&
           !strstr(metric, "omp");
}

int main(int argc, char **argv)
{
    static const struct random_twin twin = {random_collectives_write, agrees, must_occur, 500};
    return random_twin_main(argc, argv, &twin);
}
