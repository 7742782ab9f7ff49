/* What ranks wait for that is no message, numbered, and when it came.
 *
 * A meeting is a moment that ranks arrive at, and for which ranks wait: all that arrive in a
 * collective operation; one member's arrival in a neighbourhood collective; one member's arrival in
 * a prefix reduction, together with those of the lower ranks; one call that synchronises with the
 * group of a window; MPI_Finalize. Its id is the same on all processes (layout.h). Each process
 * knows only those in which its own ranks take part; where the times of several processes must be
 * compared, they are at the process that owns the meeting's home rank. So memory and exchange grow
 * with what a process owns, not with the job. */
#ifndef REPLAY_COSTS_MEETINGS_H
#define REPLAY_COSTS_MEETINGS_H

#include "replay/costs/call_list.h"
#include "replay/costs/layout.h"
#include "trace/calls/parts.h"

#define MEETING_NONE UINT32_MAX

/* Set in the ids of prefix reductions. Those of one reduction have distances of 2, in the order of
 * its members; those of different ones are further apart. */
#define MEETING_SCAN ((uint64_t)1 << 32)

struct meeting {
    uint64_t id;
    uint32_t home; /* rank; the same for all members of a prefix reduction */
};

struct meetings {
    const struct processes *processes;
    struct meeting *list; /* [count], ascending ids */
    uint32_t count;
    uint32_t *of_post;     /* [post of the call list]: the one it arrives at, or MEETING_NONE */
    size_t *first_of_wait; /* [wait of the call list + 1]: where in `of_wait` those that it waits
                              for begin */
    uint32_t *of_wait;
    int64_t *values; /* [count]: when the last arrived; -1: nobody */

    /* The exchange with the homes, always in the same order. */
    uint32_t *by_home;    /* [count]: numbers of the list, by the process of their home */
    size_t *told;         /* [process + 1]: how many of them go to the processes before */
    uint32_t *asked;      /* [asked_count]: what processes tell this one, in order of the processes:
                             places in `at_home` */
    size_t *asked_by;     /* [process + 1]: how many of them come from the processes before */
    uint64_t *at_home;    /* [home_count], ascending ids */
    int64_t *home_values; /* [home_count] */
    size_t asked_count, home_count;
};

/* Collective. Numbers what the calls of the list arrive at and wait for. On failure nothing is left
 * to free. */
enum status meetings_make(const struct trace *trace, const struct layout *layout,
                          const struct call_list *list, struct meetings *meetings,
                          struct error *error);
void meetings_clear(struct meetings *meetings);

/* Forgets all arrivals. */
void meetings_reset(struct meetings *meetings);

/* The post arrives at `time` (>= 0); nothing happens if it arrives at no meeting. */
void meetings_arrive(struct meetings *meetings, size_t post, int64_t time);

/* Collective. When all arrivals have been told: makes `values` those of all processes. */
enum status meetings_share(struct meetings *meetings, struct error *error);

/* After that: when the last came for whom a wait waits; -1: nobody. */
int64_t meetings_last(const struct meetings *meetings, size_t wait);

#endif
