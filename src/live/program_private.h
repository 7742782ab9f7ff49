/* The parts of program.h: unpack.c, change.c, computation.c, evaluate.c. */
#ifndef LIVE_PROGRAM_PRIVATE_H
#define LIVE_PROGRAM_PRIVATE_H

#include "equations/walk.h"
#include "live/program.h"
#include "transform/even.h"
#include "transform/pace.h"

/* The part of a step's time that does not depend on the network, and its terms. */
struct live_cost {
    int64_t base;
    size_t step;
    uint32_t list; /* RANK_NONE: no terms */
};

/* Computation that takes a factor of its time (transform/pace.h): of the call paths with the pace's
 * bit in `paced`, on one rank or on all. */
struct live_pace {
    struct exact_factor factor;
    uint32_t rank; /* RANK_NONE: all */
};

enum { LIVE_PACES = 8 };

/* A segment in an MPI call without steps, which takes its time as computation does. */
struct live_stepless {
    size_t segment;
    int64_t begin, end; /* from the start of its STEP_FREE, if `timed` */
};

/* A part of the computation before a call: segments to which the same paces apply, added up. So T
 * of other factors needs no pass over the segments. */
struct live_part {
    int64_t ticks;
    uint8_t paces; /* their bits */
    uint8_t flags; /* enum live_part_flag */
};

enum live_part_flag {
    PART_COMPUTES = 1, /* it counts as computation of POP's run */
    PART_STEPLESS = 2, /* it is the next struct live_stepless */
    PART_ENDS = 4      /* the last one of its STEP_FREE, which has at least one */
};

struct live_rank_parts {
    uint8_t paces; /* that change the rank */
    bool known;    /* the parts are those of the paces of the call paths `paced_before` */
    bool timed; /* `computation` and `computed` come from these parts; other factors change them */
};

/* The present call of a rank, or its last one, in an evaluation. */
struct live_call {
    int64_t entered; /* when it began */
    int64_t until;   /* the end of the column in which the rank's last call ended, or 0 */
    struct live_shares *column; /* that column */
};

/* What the sum of the segments [first, end) must keep to. */
struct live_limit {
    size_t first, end;
    int64_t ticks;
    enum live_bound kind;
};

struct live_program {
    struct live_head head;
    uint32_t *parents; /* [path]: + 1 */
    uint8_t *flags;    /* [path]: enum live_path */
    uint8_t *changes;  /* [path + 1]: enum live_change; [0]: outside of all regions */

    struct call_term *terms;
    size_t *first_term; /* [list], and one more */
    int64_t *ticks;     /* [list], on the present network */
    size_t list_count, term_count;

    struct step *steps;
    struct live_cost *costs;
    size_t *first, *first_segment, *first_free; /* [rank], and one more */
    int64_t *begin;                             /* [rank] */
    uint32_t *segment_paths;                    /* + 1 */
    int64_t *changed, *recorded;                /* [segment] */
    const int64_t *lengths;                     /* one of them: with the changes that are stored */
    uint64_t longest_stored;                    /* no rank computes longer by them */
    uint64_t longest;                           /* ... and by the paces */
    struct live_pace paces[LIVE_PACES]; /* changes after those in `lengths`, in this order */
    uint32_t pace_count;
    uint8_t *paced;                 /* [path + 1]: bits of `paces` */
    size_t *last_segments;          /* [STEP_FREE]: the end of its segments */
    int64_t *computation;           /* [STEP_FREE]: its time, if `timed` */
    bool *loops;                    /* [STEP_FREE]: it is a LIVE_LOOP */
    struct live_stepless *stepless; /* in the order of segments, and one after the last */
    size_t *first_stepless;         /* [STEP_FREE], and one more */
    size_t stepless_count;
    struct live_part *parts; /* of a rank from its first segment + its first STEP_FREE on */
    struct live_rank_parts *rank_parts; /* [rank] */
    uint8_t *paced_before;              /* [path + 1]: `paced` when the parts were made */
    bool timed;  /* `computation`, `computed` and `beyond` are those of the present changes */
    bool summed; /* `computed_in` is that of the present changes */
    size_t step_count, cost_count, segment_count, free_count, limit_count;
    struct live_limit *limits;
    size_t *first_limit;       /* [rank], and one more */
    bool *has_teams;           /* [rank] */
    int64_t *sums;             /* see sum_segments (computation.c) */
    enum live_problem problem; /* of the changes that are stored; 0: none */
    enum live_problem beyond;  /* of all changes, if `timed` */
    uint32_t beyond_path;      /* + 1 */

    int64_t *slots;
    struct timed_instance *instances;
    uint32_t *members;       /* [instance] */
    struct live_call *calls; /* [rank] */
    int64_t *in_calls;       /* [path + 1]: ticks in MPI calls with steps */
    int64_t *computes;       /* [path + 1]: -1 if a rank computes in it, else 0 */
    int64_t *computed_in;    /* [path + 1]: ticks outside of such calls */
    int64_t *spent;          /* [path + 1]: both, by live_spent */
    struct timed_rank *ranks;
    struct ready_ranks ready;
    size_t *focus;     /* [2 rank]: the first segment of POP's run; [2 rank + 1]: that after it */
    int64_t *computed; /* [rank]: computation in between */
    int64_t *looped;   /* [rank]: the same in polling loops, of the present evaluation */

    struct balanced_visit *visits; /* of all ranks, while a region is balanced */
    size_t visit_count, visit_room;
    size_t *first_visit; /* [rank], and one more */

    struct live_shares *picture; /* NULL: none is wanted */
    uint32_t lanes, columns;
    double columns_per_tick;
};

/* Of a call path: what the change that is made last does with it. */
enum live_change { LIVE_CHANGED = 1, LIVE_IN_VISIT = 2 };

/* A STEP_FREE with a time is a LIVE_LOOP: 1 + the time of its calls. */

/* Checks the limits of a rank with the first `pace_count` paces. `again`: only those of the kind
 * that holds after each change. Returns the problem, 0: none, and `*path` where it is, + 1. */
enum live_problem live_check_limits(struct live_program *program, uint32_t rank,
                                    uint32_t pace_count, bool again, uint32_t *path);

/* Makes the times of computation before calls, and the computation of ranks, if the program has
 * been changed. */
void live_time_computation(struct live_program *program);

/* The lengths of segments have been changed. */
void live_forget_parts(struct live_program *program);

/* Makes the times of steps from the present ticks of their terms. */
void live_set_costs(struct live_program *program);

/* Whether a segment is in POP's run. */
static inline bool live_in_focus(const struct live_program *program, uint32_t rank, size_t segment)
{
    return segment >= program->focus[2 * rank] && segment < program->focus[2 * rank + 1];
}

/* The bits of the first `count` paces that change a rank. */
static inline uint8_t live_paces_of(const struct live_program *program, uint32_t rank,
                                    uint32_t count)
{
    unsigned bits = 0;
    for (uint32_t i = 0; i < count; i++)
        if (program->paces[i].rank == RANK_NONE || program->paces[i].rank == rank)
            bits |= 1u << i;
    return (uint8_t)bits;
}

#endif
