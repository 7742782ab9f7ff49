/* How much longer calls took in the recording than in a replay.
 *
 * Both are compared by the cost of a call, its time apart from waiting (replay/costs/call_costs.h),
 * summed over the calls of a group (replay/costs/call_groups.h). The shortfall of a replay is added
 * as computation inside the call's region, the same for every call of the group as far as the
 * recorded call was that long: before calls that wait for no other rank (a slow send sends late),
 * after the others. So a region of the predicted trace is as long as the program's would be, where
 * the program itself makes its calls slow. Where the replay is slower, less of the tracer's work is
 * replayed; the rest, the excess, is taken out by the correction
 * (replay/correction/correction.h). */
#ifndef REPLAY_REALTIME_SHORTFALL_H
#define REPLAY_REALTIME_SHORTFALL_H

#include "base/status.h"
#include "replay/realtime/program.h"
#include "replay/realtime/tuned.h"

struct realtime;

/* Collective: runs trial replays. Fills state->tuning.shortfall (allocated, zero) and applies
 * it. */
enum status shortfall_measure(struct realtime *state, struct error *error);

/* Makes the computation around each call longer. ticks_scale: ticks of the engine's clock per tick
 * of the trace. Returns by how much all calls change together, in ticks of the trace: what is added
 * to them, or taken from them here and by the correction. */
uint64_t shortfall_apply(const struct shortfall *shortfall, uint32_t path_count,
                         const struct stream *stream, double ticks_scale,
                         struct replay_program *program);

#endif
