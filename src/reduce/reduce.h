/* Makes smaller traces that give the same predictions (doc/methods.md, section 10): communication
 * that no declared assumption can influence is folded into computation.
 *
 *   rules/      assumptions and the condition of folding, which the tracer shares
 *   solve.h     solves the model's equations under all assumptions at once
 *   folding.h   finds the messages and collective operations that fold
 *   rows.h      finds the rows that are left out then
 *   reduce.h    makes the reduced trace */
#ifndef REDUCTION_REDUCE_H
#define REDUCTION_REDUCE_H

#include "reduce/folding.h"

struct reduction_counts {
    int64_t events, events_left; /* of all locations */
    int64_t messages, messages_left;
    int64_t operations, operations_left; /* members' parts in collective operations */
};

/* Collective. Makes a copy of the matched trace without the folded communication; the rows that
 * stay keep their times. The copy is matched and is a recording; it uses the trace's definitions,
 * so the trace must outlive it. Under the assumptions of `input` the model predicts the same end of
 * every rank from both traces, if it uses `*machine`, the parameters with which the folding was
 * found. */
enum status reduction_make(const struct trace *trace, const struct folding_input *input,
                           struct trace **reduced, struct machine *machine,
                           struct reduction_counts *counts, struct error *error);

#endif
