/* The structure of a trace: perturbed parts, periodic parts, and periodic parts inside their
 * periods (M. Casas, R. M. Badia, J. Labarta: Automatic structure extraction from MPI applications
 * tracefiles, Euro-Par 2007; doc/methods.md, section 9). */
#ifndef STRUCTURE_STRUCTURE_H
#define STRUCTURE_STRUCTURE_H

#include "structure/signals.h"
#include "structure/stretch.h"

struct structure_options {
    const char *signal; /* name (signals.h); NULL: the first in which a period is found */
    double shortest_s;  /* shorter stretches are not searched; 0: the resolution of a signal */
    int levels;         /* periods in periods at most; 0: no limit */
    size_t together;    /* iterations of a sample; >= 1 */
    size_t samples;     /* of each periodic stretch; >= 1 */
    bool cuts;          /* the samples will be cut (samples.h) */
    double period; /* ticks: iterations of the first level that are as long are preferred, if calls
                      are searched; 0: none are */
};

/* Collective. `*whole` is the same on all processes but for `own` of samples; free it with
 * structure_destroy. Fails if out of memory, if no region has the name of the signal, or if the
 * trace has no length.
 */
enum status structure_find(const struct trace *trace, const struct structure_options *options,
                           struct stretch **whole, struct error *error);
void structure_destroy(struct stretch *whole); /* NULL is allowed */

#endif
