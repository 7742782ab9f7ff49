/* Compiles the calls of a trace and their costs into steps. */
#ifndef REPLAY_MODEL_COMPILE_H
#define REPLAY_MODEL_COMPILE_H

#include "equations/equations.h"
#include "replay/model/collective_cost.h"
#include "replay/costs/pieces.h"
#include "replay/costs/recorded.h"

/* What assumptions may change directly; the symbolic solver of the reduction wants to know it. */
struct part_assumed {
    const bool *paths;        /* [call path]: computation there may take any other time */
    bool *const *messages;    /* [owned stream][message]: may be removed or changed; NULL: none */
    bool *const *collectives; /* [owned stream][collective]: the same */
};

struct part_input {
    const struct trace *trace;       /* transformed, or the recording itself */
    const struct layout *layout;     /* of `trace` */
    const struct recorded *recorded; /* its calls' costs in the recording */
    const struct platform *platform; /* the platform to run on */
    bool absolute; /* costs by the platform's parameters alone; otherwise recorded costs, adjusted
                      by the change of the parameters */
    bool ideal;    /* calls cost nothing at all */
    enum distance
        varied; /* growth is wanted, by the latency of this distance; DISTANCE_COUNT: not wanted */
    const struct part_assumed
        *assumed;                  /* not NULL: adds STEP_FREEs, and a STEP_END for each call */
    const struct sharing *sharing; /* not NULL: adds a STEP_SHARED for each piece */
    bool same_rows;                /* `trace` is the recording itself */
    double poll_gap_s;
    uint8_t algorithms[COLLECTIVE_OP_COUNT]; /* enum algorithm */
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
    ARRAY(struct call_span) spans; /* one for each STEP_END */
    size_t *step_counts;           /* [owned rank] */
    size_t *span_counts;
    int64_t *last_event; /* [owned rank] */
};

/* Not collective. Fails only for lack of memory. `part` is all zero before. */
enum status part_compile(const struct part_input *input, struct model_part *part,
                         struct error *error);
void part_clear(struct model_part *part);

/* Gathers all ranks' steps at process 0, where they are evaluated, and returns the outcome to the
 * owners. So the outcome cannot depend on the number of processes. */

/* Collective. Moves the parts' steps into `equations`, which is complete on process 0 and without
 * steps elsewhere. */
enum status equations_join(struct model_part *part, const struct layout *layout,
                           struct equations *equations, struct error *error);
void equations_clear_steps(struct equations *equations);

/* Collective. Sends `ends` (process 0: one for each span of all ranks, in order) to the owners,
 * which get their own as `*own` (free it). */
enum status ends_return(const struct trace *trace, const struct equations *equations,
                        const int64_t *ends, int64_t **own, struct error *error);

#endif
