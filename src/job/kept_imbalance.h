/* What a balanced program may keep of the differences between its ranks. */
#ifndef JOB_KEPT_IMBALANCE_H
#define JOB_KEPT_IMBALANCE_H

#include "job/replay_session.h"

/* Collective. A [balance] of visits (mode = instance) also removes what differs by chance from
 * visit to visit, such as noise. A program that is really balanced keeps it. So this balances each
 * rank as a whole instead (mode = global), which keeps all differences between visits. `*part` is
 * the difference of both predictions by the model, as a part of the unchanged T; 0 if there is no
 * such hypothesis or no such prediction. A note says it where it matters. Fails only if out of
 * memory. */
enum status kept_imbalance_find(const struct replay_session *session, double *part,
                                struct error *error);

#endif
