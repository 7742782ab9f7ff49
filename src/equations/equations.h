/* The equations of a program, in max and plus (doc/methods.md, section 4): a trace whose messages
 * are matched is a system of such equations. walk_template.h solves them.
 *
 * Times are whole ticks of the trace, from its first time stamp on. Let R be the time of an event
 * in the (transformed) trace and R + S the predicted one. The shift S changes only where a call
 * waits, so it is the only state of a rank. For a call between R_enter and R_leave that waits for
 * arrivals a_i and takes c after the last of them,
 *
 *   leave' = max(enter', a_1', a_2', ...) + c
 *
 * becomes: for each i, S = max(S, a_i' - R_enter); then S = S + c - (R_leave - R_enter).
 *
 * A rank is a list of steps. Ranks wait for each other at slots, which one rank fills and one rank
 * waits for (messages), and at instances, at which several ranks arrive (collective operations). */
#ifndef EQUATIONS_EQUATIONS_H
#define EQUATIONS_EQUATIONS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum step_code {
    STEP_POST,      /* slot <- S + time: an arrival that another rank waits for */
    STEP_POST_SCAN, /* the same for a member of a prefix reduction, see walk_template.h */
    STEP_WAIT,      /* S <- max(S, slot + time), as soon as the slot is filled */
    STEP_ARRIVE,    /* instance <- max(instance, S + time) */
    STEP_AWAIT,     /* S <- max(S, instance + time), as soon as all members have arrived */
    STEP_END,       /* S <- S + time: a call ends here, and S is an outcome */
    STEP_FREE,      /* an assumption may change S by `time` or more; otherwise nothing */
    STEP_SKIPPED,   /* a wait that an assumption leaves out: nothing */
    STEP_SHARED,    /* a piece of computation that shares bandwidth; it begins at R = time */
    /* Messages that share links (replay/model/flows.h). Solvers of the equations ignore them. */
    STEP_FLOW, /* an asynchronous message; it arrives at S + time if it has the links for itself */
    STEP_FLOW_SIDE, /* a side of the synchronous message of this slot is ready at S + time */
    STEP_FLOW_SIZE, /* after the sender's STEP_FLOW or STEP_FLOW_SIDE: time: bytes; slot: the
                       receiver */
    STEP_FLOW_WAIT, /* the call ends when the synchronous message has been transferred, too: before
                       the call's end S is at least the end of its flow + time. `sets`: in the
                       receiver's call */
};

struct step {
    int64_t time;
    uint32_t slot;   /* or instance */
    uint8_t code;    /* enum step_code */
    uint8_t skipped; /* STEP_SKIPPED: its original code, plus 1 */
    uint8_t sets;    /* STEP_WAIT: S <- slot + time, also if that is less: the start of a thread */
    uint8_t thread;  /* STEP_POST: 1 + the evaluating thread that has the rank that waits, if that
                        is another thread than the posting rank's (evaluate.h) */
};
static_assert(sizeof(struct step) == 16, "a trace has as many steps as events");

/* How a step depends on the latency: when the latency grows by x ticks, the step's time is
 * max(time + slope x, floor). Stored next to the steps only on request. */
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
    size_t *first_end;     /* [rank_count + 1]: number of STEP_ENDs of the ranks before */
    int64_t *last_event;   /* [rank_count]: R of the rank's last event */
    uint32_t rank_count;
    uint32_t slot_count;
    uint32_t instance_count;
};

/* The empty prefix of a prefix reduction, and the latest arrival at an instance without members: so
 * long ago that no rank waits for it, and that times of any trace can be added to it without
 * overflow. */
#define TIME_LONG_AGO (-((int64_t)1 << 62))

#endif
