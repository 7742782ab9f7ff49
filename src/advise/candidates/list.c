/* The families of candidates. Each proposes changes from the facts (advise/facts.h) and from the
 * events; trials find out later what the changes save. */
#include "advise/candidates/families.h"

const struct candidate_family *const candidate_families[] = {
    &candidates_barriers,    &candidates_empty_messages, &candidates_repeated_messages,
    &candidates_collectives, &candidates_overlap,        &candidates_early,
    &candidates_imbalance,   &candidates_extra_work,     &candidates_placement,
    &candidates_stragglers,  &candidates_threads,        NULL};
