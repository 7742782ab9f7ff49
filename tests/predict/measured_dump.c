/* measured_dump EVENTS TRACE [REGION RANK]...: prints seconds and visits of regions of a trace, of
 * which EVENTS are held at a time (0: all), or the error and the number of the query that failed.
 * For any number of processes. */
#include "base/mpi/handles.h"
#include "predict/measured.h"

#include <stdio.h>
#include <stdlib.h>

enum { QUERIES_MAX = 64 };

static enum status answer(char **arguments, uint32_t count, struct processes *processes,
                          struct error *error)
{
    struct measured_query queries[QUERIES_MAX];
    struct measured_answer answers[QUERIES_MAX];
    uint32_t failed;
    uint64_t events = strtoull(arguments[0], NULL, 10);
    for (uint32_t q = 0; q < count; q++)
        queries[q] =
            (struct measured_query){.region = arguments[2 + 2 * q],
                                    .rank = (uint32_t)strtoul(arguments[3 + 2 * q], NULL, 10)};
    enum status status = measured_answer(arguments[1], events > 0 ? events : UINT64_MAX / 2,
                                         queries, count, processes, answers, &failed, error);
    if (processes->rank > 0)
        return status;
    if (status != STATUS_OK)
        printf("%d: %s\n", (int)failed, error->text);
    for (uint32_t q = 0; q < count && status == STATUS_OK; q++)
        printf("%.17g %llu\n", answers[q].seconds, (unsigned long long)answers[q].visits);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error = {0};
    if (argc < 3 || argc % 2 == 0 || argc > 3 + 2 * QUERIES_MAX)
        return STATUS_USAGE;
    MPI_Init(&argc, &argv);
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    if (status == STATUS_OK)
        status = answer(argv + 1, (uint32_t)(argc - 3) / 2, &processes, &error);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
