/* The hardware that a recording shows (predict/hardware.h). */
#ifndef PREDICTION_FROM_MACHINE_SHOWN_H
#define PREDICTION_FROM_MACHINE_SHOWN_H

#include "trace/trace.h"

/* Collective. Writes a hardware file with the LogGPS parameters that are fitted to the recording,
 * and the ranks of its nodes. The trace must be matched. */
enum status machine_shown_write(const struct trace *trace, const char *path, struct error *error);

#endif
