/* Shared by communicators.c and topologies.c. */
#ifndef REPLAY_REALTIME_COMMUNICATORS_PRIVATE_H
#define REPLAY_REALTIME_COMMUNICATORS_PRIVATE_H

#include "replay/realtime/communicators.h"

void communicators_free_topologies(struct communicators *communicators);

#endif
