/* Reads schedules of other tools: GOAL text, and the index file of SimGrid's time-independent
 * traces. doc/schedules.md has their grammars, and what becomes of what. */
#ifndef SCHEDULES_READ_H
#define SCHEDULES_READ_H

#include "predict/hardware.h"
#include "trace/trace.h"

/* Whether the file is such a schedule: by the ending .goal, or by how it begins. False if it cannot
 * be read. Not collective. */
bool schedule_recognises(const char *path);

/* Collective. Makes a trace of a schedule: not matched, and without times of calls that communicate
 * (predict/predicted.h fills them in). Ranks are placed on nodes as `hardware` says. The caller
 * destroys it. Each process reads the whole file, but keeps only one of its ranks at a time. Fails
 * with "FILE:LINE:COLUMN: ..." and STATUS_INPUT. */
enum status schedule_read(const char *path, struct processes *processes,
                          const struct hardware *hardware, struct trace **trace,
                          struct error *error);

#endif
