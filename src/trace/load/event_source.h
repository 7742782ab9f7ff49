/* The data shared by all locations whose events a process reads. */
#ifndef TRACE_LOAD_EVENT_SOURCE_H
#define TRACE_LOAD_EVENT_SOURCE_H

#include "trace/load/definition_ids.h"
#include "trace/trace.h"

#include <otf2/otf2.h>

/* A ProgramBegin has a region of its own in the call tree. The region is made when all processes
 * have read all programs; until then its path has this bit and the string index of the name. */
#define REGION_PROGRAM_BIT 0x80000000u

struct event_source {
    OTF2_Reader *reader;
    const char *path; /* of the anchor file, for messages */
    const struct definitions *definitions;
    const struct definition_ids *ids;
    struct calltree *calltree; /* grows; call path numbers are this process's until unified */
    struct arena *arena;       /* owns the finished columns */
    bool has_mappings, has_clock_offsets; /* ids or times of some location must be translated */
    uint64_t dropped;                     /* records of kinds that are not kept (metrics, I/O) */
};

/* Fills `stream` (the caller sets rank and location) with all events of that location and applies
 * clock offsets. Open regions are closed at the last time stamp; `*closed` counts them. */
enum status load_events(struct event_source *source, struct stream *stream, uint32_t *closed,
                        struct error *error);

#endif
