#include "replay/calibrate/calibrate.h"

#include "base/mpi/handles.h"
#include "base/progress.h"
#include "base/sort.h"
#include "base/topology.h"
#include "replay/calibrate/experiments.h"
#include "replay/calibrate/parameters.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <time.h>

struct process_place {
    enum distance distance;
    int core; /* to which this process is to be bound */
};

enum { CORES_MAX = 1024 }; /* of one host */

static const enum distance distances[] = {
    [CORES_SHARE_CACHE] = DISTANCE_CACHE,
    [CORES_OF_ONE_PACKAGE] = DISTANCE_SOCKET,
    [CORES_OF_ONE_HOST] = DISTANCE_NODE,
};

/* Collective. */
static bool on_one_host(const struct processes *processes)
{
    int64_t highest = processes->host;
    processes_max(processes, &highest, 1);
    return highest == 0;
}

struct cores {
    int count;
    int list[CORES_MAX];
};

/* Finds the first pair of cores of each distance, on process 0's topology. Returns their number. */
static int pair_cores(const struct topology *topology, const struct cores cores[2],
                      struct process_place places[DISTANCE_COUNT], int pairs[DISTANCE_COUNT][2])
{
    bool found[DISTANCE_COUNT] = {false};
    int count = 0;
    bool apart = cores[0].count != cores[1].count ||
                 memcmp(cores[0].list, cores[1].list, (size_t)cores[0].count * sizeof(int)) != 0;
    for (int a = 0; a < (apart ? 1 : cores[0].count); a++) {
        for (int b = 0; b < cores[1].count; b++) {
            int pair[2] = {cores[0].list[a], cores[1].list[b]};
            enum distance distance = distances[topology_apart(topology, pair[0], pair[1])];
            if (pair[0] == pair[1] || found[distance])
                continue;
            found[distance] = true;
            places[count].distance = distance;
            memcpy(pairs[count++], pair, sizeof pair);
            if (apart) /* each stays on its core */
                return count;
        }
    }
    return count;
}

/* Collective, of two processes. Returns at least one place, each of a different distance, the same
 * on both processes. `topology` is this process's. Processes that the launcher has bound to
 * different cores stay there. Fails if they can use only one core. */
static enum status choose_core_pairs(const struct processes *processes,
                                     const struct topology *topology,
                                     struct process_place places[DISTANCE_COUNT], int *count,
                                     struct error *error)
{
    struct cores cores[2], own = {0};
    int pairs[DISTANCE_COUNT][2] = {{0}};
    memset(cores, 0, sizeof cores);
    own.count = topology_cores(topology, own.list, CORES_MAX);
    if (own.count > CORES_MAX)
        own.count = CORES_MAX;
    if (!on_one_host(processes)) {
        places[0] = (struct process_place){DISTANCE_NETWORK, own.list[0]};
        *count = 1;
        return STATUS_OK;
    }
    MPI_Gather(&own, sizeof own, MPI_BYTE, cores, sizeof own, MPI_BYTE, 0,
               processes_comm(processes));
    *count = processes->rank == 0 ? pair_cores(topology, cores, places, pairs) : 0;
    processes_broadcast(processes, count, sizeof *count);
    processes_broadcast(processes, places, DISTANCE_COUNT * sizeof *places);
    processes_broadcast(processes, pairs, sizeof pairs);
    for (int i = 0; i < *count; i++)
        places[i].core = pairs[i][processes->rank];
    if (*count == 0)
        return error_set(error, STATUS_ENVIRONMENT,
                         "the two processes have only one core; a calibration needs one for each");
    return STATUS_OK;
}

enum { ROUNDS = 9 };
static const uint64_t BYTES_MAX = 512 * 1024; /* larger messages are limited by memory */
static const double EXPERIMENT_S = 2e-3;      /* intended duration of an experiment's repetitions */
enum { REPETITIONS_LEAST = 5 };

/* All rounds at one distance; on process 0. */
struct rounds {
    struct size_sweep sweeps[ROUNDS];
    struct loggps loggps[ROUNDS];
};

/* How often an experiment of `seconds` is repeated; the same on both processes. */
static int repetition_count(const struct processes *processes, double seconds)
{
    int64_t times = seconds > 0 ? (int64_t)(EXPERIMENT_S / seconds) : REPETITIONS_MAX;
    times = times < REPETITIONS_LEAST ? REPETITIONS_LEAST
            : times > REPETITIONS_MAX ? REPETITIONS_MAX
                                      : times;
    processes_broadcast(processes, &times, sizeof times);
    return (int)times;
}

/* The smallest size whose send waits for its receive, UINT64_MAX if none up to the largest does. */
static uint64_t find_threshold(const struct laboratory *laboratory)
{
    double half = measure_ping_pong(laboratory, 1, REPETITIONS_MAX);
    const double factor = 20, least_s = 200e-6; /* a send that waits is clearly longer */
    double delay = fmax(factor * half, least_s);
    processes_broadcast(laboratory->processes, &delay, sizeof delay);
    uint64_t low = 0, high = 1024; /* low does not wait */
    while (high <= laboratory->bytes_max && !measure_synchrony(laboratory, high, delay)) {
        low = high;
        high *= 2;
    }
    if (high > laboratory->bytes_max)
        return UINT64_MAX;
    return first_where(low + 1, high, bytes, measure_synchrony(laboratory, bytes, delay));
}

