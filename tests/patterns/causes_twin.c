/* Random programs with collective operations of all kinds: the search in bulk finds the delay costs
 * and indirect waits that its literal twin finds, and nothing else, whatever the number of
 * processes. */
#include "../mpi_check.h"
#include "case_reader.h"
#include "naive_causes.h"
#include "random_collectives.h"

#include "patterns/search.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS = 500, ENOUGH = 10 };

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

/* `found` counts values that are not zero. */
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

static bool compare(const char *path, const struct severity *severity, unsigned seed, int *found)
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

/* Each process writes the same program for itself. */
static bool run_seed(unsigned seed, struct processes *processes, int *found)
{
    const char *directory = getenv("TMPDIR");
    char path[4096];
    struct error error;
    struct severity *local = NULL, *whole = NULL;
    snprintf(path, sizeof path, "%s/silas-causes.XXXXXX", directory ? directory : "/tmp");
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 1);
    random_collectives_write(seed, file);
    fclose(file);
    struct test_case *test_case = case_read(path, processes);
    bool passed = pattern_search(test_case->trace, &local, &error) == STATUS_OK &&
                  severity_gather(local, processes, &whole, &error) == STATUS_OK;
    if (passed && processes->rank == 0)
        passed = compare(path, whole, seed, found);
    unlink(path);
    severity_destroy(whole);
    severity_destroy(local);
    case_destroy(test_case);
    return passed;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    int found[METRIC_COUNT] = {0};
    bool same = true;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes open");
    /* More processes than cores take their time. */
    const unsigned seeds = processes.size == 1 ? SEEDS : SEEDS / 10;
    for (unsigned seed = 1; seed <= seeds; seed++)
        same = run_seed(seed, &processes, found) && same;
    mpi_check(same, "random programs: the search finds what its literal twin finds");
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (is_compared(metric_infos[metric].name) && strstr(metric_infos[metric].name, "delay_"))
            mpi_check(processes.rank != 0 || found[metric] >= ENOUGH ||
                          strstr(metric_infos[metric].name, "latereceiver"),
                      metric_infos[metric].name);
    processes_close(&processes);
    return mpi_check_end();
}
