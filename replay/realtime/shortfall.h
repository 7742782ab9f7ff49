/* How much longer calls took in the recording than in a replay.
 *
 * Costs are compared, that is times without waiting (replay/costs/call_costs.h), summed over the
 * calls of a group (replay/costs/call_groups.h). The difference, the shortfall of the replay, is
 * added as computation inside the region of each call of the group. All calls get the same time,
 * unless the recorded call was shorter than that. It is added before calls that wait for no other
 * rank (a slow send sends late), and after calls that wait. So a region that is slow because of the
 * program is as long in the predicted trace as it would be in the program. If the replay is slower
 * than the recording, it leaves out a part of the tracer's work. The correction takes out the rest,
 * the excess (replay/correction/correction.h).
 *
 * Trial replays with the added time check it: what was fitted to a group is left out if its calls
 * are further from the recording than without it, and everything if that is so for all calls
 * together. */
#ifndef REPLAY_REALTIME_SHORTFALL_H
#define REPLAY_REALTIME_SHORTFALL_H

#include "base/status.h"
#include "replay/realtime/program.h"
#include "replay/realtime/tuned.h"

struct realtime;

/* The number of trial replays, if one takes `trial_s` seconds. */
int shortfall_trials(double trial_s);

/* Collective: runs trial replays. Fills state->tuning.shortfall (allocated, zero) and applies
 * it. */
enum status shortfall_measure(struct realtime *state, struct error *error);

/* Adds the shortfalls to the computation around calls. ticks_scale: ticks of the engine's clock per
 * tick of the trace. Returns by how many ticks of the trace all calls change together: the sum of
 * the times added to them, and taken from them here and by the correction. */
uint64_t shortfall_apply(const struct shortfall *shortfall, uint32_t path_count,
                         const struct stream *stream, double ticks_scale,
                         struct replay_program *program);

#endif
