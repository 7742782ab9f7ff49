/* What the programs do and say about time stamps that contradict each other. */
#ifndef PROGRAMS_CLOCKS_H
#define PROGRAMS_CLOCKS_H

#include "severity/severity.h"
#include "trace/trace.h"

/* Collective. Corrects the clocks of a matched trace and prints what was found and moved. */
enum status clocks_correct(struct trace *trace, struct error *error);

/* Warns if a search of the trace has found clock violations. `whole` has the values of all
 * ranks; NULL on the processes that do not have them. */
void clocks_warn(const char *path, const struct severity *whole);

#endif
