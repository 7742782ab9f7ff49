/* The equations of the correction (equations/equations.h), solved where the ranks are.
 *
 * R is the time of an event without the delays (undisturbed), and R + S the corrected one. Ranks
 * wait for each other at gates: a gate opens when all its arrivals have come, and its value is the
 * latest of them. A gate is an instance of the equations; its steps are STEP_ARRIVE and STEP_AWAIT.
 * The only other step is STEP_END.
 *
 * The steps are listed once; each solution has its own times. One process per host, the leader,
 * solves the equations of all ranks of the host. Leaders exchange only arrivals of ranks of one
 * host at gates that ranks of another host wait for. So no process has the equations of the whole
 * job. */
#ifndef REPLAY_CORRECTION_NETWORK_H
#define REPLAY_CORRECTION_NETWORK_H

#include "equations/equations.h"
#include "trace/trace.h"

struct network_step {
    uint64_t gate;  /* id, the same on all processes; with MEETING_SCAN set: the gate whose id is 2
                       less must open first */
    uint32_t owner; /* a rank, the same for all steps of the gate: its leader combines the arrivals
                     */
    uint8_t code;   /* enum step_code */
};

/* As time of a step: the step is left out in this solution. */
#define NETWORK_SKIP INT64_MIN

struct network;

/* Collective. `steps` has those of the owned ranks, rank after rank: from first[s] up to, but
 * without, first[s + 1] for owned rank s. At most `together` processes of a host share a leader; 0:
 * all processes of the host do. On failure nothing is left to free. */
enum status network_make(const struct trace *trace, const struct network_step *steps,
                         const size_t *first, int together, struct network **network,
                         struct error *error);
void network_destroy(struct network *network); /* NULL is allowed; collective otherwise */

/* Ranks that wait for each other forever. */
struct network_stuck {
    uint32_t stream; /* the first owned one that is stuck, INDEX_NONE: none */
    size_t ends;     /* number of its STEP_ENDs before the step at which it is stuck */
};

/* Collective. times[step] of the owned ranks' steps; ends[] gets S of each STEP_END in order of
 * the steps, NETWORK_SKIP for steps left out. The outcome does not depend on the number of
 * processes or leaders. If ranks are stuck, on any process, their ends are undefined. */
enum status network_solve(struct network *network, const int64_t *times, int64_t *ends,
                          struct network_stuck *stuck, struct error *error);

#endif
