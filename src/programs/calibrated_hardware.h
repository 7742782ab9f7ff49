/* What silas-calibrate --operations says: sections of a hardware file, and a table for people. */
#ifndef PROGRAMS_CALIBRATED_HARDWARE_H
#define PROGRAMS_CALIBRATED_HARDWARE_H

#include "predict/hardware.h"
#include "replay/calibrate/operations.h"

/* Prints the sections [operations], [file] and [call] with the intervals of what was measured, and
 * what only `added` has. */
void calibrated_hardware_print(const struct operation_costs *costs, const struct hardware *added,
                               FILE *file);

/* Prints the table to standard output. */
void calibrated_hardware_summary(const struct operation_costs *costs);

/* Wide intervals are no error, but worth a warning; so are loads from a buffer that fits a cache,
 * and files that cannot be written. `directory`: where they were to be. */
void calibrated_hardware_warn(const struct operation_costs *costs, const char *directory);

#endif
