/* The folded part of a reduced archive's profile: values of events that it no longer contains
 * (base/otf2_attributes.h). */
#ifndef PATTERNS_FOLDED_H
#define PATTERNS_FOLDED_H

#include "severity/metrics.h"
#include "trace/trace.h"

struct folded_entry {
    uint32_t rank, thread, path;
    enum metric metric; /* METRIC_NONE: not known to this version */
    int64_t value;      /* in the metric's unit; of times in ticks */
};

typedef void folded_visitor(void *data, const struct folded_entry *value);

/* Calls `visit` for each value of all ranks; for none if the archive is whole. The values are the
 * same on all processes. Fails if a value names a metric, a thread or a call path that
 * the archive lacks. */
enum status folded_each(const struct trace *trace, folded_visitor *visit, void *data,
                        struct error *error);

#endif
