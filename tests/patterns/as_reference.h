/* Faults of the reference, as patterns that replace those of SILAS. as_reference.c lists
 * them all. */
#ifndef TESTS_PATTERNS_AS_REFERENCE_H
#define TESTS_PATTERNS_AS_REFERENCE_H

#include "patterns/pattern.h"

/* In the place of imbalance_pattern: activities of 128 call paths a rank. */
extern const struct pattern small_tables_pattern;

/* After wrong_order_pattern: credits waits to the call paths of other instances. */
extern const struct pattern credited_to_oldest_pattern;

#endif
