/* Where the ranks begin an iteration that is to be cut. */
#ifndef STRUCTURE_ALIGN_H
#define STRUCTURE_ALIGN_H

#include "structure/iterations.h"
#include "structure/structure.h"

/* Collective. Moves the begins and ends of a sample's cut on some ranks forwards, over as many
 * calls at its begin as at its end, until no message crosses them: an iteration may begin with any
 * of its calls, and those that the search has chosen on different ranks may lie on different sides
 * of a message. Where there is no such place, within an iteration, or nothing follows the sample,
 * everything stays. The trace must be matched. */
enum status sample_align(const struct trace *trace, const struct iterations *iterations,
                         struct stretch_sample *sample, struct error *error);

#endif
