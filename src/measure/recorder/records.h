/* One function per kind of record, inlined into the wrappers. record_format.h describes the slots.
 */
#ifndef MEASURE_RECORDS_H
#define MEASURE_RECORDS_H

#include "measure/recorder/recorder.h"

static inline void record_plain(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                uint32_t id)
{
    struct record_slot *slot = recorder_reserve(recorder, 1);
    record_begin(slot, time);
    record_commit(slot, kind, 0, 0, id);
}

static inline void record_message(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                  uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes,
                                  uint32_t type_size, unsigned flags)
{
    struct record_slot *slot = recorder_reserve(recorder, 2);
    record_begin(slot, time);
    slot[1].first = bytes;
    slot[1].second = (uint64_t)tag << 32 | comm;
    record_commit(slot, kind, flags, type_size, peer);
}

static inline void record_request_message(struct recorder *recorder, uint64_t time,
                                          enum record_kind kind, uint32_t peer, uint32_t comm,
                                          uint32_t tag, uint64_t bytes, uint32_t type_size,
                                          uint64_t request, unsigned flags)
{
    struct record_slot *slot = recorder_reserve(recorder, 3);
    record_begin(slot, time);
    slot[1].first = bytes;
    slot[1].second = (uint64_t)tag << 32 | comm;
    slot[2].first = request;
    record_commit(slot, kind, flags, type_size, peer);
}

static inline void record_request(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                  uint64_t request, unsigned flags)
{
    struct record_slot *slot = recorder_reserve(recorder, 2);
    record_begin(slot, time);
    slot[1].first = request;
    record_commit(slot, kind, flags, 0, 0);
}

static inline void record_enter(struct recorder *recorder, uint64_t time, uint32_t region)
{
    record_plain(recorder, time, RECORD_ENTER, region);
}

static inline void record_leave(struct recorder *recorder, uint64_t time, uint32_t region)
{
    record_plain(recorder, time, RECORD_LEAVE, region);
}

static inline void record_send(struct recorder *recorder, uint64_t time, uint32_t dest,
                               uint32_t comm, uint32_t tag, uint64_t bytes, uint32_t type_size)
{
    record_message(recorder, time, RECORD_SEND, dest, comm, tag, bytes, type_size, 0);
}

static inline void record_recv(struct recorder *recorder, uint64_t time, uint32_t source,
                               uint32_t comm, uint32_t tag, uint64_t bytes, uint32_t type_size,
                               unsigned flags)
{
    record_message(recorder, time, RECORD_RECV, source, comm, tag, bytes, type_size, flags);
}

static inline void record_isend(struct recorder *recorder, uint64_t time, uint32_t dest,
                                uint32_t comm, uint32_t tag, uint64_t bytes, uint32_t type_size,
                                uint64_t request, unsigned flags)
{
    record_request_message(recorder, time, RECORD_ISEND, dest, comm, tag, bytes, type_size, request,
                           flags);
}

static inline void record_isend_complete(struct recorder *recorder, uint64_t time, uint64_t request)
{
    record_request(recorder, time, RECORD_ISEND_COMPLETE, request, 0);
}

static inline void record_irecv_request(struct recorder *recorder, uint64_t time, uint64_t request,
                                        unsigned flags)
{
    record_request(recorder, time, RECORD_IRECV_REQUEST, request, flags);
}

static inline void record_irecv(struct recorder *recorder, uint64_t time, uint32_t source,
                                uint32_t comm, uint32_t tag, uint64_t bytes, uint32_t type_size,
                                uint64_t request)
{
    record_request_message(recorder, time, RECORD_IRECV, source, comm, tag, bytes, type_size,
                           request, 0);
}

static inline void record_request_test(struct recorder *recorder, uint64_t time, uint64_t request)
{
    record_request(recorder, time, RECORD_REQUEST_TEST, request, 0);
}

static inline void record_request_cancelled(struct recorder *recorder, uint64_t time,
                                            uint64_t request)
{
    record_request(recorder, time, RECORD_REQUEST_CANCELLED, request, 0);
}

/* Right before the record of a receive, or the leave of a probe. */
static inline void record_matched(struct recorder *recorder, uint64_t time, uint64_t probe)
{
    record_request(recorder, time, RECORD_MATCHED, probe, 0);
}

