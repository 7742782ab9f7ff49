/* The costs of writing to a file. */
#ifndef REPLAY_CALIBRATE_FILE_COSTS_H
#define REPLAY_CALIBRATE_FILE_COSTS_H

#include "base/clock.h"
#include "base/estimate.h"

/* Writes to a new file in `directory` by write(2), from 512 bytes to 1 MiB per call, and fits a
 * line: seconds per call, and per byte, in each of `rounds` (at most 64) rounds. The data are
 * written to the system's memory, without waiting for the disk. The file is removed. False if the
 * file cannot be written. */
bool file_costs_measure(const struct clock *clock, const char *directory, int rounds,
                        struct estimate *latency, struct estimate *per_byte);

#endif
