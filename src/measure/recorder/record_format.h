/* The format of the files of records, which the traced processes write and the archive's writer
 * reads. They are in DIR/records/ until the archive is complete:
 *
 *   worlds               which rank of the archive is which process (worlds.h)
 *   rank-N.definitions   definitions of ids: a sequence of {u32 type, u32 size, payload}, appended
 *                        with write(2)
 *   rank-N.T.events      thread T's events: RECORD_HEADER_SIZE bytes of header, then segments of
 *                        `segment_size` bytes, each a sequence of records; the rest is zero
 *
 * Of a reduction while the program runs (measure/reduce/): clock-server and clock-HOST
 * (clock_exchange.h), rank-N.ready (remote_records.h), and the files of archive/folded.h.
 *
 * A record is one or more slots of 16 bytes. Numbers are in the machine's own byte order. */
#ifndef MEASURE_RECORD_FORMAT_H
#define MEASURE_RECORD_FORMAT_H

#include <assert.h>
#include <stdint.h>

#define RECORD_NONE UINT32_MAX

struct record_slot {
    uint64_t first;  /* of a record's first slot: time in ticks */
    uint64_t second; /* of a record's first slot: record_pack; never 0 */
};

static_assert(sizeof(struct record_slot) == 16, "a file consists of slots of 16 bytes");

/* X(identifier, slots). The words of the slots after the first are, in this order:
 *
 *   messages            bytes; tag (upper half) and comm; request, unused
 *   requests            request, unused; of a receive: tag (upper half) and source that it asks
 * for; of a persistent collective operation (RECORD_PERSISTENT): its number MATCHED number of a
 * matched probe, unused. The next receive or leave is about the message of that probe. collectives
 * sent; received; root, and above it, 8 bits each from the lowest on, op and of reductions enum
 * silas_operation and enum silas_element; receive counts (upper half) and send counts; request;
 * sources (upper half) and destinations, which are numbered as counts are. RECORD_PERSISTENT: its
 *                       number instead of the destinations; of neighbourhood collectives instead
 *                       of operation and element
 *   FLUSH               end time, unused
 *   locks               what identifies the lock in the process, unused
 *   one-sided:
 *     COLLECTIVE_END    op, unused
 *     WIN_CREATE        bytes of this rank's part of the window, unused
 *     OP                sent; received; enum record_rma (upper half) and window; matching id
 *     COMPLETE          matching id; enum record_completion
 *     GROUP_SYNC        group; OTF2's sync level
 *     LOCK              rank, or RECORD_NONE for all ranks; enum record_lock
 *
 * The id in the first slot is the region, peer, comm (also of the requests of receives and of
 * collective operations) or window; of a one-sided operation its target; of MEASUREMENT 1 for on
 * and 0 for off; of TYPES that of the datatypes of the message or operation whose record follows.
 * The flags of a one-sided operation are its enum silas_operation, those of completions and locks
 * MPI's assertion.
 *
 * Of threads of OpenMP: TEAM_FORK has the number of threads asked for; TEAM_BEGIN and TEAM_END the
 * number of the team, which counts the parallel regions of the process, and as type size the
 * thread's index in it, 0 for the master; LOCK_ACQUIRE and LOCK_RELEASE a number that grows with
 * each acquisition of the lock; the records of tasks the number of the task among those of its
 * creator, 0 for an implicit task, and as type size the creator's index in the team. The records of
 * POSIX threads have the number of the thread among those that the process has created, from 1.
 *
 * A record that was taken back becomes VOID; readers skip it. POLLS precedes the leave of a failed
 * test or probe: `id` calls of the same kind were left out (polls.h). Its first word is not a time
 * but the number of ticks that those calls spent in MPI. */
#define RECORD_KINDS(X)        \
    X(ENTER, 1)                \
    X(LEAVE, 1)                \
    X(SEND, 2)                 \
    X(RECV, 2)                 \
    X(ISEND, 3)                \
    X(ISEND_COMPLETE, 2)       \
    X(IRECV_REQUEST, 2)        \
    X(IRECV, 3)                \
    X(REQUEST_TEST, 2)         \
    X(REQUEST_CANCELLED, 2)    \
    X(MATCHED, 2)              \
    X(TYPES, 1)                \
    X(COLLECTIVE_BEGIN, 1)     \
    X(COLLECTIVE_END, 4)       \
    X(NBC_REQUEST, 2)          \
    X(NBC_COMPLETE, 4)         \
    X(COMM_CREATE, 1)          \
    X(COMM_DESTROY, 1)         \
    X(RMA_COLLECTIVE_BEGIN, 1) \
    X(RMA_COLLECTIVE_END, 2)   \
    X(RMA_WIN_CREATE, 2)       \
    X(RMA_WIN_DESTROY, 1)      \
    X(RMA_OP, 3)               \
    X(RMA_COMPLETE, 2)         \
    X(RMA_GROUP_SYNC, 2)       \
    X(RMA_LOCK, 2)             \
    X(MEASUREMENT, 1)          \
    X(FLUSH, 2)                \
    X(VOID, 1)                 \
    X(POLLS, 1)                \
    X(TEAM_FORK, 1)            \
    X(TEAM_JOIN, 1)            \
    X(TEAM_BEGIN, 1)           \
    X(TEAM_END, 1)             \
    X(LOCK_ACQUIRE, 2)         \
    X(LOCK_RELEASE, 2)         \
    X(TASK_CREATE, 1)          \
    X(TASK_SWITCH, 1)          \
    X(TASK_COMPLETE, 1)        \
    X(THREAD_CREATE, 1)        \
    X(THREAD_BEGIN, 1)         \
    X(THREAD_END, 1)           \
    X(THREAD_WAIT, 1)

