/* What the programs do and say about time stamps that cannot be. */
#ifndef PROGRAMS_CLOCKS_H
#define PROGRAMS_CLOCKS_H

#include "severity/severity.h"
#include "trace/trace.h"

/* Collective: corrects the clocks of a matched trace and says what was found and moved. */
enum status clocks_correct(struct trace *trace, struct error *error);

/* Warns of violations that a search of the trace has found; nothing if there are none. `whole` has
 * the values of all ranks; NULL on processes that have none. */
void clocks_warn(const char *path, const struct severity *whole);

#endif
