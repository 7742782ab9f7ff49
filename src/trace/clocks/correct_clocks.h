/* Time stamps that lie: a message that arrives before it is sent, a collective operation that ends
 * before all it needs have begun. The controlled logical clock puts that right. */
#ifndef TRACE_CORRECT_CLOCKS_H
#define TRACE_CORRECT_CLOCKS_H

#include "trace/trace.h"

/* What was found and done, over all ranks; the same on all processes. */
struct clock_correction {
    int64_t messages;    /* received before they were sent */
    int64_t collectives; /* members that ended before one they needed had begun */
    int64_t ranks;       /* with events that were moved */
    int64_t events;      /* that were moved, of the ranks' main threads */
    int64_t largest;     /* ticks an event was moved by at most */
    int64_t sum;         /* ticks all events were moved by */
    int64_t rounds;      /* exchanges until nothing changed any more */
};

/* Collective. Moves time stamps of a matched trace forward, never back, until no message arrives
 * before it is sent and no member of a collective operation ends before the others it depends on
 * have begun. Intervals between the events of a rank are kept but for 1 %: after a jump the clock
 * runs slower until the recorded time is reached again (forward amortisation), before it faster as
 * far as no other rank is overtaken (backward amortisation). Results do not depend on the number of
 * processes. */
enum status trace_correct_clocks(struct trace *trace, struct clock_correction *correction,
                                 struct error *error);

#endif
