/* A model script after reading: a program with every name resolved (doc/predict.md describes the
 * language). `language/` reads it, evaluate.h executes it.
 *
 * A script has two layers, as CHIP3S does (Kerbyson et al., Is predictive tracing too late for HPC
 * users?, 1999): procedures compute and have a length in seconds; parts, of which `main` is one,
 * consist of steps, which become events of the trace. */
#ifndef PREDICTION_SCRIPT_H
#define PREDICTION_SCRIPT_H

#include "base/arena.h"
#include "base/mpi_call.h"
#include "base/status.h"
#include "replay/costs/operation.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* Where something stands in the script; lines and columns count from 1. */
struct script_position {
    uint32_t line, column;
};

/* X(identifier, name in scripts, arguments): functions of numbers. */
#define SCRIPT_FUNCTIONS(X)                                                            \
    X(MIN, "min", 2)                                                                   \
    X(MAX, "max", 2)                                                                   \
    X(ABS, "abs", 1)                                                                   \
    X(FLOOR, "floor", 1)                                                               \
    X(CEIL, "ceil", 1)                                                                 \
    X(ROUND, "round", 1)                                                               \
    X(SQRT, "sqrt", 1)                                                                 \
    X(CBRT, "cbrt", 1)                                                                 \
    X(EXP, "exp", 1)                                                                   \
    X(LOG, "log", 1)                                                                   \
    X(LOG2, "log2", 1)                                                                 \
    X(XOR, "xor", 2)                                                                   \
    X(DIMS, "dims", 3)     /* dims(count, dimensions, index): grid_extent of grid.h */ \
    X(RANDOM, "random", 0) /* from 0 to below 1; seeded, a stream for each rank */

enum script_function {
#define X(identifier, name, arguments) FUNCTION_##identifier,
    SCRIPT_FUNCTIONS(X)
#undef X
        FUNCTION_COUNT
};

/* Values are doubles, so whole numbers up to 2^53 are exact. Truth: 0 is false, all else true;
 * operators yield 0 or 1. */
enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_LOCAL,     /* a variable of the part or procedure: its slot in the frame */
    EXPRESSION_GLOBAL,    /* a param or let of the script: its number */
    EXPRESSION_RANK,      /* the rank in communicator `index` (world: 0); -1: not a member */
    EXPRESSION_SIZE,      /* members of communicator `index`, as this rank sees it */
    EXPRESSION_PEER,      /* `peer`: the other member, in sizes of v-collectives */
    EXPRESSION_TABLE,     /* item arguments[0] of table `index`, from 0 */
    EXPRESSION_IN_TURN,   /* in_turn(TABLE, first, count): items arguments[0], + 1, ... of table
                             `index` one after the other, arguments[1] of them, again and again:
                             the next one each time that a rank evaluates it */
    EXPRESSION_COORD,     /* coord(GRID, dimension): this rank's coordinate in the grid `index` */
    EXPRESSION_SHIFT,     /* shift(GRID, dimension, distance): the rank in the grid of the neighbour
                             at this distance; -1: there is none */
    EXPRESSION_FUNCTION,  /* `index`: enum script_function */
    EXPRESSION_PROCEDURE, /* seconds that procedure `index` takes with these arguments */
    EXPRESSION_VECTOR,    /* seconds of a resource vector: { flop_add: 3 * n, load_l1: n } */
    EXPRESSION_MEASURED,  /* seconds of measurement `index` (struct script_measurement), */
    EXPRESSION_SAMPLED,   /* of one of its visits, drawn at random at each evaluation */
    EXPRESSION_NEGATE,
    EXPRESSION_NOT,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_FLOOR_DIVIDE, /* a // b: the largest whole number not above a / b */
    EXPRESSION_MODULO,       /* a - b * (a // b): has b's sign */
    EXPRESSION_POWER,
    EXPRESSION_EQUAL,
    EXPRESSION_UNEQUAL,
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_AND, /* evaluates its second operand only if needed, as OR and CHOICE do */
    EXPRESSION_OR,
    EXPRESSION_CHOICE, /* arguments[0] ? arguments[1] : arguments[2] */
};

