/* The results of silas-calibrate --operations, as sections of a hardware file and as a table. */
#ifndef PROGRAMS_CALIBRATED_HARDWARE_H
#define PROGRAMS_CALIBRATED_HARDWARE_H

#include "predict/hardware.h"
#include "replay/calibrate/operations.h"

/* Prints the sections [operations], [file] and [call]: the measured costs with their intervals, and
 * the costs that only `added` has. */
void calibrated_hardware_print(const struct operation_costs *costs, const struct hardware *added,
                               FILE *file);

/* Prints the table to standard output. */
void calibrated_hardware_summary(const struct operation_costs *costs);

/* Warns of wide intervals, of memory loads that were measured within the cache, and of files that
 * could not be written in `directory`. */
void calibrated_hardware_warn(const struct operation_costs *costs, const char *directory);

#endif
