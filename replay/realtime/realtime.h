/* The real-time engine spins for the length of each computation and makes all MPI calls
 * (doc/methods.md, section 1). program.h says in which order to read this folder. */
#ifndef REPLAY_REALTIME_REALTIME_H
#define REPLAY_REALTIME_REALTIME_H

#include "replay/engine.h"
#include "replay/realtime/options.h"

extern const struct engine engine_realtime;

#endif
