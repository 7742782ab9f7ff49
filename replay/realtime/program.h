/* The real-time engine (doc/methods.md, section 1) turns each rank's events into a flat program
 * before the clock starts: computation of a known length, then an MPI operation with all its
 * arguments. Read the folder in this order:
 *   program.h         programs; compile.c: from events to a program
 *   communicators.c   and collectives.c, buffers.c, rebuilt_types.c, operators.c: the arguments of
 * calls wildcards.c       receives from any source or with any tag placement.c       a core for
 * each rank windows.c         one-sided communication, with compile_windows.c execute.c         the
 * hot loop; operations.c: the MPI calls; watchdog.c ends a stuck replay; executor.c: the state of a
 * run, and times from clock readings threads.c         several ranks of one process, in threads
 *   tuning.c          trial replays
 *   realtime.c        the engine */
#ifndef REPLAY_REALTIME_PROGRAM_H
#define REPLAY_REALTIME_PROGRAM_H

#include "base/array.h"
#include "base/mpi/handles.h"
#include "trace/trace.h"

enum op_code {
    OP_SEND,
    OP_SSEND,
    OP_BSEND,
    OP_RECV,
    OP_MRECV,
    OP_SENDRECV,
    OP_SENDRECV_REPLACE,
    OP_ISEND,
    OP_ISSEND,
    OP_IBSEND,
    OP_SEND_AND_FORGET, /* a Bsend too large to be attached: Isend, Request_free */
    OP_IRECV,
    OP_IMRECV,
    OP_WAIT,
    OP_WAITALL,
    OP_WAITANY,
    OP_WAITSOME,
    OP_TEST,
    OP_TESTALL,
    OP_TESTANY,
    OP_TESTSOME,
    OP_POLL_TEST, /* a loop of tests until the request is complete */
    OP_PROBE,
    OP_IPROBE,
    OP_POLL_PROBE, /* a loop of probes until the message has arrived */
    OP_MPROBE,
    OP_POLL_MPROBE, /* a loop of matched probes, or one that was successful */
    OP_COLLECTIVE,
    OP_ICOLLECTIVE,
    OP_WINDOW, /* one-sided */
    OP_COMM_CREATE,
    OP_CODE_COUNT,
};

/* One end of a message as MPI's calls take it. */
struct transfer {
    MPI_Comm comm;
    MPI_Datatype type;
    char *buffer;
    int count;
    union {
        int peer;
        uint32_t handle; /* OP_MRECV, OP_IMRECV: the probe's */
    };
    int tag;
    uint32_t wildcard; /* with wildcards: 1 + index in program->wildcards; else 0 */
};

/* The message that a receive from any source or with any tag got in the recording. */
struct wildcard {
    int source, tag;
};

struct sendrecv {
    struct transfer send, recv;
};

struct replayed_collective {
    MPI_Comm comm;
    MPI_Datatype type, recv_type; /* `type` also of operations with one type */
    MPI_Op operation;             /* of reductions */
    char *send, *recv;
    MPI_Aint send_lowest, recv_lowest; /* place of the first byte of data in the buffer */
    const int *send_counts, *send_offsets, *recv_counts, *recv_offsets; /* v- and w-variants */
    const MPI_Datatype *types, *recv_types;                             /* w-variants */
    int send_count, recv_count;                /* elements per peer, or in total */
    const MPI_Aint *send_places, *recv_places; /* the same offsets for neighbourhood w-variants */
    int root;                /* as MPI takes it: a rank, MPI_ROOT, MPI_PROC_NULL */
    bool neighbour;          /* `comm` has a topology */
    enum collective_op op;   /* COLLECTIVE_BARRIER also stands for calls not reenacted */
    uint32_t recorded_types; /* those of the record; equal ones lead to equal datatypes */
};

/* Slots of the requests of a wait or test: first those that it found complete in the recording. */
struct request_set {
    const uint32_t *slots;
    uint32_t count, required;
    uint64_t spacing; /* OP_POLL_TEST: ticks from test to test */
};

struct probe {
    MPI_Comm comm;
    int peer, tag;
    uint32_t handle;  /* matched probes: place of the message */
    uint64_t spacing; /* loops: ticks from probe to probe */
};

/* Makes a communicator, which the replay does not use. */
struct comm_call {
    enum mpi_call call;
    MPI_Comm parent;
    MPI_Group group; /* MPI_Comm_create, MPI_Comm_create_group */
    int color, key;  /* MPI_Comm_split; key also: `high` of MPI_Intercomm_merge */
    int size;        /* of the parent */
};

/* A one-sided call. Data move between the buffers here and the beginning of the target's window. */
struct rma_call {
    enum mpi_call call; /* MPI_CALL_WIN_TEST repeats until it succeeds */
    uint32_t window;
    MPI_Comm comm;  /* of the window's members */
    MPI_Aint bytes; /* creation: size of this rank's window */
    char *origin;   /* creation: the window's memory */
    char *result;   /* what the atomic operations fetch */
    MPI_Datatype type, target_type;
    MPI_Op operation;
    MPI_Group group; /* of epochs */
    MPI_Aint place;  /* of the data in the target's window */
    int count, target_count, target, assertion, lock_type;
    uint32_t thread;       /* of the process: its rank among those of the process */
    uint64_t begin, end;   /* in the recording */
    const uint32_t *after; /* [threads]: how many calls of each on this window come before; NULL:
                              only one thread uses the window */
};

enum op_flag {
    OP_BEGINS = 1 << 0, /* wait for the deadline, read the clock, then operate */
    OP_ENDS = 1 << 1,   /* read the clock after the operation */
};

/* A call is one operation that begins and ends; MPI_Startall and the like are several. */
struct op {
    uint64_t compute; /* ticks of the engine's clock from the end of the call before to this one */
    uint8_t code, flags;
    uint8_t reach; /* enum working_set_reach of the computation (tuning.h) */
    uint32_t slot; /* of the request that a nonblocking operation starts */
    union {
        struct transfer transfer;
        const struct sendrecv *sendrecv;
        const struct replayed_collective *collective;
        struct request_set set;
        struct probe probe;
        const struct rma_call *rma;
        const struct comm_call *creation;
    };
};

/* The rows of the stream that the two clock readings of a call belong to. */
struct timed_call {
    uint32_t begin, end;
    uint32_t op;   /* the call's first */
    uint32_t path; /* call path of its region, CALLPATH_NONE for a record outside regions */
    uint64_t lead; /* ticks of the trace from row `begin` to the first reading, */
    uint64_t rest; /* and from the second reading to row `end` */
};

/* The other end of a message whose wait a hypothesis [wait] has removed: this rank's receive gets
 * a message that the rank has sent to itself before the run, and this rank's send goes to a receive
 * that it has posted before the run. */
struct early_end {
    struct transfer transfer; /* to and from this rank, on program->early_comm */
    bool sends;
};

struct replay_program {
    ARRAY(struct early_end) early;
    MPI_Comm early_comm; /* has this process alone; only if `has_early_comm` */
    bool has_early_comm;
    ARRAY(struct op) ops;
    ARRAY(struct timed_call) timed_calls;
    ARRAY(struct wildcard) wildcards;
    uint32_t slot_count;
    uint32_t handle_count; /* of messages between a matched probe and their receive */
    uint32_t set_size;     /* of the largest request set */
    uint64_t start_offset; /* ticks from the start of the run to the rank's first event */
    uint64_t last_compute; /* ticks from the last call to the last event */
    struct arena *arena;   /* owns what the operations point at */
};

#endif
