/* What ranks wait for except messages: numbered, with the time of its last arrival.
 *
 * A meeting is a moment at which ranks arrive, and for which ranks wait: all members that arrive in
 * a collective operation; one member's arrival in a neighbourhood collective; one member's arrival
 * in a prefix reduction, together with those of the lower ranks; one call that synchronises with
 * the group of a window; MPI_Finalize. Its id is the same on all processes (layout.h). Each process
 * knows only the meetings in which its own ranks take part. Where the times of several processes
 * must be compared, that happens at the process that owns the meeting's home rank. So memory and
 * exchange grow with what a process owns, not with the job. */
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
    uint32_t home;    /* rank; the same for all members of a prefix reduction */
    uint32_t process; /* that owns it */
};

struct meetings {
    const struct processes *processes;
    struct meeting *list; /* [count], by their homes' processes, then by ids */
    uint32_t count;
    uint32_t
        *of_post; /* [post of the call list]: the meeting at which it arrives, or MEETING_NONE */
    size_t *first_of_wait; /* [wait of the call list + 1]: where its meetings begin in `of_wait` */
    uint32_t *of_wait;
    int64_t *values; /* [count]: time of the last arrival; -1: none */

    /* The exchange with the homes, always in the same order. */
    size_t *told;      /* [process + 1]: how many of the list go to lower processes */
    uint32_t *asked;   /* [asked_count]: meetings that processes send to this one, in order of the
                          processes: places in `at_home` */
    size_t *asked_by;  /* [process + 1]: how many of them come from lower processes */
    uint64_t *at_home; /* [home_count], ascending ids */
    int64_t *home_values; /* [home_count] */
    size_t asked_count, home_count;
};

/* Collective. Numbers the meetings at which the calls of the list arrive and for which they wait.
 * On failure nothing is left to free. */
enum status meetings_make(const struct trace *trace, const struct layout *layout,
                          const struct call_list *list, struct meetings *meetings,
                          struct error *error);
void meetings_clear(struct meetings *meetings);

/* Forgets all arrivals. */
void meetings_reset(struct meetings *meetings);

/* The post arrives at `time` (>= 0); does nothing if it arrives at no meeting. */
void meetings_arrive(struct meetings *meetings, size_t post, int64_t time);

/* Collective, after all calls of meetings_arrive: `values` become the latest of all processes. */
enum status meetings_share(struct meetings *meetings, struct error *error);

/* After meetings_share: the last arrival for which a wait waits; -1: none. */
int64_t meetings_last(const struct meetings *meetings, size_t wait);

#endif
