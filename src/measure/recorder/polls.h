/* Polling loops. A program that waits in a loop of MPI_Test or MPI_Iprobe makes millions of calls
 * that say nothing but that it still waits. Often a round of the loop is one call; up to
 * POLLS_ROUND different ones are recognised. Of rounds of failed calls that have the same records,
 * one right after the other, the first and the last stay. The others are left out: in each call of
 * the last round, a record POLLS before the leave has their number, and the time that they have
 * spent in MPI.
 *
 *     first:  ENTER  tests  POLLS 0  LEAVE
 *     last:   ENTER  tests  POLLS n  LEAVE
 *
 * When a further round is complete, the records of the last get its times, in their place, and its
 * own records become free again. So at any moment the records are in order (but for times, which
 * the archive's writer corrects): a process that is killed loses the call that it was in.
 *
 * Failed calls belong together if nothing was recorded between them and if not more than POLL_GAP_S
 * have passed from one to the next. (Loops that compute between their tests keep all of them: when
 * they test is part of what they do. Readers join tests to loops by the same limit:
 * trace/calls/walk.h.) All must be in one segment of the buffer, so a segment that is full never
 * changes (measure/reduce/reduce_private.h: source_has_more). */
#ifndef MEASURE_POLLS_H
#define MEASURE_POLLS_H

#include "measure/recorder/recorder.h"

#define POLL_GAP_S 20e-6

/* Ticks between two failed tests of one loop at most. 0: none are left out. */
extern uint64_t recorder_poll_gap RECORD_HIDDEN;

/* Records that a failed test or probe returns: its leave, or nothing if it is left out. `enter` is
 * where its record ENTER was written, unless a signal handler has recorded; `entered` and `left`
 * are its times. */
void record_failed_poll(struct recorder *recorder, struct record_slot *enter, uint64_t entered,
                        uint64_t left, uint32_t region);

#endif
