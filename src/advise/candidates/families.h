/* The families of candidates, one file each. list.c lists them in the order in which they propose.
 */
#ifndef ADVICE_CANDIDATES_FAMILIES_H
#define ADVICE_CANDIDATES_FAMILIES_H

#include "advise/candidate.h"

extern const struct candidate_family candidates_imbalance;
extern const struct candidate_family candidates_extra_work;
extern const struct candidate_family candidates_barriers;
extern const struct candidate_family candidates_empty_messages;
extern const struct candidate_family candidates_repeated_messages;
extern const struct candidate_family candidates_collectives;
extern const struct candidate_family candidates_overlap;
extern const struct candidate_family candidates_early;
extern const struct candidate_family candidates_placement;
extern const struct candidate_family candidates_stragglers;
extern const struct candidate_family candidates_threads;

#endif
