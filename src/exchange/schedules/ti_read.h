/* Traces of SimGrid's time-independent traces; see exchange/schedules/read.h. */
#ifndef SCHEDULES_TI_READ_H
#define SCHEDULES_TI_READ_H

#include "predict/hardware.h"
#include "trace/trace.h"

enum status ti_read(const char *path, struct processes *processes, const struct hardware *hardware,
                    struct trace **trace, struct error *error);

#endif
