/* What the parts of the matching share. */
#ifndef TRACE_MATCH_PRIVATE_H
#define TRACE_MATCH_PRIVATE_H

#include "trace/match/match.h"

/* Appends one mismatch of an owned rank: "WHERE: TEXT". False when memory is out. */
bool mismatch_add(struct mismatches *mismatches, const struct trace *trace,
                  const struct stream *stream, uint32_t row, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Collective. Unites all processes' lists at process 0, sorted; `*total` is known to all. */
enum status mismatches_gather(struct mismatches *mismatches, const struct processes *processes,
                              int64_t *total, struct error *error);

/* What takes no part, counted on this process. */
struct dropped {
    int64_t unfinished; /* requests that never completed */
    int64_t unpaired;   /* parts of communication that the end of the program has cut off */
};

/* Collective. Each fills its part of the trace and lists what does not fit; where the program was
 * cut short, that is dropped instead. */
enum status match_messages(struct trace *trace, struct mismatches *mismatches,
                           struct dropped *dropped, struct error *error);
enum status match_collectives(struct trace *trace, struct mismatches *mismatches,
                              struct dropped *dropped, struct error *error);
enum status match_windows(struct trace *trace, struct mismatches *mismatches, struct error *error);

#endif
