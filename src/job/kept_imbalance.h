/* What a balanced program may keep of the differences between its ranks. */
#ifndef JOB_KEPT_IMBALANCE_H
#define JOB_KEPT_IMBALANCE_H

#include "job/replay_session.h"

/* Collective. A [balance] of visits (mode = instance) also removes differences between visits that
 * are due to chance, such as noise. A program that is really balanced keeps them. So this function
 * also predicts the balance of each rank as a whole (mode = global), which keeps all differences
 * between visits. `*part` is T of this prediction minus T of the former one, both by the model, as
 * a part of the unchanged T; 0 if there is no such hypothesis, or if the model cannot compute it.
 * If `*part` matters, a note states both savings. Fails only if out of memory. */
enum status kept_imbalance_find(const struct replay_session *session, double *part,
                                struct error *error);

#endif
