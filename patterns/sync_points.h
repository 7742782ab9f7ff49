/* Synchronisation points: the moments at which a rank waits for another one. The search for causes
 * of waits (intervals.h, delays.c, causes.c, critical_path.c) starts from them.
 *
 * A point has an *end* at each rank that takes part: the members of a collective operation or, in a
 * *pair*, the rank that waits and the one that it waits for: the two ends of a message, or two
 * members of an operation in which each waits for another one (collective_waits.h). Ends that wait
 * are *waits*. The table is the same for all processes, whatever their number, and lies once on
 * each host (base/mpi/host_memory.h): 24 bytes for each point, 32 for each end (36 until the
 * intervals are found), 16 for each wait. */
#ifndef PATTERNS_SYNC_POINTS_H
#define PATTERNS_SYNC_POINTS_H

#include "base/mpi/host_memory.h"
#include "patterns/pattern.h"

struct sync_end {
    int64_t wait;  /* ticks; 0: does not wait */
    int64_t until; /* leave of the call; in a blocking collective, end of the operation */
    uint32_t rank;
    uint32_t enter_row; /* of the call, at the rank */
    uint32_t event_row; /* where the message or nonblocking operation is posted (culprit) or
                           completed (victim); where the operation ends */
    uint32_t point;     /* index into points */
};

struct sync_point {
    int64_t time;       /* enter of the culprit's call */
    uint32_t first_end; /* into ends, up to the next point's */
    uint32_t culprit;   /* the end that is waited for */
    enum sync_kind kind;
    uint32_t comm; /* of a collective operation: each of its instances has an end for each member,
                      in the same order; INDEX_NONE: a pair */
};

struct sync_points {
    struct sync_point *points;        /* [point_count + 1] */
    uint32_t point_count, pair_count; /* pairs come first */
    int64_t *released; /* [point_count - pair_count]: when the operation ends for the first member
                          that it releases */
    struct sync_end *ends;
    uint32_t end_count;
    uint32_t *order; /* [end_count], ends rank by rank, each rank's in order of rows; NULL once the
                        intervals are found */
    uint32_t *first; /* [rank_count + 1] into order */
    uint32_t *waits; /* [wait_count], the ends that wait, in the same order */
    uint32_t *first_wait; /* [rank_count + 1] into waits */
    int64_t *waited;      /* [wait_count + 1], ticks of all waits before */
    uint32_t *by_time;    /* [wait_count], waits in order of the arrival of their culprits */
    uint32_t wait_count;
    uint32_t rank_count;
    /* MPI_Init synchronises all ranks: at each it lasts this long after the first has left it and
     * the last has entered it (doc/methods.md, section 8, init completion). */
    int64_t first_init_end, last_init_begin;
    struct host_group group; /* the processes that share the table */
    struct host_memory point_memory, end_memory, wait_memory; /* all of the above but `order` */
    struct host_memory order_memory;
};

/* "Late Sender": the names of metrics, for people. */
const char *sync_kind_name(enum sync_kind kind);

/* An owned rank's wait in a collective operation, for one other. */
struct operation_wait {
    struct sync_end victim;
    enum sync_kind kind;
    uint32_t call; /* of the victim */
    uint32_t culprit_rank, culprit_collective;
};

/* An instance of a collective operation before it is in the table. */
struct sync_instance {
    struct sync_point point; /* the culprit is a place among its ends */
    uint32_t instance, end_count;
};

/* What this process has found before the table is made. All zero: nothing. */
struct sync_collector {
    ARRAY(struct operation_wait) operations;
    ARRAY(struct sync_point) pairs;   /* time and kind */
    ARRAY(struct sync_end) pair_ends; /* two for each pair, the victim's first */
    ARRAY(struct sync_instance) instances;
    ARRAY(struct sync_end) instance_ends; /* in the order of `instances` */
};

/* Adds an instance of a collective operation at its home process, if it has waits. False when
 * memory is out. */
bool sync_collect_instance(struct sync_collector *collector, enum sync_kind kind,
                           const struct member *members, uint32_t count,
                           const struct member_wait *waits);

/* Adds `wait` ticks that an owned rank waits in its collective operation for one other member,
 * given by that member's rank and operation number. False when memory is out. */
bool sync_collect_operation(struct sync_collector *collector, const struct search_rank *victim,
                            uint32_t collective, enum sync_kind kind, int64_t wait,
                            uint32_t culprit_rank, uint32_t culprit_collective);

void sync_collector_clear(struct sync_collector *collector);

/* Collective. Makes the pairs: one for each call of the swept ranks that waits for a message, or
 * else in collected operations; the longest wait counts. Frees the ranks' memory
 * (search_rank_clear). */
enum status sync_collect_pairs(const struct trace *trace, struct search_rank *ranks,
                               struct sync_collector *collector, struct error *error);

/* Collective. Makes the table and empties the collector. Uses nothing of the ranks that
 * search_rank_clear frees. Clear the table in any case, before the trace's processes are closed. */
enum status sync_points_make(const struct trace *trace, const struct search_rank *ranks,
                             struct sync_collector *collector, struct sync_points *points,
                             struct error *error);

/* Frees `order`. */
void sync_points_forget_order(struct sync_points *points);

void sync_points_clear(struct sync_points *points);

/* The call path of the end's call, from its rank's stream; CALLPATH_NONE outside all regions. */
static inline uint32_t sync_end_path(const struct stream *stream, const struct sync_end *end)
{
    return event_opens(stream->kind[end->enter_row]) ? stream->arg[end->enter_row] : CALLPATH_NONE;
}

/* When the operation, which must not be a pair, ends for the first member that it releases. */
static inline int64_t sync_released(const struct sync_points *points,
                                    const struct sync_point *point)
{
    return points->released[point - points->points - points->pair_count];
}

/* The end that waits, by the number of the wait. */
static inline const struct sync_end *sync_wait_end(const struct sync_points *points, uint32_t wait)
{
    return &points->ends[points->waits[wait]];
}

static inline const struct sync_end *sync_culprit(const struct sync_points *points,
                                                  const struct sync_end *end)
{
    return &points->ends[points->points[end->point].culprit];
}

static inline enum sync_kind sync_kind_of(const struct sync_points *points,
                                          const struct sync_end *end)
{
    return points->points[end->point].kind;
}

static inline bool sync_point_is_pair(const struct sync_point *point)
{
    return point->comm == INDEX_NONE;
}

static inline bool sync_kind_is_message(enum sync_kind kind)
{
    return kind == SYNC_LATE_SENDER || kind == SYNC_LATE_RECEIVER;
}

#endif
