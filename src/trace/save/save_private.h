/* The definitions and events of an OTF2 archive, written by trace_save. */
#ifndef TRACE_SAVE_PRIVATE_H
#define TRACE_SAVE_PRIVATE_H

#include "trace/trace.h"

#include <otf2/otf2.h>

/* Ids in the archive are indices into the definitions; locations keep the ids that they had. */
#define SAVED_STRING_EMPTY 0

/* The processes that write an archive together. OTF2 passes it to its collective operations. */
struct OTF2_CollectiveContext {
    const struct processes *processes;
};

/* Lets OTF2 use the processes of `context`, which must stay valid until the archive is closed. */
OTF2_ErrorCode save_set_processes(OTF2_Archive *archive, OTF2_CollectiveContext *context);

/* Process 0 only. `event_counts` has one entry per location, in the order of the definitions. */
enum status save_definitions(OTF2_Archive *archive, const struct trace *trace,
                             const int64_t *event_counts, struct error *error);

/* The string id of a program's name in the archive. Names of programs come first in the table, in
 * the order of their regions, so that all processes can compute the ids without communication. */
uint32_t saved_program_string(const struct trace *trace, uint32_t region);

/* Writes the events of one location with these times [row]: the stream's own column or another. */
OTF2_ErrorCode save_events(OTF2_EvtWriter *events, const struct trace *trace,
                           const struct stream *stream, const uint64_t *time);

#endif
