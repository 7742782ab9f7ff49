/* The equations of the correction (equations/equations.h), solved where the ranks are.
 *
 * R is the time of an event without the delays (undisturbed), and R + S the corrected one. Ranks
 * wait for each other at gates: a gate opens when all its arrivals have come, and its value is the
 * latest of them. A gate is an instance of the equations; its steps are STEP_ARRIVE and STEP_AWAIT.
 * The only other step is STEP_END.
 *
 * The steps are listed once; each solution has its own times. The processes of a host leave the
 * work to one of them, their leader, which gets the steps of all ranks of its host: as many as the
 * host's processes have together. Leaders send each other only what crosses from host to host, when
 * it crosses. So no process ever has the equations of the whole job. */
#ifndef REPLAY_CORRECTION_NETWORK_H
#define REPLAY_CORRECTION_NETWORK_H

#include "equations/equations.h"
#include "trace/trace.h"

struct network_step {
    uint64_t gate; /* id, the same on all processes; with MEETING_SCAN set: the gate whose id is 2
                      less must open first */
    uint32_t home; /* a rank, the same for all steps of the gate; the leader of its host keeps the
                      gate */
    uint8_t code;  /* enum step_code */
};

/* Instead of a step's time: the step is left out in this solution. */
#define NETWORK_SKIP INT64_MIN

struct network;

/* Collective. The steps of the owned ranks, rank after rank: those of owned rank s are
 * steps[first[s]] up to, but without, steps[first[s + 1]]. At most `together` processes of a host
 * share a leader; 0: all. On failure nothing is left to free. */
enum status network_make(const struct trace *trace, const struct network_step *steps,
                         const size_t *first, int together, struct network **network,
                         struct error *error);
void network_destroy(struct network *network); /* NULL is allowed; collective otherwise */

/* Ranks that wait for each other forever. */
struct network_stuck {
    uint32_t stream; /* the first owned one that is stuck, INDEX_NONE: none */
    size_t ends;     /* number of its STEP_ENDs before that */
};

/* Collective. times[step] of the owned ranks' steps; ends[] gets S of each STEP_END in order of
 * the steps, NETWORK_SKIP for steps left out. The outcome does not depend on the number of
 * processes or leaders. If ranks are stuck, on any process, their ends are undefined. */
enum status network_solve(struct network *network, const int64_t *times, int64_t *ends,
                          struct network_stuck *stuck, struct error *error);

#endif
