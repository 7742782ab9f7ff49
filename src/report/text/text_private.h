/* The text format: text.c has the descriptor and writes two runs, run.c one run with its profile
 * (profile.c), replay.c the report of a replay with the tables of tables.c. */
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/format.h"
#include "report/text/output.h"

/* The report of silas-replay and silas-model. */
bool text_replay_write(const struct report *report, FILE *stream);

/* A run: its profile, its efficiencies (`pop` may be NULL), its metrics, each with the call paths
 * where it is largest, and its critical path. False when memory is out or writing fails. */
bool text_run_write(const struct severity *run, const struct pop *pop, FILE *stream);

/* Efficiencies after a change and before it (NULL: only after); `names` are the column titles.
 * Writes nothing for a run without time. */
void text_efficiency_write(const struct text_output *out, const struct pop_factors *before,
                           const struct pop_factors *after, const char *const *names);

/* The call paths with the most time. Writes nothing for a run without time. False when memory is
 * out. */
bool text_profile_write(const struct text_output *out, const struct severity *run);

/* "rank", or "location" if threads have separate values. */
const char *text_location_word(const struct severity *run);

/* The tables of a replay. An empty table is not written. */

/* Time and each kind of waiting, before and after. */
void text_table_metrics(const struct text_output *out, const struct replay_report *report);
/* The call paths whose own time fell most. */
void text_table_savings(const struct text_output *out, const struct replay_report *report);
/* For each kind of waiting, the call paths where it fell most. */
void text_table_waits(const struct text_output *out, const struct replay_report *report);
/* The call paths where waiting or time grew, that is, where it moved to. */
void text_table_losses(const struct text_output *out, const struct replay_report *report);
/* For identity replays: the call paths whose own time differs most. */
void text_table_deviations(const struct text_output *out, const struct replay_report *report);

#endif
