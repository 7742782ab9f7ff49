/* Checks whether computation takes the same time whatever other ranks do, as hypotheses assume. */
#ifndef JOB_PACE_CHECK_H
#define JOB_PACE_CHECK_H

#include "job/replay_session.h"

/* Collective. Warns about each hypothesis that changes the computation of a region if visits of
 * this region took longer in the recording while other ranks of the host computed, as if the ranks
 * shared memory bandwidth. After the change, other ranks compute at other times, so the visits take
 * another time; only a section [memory LABEL] takes this into account (replay/memory/memory.h).
 * Does nothing if the configuration has such a section, for reduced traces, and if the check would
 * take long. Fails only if out of memory. */
enum status pace_check(const struct replay_session *session, struct error *error);

#endif
