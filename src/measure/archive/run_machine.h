/* When the messages of a run that is reduced while it runs arrive. */
#ifndef MEASURE_RUN_MACHINE_H
#define MEASURE_RUN_MACHINE_H

#include <stdint.h>

/* How far apart two ranks are. */
enum { RUN_SAME_HOST, RUN_OTHER_HOST, RUN_DISTANCES };

/* By LogGPS (doc/methods.md, section 4), the sender's costs included. Seconds; without a machine
 * file a message arrives when it is sent. */
struct run_distance {
    double latency, per_byte;
    uint64_t synchronous_from; /* bytes from which an ordinary send waits for its receive */
};

struct run_machine {
    struct run_distance distances[RUN_DISTANCES];
};

#endif
