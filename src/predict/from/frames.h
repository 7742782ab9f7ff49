/* Regions around all that the program does, also around MPI_Init and MPI_Finalize. */
#ifndef PREDICTION_FROM_FRAMES_H
#define PREDICTION_FROM_FRAMES_H

#include "predict/from/actions.h"

struct program_frames {
    const char *name;            /* of the program; NULL: the first recording has no events of it */
    ARRAY(const char *) regions; /* outermost first; the recordings own the texts. free(.items) */
};

/* Removes regions that are around the actions of all ranks from these. Process 0 only. Fails if
 * memory is out. */
enum status frames_take(struct recorded_program *programs, uint32_t count,
                        struct program_frames *frames, struct error *error);

#endif
