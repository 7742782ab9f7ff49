/* Ends a replay that hangs. A separate thread checks at intervals whether any rank of this host
 * makes progress. If no rank does for too long, every rank prints its current operation, and the
 * job ends.
 */
#ifndef REPLAY_REALTIME_WATCHDOG_H
#define REPLAY_REALTIME_WATCHDOG_H

#include "replay/realtime/executor.h"
#include "replay/realtime/placement.h"

struct watchdog;

/* Collective over the processes of the host. Allocates the progress of this process's executors in
 * shared memory. `timeout_s`: how long all ranks may be without progress. A host does not see the
 * progress of other hosts: with several hosts the length of the whole trace is added, because ranks
 * on another host may compute that long. On failure nothing is left to free. */
enum status watchdog_open(const struct trace *trace, const struct placement *placement,
                          struct executor **executors, uint32_t count, double timeout_s,
                          struct watchdog **watchdog, struct error *error);
void watchdog_close(struct watchdog *watchdog); /* collective over the host; NULL is allowed */

/* To be called before and after a run. */
enum status watchdog_start(struct watchdog *watchdog, struct error *error);
void watchdog_stop(struct watchdog *watchdog);

#endif
