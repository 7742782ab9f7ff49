/* What variation of the computation costs before and after a change ([output] variation). */
#ifndef JOB_REPORT_VARIATION_H
#define JOB_REPORT_VARIATION_H

#include "job/replay_session.h"
#include "report/replay_report.h"

/* Collective. Sets the `variations` of a report, if the configuration wants them, by the model
 * (job/variation_costs.h); their memory is the arena's. With [memory LABEL] there are none, because
 * the computation is then not what the recording says. Fails only if out of memory. */
enum status report_variation_find(const struct replay_session *session, struct arena *arena,
                                  struct replay_report *report, struct error *error);

#endif
