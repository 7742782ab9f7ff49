/* The model engine: computes what would happen, without running it (doc/methods.md, section 4). */
#ifndef REPLAY_MODEL_MODEL_H
#define REPLAY_MODEL_MODEL_H

#include "replay/engine.h"
#include "replay/model/evaluate.h"
#include "replay/model/compile.h"

extern const struct engine engine_model;

struct model_options {
    int absolute;        /* not 0: costs by the machine's parameters instead of recorded costs */
    const char *machine; /* path of a machine file, NULL: parameters from the recording */
    bool untimed;    /* calls have no times yet (a trace that nobody has recorded), so nothing about
                        the machine is found out from them */
    bool modes_only; /* for an ideal network: of the recording only which sends wait for their
                        receives is found out; MPI_Finalize costs nothing then */
    const struct sharing *sharing; /* not NULL: computation shares bandwidth (share.h); outlives the
                                      model */
    bool parametric; /* also compute how the outcome depends on the latency (parametric.h) */
};

/* The state that engine_model.prepare makes. */
struct model {
    const struct trace *trace;
    struct model_options options;
    double poll_gap_s;
    struct recorded recorded; /* what calls cost in the recording; all zero if it was taken over */
    struct model_part part;   /* of the owned ranks; its steps are in `equations` */
    struct equations equations;  /* complete on process 0 */
    struct evaluator *evaluator; /* on process 0; NULL elsewhere */
    enum distance varied; /* the distance whose latency the growth is about; DISTANCE_COUNT: none */
    double latency_s;     /* that latency, unchanged */
};

/* Collective. Describes the call with STEP_END `end` (known on process 0), as trace_describe_event
 * does, in `text` on process 0. */
enum status model_describe_end(const struct model *model, size_t end, char *text, size_t size,
                               struct error *error);

/* Collective. On process 0: the call path of each STEP_END (free it); NULL elsewhere. */
enum status model_paths_of_ends(const struct model *model, uint32_t **paths, struct error *error);

#endif
