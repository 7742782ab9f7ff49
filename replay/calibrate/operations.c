/* In a round each loop runs several times for a fraction of a millisecond, so that not all runs
 * lose their core. For loops within the core the fastest run counts, because other programs can
 * only make a run longer. For memory, which other programs use as well, the median of the runs
 * counts. */
#include "replay/calibrate/operations.h"

#include "base/clock.h"
#include "base/topology.h"
#include "replay/calibrate/chase.h"
#include "replay/calibrate/file_costs.h"
#include "replay/calibrate/kernels.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 9, RUNS = 5 };
static const double RUN_S = 100e-6; /* wanted duration of the shorter loop of a pair */

struct operation_rounds {
    struct clock clock;
    double values[OPERATION_COUNT][ROUNDS];
    struct operation_costs *costs;
};

static double seconds_from(const struct operation_rounds *rounds, uint64_t begin)
{
    return (double)(clock_now(&rounds->clock) - begin) / rounds->clock.ticks_per_second;
}

static void conclude_operation(struct operation_rounds *rounds, enum operation operation)
{
    rounds->costs->known[operation] = true;
    rounds->costs->operations[operation] = estimate_of(rounds->values[operation], ROUNDS);
}

static double run_once(const struct operation_rounds *rounds, kernel_loop *loop,
                       uint64_t iterations, void *buffer)
{
    uint64_t begin = clock_now(&rounds->clock);
    loop(iterations, buffer);
    return seconds_from(rounds, begin);
}

/* Seconds of an iteration. */
static double fastest(const struct operation_rounds *rounds, kernel_loop *loop, uint64_t iterations,
                      void *buffer)
{
    double least = run_once(rounds, loop, iterations, buffer);
    for (int i = 1; i < RUNS; i++) {
        double seconds = run_once(rounds, loop, iterations, buffer);
        least = seconds < least ? seconds : least;
    }
    return least / (double)iterations;
}

/* Seconds of one operation. */
static double measure_kernel(const struct operation_rounds *rounds, const struct kernel *kernel,
                             void *buffer)
{
    uint64_t iterations = 1000;
    while (run_once(rounds, kernel->few, iterations, buffer) < RUN_S)
        iterations *= 2;
    double few = fastest(rounds, kernel->few, iterations, buffer);
    double many = fastest(rounds, kernel->many, iterations, buffer);
    return many > few ? (many - few) / kernel->more : 0;
}

static bool is_available(const struct kernel *kernel)
{
    return !kernel->available || kernel->available();
}

static void measure_kernels(struct operation_rounds *rounds)
{
    static double buffer[KERNEL_BUFFER / sizeof(double)] __attribute__((aligned(64)));
    for (size_t i = 0; i < KERNEL_BUFFER / sizeof *buffer; i++)
        buffer[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < kernel_count; k++)
            if (is_available(&kernels[k]))
                rounds->values[kernels[k].operation][round] =
                    measure_kernel(rounds, &kernels[k], buffer);
        rounds->values[OPERATION_BRANCH_MISS][round] += rounds->values[OPERATION_BRANCH][round];
    }
    for (size_t k = 0; k < kernel_count; k++)
        if (is_available(&kernels[k]))
            conclude_operation(rounds, kernels[k].operation);
}

enum { LOADS = 2000, MEMORY_RUNS = 9, STREAM_RUN = 1 << 17 /* doubles */ };

/* Measures loads whose addresses come from the loads before, in a buffer of this size. */
static enum status measure_chase(struct operation_rounds *rounds, enum operation operation,
                                 size_t bytes, struct error *error)
{
    struct chase chase;
    if (!chase_open(&chase, bytes))
        return error_memory(error, "a buffer to measure loads in");
    if (operation != OPERATION_LOAD_MEMORY)
        chase_go(&chase, chase.lines / 8 * 8); /* into the cache */
    for (int round = 0; round < ROUNDS; round++) {
        double runs[MEMORY_RUNS];
        for (int run = 0; run < MEMORY_RUNS; run++) {
            uint64_t begin = clock_now(&rounds->clock);
            chase_go(&chase, LOADS);
            runs[run] = seconds_from(rounds, begin) / LOADS;
        }
        rounds->values[operation][round] = estimate_of(runs, MEMORY_RUNS).median;
    }
    chase_close(&chase);
    rounds->costs->buffer[operation] = bytes;
    conclude_operation(rounds, operation);
    return STATUS_OK;
}

