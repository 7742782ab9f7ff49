/* Reading one location's events into a stream. */
#ifndef TRACE_LOAD_EVENTS_H
#define TRACE_LOAD_EVENTS_H

#include "trace/load/event_source.h"

/* Fills `stream` (rank and location set by the caller) with all events of that location, with clock
 * offsets applied. Regions left open are closed at the last time stamp; `*closed` counts them. */
enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error);

#endif
