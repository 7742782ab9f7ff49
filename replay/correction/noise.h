/* What a measured replay would have taken had nothing else run on its cores (METHODS 4, difference
 * mode; the correction itself is ours).
 *
 * A rank that loses its core while it computes begins its next call late; those that wait for it
 * are late as well, and its own later computations, which pay the delay back, do not help them. So
 * a replay's events are evaluated once more: each computation as long as it should be, each call
 * with what it cost in this replay after the last of what it waited for had come. Calls in which
 * the rank itself or another one had lost its core, and which it prolonged, cost what others like
 * them do (costs/limits.h). */
#ifndef REPLAY_CORRECTION_NOISE_H
#define REPLAY_CORRECTION_NOISE_H

#include "replay/engine.h"

/* Collective. `replayed`, `undisturbed` and `run` as engine->run has filled them; `corrected`,
 * another view of the same trace, gets the times: ascending on each rank, none before the replay's
 * begin. Fails with STATUS_INPUT where the equations have no such solution. */
enum status noise_take_out(const struct trace *replayed, const struct trace *undisturbed,
                           const struct engine_run *run, double poll_gap_s, struct trace *corrected,
                           struct error *error);

#endif
