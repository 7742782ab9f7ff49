/* What variation of the computation costs a recording, as factors of POP's kind. */
#ifndef PROGRAMS_POP_VARIATION_H
#define PROGRAMS_POP_VARIATION_H

#include "results/efficiency/recording.h"

/* Collective. By how many seconds the run would be shorter, by the model: without differences
 * between ranks, between iterations of a rank, and without noise ([variation], doc/config.md). NAN
 * where the model cannot compute it, as in a trace that was reduced without assuming this. The
 * trace must be matched. Fails only if out of memory. */
enum status pop_variation_save(const struct trace *trace, struct pop_variation *saved_s,
                               struct error *error);

/* The factors of a run that takes `time_s`. */
struct pop_variation pop_variation_factors(const struct pop_variation *saved_s, double time_s);

#endif
