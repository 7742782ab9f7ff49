/* The report of a replay for the terminal, and as report.txt. */
#ifndef REPORT_TEXT_REPLAY_H
#define REPORT_TEXT_REPLAY_H

#include "report/replay_report.h"

#include <stdio.h>

/* `colour`: the file is a terminal. Write errors show in ferror(file). */
void replay_text_write(const struct replay_report *report, FILE *file, bool colour);

#endif
