/* The parts of the matching, called one after the other by trace_match. */
#ifndef TRACE_MATCH_PARTS_H
#define TRACE_MATCH_PARTS_H

#include "trace/trace.h"

/* An event without its other side. `text` is for the user: rank, event, time, call path, what is
 * missing. */
struct mismatch {
    uint32_t rank, row;
    char *text;
};

struct mismatches {
    ARRAY(struct mismatch) list;
};

/* Appends one mismatch of an owned rank: "WHERE: TEXT". False when memory is out. */
bool mismatch_add(struct mismatches *mismatches, const struct trace *trace,
                  const struct stream *stream, uint32_t row, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Collective. Unites all processes' lists at process 0, sorted; `*total` is known to all. */
enum status mismatches_gather(struct mismatches *mismatches, const struct processes *processes,
                              int64_t *total, struct error *error);
void mismatches_clear(struct mismatches *mismatches);

/* Counts of dropped communication, on this process. */
struct dropped {
    int64_t unfinished; /* requests that never completed */
    int64_t unpaired;   /* parts of communication that the end of the program has cut off */
};

/* Collective. Each fills its part of the trace and lists mismatches; if the program was cut short,
 * it drops them instead. */
enum status match_messages(struct trace *trace, struct mismatches *mismatches,
                           struct dropped *dropped, struct error *error);
enum status match_collectives(struct trace *trace, struct mismatches *mismatches,
                              struct dropped *dropped, struct error *error);
enum status match_windows(struct trace *trace, struct mismatches *mismatches, struct error *error);

#endif
