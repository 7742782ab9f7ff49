/* Polling loops: unsuccessful tests and probes that repeat. A program that polls while it waits
 * makes millions of such calls. Of a loop the recorder keeps the first round and the last one, and
 * counts the calls between them (RECORD_POLLS before the Enter of each call of the last round).
 *
 * A round is one call or a sequence of up to POLLS_PERIOD, the same in each round, with nothing
 * else recorded in between and pauses below POLLS_GAP_NS. The third round makes the second one the
 * last: from then on each round overwrites the times of the one before. */
#ifndef MEASURE_POLLS_H
#define MEASURE_POLLS_H

#include "measure/recorder/recorder.h"

/* Like the pause within which polls are one call of a trace (replay/engine.h). */
#define POLLS_GAP_NS 20000

/* After the Leave of a call that has found nothing. `enter` is the record of its Enter; nobody but
 * the call itself has recorded since then, or nothing happens. `what` tells calls of the same
 * region with other arguments apart (poll_what). */
void polls_add(struct recorder *recorder, struct record_slot *enter, uint64_t what);

/* A number for the arguments of a call; others have another one, but for rare accidents, which only
 * count a call for the wrong arguments. */
static inline uint64_t poll_what(uint64_t first, uint64_t second, uint64_t third)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    return ((first * factor ^ second) * factor ^ third) * factor;
}

#endif
