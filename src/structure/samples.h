/* Which iterations of a stretch represent the others. */
#ifndef STRUCTURE_SAMPLES_H
#define STRUCTURE_SAMPLES_H

#include "structure/iterations.h"
#include "structure/stretch.h"

struct sample_options {
    size_t together; /* iterations of a sample; >= 1 */
    size_t parts;    /* of the stretch, each with a sample; >= 1 */
    bool cuts; /* The samples will be cut. So the computation of the iterations is found that they
                  represent. If `together` is 1, the iterations of a part are divided into strata
                  (strata.h), each with a sample. */
};

/* Collective. Chooses the representative iteration and the samples of a stretch, whose lengths are
 * measured (stretch_measure_lengths). Fails if out of memory. */
enum status samples_choose(const struct trace *trace, const struct iterations *iterations,
                           const struct sample_options *options, struct stretch *stretch,
                           struct error *error);

#endif