/* Each run streams through a part that is not in a cache. */
static void stream_rounds(struct operation_rounds *rounds, double *to, const double *from,
                          size_t parts)
{
    size_t part = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double runs[MEMORY_RUNS];
        for (int run = 0; run < MEMORY_RUNS; run++) {
            size_t place = part++ % parts * STREAM_RUN;
            uint64_t begin = clock_now(&rounds->clock);
            stream_scale(to + place, from + place, STREAM_RUN);
            runs[run] = seconds_from(rounds, begin) / (2 * STREAM_RUN * sizeof *from);
        }
        rounds->values[OPERATION_BYTE][round] = estimate_of(runs, MEMORY_RUNS).median;
    }
    conclude_operation(rounds, OPERATION_BYTE);
}

/* One half of `bytes` is read, the other written. */
static enum status measure_stream(struct operation_rounds *rounds, size_t bytes,
                                  struct error *error)
{
    size_t count = bytes / 2 / sizeof(double);
    double *from = malloc(count * sizeof *from), *to = malloc(count * sizeof *to);
    if (!from || !to) {
        free(from);
        free(to);
        return error_memory(error, "a buffer to stream through");
    }
    for (size_t i = 0; i < count; i++)
        from[i] = to[i] = 1;
    stream_rounds(rounds, to, from, count / STREAM_RUN);
    rounds->costs->buffer[OPERATION_BYTE] = bytes;
    free(from);
    free(to);
    return STATUS_OK;
}

/* The size of a buffer that does not fit into the caches, and leaves memory for other programs. */
static size_t memory_bytes(size_t largest_cache)
{
    const size_t least = (size_t)64 << 20, most = (size_t)1 << 30;
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t available = pages > 0 && page > 0 ? (size_t)pages * (size_t)page / 4 : most;
    size_t bytes = largest_cache < most / 4 ? 4 * largest_cache : most;
    bytes = bytes > available ? available : bytes;
    return bytes < least ? least : bytes;
}

/* The size of a buffer for a cache: at most three quarters of it, and preferably 8 times the cache
 * before it, which then has little of the buffer. */
static size_t cache_bytes(size_t cache, size_t before)
{
    size_t bytes = cache / 4 * 3;
    return before > 0 && bytes > 8 * before ? 8 * before : bytes;
}

static enum status measure_memory(struct operation_rounds *rounds, struct error *error)
{
    struct topology *topology = NULL;
    size_t caches[4] = {0};
    int core = 0;
    enum status status = topology_open(&topology, error);
    if (status != STATUS_OK)
        return status;
    if (topology_cores(topology, &core, 1) > 0)
        for (unsigned level = 1; level <= 3; level++)
            caches[level] = topology_cache_level(topology, core, level);
    topology_close(topology);
    size_t largest = caches[3] > caches[2] ? caches[3] : caches[2];
    size_t bytes = memory_bytes(largest);
    rounds->costs->largest_cache = largest;
    if (caches[2] > 0)
        status = measure_chase(rounds, OPERATION_LOAD_L2, cache_bytes(caches[2], caches[1]), error);
    if (caches[3] > 0 && status == STATUS_OK)
        status = measure_chase(rounds, OPERATION_LOAD_L3, cache_bytes(caches[3], caches[2]), error);
    if (status == STATUS_OK)
        status = measure_chase(rounds, OPERATION_LOAD_MEMORY, bytes, error);
    return status == STATUS_OK ? measure_stream(rounds, bytes, error) : status;
}

static void measure_call_overhead(struct operation_rounds *rounds,
                                  const struct processes *processes)
{
    enum { CALLS = 2000 };
    double values[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_now(&rounds->clock);
        for (int i = 0; i < CALLS; i++) {
            MPI_Request request;
            int nothing = 0;
            MPI_Irecv(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, processes->comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        values[round] = seconds_from(rounds, begin) / (2 * CALLS);
    }
    rounds->costs->call_overhead = estimate_of(values, ROUNDS);
}

enum status measure_operations(const struct processes *processes, const char *directory,
                               struct operation_costs *costs, struct error *error)
{
    enum status status = STATUS_OK;
    memset(costs, 0, sizeof *costs);
    costs->rounds = ROUNDS;
    if (processes->rank == 0) {
        struct operation_rounds *rounds = calloc(1, sizeof *rounds);
        if (rounds) {
            rounds->costs = costs;
            clock_open(&rounds->clock);
            measure_kernels(rounds);
            measure_call_overhead(rounds, processes);
            costs->file_known = file_costs_measure(&rounds->clock, directory, ROUNDS,
                                                   &costs->file_latency, &costs->file_per_byte);
            status = measure_memory(rounds, error);
        } else {
            status = error_memory(error, "a calibration");
        }
        free(rounds);
    }
    return processes_agree(processes, status, error);
}
