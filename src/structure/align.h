/* Where the ranks begin an iteration that is to be cut. */
#ifndef STRUCTURE_ALIGN_H
#define STRUCTURE_ALIGN_H

#include "structure/iterations.h"
#include "structure/stretch.h"

/* Collective. Moves beginning and end of a sample's cut forwards on some ranks, both over the same
 * number of calls, until no message crosses them: any call of an iteration can be its first, and
 * the first calls that the search has chosen on two ranks may lie on different sides of a message.
 * The cut stays unchanged if there is no such place within an iteration, or if nothing follows the
 * sample. The trace must be matched. */
enum status sample_align(const struct trace *trace, const struct iterations *iterations,
                         struct stretch_sample *sample, struct error *error);

#endif
