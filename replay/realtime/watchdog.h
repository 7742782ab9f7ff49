/* Nothing may hang: a thread beside the hot loop looks once in a while whether any rank of this
 * host still gets on. If none does for too long, every rank says what it is stuck in and the job
 * ends. */
#ifndef REPLAY_REALTIME_WATCHDOG_H
#define REPLAY_REALTIME_WATCHDOG_H

#include "replay/realtime/executor.h"
#include "replay/realtime/placement.h"

struct watchdog;

/* Collective over the processes of the host. Provides `executor->progress` in shared memory.
 * `timeout_s`: how long nobody may get on. Several hosts cannot see each other: there the length of
 * the whole trace is added, as others may compute that long. */
enum status watchdog_open(const struct trace *trace, const struct placement *placement,
                          struct executor *executor, double timeout_s, struct watchdog **watchdog,
                          struct error *error);
void watchdog_close(struct watchdog *watchdog); /* collective over the host; NULL is allowed */

/* Around a run. */
enum status watchdog_start(struct watchdog *watchdog, struct error *error);
void watchdog_stop(struct watchdog *watchdog);

#endif
