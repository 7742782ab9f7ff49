/* Compiles the calls of a trace and their costs into equations (equations/equations.h). */
#ifndef REPLAY_MODEL_COMPILE_H
#define REPLAY_MODEL_COMPILE_H

#include "equations/equations.h"
#include "replay/model/call_term.h"
#include "replay/costs/pieces.h"
#include "replay/costs/recorded.h"

/* What assumptions may change directly, for the solver of the reduction (reduce/solve.h). */
struct part_assumed {
    const bool *paths; /* [call path, then one for outside all]: computation there may take any time
                        */
    bool *const *messages;    /* [owned stream][message]: may be removed or changed; NULL: none */
    bool *const *collectives; /* [owned stream][collective]: the same */
};

struct part_input {
    const struct trace *trace;       /* transformed, or the recording itself */
    const struct layout *layout;     /* of `trace` */
    const struct recorded *recorded; /* the costs of its calls in the recording */
    const struct platform *platform; /* the platform to run on */
    bool absolute; /* costs by the platform's parameters alone; otherwise recorded costs, adjusted
                      by the change of the parameters */
    bool ideal;    /* calls cost nothing at all */
    enum distance varied; /* growth is wanted, with the latency of this distance; DISTANCE_COUNT: it
                             is not wanted */
    const struct part_assumed
        *assumed;                  /* not NULL: adds STEP_FREEs, and a STEP_END for each call */
    bool flows;                    /* messages share the platform's links (flows.h) */
    const struct sharing *sharing; /* not NULL: adds a STEP_SHARED for each piece */
    bool explains;                 /* wants costs and terms, and a STEP_END for each call */
    bool same_rows;                /* `trace` is the recording itself */
    double poll_gap_s;
    uint8_t algorithms[COLLECTIVE_OP_COUNT]; /* enum algorithm */
};

/* Where the time of a step comes from. Of a STEP_POST: base + the terms, of which those of a
 * message that is sent exist. Of a STEP_END: the call costs base + the terms, at least 0. */
struct step_cost {
    int64_t base;   /* ticks; of a STEP_POST the time of its row */
    size_t first;   /* of the terms */
    uint32_t count; /* of the terms */
};

/* The rows of a call that ends with a STEP_END. */
struct call_span {
    uint32_t enter, leave;
};

/* The owned ranks' part of a program. */
struct model_part {
    ARRAY(struct step) steps;
    bool has_growth;
    ARRAY(struct growth) growth;   /* one for each step */
    ARRAY(struct step_cost) costs; /* one for each step; only if explained */
    ARRAY(struct call_term) terms;
    ARRAY(struct call_span) spans; /* one for each STEP_END */
    size_t *step_counts;           /* [owned rank] */
    size_t *span_counts;
    int64_t *last_event; /* [owned rank] */
};

/* Not collective. `part` must be all zero. Fails only if out of memory; `part` is all zero again
 * then. */
enum status part_compile(const struct part_input *input, struct model_part *part,
                         struct error *error);
void part_clear(struct model_part *part); /* all zero is allowed */

/* Process 0 evaluates the steps of all ranks, so the outcome does not depend on the number of
 * processes. */

/* Collective. Moves the steps of all processes' parts into `equations` on process 0. On all others
 * `equations` has no steps. */
enum status equations_join(struct model_part *part, const struct layout *layout,
                           struct equations *equations, struct error *error);
void equations_clear_steps(struct equations *equations);

/* Collective. Process 0 sends `ends`, one for each span of all ranks, in order, to the owners of
 * the ranks. They get theirs as `*own` (free it). */
enum status ends_return(const struct trace *trace, const struct equations *equations,
                        const int64_t *ends, int64_t **own, struct error *error);

#endif
