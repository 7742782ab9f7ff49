/* Everything that ranks wait for except messages, with the time of its last arrival.
 *
 * A meeting is one of these: all members that arrive in a collective operation; the arrival of one
 * member in a neighbourhood collective; the arrivals of one member of a prefix reduction and of all
 * lower ranks; a call that synchronises with the group of a window; MPI_Finalize. Its id is the
 * same on all processes (layout.h). A process stores only the meetings in which its own ranks take
 * part. The process that owns the meeting's rank `owner` combines the times of all processes. So
 * memory and messages grow with the ranks that a process owns, not with the job. */
#ifndef REPLAY_COSTS_MEETINGS_H
#define REPLAY_COSTS_MEETINGS_H

#include "replay/costs/call_groups.h"
#include "replay/costs/layout.h"
#include "trace/calls/semantics.h"

#define MEETING_NONE UINT32_MAX

/* Set in the ids of prefix reductions. The ids of one reduction differ by 2, in the order of its
 * members; those of different reductions are further apart. */
#define MEETING_SCAN ((uint64_t)1 << 32)

struct meeting {
    uint64_t id;
    uint32_t owner;   /* rank; the same for all members of a prefix reduction */
    uint32_t process; /* that owns it */
};

struct meetings {
    const struct processes *processes;
    struct meeting *list; /* [count], by the processes of their owners, then by ids */
    uint32_t count;
    uint32_t
        *of_post; /* [post of the call list]: the meeting at which it arrives, or MEETING_NONE */
    size_t *first_of_wait; /* [wait of the call list + 1]: where its meetings begin in `of_wait` */
    uint32_t *of_wait;
    int64_t *values; /* [count]: time of the last arrival; -1: none */

    /* The exchange with the owners' processes, always in the same order. */
    size_t *first_sent;  /* [process + 1]: the first one in `list` whose owner is on this process */
    uint32_t *requested; /* [requested_count]: meetings that processes send to this one, in order of
                            the processes: places in `combined_ids` */
    size_t *first_requested; /* [process + 1]: the first one in `requested` from this process */
    uint64_t *combined_ids;  /* [combined_count], ascending */
    int64_t *combined;       /* [combined_count] */
    size_t requested_count, combined_count;
};

/* Collective. Numbers the meetings at which the calls of the list arrive and for which they wait.
 * On failure nothing is left to free. */
enum status meetings_make(const struct trace *trace, const struct layout *layout,
                          const struct call_list *list, struct meetings *meetings,
                          struct error *error);
void meetings_clear(struct meetings *meetings);

/* Removes all arrivals. */
void meetings_reset(struct meetings *meetings);

/* The post arrives at `time` (>= 0). A post that belongs to no meeting is ignored. */
void meetings_arrive(struct meetings *meetings, size_t post, int64_t time);

/* Collective, after all calls of meetings_arrive: `values` become the latest of all processes. */
enum status meetings_share(struct meetings *meetings, struct error *error);

/* After meetings_share: the last arrival for which a wait waits; -1: none. */
int64_t meetings_last(const struct meetings *meetings, size_t wait);

#endif
