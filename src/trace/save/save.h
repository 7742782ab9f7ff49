/* Saving a trace as an OTF2 archive in Score-P's dialect. */
#ifndef TRACE_SAVE_H
#define TRACE_SAVE_H

#include "trace/trace.h"

/* Collective. Writes `directory`/traces.otf2 with its folder of event files; `directory` must not
 * hold an archive yet. Writes under a temporary name beside it and renames it when complete, so
 * that no incomplete archive remains. If the trace is a view, carried locations move along with
 * their rank's times. */
enum status trace_save(const struct trace *trace, const char *directory, struct error *error);

#endif
