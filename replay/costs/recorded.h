/* The cost of each call in the recording (call_costs.h), by the message or operation that it waited
 * for. A transformed trace has the indices of these in the recording, and so finds their costs. */
#ifndef REPLAY_COSTS_RECORDED_H
#define REPLAY_COSTS_RECORDED_H

#include "replay/costs/call_costs.h"

/* In ticks. */
struct recorded_wait {
    int64_t lag;  /* <= 0, as in struct call_costs */
    int64_t cost; /* of the whole call that waited for it */
};

struct recorded_probe {
    uint32_t message;
    struct recorded_wait wait;
};

struct recorded_stream {
    /* By kind of wait: [message] for sends and receives, [collective], [one-sided
     * synchronisation], and a single one for MPI_Finalize. */
    struct recorded_wait *waits[WAIT_FINALIZE + 1]; /* NULL after recorded_make_modes */
    uint8_t *modes;                                 /* [message]: enum message_mode */
    ARRAY(struct recorded_probe) probes;            /* in order of their calls */
};

struct recorded {
    const struct trace *trace;       /* the recording */
    struct recorded_stream *streams; /* of the owned ranks */
    struct arena *arena;             /* owns them, except probes */
    struct platform platform;        /* on which it was recorded */
};

/* Collective. `machine` (may be NULL) is that of the recording; otherwise its parameters are fitted
 * to the recording itself (fit_machine). On failure nothing is left to free. */
enum status recorded_make(const struct trace *trace, const struct machine *machine,
                          double poll_gap_s, struct recorded *recorded, struct error *error);
/* The same without waits and probes: finds only which sends wait for their receives, which is
 * enough for networks on which calls cost nothing. */
enum status recorded_make_modes(const struct trace *trace, struct recorded *recorded,
                                struct error *error);
void recorded_clear(struct recorded *recorded);

#endif
