/* LogGPS parameters from a recording itself. */
#ifndef REPLAY_COSTS_FIT_H
#define REPLAY_COSTS_FIT_H

#include "replay/costs/message_ends.h"
#include "replay/costs/transfer.h"

/* Collective. Fills in the platform's machine from ends[owned stream][message] and the times of
 * `trace`. */
enum status fit_machine(const struct trace *trace, struct both_ends *const *ends,
                        struct platform *platform, struct error *error);

#endif
