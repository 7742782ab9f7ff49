/* The parts of program.h: unpack.c, change.c, evaluate.c. */
#ifndef LIVE_PROGRAM_PRIVATE_H
#define LIVE_PROGRAM_PRIVATE_H

#include "equations/walk.h"
#include "live/program.h"
#include "transform/even.h"

/* The part of a step's time that does not depend on the network, and its terms. */
struct live_cost {
    int64_t base;
    size_t step;
    uint32_t list; /* RANK_NONE: no terms */
};

struct live_program {
    struct live_head head;
    uint32_t *parents; /* [path]: + 1 */
    uint8_t *flags;    /* [path]: enum live_path */
    uint8_t *changes;  /* [path]: enum live_change, while the program is changed */

    struct call_term *terms;
    size_t *first_term; /* [list], and one more */
    int64_t *ticks;     /* [list], on the present network */
    size_t list_count, term_count;

    struct step *steps;
    struct live_cost *costs;
    size_t *first, *first_segment; /* [rank], and one more */
    int64_t *begin;                /* [rank] */
    uint32_t *segment_paths;       /* + 1 */
    int64_t *lengths, *recorded;   /* [segment]: changed, unchanged */
    size_t step_count, cost_count, segment_count;

    int64_t *slots;
    struct timed_instance *instances;
    uint32_t *members;    /* [instance] */
    int64_t *entered;     /* [rank]: when it began its present call */
    int64_t *in_calls;    /* [path + 1]: ticks in MPI calls with steps */
    int64_t *computes;    /* [path + 1]: -1 if a rank computes in it, else 0 */
    int64_t *computed_in; /* [path + 1]: ticks outside of such calls */
    int64_t *spent;       /* [path + 1]: both */
    struct timed_rank *ranks;
    struct ready_ranks ready;
    size_t *focus;     /* [2 rank]: the first segment of POP's run; [2 rank + 1]: that after it */
    int64_t *computed; /* [rank]: computation in between */

    struct balanced_visit *visits; /* of all ranks, while a region is balanced */
    size_t visit_count, visit_room;
    size_t *first_visit; /* [rank], and one more */

    struct live_shares *picture; /* NULL: none is wanted */
    uint32_t lanes, columns;
    double columns_per_tick;
};

/* Of a call path, while computation is changed. */
enum live_change { LIVE_CHANGED = 1, LIVE_IN_VISIT = 2 };

/* Makes the times of steps from the present ticks of their terms. */
void live_set_costs(struct live_program *program);

#endif
