/* The state of an evaluation, shared by its files. */
#ifndef PREDICTION_EVALUATE_PRIVATE_H
#define PREDICTION_EVALUATE_PRIVATE_H

#include "base/array.h"
#include "predict/dims.h"
#include "predict/evaluate.h"
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

/* A Cartesian communicator. */
struct grid {
    uint32_t count; /* of dimensions */
    uint32_t extents[DIMS_MOST];
    bool periodic[DIMS_MOST];
};

/* A declared communicator: one of the trace for each colour, or for each parent. */
struct comm_places {
    uint32_t *number; /* [world rank]: the builder's number; INDEX_NONE: not a member */
    uint32_t *rank;   /* [world rank]: its rank there */
    ARRAY(struct comm_part) parts; /* the communicators of the trace, ascending numbers */
};

/* A communicator of the trace. */
struct comm_part {
    uint32_t number, size, parent; /* the builder's numbers */
    struct grid grid;              /* count 0: none */
};

/* An open request of the current rank. */
struct open_request {
    uint32_t name;    /* number in the script */
    uint32_t request; /* the builder's; INDEX_NONE: MPI_REQUEST_NULL */
    struct place place;
};

/* Measured seconds of one region on one rank of a recording. */
struct measured_seconds {
    uint32_t measurement, rank;
    double seconds;
};

/* What a procedure took when it was called last; for procedures that are constant. */
struct remembered {
    bool known;
    double *arguments;
    double seconds;
};

struct evaluator {
    const struct evaluation *input;
    const struct script *script;
    struct processes *processes;
    struct trace_builder *builder;
    struct arena *arena;
    struct error *error;
    enum status status; /* the first failure; everything then stops */

    double *params;            /* [global]: values that --set gives; NAN: none */
    double *globals;           /* [global], for the current rank */
    double **tables;           /* [table][item] */
    struct comm_places *comms; /* [comm] */
    uint32_t comms_known;      /* those before this one are made */
    ARRAY(struct measured_seconds) measured;
    bool measuring; /* regions are not measured yet */

    uint32_t rank;                 /* the current one */
    double peer;                   /* of counts */
    uint64_t random;               /* state of the rank's stream */
    uint64_t *case_visits;         /* [case], by the current rank, in parts */
    struct remembered *remembered; /* [procedure] */
    ARRAY(struct open_request) open;
    uint64_t *counts[2]; /* [members] */
    uint32_t counts_room;
    double *stack; /* frames of variables */
    size_t stack_used, stack_room;
    uint32_t depth, part_depth; /* nested calls of procedures, of parts */
    const char *stack_bottom;   /* of the process */
    bool locates;               /* looking for the statement that makes event `wanted` */
    uint64_t wanted;
    struct place found;          /* line 0: not yet */
    uint64_t events, statements; /* of this process so far; of the ranks before for events */
};

/* Sets the evaluation's failure, "FILE:LINE:COLUMN: text, on rank R", unless it has failed already.
 */
void evaluation_fail(struct evaluator *e, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void evaluation_out_of_memory(struct evaluator *e);
/* Whether a call may be nested in `depth` others; fails otherwise. `what`: "procedures". */
bool evaluation_may_call(struct evaluator *e, uint32_t depth, struct place place, const char *what);

/* Where variables of the current part or procedure are: index in the stack, because that moves. */
struct frame {
    size_t base;
};

/* The value; 0 after a failure. Never NAN or infinite. */
double evaluate(struct evaluator *e, const struct expression *expression, struct frame frame);
/* The value as a whole number from `least` on; fails with "`what` is ..., expected a whole number".
 */
int64_t evaluate_whole(struct evaluator *e, const struct expression *expression, struct frame frame,
                       const char *what, int64_t least);
/* The value as bytes: rounded to the nearest whole number. */
uint64_t evaluate_bytes(struct evaluator *e, const struct expression *expression,
                        struct frame frame);
/* The value as seconds, not negative. */
double evaluate_seconds(struct evaluator *e, const struct expression *expression,
                        struct frame frame);

/* The items of a table, computed at its first use: lets may use tables, and tables lets. */
const double *evaluate_table(struct evaluator *e, uint32_t number);

/* The seconds that procedure `index` takes with these arguments, seen from `frame`. */
double evaluate_procedure(struct evaluator *e, uint32_t index,
                          const struct expression *const *arguments, uint32_t count,
                          struct frame frame, struct place place);
/* The next number of the rank's stream, from 0 to below 1. */
double evaluate_random(struct evaluator *e);
/* A frame of so many variables, all 0. Release in reverse order. */
struct frame frame_open(struct evaluator *e, uint32_t slots);
void frame_close(struct evaluator *e, struct frame frame);
static inline double *frame_variable(const struct evaluator *e, struct frame frame, uint32_t slot)
{
    return &e->stack[frame.base + slot];
}
/* A number from 0 to below 1 that depends on these three alone. */
double evaluate_chance(uint64_t seed, uint64_t a, uint64_t b);
/* The branch of a case that `chance` chooses; NO_SLOT: none. */
uint32_t evaluate_branch(struct evaluator *e, const struct statement *statement, double chance,
                         struct frame frame);

/* Runs `body` for each value of the loop's variable, as long as nothing fails. Returns the sum of
 * what it returns. */
typedef double loop_body(struct evaluator *e, const struct block *block, struct frame frame);
double evaluate_loop(struct evaluator *e, const struct statement *loop, struct frame frame,
                     loop_body *body);
/* Counts a statement; false if the evaluation has failed, or fails because there are too many. */
bool evaluate_goes_on(struct evaluator *e, const struct statement *statement);

/* Makes communicator `comm`; those before it are made. Evaluates its expressions for each rank by
 * `set_rank`, which leaves the evaluator at another rank. */
void evaluate_comm(struct evaluator *e, uint32_t comm);

/* The part of declared communicator `comm` that the current rank is in; NULL: none. */
const struct comm_part *comm_part_of(const struct evaluator *e, uint32_t comm);
/* The current rank's coordinate; -1: not a member. */
int64_t grid_coordinate(const struct grid *grid, uint32_t rank, uint32_t dimension);
/* The rank of the neighbour at a distance; -1: none. */
int64_t grid_shift(const struct grid *grid, uint32_t rank, uint32_t dimension, int64_t distance);

/* Makes `rank` current: values of the globals that stand before `before` in the script (NULL: all).
 */
void evaluate_set_rank(struct evaluator *e, uint32_t rank, const struct place *before);

/* Follows part `main` on the current rank, of which the builder has begun. */
void evaluate_main(struct evaluator *e);

#endif
