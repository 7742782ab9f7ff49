/* The data that a reduced archive has in addition to its events: the folded part of the profile,
 * and properties (doc/otf2-attributes.md). They are definitions of the trace, so views, changed
 * copies and archives of predictions have them, too. patterns/folded.c adds the folded part to the
 * results of a search. */
#ifndef REDUCTION_FOLDED_H
#define REDUCTION_FOLDED_H

#include "replay/costs/machine.h"
#include "severity/severity.h"
#include "trace/trace.h"

/* Collective. Sets the folded part of `reduced` to the difference of two results of pattern_search:
 * `full` for the whole trace and `left` for `reduced`, each for the ranks that this process owns.
 * Then another search of `reduced` returns the values of `full`: counts, bytes and whole ticks
 * exactly, fractions of ticks (such as delay costs) to a tick. If `reduced` already had a folded
 * part, both searches must have counted it; it is replaced by the sum.
 *
 * The call paths of `reduced` must have the same numbers as in the whole trace; it may have further
 * ones. Gives `reduced` its own definitions (trace/grow.h). */
enum status folded_set(struct trace *reduced, const struct severity *full,
                       const struct severity *left, struct error *error);

/* Sets a property of the archive; the text is copied. Gives the trace its own definitions. Not
 * collective; all processes must set the same. */
enum status property_set(struct trace *trace, const char *name, const char *value,
                         struct error *error);

/* Sets SILAS::MACHINE to the exact parameters that were fitted to the whole recording;
 * replay/costs/fit.c reads them. Otherwise like property_set. */
enum status machine_keep(struct trace *trace, const struct machine *machine, struct error *error);

/* Prints a note that the archive lacks events; does nothing for whole traces. */
void folded_say(const struct trace *trace);

#endif
