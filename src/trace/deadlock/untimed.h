/* The untimed program of a trace: the steps of all ranks without times, and their execution. */
#ifndef TRACE_UNTIMED_H
#define TRACE_UNTIMED_H

#include "base/array.h"
#include "trace/trace.h"

enum step_kind {
    STEP_POST_MESSAGE,    /* a send or receive becomes visible to its partner */
    STEP_WAIT_RECEIVE,    /* until the partner has posted the send */
    STEP_WAIT_SEND,       /* until the partner has posted the receive, if the send is synchronous */
    STEP_POST_COLLECTIVE, /* the rank arrives at the operation */
    STEP_WAIT_COLLECTIVE, /* until the members whose data it needs have arrived */
    STEP_POST_EPOCH,      /* a call that synchronises with the group of a window has begun */
    STEP_WAIT_EPOCH,      /* until the partner's call has begun */
};

/* One step of a rank. 24 bytes. */
struct untimed_step {
    uint8_t kind;          /* enum step_kind */
    uint8_t mode;          /* enum send_mode; of collectives: enum collective_op */
    uint16_t length_bits;  /* number of bits of a send's length in bytes; 0: empty message */
    uint32_t rank;         /* the rank of the step */
    uint32_t row;          /* event, for messages to the user */
    uint32_t index;        /* message of this rank; of windows: rma_sync; of collectives: instance
                              on the communicator */
    uint32_t partner_rank; /* of collectives: communicator */
    uint32_t partner; /* message or rma_sync of the partner; of collectives: world rank of the root
                         or INDEX_NONE */
};

/* All ranks' steps, rank after rank. */
struct untimed {
    struct untimed_step *steps;
    size_t count;
    size_t *first;           /* [rank_count + 1] */
    uint32_t *syncs_first;   /* [rank_count]: the number of messages of a rank */
    uint32_t *message_first; /* [rank_count + 1]: where the messages of a rank and, after them, its
                                rma_syncs begin in an array for all ranks */
};

static inline uint16_t preflight_length_bits(uint64_t bytes)
{
    return bytes ? (uint16_t)(64 - __builtin_clzll(bytes)) : 0;
}

/* Appends the steps of one stream to `out` (struct untimed_step). False when memory is out. */
bool untimed_compile(const struct trace *trace, const struct stream *stream, struct bytes *out);

enum { BUFFER_NOTHING = -1, BUFFER_ALL = 64 };

/* Executes the program. Standard sends whose length has more than `buffered_bits` bits wait for
 * their receives. Sets `*length` to 0 if all ranks reach their end. Otherwise sets `cycle` to the
 * steps at which the ranks of a cycle or chain of waits are stuck, `*length` of them, at most
 * `room`. False when memory is out. */
bool untimed_run(const struct untimed *program, const struct trace *trace, int buffered_bits,
                 struct untimed_step *cycle, size_t room, size_t *length);

#endif
