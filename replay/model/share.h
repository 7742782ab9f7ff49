/* The lengths of computation that shares memory bandwidth (fluid.h), for a whole trace. Process 0
 * computes them for all processes, so the outcome does not depend on the number of processes. */
#ifndef REPLAY_MODEL_SHARE_H
#define REPLAY_MODEL_SHARE_H

#include "replay/costs/pieces.h"
#include "replay/model/fluid.h"
#include "replay/model/model.h"

/* The pieces of the owned ranks, rank after rank. */
struct shared_pieces {
    struct fluid_piece *pieces; /* `begin` counts from the trace's first time stamp on */
    size_t *first;              /* [owned_count + 1] */
};

/* Collective. Finds the pieces of a trace. `work` is their length until it is set. After
 * a failure nothing is left to free. */
enum status shared_pieces_make(const struct trace *trace, const struct sharing *sharing,
                               struct shared_pieces *pieces, struct error *error);
void shared_pieces_clear(struct shared_pieces *pieces);

/* Collective. Sets `work` of all pieces of a recording: their lengths without other ranks. */
enum status shared_pieces_find_work(const struct trace *trace, const struct sharing *sharing,
                                    struct shared_pieces *pieces, struct error *error);

/* Collective. Predicts lengths[owned piece] of the model's trace, and T (`*time_s`). The model must
 * have been prepared with the option `sharing`. */
enum status model_share(const struct model *model, const struct shared_pieces *pieces,
                        int64_t *lengths, double *time_s, struct error *error);

#endif
