/* Saving a trace as an OTF2 archive in Score-P's dialect. */
#ifndef TRACE_SAVE_H
#define TRACE_SAVE_H

#include "trace/trace.h"

/* Collective. Writes `directory`/traces.otf2 with its folder of event files; `directory` must not
 * hold an archive yet. Written under a temporary name beside it and renamed when complete, so that
 * nothing half-written is ever left. Carried locations are moved along with their rank's times if
 * the trace is a view. */
enum status trace_save(const struct trace *trace, const char *directory, struct error *error);

#endif
