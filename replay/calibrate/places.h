/* Where the two processes of a calibration can be. */
#ifndef REPLAY_CALIBRATE_PLACES_H
#define REPLAY_CALIBRATE_PLACES_H

#include "base/mpi/processes.h"
#include "base/topology.h"
#include "replay/costs/machine.h"

struct place {
    enum distance distance;
    int core; /* to which this process is to be bound */
};

/* Collective, of two processes. Returns at least one place, each of a different distance, the same
 * on both processes. `topology` is this process's. Processes that the launcher has bound to
 * different cores stay there. Fails if they have only one core together. */
enum status places_find(const struct processes *processes, const struct topology *topology,
                        struct place places[DISTANCE_COUNT], int *count, struct error *error);

#endif
