/* --project: what-ifs on cuts of a trace, projected to the whole (structure/projection.h). */
#ifndef JOB_REPLAY_PROJECTION_H
#define JOB_REPLAY_PROJECTION_H

#include "job/replay_session.h"
#include "report/replay_report.h"

/* Replaces each trace of the configuration that is a directory of cuts by these cuts. `cuts`, which
 * must outlive the configuration, replaces all of them before; NULL: the configuration says it.
 * `arena` owns the list. */
enum status replay_projection_list(struct replay_config *config, const char *cuts,
                                   struct arena *arena, struct error *error);

struct replay_projection;

/* Collective. Opens the cuts of the configuration and changes them by its hypotheses. Cuts of
 * stretches inside of others are left out if there are others. Fails with STATUS_INPUT if one of
 * the traces is not a cut. Close it in any case. */
enum status replay_projection_open(const struct replay_config *config, struct processes *processes,
                                   struct replay_projection **projection, struct error *error);
/* Collective. Replays each cut twice, a few and more times in a row, and projects the results. */
enum status replay_projection_run(struct replay_projection *projection, struct error *error);
void replay_projection_close(struct replay_projection *projection); /* NULL is allowed */

/* The session of a cut as it is; NULL: there are no more. */
struct replay_session *replay_projection_cut(const struct replay_projection *projection, size_t i);

/* The session of the cut that stands for most of the trace, which reports show. */
struct replay_session *replay_projection_shown(const struct replay_projection *projection);

/* Puts the projected times in the place of the shown session's. */
void replay_projection_fill(const struct replay_projection *projection,
                            struct replay_report *report);

#endif
