/* Loads OTF2 archives: of any tool, in any version that the OTF2 library reads. */
#ifndef TRACE_LOAD_H
#define TRACE_LOAD_H

#include "trace/trace.h"

/* Collective over `processes`, which the caller owns and which must outlive the trace. `path` names
 * the anchor file, or a directory with exactly one anchor file. Each process reads the ranks that
 * it owns. The trace is not matched yet; free it with trace_destroy. Regions that are never left
 * are closed at the last time stamp, with a warning. All processes fail with the same error, which
 * names rank, event and call path. */
enum status trace_load(const char *path, struct processes *processes, struct trace **trace,
                       struct error *error);

/* Properties of a trace that are in its definitions. */
struct trace_size {
    uint32_t rank_count; /* the number of processes that a replay needs */
    uint64_t events;     /* of all locations */
    double length_s;     /* T, as the archive declares it; 0: unknown */
    bool threads; /* SILAS has written it, and a rank has several threads, which may communicate at
                     the same time */
    bool whole;   /* it must be read as a whole, not in slices: iterations are folded, or a rank has
                     several locations, which may communicate */
};

/* Reads the definitions only. Not collective. */
enum status trace_peek(const char *path, struct trace_size *size, struct error *error);

/* Which ranks ran on the same host: (*lowest)[rank] is the lowest rank on the host of `rank`, as in
 * definitions_placement; NULL if it is unknown. The caller frees `*lowest`. Not collective. */
enum status trace_peek_placement(const char *path, uint32_t **lowest, uint32_t *rank_count,
                                 struct error *error);

/* How silas-trace has recorded a run. The caller frees both; NULL: without filter, without options.
 */
struct recording_options {
    char *filter;  /* the lines of the filter */
    char *options; /* further options, separated by blanks */
};

/* Reads them from an archive's properties. Not collective. On failure nothing is left to free. */
enum status trace_peek_recording(const char *path, struct recording_options *options,
                                 struct error *error);

#endif