/* What an argument of a resource vector is. */
enum amount_kind {
    AMOUNT_OPERATION, /* how many of enum operation `index` */
    AMOUNT_CHAIN,     /* how many of these are in the chain */
    AMOUNT_OWN,       /* how many of script->operations[index] */
    AMOUNT_FOOTPRINT, /* bytes */
};

struct vector_amount {
    enum amount_kind kind;
    uint32_t index;
};

struct expression {
    uint8_t kind; /* enum expression_kind */
    struct script_position place;
    uint32_t index;                            /* see the kinds */
    uint32_t count;                            /* of the arguments */
    double number;                             /* EXPRESSION_NUMBER; of IN_TURN: which one of the
                                                  script's it is */
    const struct expression *const *arguments; /* operands in order */
    const struct vector_amount *amounts;       /* [count], of EXPRESSION_VECTOR */
};

enum statement_kind {
    /* both layers */
    STATEMENT_LET,  /* slot = value; also an assignment */
    STATEMENT_LOOP, /* for slot = from, from + step, ... up to `to`, whole numbers; or, without a
                       variable (slot NO_SLOT), 1 to `to` */
    STATEMENT_IF,   /* branches[0] if value is true, else branches[1] (may be empty) */
    STATEMENT_CASE, /* branch i with probability chances[i]; none with the rest. In a part all
                       ranks take the same branch at their k-th visit */
    STATEMENT_CALL, /* a part from a part, a procedure from a procedure */
    /* procedures */
    STATEMENT_COMPUTE, /* `value` seconds */
    /* parts */
    STATEMENT_CPU,        /* compute for `value` seconds */
    STATEMENT_REGION,     /* branches[0] within region `index` */
    STATEMENT_MESSAGE,    /* send, receive, sendrecv and their nonblocking forms */
    STATEMENT_COLLECTIVE, /* any collective operation, blocking or not */
    STATEMENT_WAIT,       /* for the requests named (none: for all open ones), by one call */
    STATEMENT_CREATE,     /* communicator `index`: the call that makes it */
    STATEMENT_FREE,
    STATEMENT_FILE, /* read or write `value` bytes of a file */
};

#define NO_SLOT UINT32_MAX

struct statement_block {
    const struct statement *const *statements;
    uint32_t count;
};

/* One end of a message. A negative peer is MPI_PROC_NULL: nothing is sent or received. */
struct message_step {
    const struct expression *bytes, *peer, *tag; /* tag NULL: 0 */
};

struct statement {
    uint8_t kind; /* enum statement_kind */
    struct script_position place;
    uint32_t slot;  /* LET, LOOP */
    uint32_t index; /* CALL: part or procedure; REGION; CREATE, FREE: communicator; CASE: number
                       of the case in the script */
    const struct expression *value, *from, *to, *step; /* step NULL: 1 */
    const struct expression *const *arguments;         /* CALL, [argument_count] */
    uint32_t argument_count;
    const struct statement_block *branches; /* [branch_count] */
    uint32_t branch_count;
    const struct expression *const *chances; /* CASE, [branch_count] */

    enum mpi_call call; /* MESSAGE, COLLECTIVE, CREATE, FREE: the MPI call that it becomes; for a
                           WAIT that of one or all requests (MPI_Wait, MPI_Waitall, MPI_Waitany) */
    uint32_t comm;      /* MESSAGE, COLLECTIVE */
    struct message_step send, receive; /* MESSAGE; bytes NULL: the call has no such end */
    const struct expression *bytes;    /* COLLECTIVE: of a block, as the MPI call counts it (what
                                          this rank contributes or gets); NULL: MPI_Barrier, and
                                          alltoallv, alltoallw, whose counts say all */
    const struct expression *counts;   /* of v-collectives: bytes to or from member `peer` */
    const struct expression
        *receive_counts;           /* of alltoallv, w: from member `peer`; NULL: as counts */
    const struct expression *root; /* NULL: the operation has none, or 0 */
    uint32_t request;              /* nonblocking: number of the request's name */
    const uint32_t *requests;      /* WAIT: [request_count] numbers of names */
    uint32_t request_count;
    bool writes;      /* FILE */
    const char *file; /* FILE: name, "" if none is given */
};

