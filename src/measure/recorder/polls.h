/* Leaves out rounds of polling loops. A program that waits in a loop of MPI_Test or MPI_Iprobe
 * makes millions of calls whose only information is that it still waits. A round of the loop is
 * often one call; up to POLLS_ROUND different calls are recognised. Of consecutive rounds of failed
 * calls with the same records, the first and the last stay. The others are left out: each call of
 * the last round has a record POLLS before its leave, with the number of calls left out and the
 * time that they spent in MPI.
 *
 *     first:  ENTER  tests  POLLS 0  LEAVE
 *     last:   ENTER  tests  POLLS n  LEAVE
 *
 * When a further round is complete, its times are written into the records of the last round, and
 * its own slots become free again. So the records are consistent at any moment, except for times
 * that are out of order, which the archive's writer corrects. A process that is killed loses only
 * the call that it was in.
 *
 * Failed calls belong to one loop if nothing was recorded between them and if at most POLL_GAP_S
 * passed from one to the next. (Loops that compute between their tests keep all of them, because
 * the times of the tests matter. Readers join tests to loops by the same limit:
 * trace/calls/walk.h.) All calls of a loop are in one segment of the buffer, so a full segment
 * never changes (measure/reduce/segment_reader.c relies on this). */
#ifndef MEASURE_POLLS_H
#define MEASURE_POLLS_H

#include "measure/recorder/recorder.h"

#define POLL_GAP_S 20e-6

/* The largest distance of two failed tests of one loop, ticks. 0: all tests are recorded. */
extern uint64_t recorder_poll_gap RECORD_HIDDEN;

/* Records the return of a failed test or probe: its leave, or nothing if the call is left out. Its
 * record ENTER is at `enter`, unless a signal handler has recorded since; `entered` and `left` are
 * its times. */
void record_failed_poll(struct recorder *recorder, struct record_slot *enter, uint64_t entered,
                        uint64_t left, uint32_t region);

#endif
