/* Reads the events of one location into a stream. */
#ifndef TRACE_LOAD_EVENTS_H
#define TRACE_LOAD_EVENTS_H

#include "trace/load/event_source.h"

/* Fills `stream` (the caller sets rank and location) with all events of that location and applies
 * clock offsets. Open regions are closed at the last time stamp; `*closed` counts them. */
enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error);

#endif
