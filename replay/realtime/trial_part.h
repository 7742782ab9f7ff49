/* The part of a program that trial replays run (tuning.h): a beginning and an end that fit
 * together. All ranks leave out what is between. No message, request or collective operation
 * reaches into the gap or out of it, and each group of like calls in it also occurs outside.
 *
 * The end follows the beginning as if `shift` ticks of the trace had been cut out on all ranks, so
 * the ranks meet each other as recorded. */
#ifndef REPLAY_REALTIME_TRIAL_PART_H
#define REPLAY_REALTIME_TRIAL_PART_H

#include "base/status.h"
#include "replay/realtime/executor.h"

/* Collective. Finds the part for a program as compiled; `ticks_scale`: ticks of the engine's clock
 * per tick of the trace. `*skip` stays all zero, so nothing is left out, if there is no such part
 * or the trace is too short to need one. */
enum status trial_part_find(const struct trace *trace, const struct replay_program *program,
                            double ticks_scale, struct skipped_part *skip, struct error *error);

/* After a run with `executor->skip`: gives the calls that were left out the distances that they
 * have in the trace, and moves all later calls, so that the readings are those of a whole run. */
void trial_part_complete(struct executor *executor, const struct stream *recorded,
                         double ticks_scale);

#endif
