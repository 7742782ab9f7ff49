/* Traces that are smaller and answer the same (doc/methods.md, section 10): what no declared
 * assumption can influence is folded into computation.
 *
 *   solve.h     the model's equations under all assumptions at once
 *   folding.h   which messages and collective operations fold
 *   rows.h      which rows go then
 *   reduce.h    the reduced trace */
#ifndef REDUCTION_REDUCE_H
#define REDUCTION_REDUCE_H

#include "reduce/folding.h"

struct reduction_counts {
    int64_t events, events_left; /* of all locations */
    int64_t messages, messages_left;
    int64_t operations, operations_left; /* members' parts in collective operations */
};

/* Collective. Makes a copy of the matched trace without what folds: rows that stay keep their
 * times. The copy is matched, and a recording of its own; its definitions are the trace's, which
 * must outlive it. Under the assumptions of `input` the model predicts the same end of every rank
 * from both, if it uses `*machine`, the parameters that the folding was found with. */
enum status reduction_make(const struct trace *trace, const struct folding_input *input,
                           struct trace **reduced, struct machine *machine,
                           struct reduction_counts *counts, struct error *error);

#endif
