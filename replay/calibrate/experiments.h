/* The experiments between two processes. All are collective. Results are in seconds, on process 0.
 */
#ifndef REPLAY_CALIBRATE_EXPERIMENTS_H
#define REPLAY_CALIBRATE_EXPERIMENTS_H

#include "base/clock.h"
#include "base/mpi/processes.h"

struct laboratory {
    const struct processes *processes;
    struct clock clock;
    char *buffer; /* `bytes_max` bytes */
    uint64_t bytes_max;
};

enum { REPETITIONS_MAX = 100 };

enum status laboratory_open(const struct processes *processes, uint64_t bytes_max,
                            struct laboratory *laboratory, struct error *error);
void laboratory_close(struct laboratory *laboratory);

/* Half the time of a message there and one back. */
double measure_ping_pong(const struct laboratory *laboratory, uint64_t bytes, int repetitions);

struct overheads {
    double send, receive;
};

/* Delayed ping-pong: the durations of the two calls, for asynchronous messages. The receive is
 * called `delay` seconds after the message was requested, so the message has arrived; the receiver
 * computes during the send. */
struct overheads measure_overheads(const struct laboratory *laboratory, uint64_t bytes,
                                   double delay, int repetitions);

/* Saturation: the time from message to message in a burst. */
double measure_gap(const struct laboratory *laboratory, uint64_t bytes, int repetitions);

/* Whether a send waits for its receive, which is called `delay` seconds late. The same on both
 * processes. */
bool measure_synchrony(const struct laboratory *laboratory, uint64_t bytes, double delay);

#endif
