/* Within a round each loop is run several times for a fraction of a millisecond, so that not all
 * runs lose their core to others. Of loops within the core the fastest run counts: others can only
 * lengthen it. In memory, which others use as well, the median of the runs counts. */
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

struct measuring {
    struct clock clock;
    double values[OPERATION_COUNT][ROUNDS];
    struct operation_costs *costs;
};

static double seconds_since(const struct measuring *measuring, uint64_t begin)
{
    return (double)(clock_now(&measuring->clock) - begin) / measuring->clock.ticks_per_second;
}

static void conclude(struct measuring *measuring, enum operation operation)
{
    measuring->costs->known[operation] = true;
    measuring->costs->operations[operation] = estimate_of(measuring->values[operation], ROUNDS);
}

static double run_once(const struct measuring *measuring, kernel_loop *loop, uint64_t iterations,
                       void *buffer)
{
    uint64_t begin = clock_now(&measuring->clock);
    loop(iterations, buffer);
    return seconds_since(measuring, begin);
}

/* Seconds of an iteration. */
static double fastest(const struct measuring *measuring, kernel_loop *loop, uint64_t iterations,
                      void *buffer)
{
    double least = run_once(measuring, loop, iterations, buffer);
    for (int i = 1; i < RUNS; i++) {
        double seconds = run_once(measuring, loop, iterations, buffer);
        least = seconds < least ? seconds : least;
    }
    return least / (double)iterations;
}

/* Seconds of one operation. */
static double measure_kernel(const struct measuring *measuring, const struct kernel *kernel,
                             void *buffer)
{
    uint64_t iterations = 1000;
    while (run_once(measuring, kernel->few, iterations, buffer) < RUN_S)
        iterations *= 2;
    double few = fastest(measuring, kernel->few, iterations, buffer);
    double many = fastest(measuring, kernel->many, iterations, buffer);
    return many > few ? (many - few) / kernel->more : 0;
}

static bool is_available(const struct kernel *kernel)
{
    return !kernel->available || kernel->available();
}

static void measure_kernels(struct measuring *measuring)
{
    static double buffer[KERNEL_BUFFER / sizeof(double)] __attribute__((aligned(64)));
    for (size_t i = 0; i < KERNEL_BUFFER / sizeof *buffer; i++)
        buffer[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < kernel_count; k++)
            if (is_available(&kernels[k]))
                measuring->values[kernels[k].operation][round] =
                    measure_kernel(measuring, &kernels[k], buffer);
        measuring->values[OPERATION_BRANCH_MISS][round] +=
            measuring->values[OPERATION_BRANCH][round];
    }
    for (size_t k = 0; k < kernel_count; k++)
        if (is_available(&kernels[k]))
            conclude(measuring, kernels[k].operation);
}

enum { LOADS = 2000, MEMORY_RUNS = 9, STREAM_RUN = 1 << 17 /* doubles */ };

/* Loads whose addresses are read by the loads before, in a buffer of this size. */
static enum status measure_chase(struct measuring *measuring, enum operation operation,
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
            uint64_t begin = clock_now(&measuring->clock);
            chase_go(&chase, LOADS);
            runs[run] = seconds_since(measuring, begin) / LOADS;
        }
        measuring->values[operation][round] = estimate_of(runs, MEMORY_RUNS).median;
    }
    chase_close(&chase);
    measuring->costs->buffer[operation] = bytes;
    conclude(measuring, operation);
    return STATUS_OK;
}

/* Each run streams through another part, which is no longer in a cache. */
static void stream_rounds(struct measuring *measuring, double *to, const double *from, size_t parts)
{
    size_t part = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double runs[MEMORY_RUNS];
        for (int run = 0; run < MEMORY_RUNS; run++) {
            size_t place = part++ % parts * STREAM_RUN;
            uint64_t begin = clock_now(&measuring->clock);
            stream_scale(to + place, from + place, STREAM_RUN);
            runs[run] = seconds_since(measuring, begin) / (2 * STREAM_RUN * sizeof *from);
        }
        measuring->values[OPERATION_BYTE][round] = estimate_of(runs, MEMORY_RUNS).median;
    }
    conclude(measuring, OPERATION_BYTE);
}

/* One half of `bytes` is read, the other written. */
static enum status measure_stream(struct measuring *measuring, size_t bytes, struct error *error)
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
    stream_rounds(measuring, to, from, count / STREAM_RUN);
    measuring->costs->buffer[OPERATION_BYTE] = bytes;
    free(from);
    free(to);
    return STATUS_OK;
}

/* Bytes for what must come from memory: more than the caches have, but not so much that others go
 * short. */
static size_t memory_bytes(size_t largest_cache)
{
    const size_t least = (size_t)64 << 20, most = (size_t)1 << 30;
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t available = pages > 0 && page > 0 ? (size_t)pages * (size_t)page / 4 : most;
    size_t bytes = largest_cache < most / 4 ? 4 * largest_cache : most;
    bytes = bytes > available ? available : bytes;
    return bytes < least ? least : bytes;
}

/* At most three quarters of a cache, and enough that the cache before it has little of them. */
static size_t cache_bytes(size_t cache, size_t before)
{
    size_t bytes = cache / 4 * 3;
    return before > 0 && bytes > 8 * before ? 8 * before : bytes;
}

static enum status measure_memory(struct measuring *measuring, struct error *error)
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
    measuring->costs->largest_cache = largest;
    if (caches[2] > 0)
        status =
            measure_chase(measuring, OPERATION_LOAD_L2, cache_bytes(caches[2], caches[1]), error);
    if (caches[3] > 0 && status == STATUS_OK)
        status =
            measure_chase(measuring, OPERATION_LOAD_L3, cache_bytes(caches[3], caches[2]), error);
    if (status == STATUS_OK)
        status = measure_chase(measuring, OPERATION_LOAD_MEMORY, bytes, error);
    return status == STATUS_OK ? measure_stream(measuring, bytes, error) : status;
}

static void measure_call(struct measuring *measuring, const struct processes *processes)
{
    enum { CALLS = 2000 };
    double values[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_now(&measuring->clock);
        for (int i = 0; i < CALLS; i++) {
            MPI_Request request;
            int nothing = 0;
            MPI_Irecv(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, processes->comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        values[round] = seconds_since(measuring, begin) / (2 * CALLS);
    }
    measuring->costs->call_overhead = estimate_of(values, ROUNDS);
}

enum status measure_operations(const struct processes *processes, const char *directory,
                               struct operation_costs *costs, struct error *error)
{
    enum status status = STATUS_OK;
    memset(costs, 0, sizeof *costs);
    costs->rounds = ROUNDS;
    if (processes->rank == 0) {
        struct measuring *measuring = calloc(1, sizeof *measuring);
        if (measuring) {
            measuring->costs = costs;
            clock_open(&measuring->clock);
            measure_kernels(measuring);
            measure_call(measuring, processes);
            costs->file_known = file_costs_measure(&measuring->clock, directory, ROUNDS,
                                                   &costs->file_latency, &costs->file_per_byte);
            status = measure_memory(measuring, error);
        } else {
            status = error_memory(error, "a calibration");
        }
        free(measuring);
    }
    return processes_agree(processes, status, error);
}
