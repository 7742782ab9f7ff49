/* Loads an OTF2 archive of any tool and any version that the OTF2 library reads. */
#ifndef TRACE_LOAD_H
#define TRACE_LOAD_H

#include "trace/trace.h"

/* Collective over `processes`, which the caller owns and which must outlive the trace. `path` names
 * the anchor file, or a directory with exactly one. Each process reads the ranks that it owns. On
 * return `*trace` is complete but not matched; free it with trace_destroy. Open regions are closed
 * at the last time stamp with a warning. All processes fail with the same error, which names rank,
 * event and call path. */
enum status trace_load(const char *path, struct processes *processes, struct trace **trace,
                       struct error *error);

/* What the definitions of a trace tell. */
struct trace_size {
    uint32_t rank_count; /* the number of processes that a replay needs */
    uint64_t events;     /* of all locations */
    double length_s;     /* T, as the archive declares it; 0: unknown */
    bool threads; /* SILAS has written it and some rank has several threads, which may communicate
                     at once */
    bool whole;   /* it cannot be read in slices: iterations are folded, or some rank has
                     several locations, which may communicate */
};

/* Not collective. */
enum status trace_peek(const char *path, struct trace_size *size, struct error *error);

/* Where ranks ran together: `(*lowest)` [rank] is the lowest rank on the same host, as in
 * definitions_placement; NULL if that is unknown. The caller frees it. Not collective. */
enum status trace_peek_placement(const char *path, uint32_t **lowest, uint32_t *rank_count,
                                 struct error *error);

#endif
