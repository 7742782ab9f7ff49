/* Types and functions that solvers of the equations share, for the walk of walk_template.h. */
#ifndef EQUATIONS_WALK_H
#define EQUATIONS_WALK_H

#include "equations/equations.h"

/* The kinds of steps that do something in an arithmetic (WALK_STEPS). */
#define WALK_SLOTS       1
#define WALK_STARTS      2 /* a slot sets S */
#define WALK_PREFIXES    4
#define WALK_INSTANCES   8
#define WALK_ASSUMPTIONS 16
#define WALK_SHARING     32

#define RANK_NONE        UINT32_MAX

/* The ranks that can continue, and lists of ranks that wait for the same instance. */
struct ready_ranks {
    uint32_t *stack; /* room for all ranks */
    uint32_t count;
    uint32_t *next; /* [rank]: the next rank that waits for the same instance, or RANK_NONE */
};

static inline void ready_ranks_push(struct ready_ranks *ready, uint32_t rank)
{
    ready->stack[ready->count++] = rank;
}

/* The rank waits: it joins the list that begins with `*waiting`. */
static inline void ready_ranks_wait(struct ready_ranks *ready, uint32_t *waiting, uint32_t rank)
{
    assert(rank != *waiting);
    ready->next[rank] = *waiting;
    *waiting = rank;
}

/* All ranks of a list can continue. */
static inline void ready_ranks_release(struct ready_ranks *ready, uint32_t waiting)
{
    for (uint32_t rank = waiting; rank != RANK_NONE; rank = ready->next[rank])
        ready_ranks_push(ready, rank);
}

/* The state of solvers whose moments are times. */

static inline int64_t time_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Values of slots that are not times. A rank that waits for a slot leaves its number there. */
#define SLOT_EMPTY   INT64_MIN
#define SLOT_WAITING (INT64_MIN + 1)                         /* + the rank that waits */
#define SLOT_TIMES   (INT64_MIN + 2 * ((int64_t)UINT32_MAX)) /* times are above */

/* The value of a slot; NULL: it is not filled yet. */
static inline const int64_t *timed_slot_value(const int64_t *slot)
{
    return *slot < SLOT_TIMES ? NULL : slot;
}

/* Fills a slot; the rank that waits for it can continue. */
static inline void timed_slot_fill(int64_t *slot, int64_t value, struct ready_ranks *ready)
{
    int64_t before = *slot;
    *slot = value;
    if (before != SLOT_EMPTY)
        ready_ranks_push(ready, (uint32_t)(before - SLOT_WAITING));
}

struct timed_instance {
    int64_t latest;
    uint32_t missing; /* arrivals that have not come */
    uint32_t waiting; /* the rank that began to wait last, or RANK_NONE (struct ready_ranks) */
};

/* The value of an instance; NULL: arrivals are missing. */
static inline const int64_t *timed_instance_value(const struct timed_instance *instance)
{
    return instance->missing > 0 ? NULL : &instance->latest;
}

/* One of the missing arrivals comes. */
static inline void timed_instance_arrive(struct timed_instance *instance, int64_t value)
{
    instance->latest = time_max(instance->latest, value);
    instance->missing--;
}

struct timed_rank {
    int64_t shift; /* S */
    size_t step;   /* next one */
    size_t end;    /* next STEP_END */
};

/* A rank while it runs: S is kept here, in a register. */
struct running_rank {
    int64_t shift;
    uint32_t rank;
    struct timed_rank *state;
};

#endif
