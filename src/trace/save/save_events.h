/* Writing one location's events into an OTF2 archive. */
#ifndef TRACE_SAVE_EVENTS_H
#define TRACE_SAVE_EVENTS_H

#include "trace/trace.h"

#include <otf2/otf2.h>

/* `time` has one entry per row (the stream's own column, or another). */
OTF2_ErrorCode save_events(OTF2_EvtWriter *events, const struct trace *trace,
                           const struct stream *stream, const uint64_t *time);

#endif