enum record_kind {
    RECORD_NOTHING, /* the end of a segment's records */
#define X(identifier, slots) RECORD_##identifier,
    RECORD_KINDS(X)
#undef X
};

static_assert(RECORD_THREAD_WAIT <= UINT8_MAX, "record_pack has 8 bits for the kind");

/* Bits of a record's flags; the same as enum silas_flag of the archive. */
enum record_flag {
    RECORD_ANY_SOURCE = 1 << 0,
    RECORD_ANY_TAG = 1 << 1,
    RECORD_PERSISTENT = 1 << 2,
    RECORD_NEIGHBOUR = 1 << 3,
    RECORD_BUFFERED = 1 << 4, /* the mode of persistent sends */
    RECORD_SYNCHRONOUS = 2 << 4,
    RECORD_READY = 3 << 4,
    RECORD_IN_PLACE = 1 << 6,
    RECORD_UNTOUCHED = 1 << 7,
    RECORD_PARTITIONED = RECORD_NEIGHBOUR, /* of messages, together with RECORD_PERSISTENT */
};

/* Kinds of one-sided operations; an atomic one is RECORD_RMA_ATOMIC + an OTF2_RmaAtomicType. */
enum record_rma { RECORD_RMA_PUT, RECORD_RMA_GET, RECORD_RMA_ATOMIC };

/* How far one-sided operations with the same matching id are complete. */
enum record_completion { RECORD_COMPLETE_LOCAL, RECORD_COMPLETE_REMOTE, RECORD_COMPLETE_TESTED };

enum record_lock { RECORD_LOCK_SHARED, RECORD_LOCK_EXCLUSIVE, RECORD_UNLOCK };

/* The parts of a collective operation's third slot. */
static inline uint8_t record_collective_op(const struct record_slot *slot)
{
    return (uint8_t)(slot[2].first >> 32);
}
static inline uint8_t record_collective_operation(const struct record_slot *slot)
{
    return (uint8_t)(slot[2].first >> 40);
}
static inline uint8_t record_collective_element(const struct record_slot *slot)
{
    return (uint8_t)(slot[2].first >> 48);
}
static inline uint32_t record_collective_persistent(const struct record_slot *slot, unsigned flags)
{
    return (uint32_t)(flags & RECORD_NEIGHBOUR ? slot[2].first >> 40 : slot[3].second);
}

/* A size of 64 KiB or more is recorded as unknown. */
static inline uint64_t record_pack(enum record_kind kind, unsigned flags, uint32_t type_size,
                                   uint32_t id)
{
    return (uint64_t)id << 32 | (uint64_t)(type_size <= UINT16_MAX ? type_size : 0) << 16 |
           (uint64_t)(flags & 0xff) << 8 | (uint64_t)kind;
}

/* What record_pack has packed into a record's first slot. */
static inline enum record_kind slot_kind(const struct record_slot *slot)
{
    return (enum record_kind)(slot->second & 0xff);
}
static inline unsigned slot_flags(const struct record_slot *slot)
{
    return slot->second >> 8 & 0xff;
}
static inline unsigned slot_type_size(const struct record_slot *slot)
{
    return slot->second >> 16 & 0xffff;
}
static inline uint32_t slot_id(const struct record_slot *slot)
{
    return (uint32_t)(slot->second >> 32);
}

static inline unsigned record_slots(enum record_kind kind)
{
    switch (kind) {
#define X(identifier, slots)  \
    case RECORD_##identifier: \
        return slots;
        RECORD_KINDS(X)
#undef X
    default:
        return 0;
    }
}

/* Header and segments are mapped into memory. So their sizes are multiples of the largest page size
 * of common kernels, which is that of aarch64. */
enum { RECORD_ALIGNMENT = 64 * 1024, RECORD_HEADER_SIZE = RECORD_ALIGNMENT, RECORD_VERSION = 11 };
#define RECORD_MAGIC 0x5345435253414c49u /* "ILASRCES" */

