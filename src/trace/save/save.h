/* Saves a trace as an OTF2 archive with Score-P's conventions. */
#ifndef TRACE_SAVE_H
#define TRACE_SAVE_H

#include "trace/trace.h"

/* Collective. Writes `directory`/traces.otf2 and its folder of event files. `directory` must not
 * exist or be empty. Writes under a temporary name in the same parent and renames the directory
 * when it is complete, so that no incomplete archive remains. If the trace is a view, the times of
 * carried locations change along with those of their ranks. */
enum status trace_save(const struct trace *trace, const char *directory, struct error *error);

#endif
