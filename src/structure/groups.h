/* Outer iterations of a loop whose iterations all make the same calls: every few iterations, long
 * computation follows, at the same places of each group. An example is Table 5 of the paper: six
 * iterations, computation of two iterations' length, three more, and computation of six. */
#ifndef STRUCTURE_GROUPS_H
#define STRUCTURE_GROUPS_H

#include "structure/iterations.h"

#include <stdbool.h>

struct iteration_groups {
    size_t size;             /* iterations of a group; 0: there are no groups */
    size_t first;            /* the first iteration of the first complete group */
    bool *ends;              /* [size]: long computation follows the iteration */
    struct iterations inner; /* the iterations that form the groups */
};

/* Collective. Finds groups with two or more long iterations each, at the same places: these recur
 * from group to group, as disturbances do not. Then `iterations` become the groups, and `inner` the
 * iterations that they were. The last group also has the computation after its last call: it ends
 * as long after its begin as the one before, but not after its part (of `parts`, by owned rank).
 * Free the groups with iteration_groups_clear. Fails if out of memory; then nothing is left to free
 * in `groups`. */
enum status iteration_groups_find(const struct trace *trace, const struct cut_range *parts,
                                  struct iterations *iterations, struct iteration_groups *groups,
                                  struct error *error);
void iteration_groups_clear(struct iteration_groups *groups); /* all zero is allowed */

#endif
