/* What calls took in the recording beyond what they take in a replay.
 *
 * Both are compared by what a call costs apart from waiting (replay/costs/call_costs.h), summed
 * over the calls of a group (replay/costs/call_groups.h). What the replay lacks is elapsed as
 * computation inside the call's region, the same for every call of the group as far as the recorded
 * call was that long: in front of calls that wait for nobody (a slow send sends late), behind the
 * others. So a region of the predicted trace is as long as the program's would be, where the
 * program itself makes its calls slow. Where the replay is slower, its own work stands in for the
 * tracer's, as far as that goes; the rest, the excess, is taken out afterwards with the noise
 * (replay/correction/correction.h). */
#ifndef REPLAY_REALTIME_SHORTFALL_H
#define REPLAY_REALTIME_SHORTFALL_H

#include "base/status.h"
#include "replay/realtime/program.h"
#include "replay/realtime/tuned.h"

struct realtime;

/* Collective: runs the program a few times. Fills state->tuning.shortfall (allocated, zero) and
 * applies it. */
enum status shortfall_measure(struct realtime *state, struct error *error);

/* Makes the computation around each call longer. ticks_scale: ticks of the engine's clock per tick
 * of the trace. */
void shortfall_apply(const struct shortfall *shortfall, uint32_t path_count,
                     const struct stream *stream, double ticks_scale,
                     struct replay_program *program);

#endif
