/* What is common to all locations whose events a process reads. */
#ifndef TRACE_LOAD_EVENT_SOURCE_H
#define TRACE_LOAD_EVENT_SOURCE_H

#include "trace/load/definition_ids.h"
#include "trace/trace.h"

#include <otf2/otf2.h>

/* A ProgramBegin stands in the call tree as a region of its own, which only exists once all
 * processes have seen all programs: until then its path's region is this bit with the name's string
 * index. */
#define REGION_PROGRAM_BIT 0x80000000u

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

#endif
