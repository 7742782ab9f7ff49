/* Finds implausible figures of a calibration, which something else on the machine has disturbed. */
#ifndef REPLAY_CALIBRATE_DOUBTS_H
#define REPLAY_CALIBRATE_DOUBTS_H

#include "replay/calibrate/calibrate.h"

enum { DOUBTS_MAX = 8, DOUBT_SIZE = 200 };

/* Writes a sentence for each doubt about the figures of a measured distance. Returns their number.
 * The sentences contain no ';' and no line ends, so they can be comments of a machine file. */
int calibration_doubts(const struct calibration *calibration, enum distance distance,
                       char doubts[DOUBTS_MAX][DOUBT_SIZE]);

#endif
