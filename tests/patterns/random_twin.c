#include "random_twin.h"
#include "../mpi_check.h"
#include "case_reader.h"

#include "base/mpi/handles.h"
#include "patterns/search.h"

#include <unistd.h>

enum { ENOUGH = 10 };

/* Each process writes the same program for itself. */
static bool run_seed(const struct random_twin *twin, unsigned seed, struct processes *processes,
                     int *found)
{
    const char *directory = getenv("TMPDIR");
    char path[4096];
    struct error error;
    struct severity *local = NULL, *whole = NULL;
    snprintf(path, sizeof path, "%s/silas-twin.XXXXXX", directory ? directory : "/tmp");
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 1);
    twin->write(seed, file);
    fclose(file);
    struct test_case *test_case = case_read(path, processes);
    bool passed = pattern_search(test_case->trace, &local, &error) == STATUS_OK &&
                  severity_gather(&local, processes, &whole, &error) == STATUS_OK;
    if (passed && processes->rank == 0)
        passed = twin->agrees(path, whole, seed, found);
    unlink(path);
    severity_destroy(whole);
    severity_destroy(local);
    case_destroy(test_case);
    return passed;
}

int random_twin_main(int argc, char **argv, const struct random_twin *twin)
{
    struct processes processes;
    struct error error;
    int found[METRIC_COUNT] = {0};
    bool same = true;
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "processes open");
    /* More processes than cores are slow. */
    const unsigned seeds = processes.size == 1 ? twin->seeds : twin->seeds / 10;
    for (unsigned seed = 1; seed <= seeds; seed++)
        same = run_seed(twin, seed, &processes, found) && same;
    mpi_check(same, "random programs: the search finds what its literal twin finds");
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (twin->must_occur(metric_infos[metric].name))
            mpi_check(processes.rank != 0 || found[metric] >= ENOUGH, metric_infos[metric].name);
    processes_close(&processes);
    return mpi_check_end();
}
