/* Correction of, and warnings about, clocks of ranks that contradict each other. */
#ifndef PROGRAMS_CLOCKS_H
#define PROGRAMS_CLOCKS_H

#include "severity/severity.h"
#include "trace/trace.h"

/* Collective. Corrects the clocks of a matched trace and prints how many events it moved. */
enum status clocks_correct(struct trace *trace, struct error *error);

/* Warns if the search of a trace found clock violations. `whole` has the severities of all ranks;
 * NULL on processes other than 0. */
void clocks_warn(const char *path, const struct severity *whole);

#endif
