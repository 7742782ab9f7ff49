/* Recording events: what the wrappers call. Records go into a file-backed shared mapping, so that
 * they survive the death of the process; when it has ended (or with --recover) they are turned into
 * OTF2. One recorder a thread; no locks, no system calls, no page faults and no allocation on the
 * way of an event, except where a full buffer is exchanged for the next, which is recorded as a
 * flush. Everything an event needs stands here, so that it is compiled into its wrapper.
 *
 * Events of one recorder must be given in the order of time. Definitions may be made at any time,
 * by any thread.
 */
#ifndef MEASURE_RECORD_H
#define MEASURE_RECORD_H

#include "measure/recorder/record_format.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define RECORD_HIDDEN   __attribute__((visibility("hidden")))
#define RECORD_EXPORTED __attribute__((visibility("default")))
#define RECORD_TLS      __attribute__((visibility("hidden"), tls_model("initial-exec")))

/* One thread's way into its buffer. Private to record*.c and the functions below. */
struct recorder {
    struct record_slot *next, *end; /* free slots of the current segment; they are all zero */
    struct recorder_file *file;     /* record.c */
};

extern __thread struct recorder *recorder_own RECORD_TLS; /* NULL: this thread has none yet */
extern bool recorder_on RECORD_HIDDEN;
extern bool record_clock_tsc RECORD_HIDDEN;

/* Makes this thread's recorder. NULL if that fails (which has been said). */
struct recorder *recorder_make(void) RECORD_HIDDEN;

/* Exchanges the full segment for the next and returns `count` slots of it. */
struct record_slot *recorder_turn(struct recorder *recorder, size_t count) RECORD_HIDDEN;

/* This thread's recorder; made at its first call. NULL while nothing is recorded (before MPI_Init
 * has been left, after measurement_finalize_enter, after MPI_Pcontrol(0), not under silas-trace). A
 * recorder once got stays valid, and takes records, until measurement_end. */
static inline struct recorder *recorder_get(void)
{
    if (__builtin_expect(!recorder_on, 0))
        return NULL;
    struct recorder *recorder = recorder_own;
    return __builtin_expect(recorder != NULL, 1) ? recorder : recorder_make();
}

/* Ticks of the tracer's clock: TSC where it is invariant, else clock_gettime. */
static inline uint64_t record_now(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(record_clock_tsc, 1))
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- definitions: the first gives the id, the same again gives the same id ---------------------
 */

/* `paradigm` and `role` are OTF2_Paradigm and OTF2_RegionRole. `canonical` may be NULL (= name). */
uint32_t define_region(const char *name, const char *canonical, const char *file, uint32_t line,
                       int paradigm, int role) RECORD_HIDDEN;

/* A communicator as this rank sees it. `creator` and `number` identify it globally: the world rank
 * of its rank 0 and that rank's count of communicators created (agreed upon by a broadcast at
 * creation). MPI_COMM_WORLD is creator 0, number 0 and the first to be defined. Members are world
 * ranks in the order of the communicator; remote members only for an intercommunicator. `self`:
 * MPI_COMM_SELF and duplicates of it, whose members are not given. `parent` is a communicator
 * defined before, or RECORD_NONE. */
uint32_t define_comm(uint32_t creator, uint32_t number, const char *name, const uint32_t *members,
                     size_t member_count, const uint32_t *remote, size_t remote_count,
                     uint32_t parent, bool self) RECORD_HIDDEN;

/* Gives it another name (MPI_Comm_set_name); the last one given is kept. */
void define_comm_name(uint32_t comm, const char *name) RECORD_HIDDEN;

/* A vector of byte counts in rank order; equal vectors are stored once. RECORD_NONE if there is no
 * room. */
uint32_t define_counts(const uint64_t *counts, size_t count) RECORD_HIDDEN;

/* The same for a group of ranks of MPI_COMM_WORLD; its id is among those of the counts. */
uint32_t define_group(const uint64_t *ranks, size_t count) RECORD_HIDDEN;

/* A window on a communicator, the `number`-th (from 0) of all made there. */
uint32_t define_window(uint32_t comm, uint32_t number) RECORD_HIDDEN;

/* --- events ------------------------------------------------------------------------------------
 */

/* Takes the slots before they are filled, so that a signal handler in between that records
 * something itself writes behind them. The word with the kind is stored last: a slot that holds 0
 * there is not (completely) written. */
static inline struct record_slot *record_reserve(struct recorder *recorder, size_t count)
{
    struct record_slot *slot = recorder->next;
    if (__builtin_expect((size_t)(recorder->end - slot) < count, 0))
        return recorder_turn(recorder, count);
    recorder->next = slot + count;
    return slot;
}

/* See to it that the next records, of `slots` slots together, are written without an exchange of
 * segments in between. A wrapper records moments of before and after its call, some of them late;
 * the flush that stands for an exchange must come before the first of them, or time would go
 * back. */
void recorder_make_room(struct recorder *recorder, size_t slots) RECORD_HIDDEN;

static inline void record_room(struct recorder *recorder, size_t slots)
{
    if (__builtin_expect((size_t)(recorder->end - recorder->next) < slots, 0))
        recorder_make_room(recorder, slots);
}

