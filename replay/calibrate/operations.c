/* In a round each loop runs several times for a fraction of a millisecond, so that not all runs
 * lose their core. For loops within the core the fastest run counts, because other programs can
 * only make a run longer. For memory, which other programs use as well, the median of the runs
 * counts. */
#include "replay/calibrate/operations.h"

#include "base/clock.h"
#include "base/mpi/handles.h"
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
    double values[OPERATION_COUNT][ROUNDS], chains[OPERATION_COUNT][ROUNDS];
    size_t memory_bytes; /* of the buffer that does not fit into the caches */
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

/* One round of all loops of a list. */
static void measure_kernel_round(const struct operation_rounds *rounds, const struct kernel *list,
                                 size_t count, void *buffer, int round, double (*values)[ROUNDS])
{
    for (size_t k = 0; k < count; k++)
        if (is_available(&list[k]))
            values[list[k].operation][round] = measure_kernel(rounds, &list[k], buffer);
}

static void subtract_at_least_0(double *value, double other)
{
    *value = *value > other ? *value - other : 0;
}

static void measure_kernels(struct operation_rounds *rounds)
{
    static double buffer[KERNEL_BUFFER / sizeof(double)] __attribute__((aligned(64)));
    struct operation_costs *costs = rounds->costs;
    for (size_t i = 0; i < KERNEL_BUFFER / sizeof *buffer; i++)
        buffer[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double(*chains)[ROUNDS] = rounds->chains;
        measure_kernel_round(rounds, kernels, kernel_count, buffer, round, rounds->values);
        measure_kernel_round(rounds, chain_kernels, chain_kernel_count, buffer, round, chains);
        rounds->values[OPERATION_BRANCH_MISS][round] += rounds->values[OPERATION_BRANCH][round];
        subtract_at_least_0(&chains[OPERATION_FLOP_SQRT][round], chains[OPERATION_FLOP_MUL][round]);
        subtract_at_least_0(&chains[OPERATION_STORE][round], chains[OPERATION_LOAD_L1][round]);
    }
    for (size_t k = 0; k < kernel_count; k++)
        if (is_available(&kernels[k]))
            conclude_operation(rounds, kernels[k].operation);
    for (size_t k = 0; k < chain_kernel_count; k++) {
        const enum operation operation = chain_kernels[k].operation;
        costs->chains_known[operation] = is_available(&chain_kernels[k]);
        costs->chains[operation] = estimate_of(rounds->chains[operation], ROUNDS);
    }
}

enum { LOADS = 2000, MEMORY_RUNS = 9, STREAM_RUN = 1 << 17 /* doubles */ };

/* Measures loads whose addresses come from the loads before, in a buffer of this size. */
static enum status measure_chase(const struct operation_rounds *rounds, size_t bytes,
                                 struct estimate *load, struct error *error)
{
    struct chase chase;
    double values[ROUNDS];
    if (!chase_open(&chase, bytes))
        return error_memory(error, "a buffer to measure loads in");
    if (bytes < rounds->memory_bytes)
        chase_go(&chase, (chase.lines + 7) / 8 * 8); /* into the cache */
    for (int round = 0; round < ROUNDS; round++) {
        double runs[MEMORY_RUNS];
        for (int run = 0; run < MEMORY_RUNS; run++) {
            uint64_t begin = clock_now(&rounds->clock);
            chase_go(&chase, LOADS);
            runs[run] = seconds_from(rounds, begin) / LOADS;
        }
        values[round] = estimate_of(runs, MEMORY_RUNS).median;
    }
    chase_close(&chase);
    *load = estimate_of(values, ROUNDS);
    return STATUS_OK;
}

/* Each run streams through the next part of the arrays, or several times through short ones. */
static struct estimate stream_rounds(const struct operation_rounds *rounds, double *to,
                                     const double *from, size_t count)
{
    const size_t part = count < STREAM_RUN ? count : STREAM_RUN, parts = count / part;
    const size_t repeats = STREAM_RUN / part;
    double values[ROUNDS];
    size_t at = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double runs[MEMORY_RUNS];
        for (int run = 0; run < MEMORY_RUNS; run++) {
            size_t place = at++ % parts * part;
            uint64_t begin = clock_now(&rounds->clock);
            for (size_t i = 0; i < repeats; i++)
                stream_scale(to + place, from + place, part);
            runs[run] = seconds_from(rounds, begin) / (double)(2 * repeats * part * sizeof *from);
        }
        values[round] = estimate_of(runs, MEMORY_RUNS).median;
    }
    return estimate_of(values, ROUNDS);
}

/* One half of `bytes` is read, the other written. */
static enum status measure_stream(const struct operation_rounds *rounds, size_t bytes,
                                  struct estimate *byte, struct error *error)
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
    *byte = stream_rounds(rounds, to, from, count);
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

static enum status measure_load_class(struct operation_rounds *rounds, enum operation operation,
                                      size_t bytes, struct error *error)
{
    struct operation_costs *costs = rounds->costs;
    enum status status = measure_chase(rounds, bytes, &costs->operations[operation], error);
    costs->known[operation] = status == STATUS_OK;
    costs->buffer[operation] = bytes;
    return status;
}

static enum status measure_caches(struct operation_rounds *rounds, const size_t *caches,
                                  struct error *error)
{
    enum status status = STATUS_OK;
    if (caches[2] > 0)
        status =
            measure_load_class(rounds, OPERATION_LOAD_L2, cache_bytes(caches[2], caches[1]), error);
    if (caches[3] > 0 && status == STATUS_OK)
        status =
            measure_load_class(rounds, OPERATION_LOAD_L3, cache_bytes(caches[3], caches[2]), error);
    return status;
}

static enum status measure_footprint(struct operation_rounds *rounds, size_t bytes,
                                     struct error *error)
{
    struct operation_costs *costs = rounds->costs;
    struct measured_footprint *footprint = &costs->footprints[costs->footprint_count++];
    footprint->bytes = bytes;
    enum status status = measure_chase(rounds, bytes, &footprint->load, error);
    return status ? status : measure_stream(rounds, bytes, &footprint->byte, error);
}

/* Each footprint is four times the one before; the last one is that of memory. */
static enum status measure_footprints(struct operation_rounds *rounds, struct error *error)
{
    enum { SMALLEST = 16 << 10, FACTOR = 4 };
    struct operation_costs *costs = rounds->costs;
    enum status status = STATUS_OK;
    for (size_t bytes = SMALLEST; bytes < rounds->memory_bytes && status == STATUS_OK;
         bytes *= FACTOR)
        status = measure_footprint(rounds, bytes, error);
    if (status == STATUS_OK)
        status = measure_footprint(rounds, rounds->memory_bytes, error);
    if (status != STATUS_OK)
        return status;
    const struct measured_footprint *memory = &costs->footprints[costs->footprint_count - 1];
    costs->known[OPERATION_BYTE] = costs->known[OPERATION_LOAD_MEMORY] = true;
    costs->operations[OPERATION_BYTE] = memory->byte;
    costs->operations[OPERATION_LOAD_MEMORY] = memory->load;
    costs->buffer[OPERATION_BYTE] = costs->buffer[OPERATION_LOAD_MEMORY] = memory->bytes;
    return STATUS_OK;
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
    rounds->memory_bytes = memory_bytes(largest);
    rounds->costs->largest_cache = largest;
    status = measure_caches(rounds, caches, error);
    return status == STATUS_OK ? measure_footprints(rounds, error) : status;
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
            MPI_Irecv(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, processes_comm(processes), &request);
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