static inline void record_collective_begin(struct recorder *recorder, uint64_t time)
{
    record_plain(recorder, time, RECORD_COLLECTIVE_BEGIN, 0);
}

struct record_collective {
    uint64_t sent, received; /* bytes, by Score-P's rules */
    uint64_t request;        /* nonblocking only */
    uint32_t comm, root;     /* root: rank in comm, or OTF2's undefined/self/this-group values */
    uint32_t send_counts, receive_counts; /* define_counts, RECORD_NONE if none */
    uint32_t destinations, sources;       /* the same: ranks of the neighbours */
    uint16_t type_size;
    uint8_t op; /* OTF2_CollectiveOp */
    uint8_t flags;
};

static inline void record_collective_kind(struct recorder *recorder, uint64_t time,
                                          enum record_kind kind,
                                          const struct record_collective *collective)
{
    struct record_slot *slot = recorder_reserve(recorder, 4);
    record_begin(slot, time);
    slot[1].first = collective->sent;
    slot[1].second = collective->received;
    slot[2].first = (uint64_t)collective->op << 32 | collective->root;
    slot[2].second = (uint64_t)collective->receive_counts << 32 | collective->send_counts;
    slot[3].first = collective->request;
    slot[3].second = (uint64_t)collective->sources << 32 | collective->destinations;
    record_commit(slot, kind, collective->flags, collective->type_size, collective->comm);
}

static inline void record_collective_end(struct recorder *recorder, uint64_t time,
                                         const struct record_collective *collective)
{
    record_collective_kind(recorder, time, RECORD_COLLECTIVE_END, collective);
}

static inline void record_nbc_request(struct recorder *recorder, uint64_t time, uint64_t request)
{
    record_request(recorder, time, RECORD_NBC_REQUEST, request, 0);
}

static inline void record_nbc_complete(struct recorder *recorder, uint64_t time,
                                       const struct record_collective *collective)
{
    record_collective_kind(recorder, time, RECORD_NBC_COMPLETE, collective);
}

static inline void record_comm_create(struct recorder *recorder, uint64_t time, uint32_t comm)
{
    record_plain(recorder, time, RECORD_COMM_CREATE, comm);
}

static inline void record_comm_destroy(struct recorder *recorder, uint64_t time, uint32_t comm)
{
    record_plain(recorder, time, RECORD_COMM_DESTROY, comm);
}

/* --- one-sided: operations and their completion have the same `matching` --- */

static inline void record_rma_collective(struct recorder *recorder, uint64_t time, uint32_t window,
                                         unsigned op, unsigned assertion)
{
    struct record_slot *slot = recorder_reserve(recorder, 2);
    record_begin(slot, time);
    slot[1].first = op;
    record_commit(slot, RECORD_RMA_COLLECTIVE_END, assertion, 0, window);
}

static inline void record_rma_win_create(struct recorder *recorder, uint64_t time, uint32_t window,
                                         uint64_t bytes)
{
    struct record_slot *slot = recorder_reserve(recorder, 2);
    record_begin(slot, time);
    slot[1].first = bytes;
    record_commit(slot, RECORD_RMA_WIN_CREATE, 0, 0, window);
}

struct record_rma_op {
    uint64_t sent, received; /* bytes */
    uint64_t matching;
    uint32_t window, target; /* target: rank in the window's communicator */
    uint32_t type_size;
    uint32_t kind;      /* enum record_rma */
    uint32_t operation; /* enum silas_operation */
};

static inline void record_rma_op(struct recorder *recorder, uint64_t time,
                                 const struct record_rma_op *op)
{
    struct record_slot *slot = recorder_reserve(recorder, 3);
    record_begin(slot, time);
    slot[1].first = op->sent;
    slot[1].second = op->received;
    slot[2].first = (uint64_t)op->kind << 32 | op->window;
    slot[2].second = op->matching;
    record_commit(slot, RECORD_RMA_OP, op->operation, op->type_size, op->target);
}

static inline void record_rma_pair(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                   uint32_t window, uint64_t first, uint64_t second,
                                   unsigned assertion)
{
    struct record_slot *slot = recorder_reserve(recorder, 2);
    record_begin(slot, time);
    slot[1].first = first;
    slot[1].second = second;
    record_commit(slot, kind, assertion, 0, window);
}

#endif
