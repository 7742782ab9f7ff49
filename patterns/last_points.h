/* The last point at which an owned rank was synchronised with another rank, while the owned rank's
 * ends are passed one by one. Two ranks are synchronised by a pair (sync_points.h) in which one of
 * them waits for the other; by an all-to-all collective in which each of them waits or is waited
 * for; by a rooted one in which one waits for the other.
 *
 * If only the owner of the other rank has the point, the search stays open until last_points_ask.
 */
#ifndef PATTERNS_LAST_POINTS_H
#define PATTERNS_LAST_POINTS_H

#include "base/array.h"
#include "base/map.h"
#include "base/sort.h"
#include "patterns/sync_points.h"

struct noted { /* for another rank */
    uint32_t place, theirs;
};

struct comm_state {
    uint32_t comm, latest; /* the place of its latest all-to-all operation */
};

/* The positions of ranks among the ends of a communicator's points. */
struct comm_members {
    uint32_t count;
    struct keyed *by_rank; /* [count], the values are positions */
};

/* The state of a search. */
struct last_search {
    uint32_t place;   /* in points->order: the search goes back from here */
    uint32_t end;     /* the other rank's end at the point there */
    uint32_t tags[2]; /* the caller's */
    struct noted noted;
    uint32_t asked; /* the place that the other rank's owner is asked about */
    bool overtaken; /* only points before the other rank's call are wanted */
};

/* What a search has found: an end of the owned rank, and the other's at the same point (whose
 * `point` is not set). INDEX_NONE: there is none. */
typedef void last_point_taker(void *data, const struct last_search *search, uint32_t mine,
                              const struct sync_end *theirs);

struct last_points {
    const struct trace *trace;
    const struct sync_points *points;
    last_point_taker *take;
    void *data;                     /* of `take` */
    uint32_t rank, next;            /* of the passed ends; the next place to be passed */
    struct noted *noted;            /* [rank]: for another rank if noted before this rank began */
    ARRAY(struct comm_state) comms; /* of this rank, the last used first */
    ARRAY(struct comm_members) members;
    struct map members_of; /* 2 x communicator + whole -> members */
    ARRAY(struct last_search) open;
};

/* `*last` is all zero before. False if out of memory; then nothing is left to free. */
bool last_points_open(struct last_points *last, const struct trace *trace,
                      const struct sync_points *points, last_point_taker *take, void *data);
void last_points_close(struct last_points *last);

/* Goes to the first end of an owned rank, not lower than the previous rank. */
void last_points_begin(struct last_points *last, uint32_t rank);

/* Passes the rank's next end, which must be the one at `place` of points->order. False if out of
 * memory. */
bool last_points_pass(struct last_points *last, uint32_t place);

/* Searches back from `place`, the next to be passed, for the last point with the rank of the end
 * `end`, before that end's call. Calls `take` at once, or later in last_points_ask. False if
 * out of memory. */
bool last_points_search(struct last_points *last, uint32_t place, uint32_t end,
                        const uint32_t tags[2]);

/* Collective. Finishes the open searches of all processes. Fails on all of them if `found` is false
 * on one, which was out of memory before. */
enum status last_points_ask(struct last_points *last, bool found, struct error *error);

#endif
