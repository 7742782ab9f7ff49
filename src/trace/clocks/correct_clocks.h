/* Corrects time stamps by the controlled logical clock where a message arrives before it is sent,
 * or a collective operation ends before members that it needs have begun. */
#ifndef TRACE_CORRECT_CLOCKS_H
#define TRACE_CORRECT_CLOCKS_H

#include "trace/trace.h"

/* What was found and done, over all ranks; the same on all processes. */
struct clock_correction {
    int64_t messages;    /* received before they were sent */
    int64_t collectives; /* members that ended before a member they needed had begun */
    int64_t ranks;       /* with events that were moved */
    int64_t events;      /* that were moved, of the ranks' main threads */
    int64_t largest;     /* the largest shift of an event, ticks */
    int64_t sum;         /* the sum of all shifts, ticks */
    int64_t rounds;      /* exchanges until nothing changed */
};

/* Collective. Moves time stamps of a matched trace forward, never back, until no message arrives
 * before it is sent and no member of a collective operation ends before the others it depends on
 * have begun. Intervals between the events of a rank change by at most 1 %: after a jump the clock
 * runs slower until it reaches the recorded time again (forward amortisation), and before it
 * faster, as long as it overtakes no other rank (backward amortisation). Results do not depend on
 * the number of processes. */
enum status trace_correct_clocks(struct trace *trace, struct clock_correction *correction,
                                 struct error *error);

#endif
