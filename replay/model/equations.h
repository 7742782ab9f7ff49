/* The model engine (doc/methods.md, section 4): a trace whose messages are matched is a system of
 * equations in max and plus, solved without an event queue. The costs of calls are in costs/.
 * Files:
 *   equations.h         the equations, as steps of each rank
 *   collective_cost.c   what the algorithms of collective operations cost
 *   compile.c           from calls and costs to steps
 *   evaluate.c          solves the equations
 *   fluid.c             the same where computation shares the bandwidth of memory
 *   share.c             with the lengths of a trace's computation as its outcome
 *   join.c              gathers all ranks' steps at process 0, returns the outcome to the owners
 *   model.c             all of it as an engine
 *
 * Times are whole ticks of the trace, from its first time stamp on. Let R be the time of an event
 * in the (transformed) trace and R + S the predicted one. The shift S changes only where a call
 * waits, so it is the only state of a rank. For a call between R_enter and R_leave that waits for
 * arrivals a_i and takes c after the last of them,
 *
 *   leave' = max(enter', a_1', a_2', ...) + c
 *
 * becomes: for each i, S = max(S, a_i' - R_enter); then S = S + c - (R_leave - R_enter). */
#ifndef REPLAY_MODEL_EQUATIONS_H
#define REPLAY_MODEL_EQUATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum step_code {
    STEP_POST,      /* slot <- S + time: an arrival that another rank waits for */
    STEP_POST_SCAN, /* the same for a member of a prefix reduction, see evaluate.c */
    STEP_WAIT,      /* S <- max(S, slot + time), as soon as the slot is filled */
    STEP_ARRIVE,    /* instance <- max(instance, S + time) */
    STEP_AWAIT,     /* S <- max(S, instance + time), as soon as all have arrived */
    STEP_END,       /* S <- S + time: a call ends here, and S is an outcome */
    STEP_FREE,    /* nothing; an assumption may change S by `time` or more (struct part_assumed) */
    STEP_SKIPPED, /* a wait that an assumption leaves out */
    STEP_SHARED, /* a piece of computation that shares bandwidth; it begins at R = time (fluid.h) */
};

/* 16 bytes. */
struct step {
    int64_t time;
    uint32_t slot;   /* or instance */
    uint8_t code;    /* enum step_code */
    uint8_t skipped; /* STEP_SKIPPED: its original code, plus 1 */
    uint8_t sets;    /* STEP_WAIT: S <- slot + time, also if that is earlier: a thread's start */
    uint8_t lane; /* STEP_POST: 1 + the lane of the rank that waits, if another one (evaluate.h) */
};

/* How a step depends on the latency: when that grows by x ticks, its time is max(time + slope x,
 * floor). Stored beside the steps only on request (parametric.h). */
struct growth {
    int64_t time;
    int64_t floor; /* INT64_MIN: none */
    uint32_t slope;
};

/* The steps of all ranks, rank after rank. */
struct equations {
    struct step *steps;
    struct growth *growth; /* [step], NULL: not requested */
    size_t *first;         /* [rank_count + 1] */
    size_t *first_end;     /* [rank_count + 1]: STEP_ENDs of the previous ranks */
    int64_t *last_event;   /* [rank_count]: R of the rank's last event */
    uint32_t rank_count;
    uint32_t slot_count;
    uint32_t instance_count;
};

#endif
