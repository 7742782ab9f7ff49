/* Whether the computation that hypotheses change keeps its pace, as they assume. */
#ifndef JOB_PACE_CHECK_H
#define JOB_PACE_CHECK_H

#include "job/replay_session.h"

/* Collective. Warns for each hypothesis about computation of a region whose visits took longer in
 * the recording while other ranks of their host computed, as if these shared the bandwidth of
 * memory: a change of who computes when then changes the pace, too, which only a section
 * [memory LABEL] takes into account (replay/memory/memory.h). Does nothing if the configuration has
 * such a section, for reduced traces, and where the check would take long. Fails only if out of
 * memory. */
enum status pace_check(const struct replay_session *session, struct error *error);

#endif
