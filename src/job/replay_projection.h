/* --project: predictions for cuts of a trace, extended to the whole trace
 * (structure/projection.h). */
#ifndef JOB_REPLAY_PROJECTION_H
#define JOB_REPLAY_PROJECTION_H

#include "job/replay_session.h"
#include "report/replay_report.h"

/* Replaces each trace of the configuration that is a directory of cuts by these cuts. `cuts`: a
 * directory that replaces all traces of the configuration, and must outlive it; NULL: none. `arena`
 * owns the list. */
enum status replay_projection_list(struct replay_config *config, const char *cuts,
                                   struct arena *arena, struct error *error);

struct replay_projection;

/* Collective. Opens the cuts of the configuration and applies its hypotheses to them. A cut of a
 * stretch that contains another cut's stretch replaces that cut. Fails with STATUS_INPUT if one of
 * the traces is not a cut. The caller closes the projection; after a failure there is nothing to
 * close. */
enum status replay_projection_open(const struct replay_config *config, struct processes *processes,
                                   struct replay_projection **projection, struct error *error);

/* Collective. Repeats each cut a few times in one replay and more times in another, and extends the
 * results to the whole trace. */
enum status replay_projection_run(struct replay_projection *projection, struct error *error);
void replay_projection_close(struct replay_projection *projection); /* NULL is allowed */

/* The session of the i-th cut, not repeated; NULL: there are no more. */
struct replay_session *replay_projection_cut(const struct replay_projection *projection, size_t i);

/* The session of the cut that represents most of the trace. Reports show this session. */
struct replay_session *replay_projection_shown(const struct replay_projection *projection);

/* Replaces the times of the shown session in the report by those of the whole trace. */
void replay_projection_fill(const struct replay_projection *projection,
                            struct replay_report *report);

#endif
