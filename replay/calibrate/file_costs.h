/* What it costs to write to a file. */
#ifndef REPLAY_CALIBRATE_FILE_COSTS_H
#define REPLAY_CALIBRATE_FILE_COSTS_H

#include "base/clock.h"
#include "base/estimate.h"

/* Writes to a new file in `directory` by write(2), from 512 bytes to 1 MiB at a time, and fits a
 * line: seconds of a call, and of each byte, in each of `rounds` (at most 64) rounds. The data end
 * in the system's memory; nothing waits for the disk. The file is gone afterwards. False if the
 * directory does not take it. */
bool file_costs_measure(const struct clock *clock, const char *directory, int rounds,
                        struct estimate *latency, struct estimate *per_byte);

#endif
