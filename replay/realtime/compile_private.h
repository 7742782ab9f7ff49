/* Shared by compile.c, compile_call.c and compile_polling.c. */
#ifndef REPLAY_REALTIME_COMPILE_PRIVATE_H
#define REPLAY_REALTIME_COMPILE_PRIVATE_H

#include "replay/realtime/compile.h"
#include "replay/costs/regions.h"

struct compiler {
    const struct compile_input *input;
    const struct trace *trace;
    const struct stream *stream;
    struct replay_program *program;
    struct collective_calls *calls;
    struct error *error;
    enum status status;

    struct tracer_cost tracer;
    uint64_t poll_gap; /* ticks */
    int tag_limit;     /* largest tag of this MPI */
    uint64_t last_end; /* trace time at which the call before ended */
    uint64_t attached; /* bytes that Bsends need so far */

    uint32_t *message_slot; /* [message_count], INDEX_NONE: no request of it is open */
    uint32_t *collective_slot;
    uint32_t *message_handle; /* [message_count], INDEX_NONE: no matched probe has taken it */
    ARRAY(uint32_t) free_handles;
    uint32_t *operation_slot; /* [rma_op_count] */
    bool *window_made;        /* [windows]: by a call compiled so far, or before the run */
    struct map operations;    /* window and matching id -> the last one-sided operation */
    uint32_t window_call_row; /* the record that the one-sided call was made from; 0: none yet */
    ARRAY(uint32_t) free_slots;
    ARRAY(uint32_t) unfinished; /* open slots that no record completes */
    ARRAY(uint32_t) required;   /* the request set being made */
    ARRAY(uint32_t) tested;
    ARRAY(uint64_t) slot_keys; /* [slot]: the buffer its request uses */
    struct map buffer_uses;    /* buffer key -> requests open on it */
    uint32_t polling_done;     /* no polling loop starts before this row */
};

/* --- slots of requests, compile_requests.c ---------------------------------------------------- */

/* Opens a slot for the request of a message or nonblocking collective, which stores it in its
 * `owner`. `key` names the buffer. False when memory is out, as the others here. */
bool request_open(struct compiler *compiler, uint32_t *owner, bool completes, uint64_t key);
/* How many requests are open on a buffer. */
uint32_t request_uses(const struct compiler *compiler, uint64_t key);
/* Adds the request of a record to the set being made: one that was complete, or one that was
 * tested. Unknown ones are left out. */
bool request_name(struct compiler *compiler, uint32_t row);
/* Adds every open request that no record completes. */
bool request_name_unfinished(struct compiler *compiler);
/* Makes the set, closes the slots of what is complete, and empties the lists. */
bool request_set_make(struct compiler *compiler, struct request_set *set);

/* --- one call, compile_call.c ----------------------------------------------------------------- */

/* Compiles the records of an MPI region. Regions without any stay what they are: computation. */
void compile_call(struct compiler *compiler, enum mpi_call call, struct call_rows rows);

/* Begins a timed call at `rows`; its operations follow, then end_timed_call. */
void begin_timed_call(struct compiler *compiler, struct call_rows rows);
/* `rest`: ticks that the call took after what is reenacted. */
void end_timed_call(struct compiler *compiler, struct call_rows rows, uint64_t rest);
/* Adds an operation to the timed call. */
void add_op(struct compiler *compiler, const struct op *op);
/* What a probe ahead of this receive asks for; the same wildcards. */
struct probe probe_for(const struct compiler *compiler, const struct message *message);
/* Gives a message that a matched probe takes, one that takes part, a place for its handle. */
uint32_t open_handle(struct compiler *compiler, const struct message *message);
void compile_failed(struct compiler *compiler, enum status status);

void compile_out_of_memory(struct compiler *compiler);

/* --- communicators, compile_communicators.c --------------------------------------------------- */

/* Adds the call that has made a communicator; false: it is not known well enough. */
bool compile_creation(struct compiler *compiler, enum mpi_call mpi_call,
                      const struct collective *collective, struct call_rows rows);

/* --- one-sided, compile_windows.c ------------------------------------------------------------- */

/* Each adds the call that a record in a region of `mpi_call` stands for, if it stands for one. */
void compile_window_collective(struct compiler *compiler, enum mpi_call mpi_call,
                               const struct collective *collective);
void compile_window_operation(struct compiler *compiler, enum mpi_call mpi_call, uint32_t index);
void compile_window_sync(struct compiler *compiler, enum mpi_call mpi_call, uint32_t row);

/* The operation a record of completion is about; INDEX_NONE if it is not known. */
uint32_t operation_of(const struct compiler *compiler, const struct rma_sync *sync);

/* --- loops of tests and probes, compile_polling.c --------------------------------------------- */

/* If a polling loop starts with the region in `rows`, compiles it whole and returns the row that
 * leaves its last region; otherwise 0. */
uint32_t compile_polling(struct compiler *compiler, enum mpi_call call, struct call_rows rows);

/* The message that the matched probe in this region has taken; NULL: none that takes part. */
const struct message *matched_message(const struct compiler *compiler, struct call_rows rows);

/* The receive that a probe leaving at `row` announces: the next communication of the rank. NULL if
 * that is no receive. */
const struct message *announced_receive(const struct compiler *compiler, uint32_t row);

#endif
