/* The part of a program that trial replays run (tuning.h): its beginning and its end. All ranks
 * leave out the middle. No message, request or collective operation crosses its borders, and each
 * group of calls in it also occurs outside.
 *
 * The same number of ticks is cut out on all ranks, so their calls meet in the end as recorded. */
#ifndef REPLAY_REALTIME_TRIAL_PART_H
#define REPLAY_REALTIME_TRIAL_PART_H

#include "base/status.h"
#include "replay/realtime/executor.h"

struct realtime;

/* Collective. Finds the part for a program as compiled; `ticks_scale`: ticks of the engine's clock
 * per tick of the trace. `*skip` becomes all zero, so that nothing is left out, if the program
 * cannot be cut like this or the trace is short. */
enum status trial_part_find(const struct trace *trace, const struct replay_program *program,
                            double ticks_scale, struct skipped_part *skip, struct error *error);

/* Seconds that a trial takes, in the recording: those of the part, or of the whole trace. */
double trial_part_seconds(const struct realtime *state);

/* After a run with `executor->skip`: completes the readings to those of a whole run. Calls that
 * were left out get their distances in the trace; all later calls are shifted. */
void trial_part_complete(struct executor *executor, const struct stream *recorded,
                         double ticks_scale);

#endif
