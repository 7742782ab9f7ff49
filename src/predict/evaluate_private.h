/* The state of an evaluation, shared by its files. */
#ifndef PREDICTION_EVALUATE_PRIVATE_H
#define PREDICTION_EVALUATE_PRIVATE_H

#include "base/array.h"
#include "predict/evaluate.h"
#include "predict/grid.h"
#include "trace/build/trace_builder.h"

enum {
    DEPTH_MOST = 200,        /* nested calls of parts or procedures */
    STACK_MOST = 4 << 20,    /* bytes of the process's stack for them, of usually 8 MiB: between two
                                calls are up to 1000 levels of statements and expressions */
    STATEMENTS_PER_EVENT = 4 /* statements that may be followed for each event of the limit */
};

/* Values this close to a whole number are meant to be one; doubles have whole numbers up to 2^53.
 */
#define WHOLE_TOLERANCE 1e-6
#define LARGEST_WHOLE   9007199254740992.0

/* A declared communicator: one of the trace for each colour, or for each parent. */
struct comm_places {
    uint32_t *part; /* [world rank]: index in `parts`; INDEX_NONE: not a member */
    uint32_t *rank; /* [world rank]: its rank there */
    ARRAY(struct evaluated_comm) parts; /* the communicators of the trace, ascending numbers */
};

/* A communicator of the trace. */
struct evaluated_comm {
    uint32_t number, size, parent; /* the builder's numbers */
    struct cartesian_grid grid;    /* count 0: none */
};

/* An open request of the current rank. */
struct evaluated_request {
    uint32_t name;    /* number in the script */
    uint32_t request; /* the builder's; INDEX_NONE: MPI_REQUEST_NULL */
    struct script_position place;
};

/* Measured seconds of one region on one rank of a recording. */
struct measured_seconds {
    uint32_t measurement, rank;
    double seconds;
    double *lengths; /* [visits], of sampled ones */
    uint64_t visits;
};

/* What a procedure took when it was called last; for procedures that are constant. */
struct remembered {
    bool known;
    double *arguments;
    double seconds;
};

struct script_evaluator {
    const struct evaluation *input;
    const struct model_script *script;
    struct processes *processes;
    struct trace_builder *builder;
    struct arena *arena;
    struct error *error;
    enum status status; /* the first failure; everything then stops */

    double *params;            /* [global]: values that --set gives; NAN: none */
    double *globals;           /* [global], for the current rank */
    double **tables;           /* [table][item] */
    struct comm_places *comms; /* [comm] */
    ARRAY(struct measured_seconds) measured;
    bool measuring; /* regions are not measured yet */

    uint32_t rank;                 /* the current one */
    double peer;                   /* of counts */
    uint64_t random;               /* state of the rank's stream */
    uint64_t *case_visits;         /* [case], by the current rank, in parts */
    uint64_t *turns;               /* [in_turn], evaluations by the current rank */
    struct remembered *remembered; /* [procedure] */
    ARRAY(struct evaluated_request) open;
    uint64_t *counts[2]; /* [members] */
    uint32_t counts_room;
    double *stack; /* variables of the parts and procedures that call each other, */
    size_t stack_used, stack_room, frame; /* those of the current one from `frame` on */
    uint32_t depth, part_depth;           /* nested calls of procedures, of parts */
    const char *stack_bottom;             /* of the process */
    bool locates;                         /* looking for the statement that makes event `wanted` */
    uint64_t wanted;
    struct script_position found; /* line 0: not yet */
    uint64_t events, statements;  /* of this process so far; of the ranks before for events */
};

/* Sets the evaluation's failure, "FILE:LINE:COLUMN: text, on rank R", unless it has failed already.
 */
void evaluation_fail(struct script_evaluator *e, struct script_position place, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
void evaluation_out_of_memory(struct script_evaluator *e);
/* Whether a call may be nested in `depth` others; fails otherwise. `what`: "procedures". */
bool evaluation_may_call(struct script_evaluator *e, uint32_t depth, struct script_position place,
                         const char *what);

/* The value; 0 after a failure. Never NAN or infinite. */
double evaluate(struct script_evaluator *e, const struct expression *expression);
/* The value as a whole number from `least` on; fails with "`what` is ..., expected a whole number".
 */
int64_t evaluate_whole(struct script_evaluator *e, const struct expression *expression,
                       const char *what, int64_t least);
/* The value as bytes: rounded to the nearest whole number. */
uint64_t evaluate_bytes(struct script_evaluator *e, const struct expression *expression);
/* The value as seconds, not negative. */
double evaluate_seconds(struct script_evaluator *e, const struct expression *expression);

/* The rank in its recording that a measurement needs, as the current rank sees it. */
uint32_t evaluate_measured_rank(struct script_evaluator *e, uint32_t measurement);

/* The items of a table, computed at its first use: lets may use tables, and tables lets. */
const double *evaluate_table(struct script_evaluator *e, uint32_t number);

/* The seconds that procedure `index` takes with these arguments. */
double evaluate_procedure(struct script_evaluator *e, uint32_t index,
                          const struct expression *const *arguments, struct script_position place);
/* The next number of the rank's stream, from 0 to below 1. */
double evaluate_random(struct script_evaluator *e);

/* A variable of the current part or procedure; valid until the next call. */
static inline double *local_variable(const struct script_evaluator *e, uint32_t slot)
{
    return &e->stack[e->frame + slot];
}

/* The part of declared communicator `comm` that the current rank is in; NULL: none. */
static inline const struct evaluated_comm *comm_part_of(const struct script_evaluator *e,
                                                        uint32_t comm)
{
    const struct comm_places *places = &e->comms[comm];
    uint32_t part = places->part[e->rank];
    return part != INDEX_NONE ? &places->parts.items[part] : NULL;
}

/* What a statement of a part becomes, other than a variable, a branch, a loop, a region or the call
 * of a part. */
void evaluate_step(struct script_evaluator *e, const struct statement *step);

/* Makes communicator `comm`; those before it are made. Evaluates its expressions for each rank by
 * `set_rank`, which leaves the evaluator at another rank. */
void evaluate_comm(struct script_evaluator *e, uint32_t comm);

/* Makes `rank` current: values of the globals that stand before `before` in the script (NULL: all).
 */
void evaluate_set_rank(struct script_evaluator *e, uint32_t rank,
                       const struct script_position *before);

/* Follows part `main` on the current rank, of which the builder has begun. */
void evaluate_main(struct script_evaluator *e);

#endif
