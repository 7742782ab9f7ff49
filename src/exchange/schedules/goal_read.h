/* Traces of GOAL schedules; see exchange/schedules/read.h. */
#ifndef SCHEDULES_GOAL_READ_H
#define SCHEDULES_GOAL_READ_H

#include "predict/hardware.h"
#include "trace/trace.h"

bool goal_recognises(const char *path);
enum status goal_read(const char *path, struct processes *processes,
                      const struct hardware *hardware, struct trace **trace, struct error *error);

#endif
