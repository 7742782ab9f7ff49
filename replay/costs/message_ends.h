/* What each end of a message receives from the other end: when that was posted, and the mode of the
 * send. Everything that does not depend on times is exchanged once for a trace. Then only times are
 * exchanged, for the trace and for any view of it. */
#ifndef REPLAY_COSTS_MESSAGE_ENDS_H
#define REPLAY_COSTS_MESSAGE_ENDS_H

#include "replay/costs/transfer.h"

enum message_mode {
    MESSAGE_STANDARD,    /* synchronous from size S on */
    MESSAGE_SYNCHRONOUS, /* sent by MPI_Ssend or the like */
    MESSAGE_FREE,        /* never synchronous: buffered, or its ends have different sizes */
    MESSAGE_FOUND_FREE, /* asynchronous in the recording, where the send returned before its receive
                           was posted. Never synchronous, unless S is a hypothesis */
};

/* Between ranks a and b. */
static inline bool message_is_synchronous(enum message_mode mode, uint64_t bytes,
                                          const struct platform *platform, uint32_t a, uint32_t b)
{
    bool standard = mode == MESSAGE_STANDARD ||
                    (mode == MESSAGE_FOUND_FREE && platform->machine.limit_is_assumed);
    return mode == MESSAGE_SYNCHRONOUS ||
           (standard && bytes >= platform_between(platform, a, b)->synchronous_from);
}

/* A message, for one of its ends. */
struct both_ends {
    int64_t post;      /* when the other end was posted; ticks of the trace's clock */
    int64_t send_left; /* when the call that completes the send was left; INT64_MAX: never */
    uint64_t bytes;    /* of the sender */
    uint8_t mode;      /* enum message_mode, found from these times */
};

/* The rows of an end whose times the other end needs, and the mode as far as no time decides it. */
struct end_rows {
    uint32_t post, leave; /* leave: INDEX_NONE for receives, and where a send never completes */
    uint8_t mode;
};

struct message_ends {
    const struct trace *trace;
    struct both_ends **ends; /* [owned stream][message]; all zero for unmatched or cut messages */
    struct end_rows **rows;  /* the same */
    struct arena *arena;     /* owns both */
};

/* Collective. The trace must be matched. On failure nothing is left to free. */
enum status message_ends_make(const struct trace *trace, struct message_ends *ends,
                              struct error *error);
void message_ends_clear(struct message_ends *ends);

/* Collective. Fills `ends->ends` by the times of `times`: the trace or a view of it. */
enum status message_ends_exchange(struct message_ends *ends, const struct trace *times,
                                  struct error *error);

/* Collective. Fills in the platform's machine from ends[owned stream][message] and the times of
 * `trace`; from its property SILAS::MACHINE if it is a reduced recording. */
void fit_machine(const struct trace *trace, struct both_ends *const *ends,
                 struct platform *platform);

#endif
