/* The functions that write records, for inlining into the wrappers. record_format.h describes the
 * slots. */
#ifndef MEASURE_RECORDS_H
#define MEASURE_RECORDS_H

#include "measure/recorder/recorder.h"

/* A record of one slot. */
static inline void record_plain(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                uint32_t id)
{
    struct record_slot *slot = recorder_reserve(recorder, 1);
    record_begin(slot, time);
    record_commit(slot, kind, 0, 0, id);
}

static inline void record_enter(struct recorder *recorder, uint64_t time, uint32_t region)
{
    record_plain(recorder, time, RECORD_ENTER, region);
}

static inline void record_leave(struct recorder *recorder, uint64_t time, uint32_t region)
{
    record_plain(recorder, time, RECORD_LEAVE, region);
}

/* RECORD_TEAM_BEGIN, RECORD_TEAM_END, and the records of tasks: `index` is that of a thread in its
 * team. */
static inline void record_of_thread(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                    uint32_t number, uint32_t index)
{
    struct record_slot *slot = recorder_reserve(recorder, 1);
    record_begin(slot, time);
    record_commit(slot, kind, 0, index, number);
}

/* Records the datatypes (a definition's id, or RECORD_NONE) of the message or operation whose
 * record follows. */
static inline void record_types(struct recorder *recorder, uint64_t time, uint32_t types)
{
    if (__builtin_expect(types != RECORD_NONE, 0))
        record_plain(recorder, time, RECORD_TYPES, types);
}

/* A record of two slots that is not a message. */
static inline void record_pair(struct recorder *recorder, uint64_t time, enum record_kind kind,
                               unsigned flags, uint32_t id, uint64_t first, uint64_t second)
{
    struct record_slot *slot = recorder_reserve(recorder, 2);
    record_begin(slot, time);
    slot[1].first = first;
    slot[1].second = second;
    record_commit(slot, kind, flags, 0, id);
}

/* Records that a request begins, completes, is tested or is cancelled. Or RECORD_MATCHED, with the
 * number of the probe, directly before the record of a receive or the leave of a probe. */
static inline void record_request(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                  uint64_t request, unsigned flags)
{
    record_pair(recorder, time, kind, flags, 0, request, 0);
}

/* Records that a nonblocking receive begins. Source and tag are those that it asks for. */
static inline void record_receive_request(struct recorder *recorder, uint64_t time,
                                          uint64_t request, uint32_t comm, uint32_t source,
                                          uint32_t tag, unsigned flags)
{
    record_pair(recorder, time, RECORD_IRECV_REQUEST, flags, comm, request,
                (uint64_t)tag << 32 | source);
}

struct record_message {
    uint64_t bytes, request; /* request: of nonblocking operations only */
    uint32_t peer, comm, tag, type_size;
    unsigned flags;
};

/* RECORD_SEND and RECORD_RECV, or with a request RECORD_ISEND and RECORD_IRECV. */
HOT_INLINE void record_message(struct recorder *recorder, uint64_t time, enum record_kind kind,
                               const struct record_message *message)
{
    const bool nonblocking = kind == RECORD_ISEND || kind == RECORD_IRECV;
    struct record_slot *slot = recorder_reserve(recorder, nonblocking ? 3 : 2);
    record_begin(slot, time);
    slot[1].first = message->bytes;
    slot[1].second = (uint64_t)message->tag << 32 | message->comm;
    if (nonblocking)
        slot[2].first = message->request;
    record_commit(slot, kind, message->flags, message->type_size, message->peer);
}

struct record_collective {
    uint64_t sent, received; /* bytes, by Score-P's rules */
    uint64_t request;        /* nonblocking only */
    uint32_t comm, root;     /* root: rank in comm, or OTF2's undefined/self/this-group values */
    uint32_t send_counts, receive_counts; /* define_numbers, RECORD_NONE if none */
    uint32_t destinations, sources;       /* the same: ranks of the neighbours */
    uint32_t types;                       /* define_types, RECORD_NONE if none */
    uint32_t persistent; /* RECORD_PERSISTENT: number on the communicator, in the order of
                            initialisation; of neighbourhood collectives 24 bits of it */
    uint16_t type_size;
    uint8_t op; /* OTF2_CollectiveOp */
    uint8_t flags;
    uint8_t operation, element; /* of reductions: enum silas_operation, enum silas_element */
};

/* RECORD_COLLECTIVE_END or RECORD_NBC_COMPLETE. */
static inline void record_collective(struct recorder *recorder, uint64_t time,
                                     enum record_kind kind,
                                     const struct record_collective *collective)
{
    const bool neighbour = collective->flags & RECORD_NEIGHBOUR; /* without a reduction */
    record_types(recorder, time, collective->types);
    struct record_slot *slot = recorder_reserve(recorder, 4);
    record_begin(slot, time);
    slot[1].first = collective->sent;
    slot[1].second = collective->received;
    slot[2].first =
        (neighbour ? (uint64_t)collective->persistent << 40
                   : (uint64_t)collective->element << 48 | (uint64_t)collective->operation << 40) |
        (uint64_t)collective->op << 32 | collective->root;
    slot[2].second = (uint64_t)collective->receive_counts << 32 | collective->send_counts;
    slot[3].first = collective->request;
    slot[3].second = neighbour ? (uint64_t)collective->sources << 32 | collective->destinations
                               : collective->persistent;
    record_commit(slot, kind, collective->flags, collective->type_size, collective->comm);
}

/* A one-sided operation. Its completion has the same `matching`. */
struct record_rma_op {
    uint64_t sent, received; /* bytes */
    uint64_t matching;
    uint32_t window;
    int32_t target; /* rank in the window's communicator */
    uint32_t type_size;
    uint32_t kind;      /* enum record_rma; atomics: RECORD_RMA_ATOMIC + an OTF2_RmaAtomicType */
    uint32_t operation; /* enum silas_operation */
    uint32_t types;     /* define_types, RECORD_NONE if none */
};

static inline void record_rma_op(struct recorder *recorder, uint64_t time,
                                 const struct record_rma_op *op)
{
    record_types(recorder, time, op->types);
    struct record_slot *slot = recorder_reserve(recorder, 3);
    record_begin(slot, time);
    slot[1].first = op->sent;
    slot[1].second = op->received;
    slot[2].first = (uint64_t)op->kind << 32 | op->window;
    slot[2].second = op->matching;
    record_commit(slot, RECORD_RMA_OP, op->operation, op->type_size, (uint32_t)op->target);
}

#endif
