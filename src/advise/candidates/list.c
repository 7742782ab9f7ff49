/* advise/candidates/: what could be changed. Each family looks at the facts (advise/facts.h) and at
 * the events, and proposes candidates; whether they bring anything is found out later. */
#include "advise/candidates/families.h"

const struct candidate_family *const candidate_families[] = {
    &candidates_barriers,          &candidates_empty_messages,
    &candidates_repeated_messages, &candidates_collectives,
    &candidates_overlap,           &candidates_early,
    &candidates_imbalance,         &candidates_extra_work,
    &candidates_placement,         NULL};