/* Zero bytes, then powers of two; those below the threshold first. */
static void choose_sizes(uint64_t threshold, uint64_t bytes_max, struct size_sweep *sweep)
{
    memset(sweep, 0, sizeof *sweep);
    sweep->count = 1;
    for (uint64_t bytes = 1; bytes <= bytes_max; bytes *= 2)
        sweep->bytes[sweep->count++] = bytes;
    while (sweep->asynchronous < sweep->count && sweep->bytes[sweep->asynchronous] < threshold)
        sweep->asynchronous++;
}

/* A burst and its answer take about as long as this number of half round trips. */
enum { BURST_TRIPS = 20 };

static void run_round(const struct laboratory *laboratory, struct size_sweep *sweep)
{
    const struct processes *processes = laboratory->processes;
    for (int i = 0; i < sweep->count; i++) {
        uint64_t bytes = sweep->bytes[i];
        double once = measure_ping_pong(laboratory, bytes, REPETITIONS_LEAST);
        processes_broadcast(processes, &once, sizeof once);
        sweep->half[i] =
            measure_ping_pong(laboratory, bytes, repetition_count(processes, 2 * once));
        if (i >= sweep->asynchronous)
            continue;
        double delay = 5e-6 + 8 * once; /* by then a message has certainly arrived */
        struct overheads overheads =
            measure_overheads(laboratory, bytes, delay, repetition_count(processes, delay));
        sweep->send[i] = overheads.send;
        sweep->receive[i] = overheads.receive;
        sweep->gap[i] =
            measure_gap(laboratory, bytes, repetition_count(processes, BURST_TRIPS * once));
    }
}

static void conclude_distance(const struct rounds *rounds, enum distance distance,
                              struct calibration *calibration)
{
    struct loggps *loggps = &calibration->machine.distances[distance];
    double values[ROUNDS], misfits[ROUNDS];
    loggps->known = true;
    for (int p = 0; p < LOGGPS_PARAMETERS; p++) {
        for (int i = 0; i < ROUNDS; i++) {
            struct loggps own = rounds->loggps[i];
            values[i] = *loggps_at(&own, p);
        }
        calibration->estimates[distance][p] = estimate_of(values, ROUNDS);
        *loggps_at(loggps, p) = calibration->estimates[distance][p].median;
    }
    for (int i = 0; i < ROUNDS; i++)
        misfits[i] = parameters_misfit(loggps, &rounds->sweeps[i]);
    calibration->misfit[distance] = estimate_of(misfits, ROUNDS).median;
}

/* Seconds of processor time that this process has had. */
static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Collective. The processes never sleep while they measure: time that has passed without processor
 * time of theirs, other programs had the core. */
static double core_share(const struct processes *processes, double seconds, double used)
{
    int64_t lost_ppm = seconds > 0 && used < seconds ? (int64_t)(1e6 * (1 - used / seconds)) : 0;
    processes_max(processes, &lost_ppm, 1);
    return 1 - 1e-6 * (double)lost_ppm;
}

/* Collective. */
static void measure_distance(const struct laboratory *laboratory, enum distance distance,
                             struct calibration *calibration)
{
    struct rounds rounds;
    uint64_t threshold = find_threshold(laboratory), begin = clock_now(&laboratory->clock);
    double used = processor_seconds();
    for (int i = 0; i < ROUNDS; i++) {
        choose_sizes(threshold, laboratory->bytes_max, &rounds.sweeps[i]);
        run_round(laboratory, &rounds.sweeps[i]);
        rounds.loggps[i] = sweep_parameters(&rounds.sweeps[i]);
    }
    double seconds =
        (double)(clock_now(&laboratory->clock) - begin) / laboratory->clock.ticks_per_second;
    calibration->core_share[distance] =
        core_share(laboratory->processes, seconds, processor_seconds() - used);
    calibration->machine.distances[distance].synchronous_from = threshold;
    conclude_distance(&rounds, distance, calibration);
}

enum status calibrate(const struct processes *processes, struct calibration *calibration,
                      struct error *error)
{
    assert(processes->size == 2);
    struct topology *topology = NULL;
    struct laboratory laboratory = {0};
    struct process_place places[DISTANCE_COUNT];
    int count = 0;
    memset(calibration, 0, sizeof *calibration);
    calibration->rounds = ROUNDS;
    enum status status = processes_agree(processes, topology_open(&topology, error), error);
    if (status == STATUS_OK)
        status = choose_core_pairs(processes, topology, places, &count, error);
    if (status == STATUS_OK)
        status = laboratory_open(processes, BYTES_MAX, &laboratory, error);
    progress_begin("measuring", "distances", count);
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = topology_bind(topology, places[i].core, error);
        status = processes_agree(processes, status, error);
        if (status == STATUS_OK)
            measure_distance(&laboratory, places[i].distance, calibration);
        progress_add(1);
    }
    progress_end();
    laboratory_close(&laboratory);
    topology_close(topology);
    return status;
}
