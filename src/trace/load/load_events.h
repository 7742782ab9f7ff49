/* Reading one location's events into a stream. */
#ifndef TRACE_LOAD_EVENTS_H
#define TRACE_LOAD_EVENTS_H

#include "trace/load/load_definitions.h"
#include "trace/trace.h"

/* A ProgramBegin stands in the call tree as a region of its own, which only exists once all
 * processes have seen all programs: until then its path's region is this bit with the name's string
 * index. */
#define REGION_PROGRAM_BIT 0x80000000u

/* What is common to all locations a process reads. */
struct event_source {
    OTF2_Reader *reader;
    const char *path; /* of the anchor file, for messages */
    const struct definitions *definitions;
    const struct definition_ids *ids;
    struct calltree *calltree; /* grows; call path numbers are this process's until unified */
    struct arena *arena;       /* takes over the columns */
    bool has_mappings, has_clock_offsets; /* some location's ids or times are to be translated */
    uint64_t dropped; /* records of kinds that are not kept (metrics, one-sided, I/O) */
};

/* Fills `stream` (rank and location set by the caller) with all events of that location, with clock
 * offsets applied. Regions left open are closed at the last time stamp; `*closed` counts them. */
enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error);

#endif
