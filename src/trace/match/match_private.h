/* The steps of trace_match. */
#ifndef TRACE_MATCH_PRIVATE_H
#define TRACE_MATCH_PRIVATE_H

#include "trace/trace.h"

/* A communication event without a counterpart. `text` is for the user: rank, event, time, call
 * path, and the missing counterpart. */
struct mismatch {
    uint32_t rank, row;
    char *text;
};

struct mismatches {
    ARRAY(struct mismatch) list;
};

/* Appends a mismatch of an owned rank with the text "EVENT: FORMATTED TEXT". False when memory is
 * out. */
bool mismatch_add(struct mismatches *mismatches, const struct trace *trace,
                  const struct stream *stream, uint32_t row, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Collective. Collects the lists of all processes at process 0 and sorts them there. All processes
 * get the number of mismatches in `*total`. */
enum status mismatches_gather(struct mismatches *mismatches, const struct processes *processes,
                              int64_t *total, struct error *error);
void mismatches_clear(struct mismatches *mismatches);

/* Numbers of dropped records, on this process. */
struct dropped {
    int64_t unfinished; /* requests that never completed */
    int64_t unpaired;   /* ends of messages and members of operations whose counterpart is missing
                           because the program ended early */
    int64_t after_disagreement; /* members of operations from the first one on about which the
                                   members of the communicator disagree */
};

/* Collective. Each matches one kind of communication and lists the mismatches, which the first two
 * also leave out (see trace_match). If the program was cut short (definitions_cut_short), they only
 * count them. */
enum status match_messages(struct trace *trace, struct mismatches *mismatches,
                           struct dropped *dropped, struct error *error);
enum status match_collectives(struct trace *trace, struct mismatches *mismatches,
                              struct dropped *dropped, struct error *error);
enum status match_windows(struct trace *trace, struct mismatches *mismatches, struct error *error);

/* Collective. Sets COLLECTIVE_LOCAL for collective calls on files in which no member waits for
 * another, as far as the times in a recording tell. The collective operations are matched. */
enum status match_file_calls(struct trace *trace, struct error *error);

#endif
