/* Memory bandwidth that ranks share (doc/methods.md, section 14; doc/config.md, [memory]).
 *
 * A change of a program also changes who computes at the same time as whom. Where computation is
 * bound by memory, it takes longer beside others: the recorded lengths do not simply stay. So
 *
 *   work.c      what each piece of such computation would have taken alone, from the recording,
 *   hypotheses  change the trace with these lengths,
 *   memory.c    how long each piece takes beside the others in the changed trace, by the model.
 *
 * estimate.c finds from a recording how much of the bandwidth a class of computation needs. */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include "base/ini.h"
#include "replay/engine.h"
#include "transform/hypothesis.h"

/* The sections [memory LABEL] of a configuration. */
struct memory_config;

/* `*config` is NULL if the file has no such section. It belongs to the ini's arena. */
enum status memory_config_read(const struct ini *ini, struct memory_config **config,
                               struct error *error);

/* What one section says about a recording. */
struct memory_class {
    const struct ini_section *section;
    double share;             /* of a domain's bandwidth that one rank needs, 0 to 1 */
    bool estimated;           /* from recordings; then also: */
    double low, high;         /* where the share lies with 95 % confidence */
    uint64_t visits;          /* of the section's regions, that it was estimated from */
    double apart, apart_left; /* how far the durations of like visits are apart, as recorded, and
                                 once sharing is taken out; relative */
};

/* The sharing of bandwidth in one recording. */
struct memory {
    const struct memory_class *classes;
    size_t class_count;
    /* T of the last changed trace, by the model: if the bandwidth is shared, and if all computation
     * keeps its pace. Zero before memory_apply. */
    double shared_s, unshared_s;
};

/* Collective. Finds out what the configuration means for a recording, which is matched and outlives
 * `*memory`. Estimates the shares that the configuration leaves open. Fails if a recording does not
 * tell them. The caller closes `*memory`. */
enum status memory_open(const struct memory_config *config, const struct trace *recording,
                        struct memory **memory, struct error *error);
void memory_close(struct memory *memory); /* NULL is allowed */

/* Collective. Like hypotheses_apply, but computation that shares bandwidth takes as long as it does
 * beside the others after the change. What the change does not reach keeps its recorded length.
 * `setup` is that of the model engine. */
enum status memory_apply(struct memory *memory, const struct hypothesis *hypotheses, size_t count,
                         const struct engine_setup *setup, struct trace **changed,
                         struct hypothesis_outcome *outcomes, struct error *error);

/* One line about a class, cut off at `size`: "sweep: share 0.84 (0.83 .. 0.85), found from ...". */
void memory_class_describe(const struct memory_class *class, char *text, size_t size);

#endif