/* A moment on the tracer's clock and on CLOCK_REALTIME and CLOCK_MONOTONIC (nanoseconds). */
struct record_moment {
    uint64_t ticks, monotonic, realtime;
};

/* Ticks per second between two moments; 0 if they are too close. */
static inline double record_rate(const struct record_moment *first,
                                 const struct record_moment *last)
{
    double ticks = (double)(int64_t)(last->ticks - first->ticks);
    double ns = (double)(int64_t)(last->monotonic - first->monotonic);
    return ns > 1e3 && ticks > 0 ? ticks / ns * 1e9 : 0;
}

/* At the beginning of an events file. */
struct record_header {
    uint64_t magic;
    uint32_t version, rank, thread, tsc; /* tsc: ticks are the time stamp counter's, else ns */
    uint64_t segment_size;               /* bytes */
    struct record_moment first, last;    /* the clock's rate is measured from first to last */
};

static_assert(sizeof(struct record_header) <= RECORD_HEADER_SIZE &&
                  RECORD_HEADER_SIZE % RECORD_ALIGNMENT == 0,
              "the first segment is mapped from the end of the header");

/* Types of definitions. Payloads, with str = u32 length and bytes:
 *   PROCESS       u32 rank in the archive, size of its MPI_COMM_WORLD, tsc; str host, boot id, CPU
 * list, program; u32 n; n str arguments PROPERTY      str name, value (of the archive) CLOCK_OFFSET
 * u64 local time; i64 ticks to add to get rank 0's clock OBJECT        u64 load address; str path:
 * an executable or library that has functions REGION        u32 paradigm, role, line; str name,
 * canonical, file   } both count ids FUNCTION      u32 object; u64 address as linked } together
 *   CONSTRUCT     u32 object, construct of OpenMP; u64 address as linked }
 *   CALL          u32 object, enum mpi_call; u64 address as linked       }
 *   COMM          u32 creator, number, parent, self, joined; str name; members; remote members,
 *                 both as u32 n, then n runs of u32 first, count, stride
 *   COMM_NAME     u32 comm; str name
 *   COUNTS        u32 n; n u64                                   } both count ids
 *   GROUP         the same, as a group of ranks of MPI_COMM_WORLD } together
 *   TYPES         the same, as SILAS::types without operator; u32 operator, RECORD_NONE: none }
 *   OPERATOR      u32 operator, commutes; u32 n; n u64: sizes and ticks. The last one counts
 *   WINDOW        u32 comm, number: its place among the communicator's windows
 *   GRID          u32 comm; u32 n; for each dimension u32 size, periodic: the Cartesian grid
 *   THREADS       nothing: several threads may call MPI
 *   FREED         u64 request, bytes; u32 comm, source, tag: a receive whose request the program
 *                 has freed before it was complete
 *   END           nothing: the process has ended normally
 *   PAUSED        nothing: MPI_Pcontrol has switched recording off, maybe several times
 * and from the archive's writer, when the rank's events are in the archive:
 *   LOCATION      struct rank_location
 *   VISITS        u32 n; n struct rank_region_visits, by region
 *   TEAMS         u32 n; for each team u32 m, m u32: the threads of a team, by index
 */
enum definition_type {
    DEFINITION_NONE,
    DEFINITION_PROCESS,
    DEFINITION_PROPERTY,
    DEFINITION_CLOCK_OFFSET,
    DEFINITION_OBJECT,
    DEFINITION_REGION,
    DEFINITION_FUNCTION,
    DEFINITION_COMM,
    DEFINITION_COMM_NAME,
    DEFINITION_COUNTS,
    DEFINITION_GROUP,
    DEFINITION_WINDOW,
    DEFINITION_END,
    DEFINITION_LOCATION,
    DEFINITION_VISITS,
    DEFINITION_THREADS,
    DEFINITION_GRID,
    DEFINITION_FREED,
    DEFINITION_PAUSED,
    DEFINITION_TYPES,
    DEFINITION_OPERATOR,
    DEFINITION_CONSTRUCT,
    DEFINITION_TEAMS,
    DEFINITION_CLOCK_LINE,
    DEFINITION_CALL,
};

/* The events of a thread in the archive. */
struct rank_location {
    uint32_t thread, unused;
    uint64_t events, bytes, first_time, last_time;
    uint64_t flushed;                 /* ticks in which the recorder exchanged its segments */
    struct record_moment first, last; /* of the file's header */
};

/* A receive that was freed. `bytes`: of its buffer, or received if it had arrived. */
struct rank_freed {
    uint64_t request, bytes;
    uint32_t comm, source, tag, unused;
};

/* The visits and events of a region, and the ticks in it without the regions that it called. */
struct rank_region_visits {
    uint64_t visits, events, own_ticks;
};

static_assert(sizeof(struct rank_location) == 96 && sizeof(struct rank_freed) == 32 &&
                  sizeof(struct rank_region_visits) == 24,
              "definitions are written without padding");

#endif
