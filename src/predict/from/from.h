/* From traces of a regular program to a model script that reproduces them (doc/methods.md). */
#ifndef PREDICTION_FROM_FROM_H
#define PREDICTION_FROM_FROM_H

#include "base/mpi/processes.h"
#include "base/status.h"

#include <stdint.h>

/* A recording and the values of its parameters: from "run1/traces.otf2:n=64,m=3". */
struct script_recording {
    const char *path;
    const char **names; /* of the parameters */
    double *values;
    uint32_t count;
};

struct from_outcome {
    uint32_t statements, tables;
    uint32_t loops;
    double coverage; /* share of the events inside loops */
};

/* Collective. Writes the script to `script_path` and the hardware parameters that the recordings
 * show (LogGPS as fitted, call costs) to `hardware_path` (NULL: not written). Fails with
 * STATUS_INPUT if the recordings do not do the same thing (names the first difference). */
enum status script_from_traces(const struct script_recording *recordings, uint32_t count,
                               const char *script_path, const char *hardware_path,
                               struct processes *processes, struct from_outcome *outcome,
                               struct error *error);

#endif
