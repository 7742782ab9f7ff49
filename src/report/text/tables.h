/* The tables of the text report, one function each. Nothing is printed for an empty table. */
#ifndef REPORT_TEXT_TABLES_H
#define REPORT_TEXT_TABLES_H

#include "report/replay_report.h"

#include <stdio.h>

struct text_output {
    FILE *file;
    bool colour; /* may use bold type and red */
};

void text_bold_on(const struct text_output *out);
void text_bold_off(const struct text_output *out);
void text_bold(const struct text_output *out, const char *text);
void text_heading(const struct text_output *out, const char *text); /* with a newline */
void text_alarm(const struct text_output *out, const char *text);

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
