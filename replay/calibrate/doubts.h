/* What in a calibration is implausible: figures that something else on the machine has disturbed.
 */
#ifndef REPLAY_CALIBRATE_DOUBTS_H
#define REPLAY_CALIBRATE_DOUBTS_H

#include "replay/calibrate/calibrate.h"

enum { DOUBTS_MAX = 8, DOUBT_SIZE = 200 };

/* Writes a sentence for each doubt about the figures of a distance that is known. Returns how many;
 * 0: none. The sentences contain no ';' and no line ends, so a machine file can have them as
 * comments. */
int calibration_doubts(const struct calibration *calibration, enum distance distance,
                       char doubts[DOUBTS_MAX][DOUBT_SIZE]);

#endif
