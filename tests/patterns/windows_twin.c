/* Random one-sided programs: the search in bulk finds to the tick what the literal twin finds, and
 * nothing else, whatever the number of processes. */
#include "random_twin.h"
#include "random_windows.h"

#include <string.h>

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

static bool agrees(const char *path, const struct severity *severity, unsigned seed, int *found)
{
    struct random_program *program = random_program_make(seed);
    const bool all = holds(program, severity, seed, found);
    (void)path;
    random_program_destroy(program);
    return all;
}

static void write_program(unsigned seed, FILE *file)
{
    struct random_program *program = random_program_make(seed);
    random_program_write(program, file);
    random_program_destroy(program);
}

int main(int argc, char **argv)
{
    static const struct random_twin twin = {write_program, agrees, is_one_sided, 300};
    return random_twin_main(argc, argv, &twin);
}
