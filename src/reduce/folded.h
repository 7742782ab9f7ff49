/* What a reduced archive keeps beside its events: the folded part of the profile, and properties
 * (doc/otf2-attributes.md). Both are in the definitions of the trace, so that views, changed copies
 * and archives of predictions have them too. patterns/folded.c adds the folded part to what a
 * search finds. */
#ifndef REDUCTION_FOLDED_H
#define REDUCTION_FOLDED_H

#include "replay/costs/machine.h"
#include "severity/severity.h"
#include "trace/trace.h"

/* Collective. Gives `reduced` the difference of two searches as its folded part: `full` is what
 * pattern_search found in the whole trace, `left` what it found in `reduced`, each of the ranks
 * that this process owns. Then another search of `reduced` finds all that is in `full`: counts,
 * bytes and whole ticks exactly; shares of ticks (delay costs and the like) to a tick. If `reduced`
 * had a folded part already, both searches must have counted it; it is replaced by the sum.
 *
 * `reduced` has the same call paths with the same numbers as the whole trace; others may follow
 * them. Gives it its own definitions (trace/grow.h). */
enum status folded_set(struct trace *reduced, const struct severity *full,
                       const struct severity *left, struct error *error);

/* Sets a property of the archive; the text is copied. Gives the trace its own definitions. Not
 * collective; all processes must set the same. */
enum status property_set(struct trace *trace, const char *name, const char *value,
                         struct error *error);

/* Sets SILAS::MACHINE to parameters that were fitted to the whole recording (replay/costs/fit.c,
 * which takes them from there): exactly. Otherwise like property_set. */
enum status machine_keep(struct trace *trace, const struct machine *machine, struct error *error);

/* Says that the archive lacks events; nothing for whole traces. */
void folded_say(const struct trace *trace);

#endif
