/* Computes the data of a report from finished replays: statistics, wait states and differences. */
#ifndef JOB_REPLAY_SUMMARY_H
#define JOB_REPLAY_SUMMARY_H

#include "job/replay_session.h"
#include "report/replay_report.h"

/* Collective. Fills the report, which is complete on process 0 only. Searches the traces of the
 * shown session for wait states. `count` is at least 1; the sessions must outlive the report.
 * `arena` owns part of the report's data; replay_summary_clear frees the rest. */
enum status replay_summarize(struct replay_session *const *sessions, size_t count,
                             struct arena *arena, struct replay_report *report,
                             struct error *error);

/* Returns the fraction of all ranks' time in a session's replays in which other programs used their
 * cores. Above REPLAY_LOST_TOO_MUCH, the correction is larger than the savings that it would show.
 */
#define REPLAY_LOST_TOO_MUCH 0.05
double replay_lost_fraction(const struct replay_session *session);

void replay_summary_clear(struct replay_report *report);

/* Collective. Warns if the trace was recorded on another machine or, if it is replayed and not
 * computed, with another MPI library (replay_elsewhere.c), because the prediction is for this one.
 */
void replay_warn_if_elsewhere(const struct trace *trace, bool replayed);

#endif
