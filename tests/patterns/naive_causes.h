/* Delay costs and indirect waits, computed literally as in doc/metrics.md, one wait at a time: a
 * slow twin of instances.c, needs.c, intervals.c, delays.c and causes.c. */
#ifndef TESTS_PATTERNS_NAIVE_CAUSES_H
#define TESTS_PATTERNS_NAIVE_CAUSES_H

#include "trace/trace.h"

typedef void naive_value(void *context, const char *metric, uint32_t path, uint32_t rank,
                         double ticks);

/* Of a matched trace with all its ranks in this process. Values of the same metric, path and rank
 * come in parts. */
void naive_causes_find(struct trace *trace, naive_value *value, void *context);

#endif
