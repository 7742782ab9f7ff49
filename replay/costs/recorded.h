/* What each call cost in the recording, apart from waiting (METHODS 4, difference mode).
 *
 * For a call between enter e and leave l that waits for arrivals a_i, an arrival is what LogGPS
 * says (of a message) or when the other side came (of a receive's posting or a collective
 * operation), but not after l. The call's cost is l - max(e, a_i). A transformed trace names its
 * messages and collective operations by their index in the recording, so that their costs are found
 * again. */
#ifndef REPLAY_COSTS_RECORDED_H
#define REPLAY_COSTS_RECORDED_H

#include "replay/costs/layout.h"
#include "replay/costs/transfer.h"
#include "trace/calls/parts.h"
#include "trace/calls/walk.h"

/* Ticks. */
struct recorded_wait {
    int64_t lag;  /* <= 0: so much earlier than by the rule did it arrive */
    int64_t cost; /* of the whole call that waited for it */
};

struct recorded_probe {
    uint32_t message;
    struct recorded_wait wait;
};

enum message_mode {
    MESSAGE_STANDARD,    /* synchronous from size S on */
    MESSAGE_SYNCHRONOUS, /* sent by MPI_Ssend or the like */
    MESSAGE_FREE,        /* never: buffered; or the ends disagree about its size */
    MESSAGE_FOUND_FREE,  /* not in the recording, where the send came back before its receive was
                            posted; so never, unless S is a hypothesis */
};

struct recorded_stream {
    struct recorded_wait *messages;    /* [message] */
    uint8_t *modes;                    /* [message]: enum message_mode */
    struct recorded_wait *collectives; /* [collective] */
    struct recorded_wait *syncs;       /* [one-sided synchronisation] */
    struct recorded_wait finalize;
    ARRAY(struct recorded_probe) probes; /* in order of their calls */
};

struct recorded {
    const struct trace *trace;       /* the recording */
    struct recorded_stream *streams; /* of the owned ranks */
    struct platform platform;        /* on which it was recorded */
};

/* Collective. `machine` (may be NULL) is that of the recording; otherwise its parameters are found
 * in the recording itself (fit.h). */
enum status recorded_make(const struct trace *trace, const struct machine *machine,
                          double poll_gap_s, struct recorded *recorded, struct error *error);
void recorded_clear(struct recorded *recorded);

/* Between ranks a and b. */
static inline bool message_is_synchronous(enum message_mode mode, uint64_t bytes,
                                          const struct platform *platform, uint32_t a, uint32_t b)
{
    bool standard = mode == MESSAGE_STANDARD ||
                    (mode == MESSAGE_FOUND_FREE && platform->machine.limit_is_assumed);
    return mode == MESSAGE_SYNCHRONOUS ||
           (standard && bytes >= platform_between(platform, a, b)->synchronous_from);
}

#endif
