#include "replay/calibrate/calibrate.h"

#include "replay/calibrate/experiments.h"
#include "replay/calibrate/parameters.h"
#include "replay/calibrate/places.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9 };
static const uint64_t BYTES_MAX = 512 * 1024; /* larger ones are bound by memory, not by messages */
static const double EXPERIMENT_S = 2e-3; /* wanted duration of an experiment with its repetitions */

/* All rounds at one distance; on process 0. */
struct rounds {
    struct sweep sweeps[ROUNDS];
    struct loggps loggps[ROUNDS];
};

/* How often an experiment of `seconds` is repeated; the same on both processes. */
static int repetitions(const struct processes *processes, double seconds)
{
    int64_t times = seconds > 0 ? (int64_t)(EXPERIMENT_S / seconds) : REPETITIONS_MAX;
    times = times < 5 ? 5 : times > REPETITIONS_MAX ? REPETITIONS_MAX : times;
    processes_broadcast(processes, &times, sizeof times);
    return (int)times;
}

/* The smallest size whose send waits for its receive, UINT64_MAX if none up to the largest does. */
static uint64_t find_threshold(const struct laboratory *laboratory)
{
    double half = measure_ping_pong(laboratory, 1, REPETITIONS_MAX);
    double delay = 20 * half > 200e-6 ? 20 * half : 200e-6;
    processes_broadcast(laboratory->processes, &delay, sizeof delay);
    uint64_t low = 0, high = 1024; /* low does not wait */
    while (high <= laboratory->bytes_max && !measure_synchrony(laboratory, high, delay)) {
        low = high;
        high *= 2;
    }
    if (high > laboratory->bytes_max)
        return UINT64_MAX;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (measure_synchrony(laboratory, middle, delay))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Zero bytes, then powers of two; those below the threshold first. */
static void choose_sizes(uint64_t threshold, uint64_t bytes_max, struct sweep *sweep)
{
    memset(sweep, 0, sizeof *sweep);
    sweep->count = 1;
    for (uint64_t bytes = 1; bytes <= bytes_max; bytes *= 2)
        sweep->bytes[sweep->count++] = bytes;
    while (sweep->asynchronous < sweep->count && sweep->bytes[sweep->asynchronous] < threshold)
        sweep->asynchronous++;
}

static void run_round(const struct laboratory *laboratory, struct sweep *sweep)
{
    const struct processes *processes = laboratory->processes;
    for (int i = 0; i < sweep->count; i++) {
        uint64_t bytes = sweep->bytes[i];
        double once = measure_ping_pong(laboratory, bytes, 5);
        processes_broadcast(processes, &once, sizeof once);
        sweep->half[i] = measure_ping_pong(laboratory, bytes, repetitions(processes, 2 * once));
        if (i >= sweep->asynchronous)
            continue;
        double delay = 5e-6 + 8 * once;
        struct overheads overheads =
            measure_overheads(laboratory, bytes, delay, repetitions(processes, delay));
        sweep->send[i] = overheads.send;
        sweep->receive[i] = overheads.receive;
        sweep->gap[i] = measure_gap(laboratory, bytes, repetitions(processes, 20 * once));
    }
}

static void conclude(const struct rounds *rounds, enum distance distance,
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

/* Collective. */
static enum status measure(const struct laboratory *laboratory, enum distance distance,
                           struct calibration *calibration, struct error *error)
{
    struct rounds *rounds = calloc(1, sizeof *rounds);
    enum status status =
        processes_agree_memory(laboratory->processes, rounds, "the calibration", error);
    if (status != STATUS_OK)
        goto free_rounds;
    uint64_t threshold = find_threshold(laboratory);
    for (int i = 0; i < ROUNDS; i++) {
        choose_sizes(threshold, laboratory->bytes_max, &rounds->sweeps[i]);
        run_round(laboratory, &rounds->sweeps[i]);
        rounds->loggps[i] = parameters_of(&rounds->sweeps[i]);
    }
    calibration->machine.distances[distance].synchronous_from = threshold;
    conclude(rounds, distance, calibration);

free_rounds:
    free(rounds);
    return status;
}

enum status calibrate(const struct processes *processes, struct calibration *calibration,
                      struct error *error)
{
    struct topology *topology = NULL;
    struct laboratory laboratory = {0};
    struct place places[DISTANCE_COUNT];
    int count = 0;
    memset(calibration, 0, sizeof *calibration);
    calibration->rounds = ROUNDS;
    enum status status = processes_agree(processes, topology_open(&topology, error), error);
    if (status == STATUS_OK)
        status = places_find(processes, topology, places, &count, error);
    if (status == STATUS_OK)
        status = laboratory_open(processes, BYTES_MAX, &laboratory, error);
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = topology_bind(topology, places[i].core, error);
        status = processes_agree(processes, status, error);
        if (status == STATUS_OK)
            status = measure(&laboratory, places[i].distance, calibration, error);
    }
    laboratory_close(&laboratory);
    topology_close(topology);
    return status;
}
