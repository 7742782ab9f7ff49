/* What messages cost on a machine (LogGPS), in ticks of a trace. */
#ifndef REPLAY_COSTS_TRANSFER_H
#define REPLAY_COSTS_TRANSFER_H

#include "replay/costs/machine.h"
#include "trace/environment.h"

/* A machine and the places of a trace's ranks on it. */
struct platform {
    struct machine machine;
    double ticks_per_second;
    uint32_t *host; /* [rank]: ranks with equal numbers share a host */
};

/* The machine is not filled in yet. */
enum status platform_open(struct platform *platform, const struct trace *trace,
                          struct error *error);
void platform_close(struct platform *platform);

/* Returns the platform as changed by an environment. The machine is changed in place; `host`
 * becomes the environment's nodes, which it still owns, so do not close the result. */
struct platform platform_in(const struct platform *platform, const struct environment *environment,
                            uint32_t rank_count);

/* Adds to the latency between ranks of one distance, and to all parameters that contain it. */
void loggps_delay(struct loggps *loggps, double seconds);

/* Changes the parameters of a distance as an environment says. `by_value`: latency and bandwidth
 * are set if the environment has values for them. */
void loggps_change(struct loggps *loggps, const struct environment *environment, bool by_value);

/* Whether the ranks run on several nodes (`*far`), and whether any of them share a node (`*near`).
 */
void platform_spread(const struct platform *platform, uint32_t rank_count, bool *near, bool *far);

/* Prints one line for each distance between ranks: "node: latency 0.4 us, overheads ..., 0.1 ns per
 * byte, synchronous from ...". */
void platform_describe(const struct platform *platform, uint32_t rank_count, FILE *file);

enum distance platform_distance(const struct platform *platform, uint32_t a, uint32_t b);
const struct loggps *platform_between(const struct platform *platform, uint32_t a, uint32_t b);

int64_t platform_ticks(const struct platform *platform, double seconds);

/* From the call of the send to the arrival of the message at the receiver; for a synchronous
 * message, to the arrival of the request to send. Seconds. */
double transfer_time(const struct loggps *loggps, uint64_t bytes, bool synchronous);

/* A message as a flow through links that other messages use, too. Seconds. */
struct transfer_flow {
    double bytes; /* that flow; 0: the message needs no link */
    double time;  /* of the flow if it has the links for itself */
    double begin; /* of a synchronous message: from when both sides have come to the flow */
    double after; /* asynchronous: from the end of the flow to the arrival; synchronous: to the end
                     of the receiver's call */
};

struct transfer_flow transfer_flow(const struct loggps *loggps, uint64_t bytes, bool synchronous);

/* What each side needs after both have come. Seconds. */
double transfer_send_cost(const struct loggps *loggps, uint64_t bytes, bool synchronous);
double transfer_receive_cost(const struct loggps *loggps, uint64_t bytes, bool synchronous);

#endif
