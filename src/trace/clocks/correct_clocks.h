/* Corrects time stamps by the controlled logical clock: where a message arrives before it is sent,
 * or where a member of a collective operation ends before the members that it depends on have
 * begun. */
#ifndef TRACE_CORRECT_CLOCKS_H
#define TRACE_CORRECT_CLOCKS_H

#include "trace/trace.h"

/* The violations found and the events moved, over all ranks; the same on all processes. */
struct clock_correction {
    int64_t messages;    /* received before they were sent */
    int64_t collectives; /* members that ended before a member that they depend on had begun */
    int64_t ranks;       /* with events that were moved */
    int64_t events;      /* that were moved, of the ranks' main threads */
    int64_t largest;     /* the largest shift of an event, ticks */
    int64_t sum;         /* the sum of all shifts, ticks */
    int64_t rounds;      /* exchanges until no limit changed */
};

/* Collective. Moves time stamps of a matched trace forward, never back, until no message arrives
 * before it is sent and no member of a collective operation ends before the members that it depends
 * on have begun. The jumps are spread by changing the intervals between other events of the rank by
 * at most 1 %: after a jump the clock runs slower until it reaches the recorded time again (forward
 * amortisation); before a jump it runs faster, as far as the limits of other ranks allow (backward
 * amortisation). Results do not depend on the number of processes. Fails with STATUS_INPUT if no
 * time stamps fulfil the conditions. */
enum status trace_correct_clocks(struct trace *trace, struct clock_correction *correction,
                                 struct error *error);

#endif
