/* The outcome of an evaluation into the time column of the predicted trace. */
#ifndef REPLAY_MODEL_REWRITE_H
#define REPLAY_MODEL_REWRITE_H

#include "replay/model/compile.h"

/* Fills the time columns of `view`, a view of `trace`: every call of a span ends with its shift
 * in `ends` (one for each span); what lies inside a call is put back in proportion, all else keeps
 * its distance from the call before. */
void view_write(const struct trace *trace, const struct part *part, const int64_t *ends,
                struct trace *view);

#endif
