/* LogGPS parameters from a recording itself. */
#ifndef REPLAY_COSTS_FIT_H
#define REPLAY_COSTS_FIT_H

#include "replay/costs/recorded.h"

/* A message as both ends know it, but each the other's time. */
struct both_ends {
    int64_t post;      /* ticks, absolute */
    int64_t send_left; /* when the call that completes the send was left; INT64_MAX: never */
    uint64_t bytes;    /* of the sender */
    uint8_t mode;      /* enum message_mode */
};

/* Collective. Fills in the platform's machine. ends[owned stream][message]. */
enum status fit_machine(const struct trace *trace, struct both_ends *const *ends,
                        struct platform *platform, struct error *error);

#endif
