/* The list of events that cannot be matched, for the user. */
#ifndef TRACE_MISMATCHES_H
#define TRACE_MISMATCHES_H

#include "trace/trace.h"

/* An event without its other side. `text` is for the user: rank, event, time, call path, what is
 * missing. */
struct mismatch {
    uint32_t rank, row;
    char *text;
};

struct mismatches {
    ARRAY(struct mismatch)
    list; /* sorted by rank and row; complete on process 0, empty elsewhere */
};

void mismatches_clear(struct mismatches *mismatches);

/* Appends one mismatch of an owned rank: "WHERE: TEXT". False when memory is out. */
bool mismatch_add(struct mismatches *mismatches, const struct trace *trace,
                  const struct stream *stream, uint32_t row, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Collective. Unites all processes' lists at process 0, sorted; `*total` is known to all. */
enum status mismatches_gather(struct mismatches *mismatches, const struct processes *processes,
                              int64_t *total, struct error *error);

#endif
