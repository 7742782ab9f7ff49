/* Communicators that stand for each other (trace/comm_uses.h): calls on them are the same calls in
 * all iterations. */
#ifndef STRUCTURE_COMMUNICATORS_H
#define STRUCTURE_COMMUNICATORS_H

#include "base/map.h"
#include "trace/trace.h"

/* Hashes of the members of each communicator: [comm_count]. The caller frees them. NULL if out of
 * memory. */
uint64_t *communicators_hash(const struct definitions *definitions);

/* Maps each communicator that a rank uses in the rows from <= row < to to a number. Two have the
 * same number if they have the same members, and if the rank uses one of them only after its last
 * use of the other. `members` are as above. False if out of memory. */
bool communicators_number(const struct stream *stream, uint32_t from, uint32_t to,
                          const uint64_t *members, struct map *numbers);

#endif
