/* A replay must not hang: a thread beside the hot loop checks from time to time whether any rank of
 * this host makes progress. If none does for too long, every rank prints the operation that it is
 * stuck in and the job ends. */
#ifndef REPLAY_REALTIME_WATCHDOG_H
#define REPLAY_REALTIME_WATCHDOG_H

#include "replay/realtime/executor.h"
#include "replay/realtime/placement.h"

struct watchdog;

/* Collective over the processes of the host. Allocates the progress of all executors of this
 * process in shared memory. `timeout_s`: how long all ranks may make no progress. Hosts cannot see
 * each other: with several of them the length of the whole trace is added, as ranks elsewhere may
 * compute that long. */
enum status watchdog_open(const struct trace *trace, const struct placement *placement,
                          struct executor **executors, uint32_t count, double timeout_s,
                          struct watchdog **watchdog, struct error *error);
void watchdog_close(struct watchdog *watchdog); /* collective over the host; NULL is allowed */

/* Around a run. */
enum status watchdog_start(struct watchdog *watchdog, struct error *error);
void watchdog_stop(struct watchdog *watchdog);

#endif
