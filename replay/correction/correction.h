/* What a measured replay would have taken if nothing else had run on its cores (the equations are
 * those of doc/methods.md, section 4, difference mode; the correction itself is ours).
 *
 * A rank that loses its core while it computes begins its next call late. The ranks that wait for
 * this call are late as well. They stay late although the rank makes the delay up in its next
 * computations. So the times of a replay are computed once more: each computation is as long as it
 * should be, and each call takes its cost in this replay after the last arrival that it waits for.
 * A call that a lost core has prolonged costs what calls of its group usually cost
 * (replay/costs/limits.h).
 *
 * All replays of a trace have the same dependences between calls. They are found once; each replay
 * only has other times. A process stores the part of its ranks, or that of the ranks of its
 * host (network.h). */
#ifndef REPLAY_CORRECTION_CORRECTION_H
#define REPLAY_CORRECTION_CORRECTION_H

#include "replay/costs/disturbances.h"
#include "trace/trace.h"

struct correction;

/* Collective. Prepares the correction of replays of `trace`, which is matched and outlives it. The
 * times of `trace` decide which tests are one polling loop (poll_gap_s as in struct engine_setup).
 * One of at most `together` processes of a host solves the equations of all of them; 0: of all
 * processes of the host. Fails with STATUS_ENVIRONMENT if out of memory, and with STATUS_INPUT if
 * the job has more messages than can be numbered (layout.h); nothing is left to free then. */
enum status correction_make(const struct trace *trace, double poll_gap_s, int together,
                            struct correction **correction, struct error *error);
void correction_destroy(struct correction *correction); /* NULL is allowed; else collective */

/* Collective; any number of times. `replayed`, `undisturbed` and `own` are as engine->run has
 * filled them: two views of the prepared trace (or of the trace that it is a view of). `corrected`,
 * another view, gets the corrected times: ascending on each rank, none before the replay's start.
 * Fails with STATUS_INPUT if the equations have no such solution. */
enum status correction_apply(struct correction *correction, const struct trace *replayed,
                             const struct trace *undisturbed, const struct disturbances *own,
                             struct trace *corrected, struct error *error);

#endif
