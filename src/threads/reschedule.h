/* Other numbers of threads and other schedules of loops for recorded teams (doc/methods.md,
 * sections 2 and 15). */
#ifndef THREADS_RESCHEDULE_H
#define THREADS_RESCHEDULE_H

#include "threads/team_costs.h"
#include "threads/team_program.h"

enum loop_schedule {
    SCHEDULE_RECORDED, /* as far as the visits in a loop show it, else static */
    SCHEDULE_STATIC,
    SCHEDULE_DYNAMIC,
    SCHEDULE_GUIDED, /* the next chunk has 1 / (2 threads) of the remaining iterations */
};

struct team_plan {
    uint32_t thread_count; /* 0: as recorded */
    enum loop_schedule schedule;
    uint32_t chunk;      /* iterations; 0: the default of the schedule */
    uint64_t iterations; /* of each loop; 0: as many as there are visits inside it */
    bool each;           /* each thread does the work outside of loops; false: they divide it */
    struct team_cost
        cost; /* of a team with the new number of threads, if it was recorded with one */
};

/* How a team changed. */
struct reschedule_outcome {
    bool changed;
    uint32_t loops;      /* dealt out again */
    uint32_t by_visits;  /* of these: by the visits of regions inside them */
    uint32_t by_threads; /* of these: with one iteration for each recorded thread */
    bool alone;          /* recorded with one thread, and changed */
    bool unlike;         /* not changed, because its threads did not reach the same loops */
    /* Where the number of threads changes, ticks of all recorded threads: their work in the region,
     * and that of it which is outside of loops and which they are taken to divide. */
    int64_t work, divided;
};

/* Computes when the recorded rows of a team would happen under the plan: fills the ends of the
 * lanes of `program`, whose begins are set. Lanes that the plan removes have the number of
 * their steps 0 afterwards. Loops whose call path is false in `chosen` [call path] stay as they
 * are, unless the number of threads changes. False if out of memory. */
bool team_reschedule(const struct trace *trace, const struct teams *teams, const struct team *team,
                     const struct team_plan *plan, const bool *chosen, struct team_program *program,
                     struct reschedule_outcome *outcome);

#endif
