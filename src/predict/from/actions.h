/* The ranks of a recording as lists of actions: enter or leave a region, call MPI, each after some
 * computation. Actions with the same call, communicator and tag can be the same step of the
 * program; peers, bytes and computation are its values. */
#ifndef PREDICTION_FROM_ACTIONS_H
#define PREDICTION_FROM_ACTIONS_H

#include "base/array.h"
#include "predict/from/from.h"
#include "trace/trace.h"

enum action_kind {
    ACTION_ENTER,
    ACTION_LEAVE,
    ACTION_MESSAGE,    /* a send, a receive, or both */
    ACTION_COLLECTIVE, /* an operation on a communicator */
    ACTION_WAIT,
    ACTION_CREATE, /* a communicator is made, */
    ACTION_FREE,   /* or freed */
};

#define NO_PEER (-1) /* MPI_PROC_NULL */

/* One end of a message. */
struct action_end {
    bool there;   /* the call has such an end */
    int32_t peer; /* rank in the communicator, or NO_PEER; then bytes and tag are unknown */
    uint32_t tag;
    uint64_t bytes;
};

struct action {
    uint8_t kind;  /* enum action_kind */
    uint16_t call; /* enum mpi_call, as the script has it */
    uint32_t row;  /* of the Enter in the recording, for messages */
    uint32_t region;
    uint32_t comm; /* of the recording; INDEX_NONE if unknown */
    uint32_t made; /* CREATE, FREE: the communicator; INDEX_NONE: none */
    struct action_end send, receive;
    uint64_t bytes;                       /* COLLECTIVE: of a block (collective_block) */
    uint32_t root;                        /* or ROOT_NONE */
    uint32_t send_counts, receive_counts; /* groups of the recording; INDEX_NONE */
    uint32_t first_completed, completed;  /* WAIT: in rank_actions.completed */
    bool posts;                           /* it makes a request */
    double before; /* seconds of computation since the previous action ended */

    /* Set by steps_make, on process 0: */
    uint32_t step;    /* of the program (steps.h) */
    uint32_t request; /* that it posts: number of its name; INDEX_NONE */
    bool left_out;    /* WAIT: no request is open */
    int32_t me;       /* rank in `comm` */
};

/* One rank of a recording. */
struct rank_actions {
    uint32_t rank, recording;
    ARRAY(struct action) list;
    ARRAY(uint32_t) completed; /* by waits: the actions that posted */
    double startup;            /* seconds from the trace's begin to the end of MPI_Init */
    double rest;               /* seconds of computation after the last action, */
    double shutdown;           /* and after all ranks are in MPI_Finalize */
    double finalize;           /* when it enters MPI_Finalize, and */
    double finalized;          /* leaves it: seconds from the trace's begin; 0: it does not */
    int64_t events;            /* of the recording */
    uint32_t opened; /* the first actions: regions that are open in MPI_Init; without MPI_Init, the
                        outermost */
    bool settled;    /* `completed` also has requests without records (steps.h) */
};

/* X(identifier, what the user reads): what a script says in other words than the recording. */
#define FROM_NOTES(X)                                                                           \
    X(WILDCARD, "receives from any source or tag name the recorded ones")                       \
    X(PERSISTENT, "persistent requests are nonblocking sends and receives")                     \
    X(TEST, "tests that succeed are waits; others count as computation")                        \
    X(ANY, "waits for any or some requests complete the oldest")                                \
    X(NAMED, "waits for any or some requests name the recorded ones")                           \
    X(PROBE, "probes are left out; the receives after them wait")                               \
    X(ONE_SIDED, "one-sided operations are left out; fences and windows are barriers")          \
    X(NEIGHBOUR, "neighbourhood collectives are nonblocking messages between the neighbours")   \
    X(FILE, "reads and writes of files count as computation; opening and closing is a barrier") \
    X(UNFINISHED, "requests that no call completes are completed at the end")                   \
    X(BEFORE_INIT, "regions that are open in MPI_Init begin after it")                          \
    X(IDUP, "MPI_Comm_idup is MPI_Comm_dup")

enum from_note {
#define X(identifier, text) FROM_NOTE_##identifier,
    FROM_NOTES(X)
#undef X
        FROM_NOTE_COUNT
};

/* A loaded recording. */
struct recorded_program {
    const struct script_recording *recording;
    struct trace *trace;            /* matched; its definitions are needed to read the actions */
    double time_s;                  /* T, without the cost of tracing that the archive states; */
    double recorded_s;              /* with it */
    struct rank_actions *ranks;     /* [rank_count] on process 0; else NULL */
    int64_t notes[FROM_NOTE_COUNT]; /* how often, over all ranks */
};

/* Collective. Loads and matches the recording. After a failure nothing is left to free. */
enum status recorded_program_load(const struct script_recording *recording,
                                  struct processes *processes, struct recorded_program *program,
                                  struct error *error);

/* Collective. Gathers the actions of all ranks of a loaded recording at process 0. `number`: that
 * of the recording. What a call took beyond the machine at `hardware` counts as computation
 * after it; NULL: it is left out. Fails with STATUS_INPUT, and names rank, event and call path, if
 * a call cannot be expressed in a script: between two groups (intercommunicators). */
enum status recorded_program_read(struct recorded_program *program, uint32_t number,
                                  const char *hardware, struct error *error);

void recorded_program_clear(struct recorded_program *program); /* all zero is allowed */

#endif
