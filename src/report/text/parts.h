/* The parts of the text format, for people: text.c writes one or two runs, replay.c the report of a
 * replay, with the tables of tables.c. */
#ifndef REPORT_TEXT_PARTS_H
#define REPORT_TEXT_PARTS_H

#include "report/format.h"

/* The report of silas-replay and silas-model; bold and red where the stream is a terminal. */
bool text_replay_write(const struct replay_report *report, FILE *stream);

struct text_output {
    FILE *file;
    const char *bold, *alarm, *plain; /* escape sequences; "" if the stream is not a terminal */
};

/* A line in bold type after an empty one. */
void text_heading(const struct text_output *out, const char *text);

/* The tables. Nothing is printed for an empty one. */

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
