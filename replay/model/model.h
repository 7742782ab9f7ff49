/* The model engine predicts by computation alone (doc/methods.md, section 4). The costs of calls
 * are in costs/. The files are
 *
 *   call_term.c         what a message or an operation costs, as a function of the network
 *   collective_cost.c   what the algorithms of collective operations cost
 *   compile.c           from calls and costs to equations (equations/equations.h)
 *   join.c              gathers the steps of all ranks at process 0, returns the outcome
 *   evaluate.c          solves the equations with times, with several threads if that is faster
 *   parametric.c        ... with times as functions of the latency
 *   fluid.c, share.c    ... where computation shares the bandwidth of memory
 *   flows.c             delays of messages that share links, by link_network.c
 *   critical.c          critical path, and T without some waits
 *   domino.c            waits whose removal shortens the run
 *   model.c             the engine */
#ifndef REPLAY_MODEL_MODEL_H
#define REPLAY_MODEL_MODEL_H

#include "replay/engine.h"
#include "replay/model/evaluate.h"
#include "replay/model/compile.h"

extern const struct engine engine_model;

struct model_options {
    int absolute;        /* not 0: costs by the machine's parameters instead of recorded costs */
    const char *machine; /* path of a machine file, NULL: parameters from the recording */
    bool untimed;    /* the trace is not recorded: its calls have no times, from which parameters of
                        the machine could be fitted */
    bool modes_only; /* for an ideal network: only finds which sends of the recording wait for their
                        receives. MPI_Finalize costs nothing then */
    const struct sharing *sharing; /* not NULL: computation shares bandwidth (share.h); outlives the
                                      model */
    bool parametric; /* also compute how the outcome depends on the latency (parametric.h) */
};

/* The state that engine_model.prepare makes. */
struct model {
    const struct trace *trace;
    struct model_options options;
    double poll_gap_s;
    struct recorded recorded;    /* the costs of calls in the recording; all zero if those of the
                                    unchanged trace's model are used */
    struct model_part part;      /* of the owned ranks; its steps are in `equations` */
    struct equations equations;  /* complete on process 0 */
    struct evaluator *evaluator; /* on process 0; NULL elsewhere */
    enum distance varied; /* growth is with the latency of this distance; DISTANCE_COUNT: none */
    double latency_s;     /* that latency, unchanged */
};

/* Collective. Compiles the trace of a model that has costs of its own again, with all costs
 * explained (struct step_cost), into `part`, which is all zero. Clear `part` and `layout`
 * afterwards; after a failure, which is lack of memory, there is nothing to clear. */
enum status model_explain(const struct model *model, struct model_part *part, struct layout *layout,
                          struct error *error);

/* Collective. Describes the call with STEP_END `end` (known on process 0), as trace_describe_event
 * does, in `text` on process 0. */
enum status model_describe_end(const struct model *model, size_t end, char *text, size_t size,
                               struct error *error);

/* Where a call is. */
struct model_place {
    uint32_t rank, path; /* CALLPATH_NONE: outside all regions */
    uint32_t visit;      /* the call is the n-th visit of the call path on its rank, from 1 */
};

/* Collective. The place of the call with STEP_END `end` (known on process 0), on all processes. */
void model_place_end(const struct model *model, size_t end, struct model_place *place);

/* Collective. On process 0: the call path of each STEP_END (free it); NULL elsewhere. */
enum status model_paths_of_ends(const struct model *model, uint32_t **paths, struct error *error);

#endif
