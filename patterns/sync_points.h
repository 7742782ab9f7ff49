/* Synchronisation points: the moments at which a rank waits for another one. The search for causes
 * of waits (intervals.h, delays.c, causes.c, critical_path.c) starts from them.
 *
 * A point has an *end* at each rank that takes part: the members of a collective operation or, in a
 * *pair*, the rank that waits and the one that it waits for: the two ends of a message, or two
 * members of an operation in which each waits for another one (collective_waits.h). Ends that wait
 * are *waits*; each waits for the point's *culprit*.
 *
 * A process keeps what its own ranks need: the points in which they take part, with their ends and
 * the culprit's, and with the ends of all members where it owns the culprit. So the memory of all
 * processes together depends on the trace only: 32 bytes for each point and 32 for each end, which
 * lie on one process or two, and 16 for each wait. */
#ifndef PATTERNS_SYNC_POINTS_H
#define PATTERNS_SYNC_POINTS_H

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
    uint32_t comm;      /* of a collective operation; INDEX_NONE: a pair */
    uint32_t instance;  /* likewise, of the communicator's */
    uint8_t kind;       /* enum sync_kind */
    bool whole; /* an operation with an end for each member, in the same order in each instance:
                   this process owns the culprit. Otherwise with those of owned members, in the
                   same order in each instance, and then the culprit's. */
};

struct sync_points {
    struct sync_point *points; /* [point_count + 1]: pairs in order of the waiting ranks and calls,
                                  then operations by communicator and instance */
    uint32_t point_count, pair_count;
    int64_t *released; /* [point_count - pair_count]: when the operation ends for the first member
                          that it releases */
    struct sync_end *ends;
    uint32_t end_count;
    uint32_t first_rank, rank_count; /* the owned ranks; what follows is only of them */
    uint32_t *order; /* ends rank by rank, each rank's in order of rows; NULL once the intervals are
                        found */
    uint32_t *first; /* [rank_count + 1] into order; NULL likewise */
    uint32_t *waits; /* [wait_count], the ends that wait, in the same order */
    uint32_t *first_wait; /* [rank_count + 1] into waits */
    int64_t *waited;      /* [wait_count + 1], ticks of all waits before */
    uint32_t wait_count;
    /* MPI_Init synchronises all ranks: at each it lasts this long after the first has left it and
     * the last has entered it (doc/methods.md, section 8, init completion). */
    int64_t first_init_end, last_init_begin;
};

/* An owned rank's wait in a collective operation, for one other. */
struct operation_wait {
    struct sync_end victim;
    enum sync_kind kind;
    uint32_t call; /* of the victim */
    uint32_t culprit_rank, culprit_collective;
};

/* An instance of a collective operation that is not among the points yet. */
struct sync_instance {
    struct sync_point point; /* the culprit is a place among its ends */
    int64_t released;        /* see struct sync_points */
    uint32_t end_count;
};

/* The waits found by this process before the points are made. All zero: none. */
struct sync_collector {
    ARRAY(struct operation_wait) operations;
    ARRAY(struct sync_point) pairs;   /* time and kind */
    ARRAY(struct sync_end) pair_ends; /* two for each pair, the one that waits first */
    ARRAY(struct sync_instance) instances;
    ARRAY(struct sync_end) instance_ends; /* in the order of `instances` */
};

/* Adds an instance of a collective operation, on the process that searches it, if it has waits.
 * False if out of memory. */
bool sync_collect_instance(struct sync_collector *collector, enum sync_kind kind,
                           const struct member *members, uint32_t count,
                           const struct member_wait *waits);

/* Adds `wait` ticks that an owned rank waits in its collective operation for one other member,
 * given by the other member's rank and operation number. False if out of memory. */
bool sync_collect_operation(struct sync_collector *collector, const struct search_rank *victim,
                            uint32_t collective, enum sync_kind kind, int64_t wait,
                            uint32_t culprit_rank, uint32_t culprit_collective);

void sync_collector_clear(struct sync_collector *collector);

/* Collective. Makes the pairs: one for each call of the swept ranks that waits for a message, or
 * else in collected operations; the longest wait counts. Frees the ranks' memory
 * (search_rank_clear). Part of sync_points_make. */
enum status sync_collect_pairs(const struct trace *trace, struct search_rank *ranks,
                               struct sync_collector *collector, struct error *error);

/* Collective. Makes the points of the owned ranks, empties the collector, and frees the ranks'
 * memory (search_rank_clear). Fails with STATUS_INPUT if a process has too many;
 * after a failure nothing is left to free. */
enum status sync_points_make(const struct trace *trace, struct search_rank *ranks,
                             struct sync_collector *collector, struct sync_points *points,
                             struct error *error);

/* Frees `order` and `first`. */
void sync_points_forget_order(struct sync_points *points);

void sync_points_clear(struct sync_points *points);

/* Whether this process owns the rank. */
static inline bool sync_owns(const struct sync_points *points, uint32_t rank)
{
    return rank - points->first_rank < points->rank_count;
}

/* The waits of an owned rank: numbers from the first one up to the other rank's first. */
static inline uint32_t sync_first_wait(const struct sync_points *points, uint32_t rank)
{
    return points->first_wait[rank - points->first_rank];
}

/* The number of an owned rank's first wait at these rows of its end or later: in order of calls,
 * then of events. The next rank's first if there is none. */
uint32_t sync_wait_from(const struct sync_points *points, uint32_t rank, uint32_t enter_row,
                        uint32_t event_row);

/* The number of an owned rank's wait, given by the rows of its end; INDEX_NONE: it has none
 * there. */
uint32_t sync_find_wait(const struct sync_points *points, uint32_t rank, uint32_t enter_row,
                        uint32_t event_row);

/* The place of a collective operation among the points; INDEX_NONE: no owned rank takes part. */
uint32_t sync_find_operation(const struct sync_points *points, uint32_t comm, uint32_t instance);

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

/* The rank that an own wait waits for. */
static inline uint32_t sync_waits_for(const struct sync_points *points, uint32_t wait)
{
    return sync_culprit(points, sync_wait_end(points, wait))->rank;
}

static inline enum sync_kind sync_kind_of(const struct sync_points *points,
                                          const struct sync_end *end)
{
    return (enum sync_kind)points->points[end->point].kind;
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