static inline void record_commit(struct record_slot *slot, uint64_t time, enum record_kind kind,
                                 unsigned flags, uint32_t type_size, uint32_t id)
{
    slot->first = time;
    atomic_signal_fence(memory_order_release);
    slot->second = record_pack(kind, flags, type_size, id);
}

/* Takes back the records of time `time` that stand from `first` to right before `behind`, if they
 * are the last ones of this recorder; otherwise they stay. */
void recorder_take_back(struct recorder *recorder, struct record_slot *first,
                        struct record_slot *behind, uint64_t time) RECORD_HIDDEN;

static inline void record_plain(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                uint32_t id)
{
    record_commit(record_reserve(recorder, 1), time, kind, 0, 0, id);
}

static inline void record_message(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                  uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes,
                                  uint32_t type_size, unsigned flags)
{
    struct record_slot *slot = record_reserve(recorder, 2);
    slot[1].first = bytes;
    slot[1].second = (uint64_t)tag << 32 | comm;
    record_commit(slot, time, kind, flags, type_size, peer);
}

static inline void record_request_message(struct recorder *recorder, uint64_t time,
                                          enum record_kind kind, uint32_t peer, uint32_t comm,
                                          uint32_t tag, uint64_t bytes, uint32_t type_size,
                                          uint64_t request, unsigned flags)
{
    struct record_slot *slot = record_reserve(recorder, 3);
    slot[1].first = bytes;
    slot[1].second = (uint64_t)tag << 32 | comm;
    slot[2].first = request;
    record_commit(slot, time, kind, flags, type_size, peer);
}

static inline void record_request(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                  uint64_t request, unsigned flags)
{
    struct record_slot *slot = record_reserve(recorder, 2);
    slot[1].first = request;
    record_commit(slot, time, kind, flags, 0, 0);
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
    struct record_slot *slot = record_reserve(recorder, 4);
    slot[1].first = collective->sent;
    slot[1].second = collective->received;
    slot[2].first = (uint64_t)collective->op << 32 | collective->root;
    slot[2].second = (uint64_t)collective->receive_counts << 32 | collective->send_counts;
    slot[3].first = collective->request;
    slot[3].second = (uint64_t)collective->sources << 32 | collective->destinations;
    record_commit(slot, time, kind, collective->flags, collective->type_size, collective->comm);
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

/* --- one-sided: `matching` joins operations with their completion --- */

static inline void record_rma_collective(struct recorder *recorder, uint64_t time, uint32_t window,
                                         unsigned op, unsigned assertion)
{
    struct record_slot *slot = record_reserve(recorder, 2);
    slot[1].first = op;
    record_commit(slot, time, RECORD_RMA_COLLECTIVE_END, assertion, 0, window);
}

static inline void record_rma_win_create(struct recorder *recorder, uint64_t time, uint32_t window,
                                         uint64_t bytes)
{
    struct record_slot *slot = record_reserve(recorder, 2);
    slot[1].first = bytes;
    record_commit(slot, time, RECORD_RMA_WIN_CREATE, 0, 0, window);
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
    struct record_slot *slot = record_reserve(recorder, 3);
    slot[1].first = op->sent;
    slot[1].second = op->received;
    slot[2].first = (uint64_t)op->kind << 32 | op->window;
    slot[2].second = op->matching;
    record_commit(slot, time, RECORD_RMA_OP, op->operation, op->type_size, op->target);
}

static inline void record_rma_pair(struct recorder *recorder, uint64_t time, enum record_kind kind,
                                   uint32_t window, uint64_t first, uint64_t second,
                                   unsigned assertion)
{
    struct record_slot *slot = record_reserve(recorder, 2);
    slot[1].first = first;
    slot[1].second = second;
    record_commit(slot, time, kind, assertion, 0, window);
}

/* --- life --------------------------------------------------------------------------------------
 */

/* True if the process was started by silas-trace: wrappers have something to do. Constant after the
 * library's constructors. */
bool measurement_active(void) RECORD_HIDDEN;

/* After PMPI_Init: opens the buffers, compares clocks, turns recording on. Collective over all
 * ranks. The wrapper then records MPI_Init's enter (with `enter_time`, when it was entered) and
 * leave through recorder_get(). A failure ends the program's tracing (not the program) with one
 * message. */
void measurement_begin(uint64_t enter_time) RECORD_HIDDEN;

/* MPI_Pcontrol: switches recording of all threads off or on, and records that. `recorder` may be
 * NULL, as it is while recording is off. */
void record_measurement(struct recorder *recorder, uint64_t time, bool on) RECORD_HIDDEN;

/* Before PMPI_Abort, by the rank that calls it: the launcher will end all ranks at once and wait
 * for nobody, so the user is told now where the archive comes up. */
void measurement_abort(void) RECORD_HIDDEN;

/* Before PMPI_Finalize: turns recording off, compares clocks; collective. The wrapper has recorded
 * the enter of MPI_Finalize, and records the leave afterwards with the recorder it already has. */
void measurement_finalize_enter(uint64_t enter_time) RECORD_HIDDEN;

/* After MPI_Finalize's leave was recorded. User functions are still recorded until the process
 * ends; then the archive gets written (archive.h). */
void measurement_end(uint64_t leave_time) RECORD_HIDDEN;

#endif
