/* What a measured replay would have taken if nothing else had run on its cores (the equations are
 * those of doc/methods.md, section 4, difference mode; the correction itself is ours).
 *
 * A rank that loses its core while it computes begins its next call late. The ranks that wait for
 * it are late as well, and its own later computations, which pay the delay back, do not help them.
 * So a replay's events are evaluated once more: each computation is as long as it should be, and
 * each call takes its cost in this replay after the last arrival that it waits for. Calls that a
 * lost core prolonged cost what like calls cost (replay/costs/limits.h).
 *
 * Which calls wait for which is the same in all replays of a trace, so it is prepared once; a
 * replay only brings new times. No process stores more than its own ranks' part, or its host's
 * (network.h). */
#ifndef REPLAY_CORRECTION_CORRECTION_H
#define REPLAY_CORRECTION_CORRECTION_H

#include "replay/costs/disturbances.h"
#include "trace/trace.h"

struct correction;

/* Collective. Prepares the correction of replays of `trace`, which is matched and outlives it. The
 * times of `trace` decide which tests are one polling loop (poll_gap_s as in struct engine_setup).
 * At most `together` processes of a host leave the equations to one of them; 0: all. Fails with
 * STATUS_ENVIRONMENT if memory is out, and with STATUS_INPUT if the job has more messages than can
 * be numbered (layout.h); nothing is left to free then. */
enum status correction_make(const struct trace *trace, double poll_gap_s, int together,
                            struct correction **correction, struct error *error);
void correction_destroy(struct correction *correction); /* NULL is allowed; else collective */

/* Collective; any number of times. `replayed`, `undisturbed` and `own` are as engine->run has
 * filled them: two views of the prepared trace (or of the trace that it is a view of). `corrected`,
 * another view, gets the times: ascending on each rank, none before the replay's begin. Fails with
 * STATUS_INPUT if the equations have no such solution. */
enum status correction_apply(struct correction *correction, const struct trace *replayed,
                             const struct trace *undisturbed, const struct disturbances *own,
                             struct trace *corrected, struct error *error);

#endif
