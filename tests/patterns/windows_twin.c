/* Random one-sided programs: the search in bulk finds to the tick what the literal twin finds, and
 * nothing else, whatever the number of processes. */
#include "../mpi_check.h"
#include "case_reader.h"
#include "random_windows.h"

#include "patterns/search.h"

#include <string.h>
#include <unistd.h>

enum { SEEDS = 300, ENOUGH = 10 };

static bool is_one_sided(const char *metric)
{
    return strncmp(metric, "mpi_rma_", 8) == 0 || strstr(metric, "_put") ||
           strstr(metric, "_get") || strstr(metric, "_atomic");
}

static double expected(const struct random_program *program, int rank, const char *path,
                       const char *metric)
{
    int64_t sum = 0;
    for (int i = 0; i < program->count[rank]; i++)
        if (strcmp(program->visits[rank][i].path, path) == 0)
            sum += naive_severity(program, rank, &program->visits[rank][i], metric);
    return (double)sum;
}

/* `found` counts values that are not zero. */
static bool holds(const struct random_program *program, const struct severity *severity,
                  unsigned seed, int *found)
{
    bool all = true;
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        const char *name = metric_infos[metric].name;
        for (uint32_t p = 0; is_one_sided(name) && p < severity->path_count; p++) {
            char path[128];
            severity_path_format(severity, p, path, sizeof path);
            for (int rank = 0; rank < program->ranks; rank++) {
                const double wanted = expected(program, rank, path, name);
                const double got = severity_get(severity, (enum metric)metric, p, (uint32_t)rank);
                found[metric] += got != 0;
                if (got == wanted)
                    continue;
                all = false;
                fprintf(stderr, "# seed %u: %s %s %d: twin %g, search %g\n", seed, name, path, rank,
                        wanted, got);
            }
        }
    }
    return all;
}

/* Each process writes the same program for itself. */
static bool run_seed(unsigned seed, struct processes *processes, int *found)
{
    const char *directory = getenv("TMPDIR");
    char path[4096];
    struct error error;
    struct severity *local = NULL, *whole = NULL;
    struct random_program *program = random_program_make(seed);
    snprintf(path, sizeof path, "%s/silas-windows.XXXXXX", directory ? directory : "/tmp");
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        MPI_Abort(MPI_COMM_WORLD, 1);
    random_program_write(program, file);
    fclose(file);
    struct test_case *test_case = case_read(path, processes);
    bool passed = pattern_search(test_case->trace, &local, &error) == STATUS_OK &&
                  severity_gather(local, processes, &whole, &error) == STATUS_OK;
    if (passed && processes->rank == 0)
        passed = holds(program, whole, seed, found);
    unlink(path);
    severity_destroy(whole);
    severity_destroy(local);
    case_destroy(test_case);
    random_program_destroy(program);
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
        if (is_one_sided(metric_infos[metric].name))
            mpi_check(processes.rank != 0 || found[metric] >= ENOUGH, metric_infos[metric].name);
    processes_close(&processes);
    return mpi_check_end();
}
