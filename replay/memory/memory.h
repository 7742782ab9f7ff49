/* Memory bandwidth that ranks share (doc/methods.md, section 14; doc/config.md, [memory]).
 *
 * Computation that is bound by memory takes longer while other ranks of its memory domain compute.
 * A change of a program also changes which ranks compute at the same time, and so the recorded
 * lengths. Therefore
 *
 *   1. the lengths that pieces of such computation would have without other ranks are derived from
 *      the recording,
 *   2. the hypotheses change a trace with these lengths,
 *   3. the model predicts how long each piece takes in the changed trace.
 *
 * config.h reads which computation needs how much of the bandwidth; estimate.h finds from a
 * recording how much it needs. */
#ifndef REPLAY_MEMORY_MEMORY_H
#define REPLAY_MEMORY_MEMORY_H

#include "replay/engine.h"
#include "replay/memory/config.h"
#include "replay/memory/share_study.h"
#include "transform/hypothesis.h"

/* A section [memory LABEL] for a recording. */
struct memory_class {
    const struct ini_section *section;
    double share;                   /* of a domain's bandwidth that one rank needs, 0 to 1 */
    bool estimated;                 /* from recordings, with this */
    struct share_estimate estimate; /* otherwise all zero */
};

/* The sharing of bandwidth in one recording. */
struct memory {
    const struct memory_class *classes;
    size_t class_count;
    /* T of the last changed trace, by the model: if the bandwidth is shared, and if all computation
     * takes as long as without other ranks. Zero before memory_apply. */
    double shared_s, unshared_s;
};

/* Collective. Applies the configuration to a recording, which is matched and outlives `*memory`.
 * Estimates the shares that the configuration leaves open; fails if a recording does not show them.
 * On failure nothing is left to free. */
enum status memory_open(const struct memory_config *config, const struct trace *recording,
                        struct memory **memory, struct error *error);
void memory_close(struct memory *memory); /* NULL is allowed */

/* Collective. As hypotheses_apply, but the length of computation that shares bandwidth is
 * computed for the computation of other ranks at the same time after the change. A piece keeps its
 * recorded length if after the change the same computation of other ranks is simultaneous. `setup`
 * is that of the model engine. */
enum status memory_apply(struct memory *memory, const struct hypothesis *hypotheses, size_t count,
                         const struct engine_setup *setup, struct trace **changed,
                         struct hypothesis_outcome *outcomes, struct error *error);

/* Writes one line about a class, cut off at `size`: "sweep: share 0.840 of the bandwidth (0.830 ..
 * 0.850), estimated from ...". */
void memory_class_describe(const struct memory_class *class, char *text, size_t size);

#endif
