/* The definitions and events of an OTF2 archive, written by trace_save. */
#ifndef TRACE_SAVE_PRIVATE_H
#define TRACE_SAVE_PRIVATE_H

#include "trace/trace.h"

#include <otf2/otf2.h>

/* Ids in the archive are indices into the definitions; locations keep the ids that they had. */
#define SAVED_STRING_EMPTY 0

/* Tells OTF2 which processes write the archive together. */
OTF2_ErrorCode save_set_processes(OTF2_Archive *archive, const struct processes *processes);
/* The same for processes that were forked (processes_fork); they must outlive the archive. */
OTF2_ErrorCode save_set_forked(OTF2_Archive *archive, const struct processes *processes);

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
