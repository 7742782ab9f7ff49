/* From finished replays to the plain data of the report: statistics, wait states, differences. */
#ifndef PROGRAMS_REPLAY_SUMMARY_H
#define PROGRAMS_REPLAY_SUMMARY_H

#include "programs/replay_session.h"
#include "report/replay_report.h"

/* Collective. Fills the report on process 0 (elsewhere it stays empty). The sessions, at least one,
 * must outlive it; `arena` owns what is made for it. Searches the shown session's traces for wait
 * states. replay_summary_clear frees what the arena does not. */
enum status replay_summarize(struct replay_session *const *sessions, size_t count,
                             struct arena *arena, struct replay_report *report,
                             struct error *error);
void replay_summary_clear(struct replay_report *report);

/* The session that the tables show, and whose predicted trace is written: that with the median
 * prediction. The same on all processes. */
size_t replay_summary_shown(struct replay_session *const *sessions, size_t count);

#endif