struct global { /* param NAME = value; let NAME = value; */
    const char *name;
    struct script_position place;
    const struct expression *value; /* may use globals before it */
    bool param;                     /* --set may replace it */
    bool varies;                    /* it depends on the rank, */
    bool late;                      /* or on communicators or measured regions */
};

struct script_table {
    const char *name;
    struct script_position place;
    const struct expression *const *items; /* constant over ranks: may use params, size */
    uint32_t count;
};

enum comm_kind { COMM_WORLD, COMM_SPLIT, COMM_GRID, COMM_SUB, COMM_DUP };

struct comm_declaration { /* number 0: world */
    uint8_t kind;
    const char *name;
    struct script_position place;
    uint32_t parent; /* of SPLIT, GRID, DUP: a communicator; of SUB: a grid */
    const struct expression *color,
        *key; /* SPLIT; of the parent's member; negative: none. key NULL: the order of the parent */
    const struct expression *const
        *dimensions;                       /* GRID: extents; their product is the parent's size */
    const struct expression *const *flags; /* GRID: periodic; SUB: the dimension is kept */
    uint32_t count;                        /* of dimensions */
};

/* measured(TRACE, "region", rank): seconds of computation in one visit, on average (measured.h);
 * sampled(...): in one of the visits. */
struct script_measurement {
    bool sampled;
    uint32_t trace; /* number of the trace */
    const char *region;
    const struct expression *rank; /* in that trace */
    struct script_position place;
};

/* operation NAME; operation NAME = SECONDS; a class of operations that resource vectors count. */
struct script_operation {
    const char *name;
    struct script_position place;
    const struct expression *seconds; /* of one, where the hardware file has no cost; or NULL */
};

struct script_trace { /* trace NAME = "path"; relative to the script */
    const char *name, *path;
    struct script_position place;
};

struct procedure { /* and part */
    const char *name;
    struct script_position place;
    uint32_t parameters; /* in slots 0 .. parameters - 1 */
    uint32_t slots;
    struct statement_block body;
    uint32_t region; /* of a part: the region that it enters; INDEX_NONE: none (main) */
    bool constant; /* of a procedure: without random(), in_turn() and case, so its length depends on
                      arguments, globals and rank only */
};

struct model_script {
    struct arena *arena;    /* owns everything */
    const char *path;       /* of the file, for messages */
    const char *name;       /* of the program */
    const uint32_t *frames; /* regions around the whole program, also MPI_Init and MPI_Finalize, */
    uint32_t frame_count;   /* outermost first */
    bool bare;              /* there are no events of the program itself, only of these regions */
    struct global *globals;
    uint32_t global_count;
    struct script_table *tables;
    uint32_t table_count;
    struct comm_declaration *comms;
    uint32_t comm_count;
    struct script_operation *operations;
    uint32_t operation_count;
    struct script_trace *traces;
    uint32_t trace_count;
    struct script_measurement *measurements;
    uint32_t measurement_count;
    struct procedure *procedures;
    uint32_t procedure_count;
    struct procedure *parts;
    uint32_t part_count, main; /* `main`: number of the part of that name */
    const char **regions;      /* names of regions, each once */
    uint32_t region_count;
    const char **requests; /* names of requests, each once */
    uint32_t request_count;
    uint32_t case_count, turn_count;   /* of cases, of in_turn */
    const struct expression *startup;  /* seconds in MPI_Init; NULL: 0 */
    const struct expression *shutdown; /* seconds after MPI_Finalize; NULL: 0 */
};

/* Reads a script. Fails with "FILE:LINE:COLUMN: ", the fault, and the expected input or the
 * nearest name. Not collective. The caller destroys `*script`. `language/`. */
enum status script_read(const char *path, struct model_script **script, struct error *error);
void script_destroy(struct model_script *script); /* NULL is allowed */

/* Whether a word has a meaning in the language, as a keyword, a step or a function, so that no
 * variable, region or communicator can have it as its name. */
bool script_is_reserved(const char *word);

/* Fails with "FILE:LINE:COLUMN: ..." and STATUS_INPUT. */
enum status script_error(const struct model_script *script, struct script_position place,
                         struct error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
