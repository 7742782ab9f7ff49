/* The real-time engine: it spins for the length of each computation and makes all MPI calls for
 * real (doc/methods.md, section 1). */
#ifndef REPLAY_REALTIME_REALTIME_H
#define REPLAY_REALTIME_REALTIME_H

#include "replay/engine.h"
#include "replay/realtime/options.h"

extern const struct engine engine_realtime;

#endif
