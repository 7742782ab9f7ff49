/* Communicators with the neighbours that neighbourhood collectives need. */
#ifndef REPLAY_REALTIME_TOPOLOGIES_H
#define REPLAY_REALTIME_TOPOLOGIES_H

#include "replay/realtime/communicators.h"

/* Collective, after communicators_create: makes communicators->topology. */
enum status communicators_add_topologies(const struct trace *trace, MPI_Errhandler handler,
                                         struct communicators *communicators, struct error *error);

/* Collective, even without topologies. */
void communicators_free_topologies(struct communicators *communicators);

#endif
