/* What variation of the computation costs a recording, as factors of POP's kind. */
#ifndef PROGRAMS_POP_VARIATION_H
#define PROGRAMS_POP_VARIATION_H

#include "results/efficiency/recording.h"

/* Collective. By the model: the factors of a run without differences between ranks, between
 * iterations of a rank, without noise, and without each of the slowest ranks and hosts
 * ([variation], doc/config.md). T of the run is `time_s`; only rank 0 uses it. The factors are NAN
 * where the model cannot compute them, as in a trace that was reduced without assuming this. The
 * list of slow parts belongs to the arena. The trace must be matched. Fails only if out of
 * memory. */
enum status pop_variation_find(const struct trace *trace, double time_s, struct arena *arena,
                               struct pop_variation *variation, struct error *error);

#endif
