/* Makes the time line of a trace (report/timeline/timeline.h) from its model. */
#ifndef PROGRAMS_TIMELINE_OUTPUT_H
#define PROGRAMS_TIMELINE_OUTPUT_H

#include "programs/replay_session.h"
#include "replay/model/domino.h"
#include "replay/model/model.h"

/* Collective. Writes the time line of what the model predicts, with the domino path, into
 * `directory`. `state` is the prepared state of an engine with equations. `critical` (up to
 * date), `domino` and `effect` are needed on process 0 only. */
enum status timeline_output_write(const struct engine *engine, void *state,
                                  const struct critical *critical, const struct domino *domino,
                                  const struct domino_effect *effect, bool predicted,
                                  const char *directory, struct error *error);

/* Collective. The same for a session that has run: of what the engine predicted, or of the
 * recording if nothing was changed. Waits and domino path of a replay come from a model of that
 * replay. */
enum status timeline_output_of_session(const struct replay_session *session, const char *directory,
                                       struct error *error);

#endif
