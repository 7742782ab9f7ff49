/* Iterations that are so different that one cannot represent all of them: of several kinds, or of
 * very different lengths. */
#ifndef STRUCTURE_STRATA_H
#define STRUCTURE_STRATA_H

#include "structure/stretch.h"

enum { STRATA_MAX = 24 }; /* of a stretch */

/* Divides the iterations of a stretch into strata. Each kind of iterations with a twentieth of the
 * time or more is one; further kinds belong to the one whose iterations are nearest in length. A
 * stratum is divided by length as long as the deviations from its median length are more than a
 * part of the time of all iterations. Sets strata[iteration] from 0; the representative iteration
 * is in stratum 0. Returns how many there are; 0 if out of memory. */
uint32_t strata_find(const struct stretch *stretch, uint32_t *strata);

#endif
