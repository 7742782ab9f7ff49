/* Shared by the files of the compilation. The functions of a file call only functions of files
 * whose functions are listed before theirs here. */
#ifndef REPLAY_REALTIME_COMPILER_H
#define REPLAY_REALTIME_COMPILER_H

#include "replay/realtime/collective_calls.h"
#include "replay/realtime/wildcards.h"
#include "trace/calls/regions.h"
#include "trace/calls/walk.h"

struct compile_input {
    const struct trace *trace; /* matched */
    double ticks_scale;        /* ticks of the engine's clock per tick of the trace */
    double poll_gap_s;
    uint64_t bsend_space;   /* largest number of bytes for MPI_Buffer_attach */
    uint64_t finalize_rest; /* ticks that MPI_Finalize takes after the last arrival */
    bool finalizes;         /* every rank calls MPI_Finalize */
    bool crowded;           /* ranks share cores: calls that MPI can only spin in are left out */
    const struct wildcards *wildcards; /* all zero: receives name their message as recorded */
};

struct compiler {
    const struct compile_input *input;
    const struct trace *trace;
    const struct stream *stream;
    struct replay_program *program;
    struct collective_calls *calls;
    struct error *error;
    enum status status;

    struct call_walk walk; /* at the call being compiled */
    struct tracer_cost tracer;
    int tag_limit;     /* largest tag of this MPI */
    uint64_t last_end; /* trace time at which the call before ended */
    uint64_t attached; /* bytes that the Bsends compiled so far need */

    /* One block: */
    uint32_t *message_slot;    /* [message_count], INDEX_NONE: no request of it is open */
    uint32_t *message_handle;  /* [message_count], INDEX_NONE: no matched probe has taken it */
    uint32_t *collective_slot; /* [collective_count] */
    uint32_t *operation_slot;  /* [rma_op_count] */

    ARRAY(uint32_t) free_handles;
    struct map operations; /* window and matching id -> the last one-sided operation */
    uint32_t
        window_call_row; /* the record from which the one-sided call was made; 0: none so far */
    ARRAY(uint32_t) free_slots;
    ARRAY(uint32_t) required; /* the request set under construction */
    ARRAY(uint32_t) tested;
    ARRAY(uint64_t) slot_keys; /* [slot]: the buffer of its request */
    struct map buffer_uses;    /* buffer key -> requests open on it */
};

/* False if out of memory; nothing is left to close then. */
bool compiler_open(struct compiler *compiler);
void compiler_close(struct compiler *compiler);

/* Only the first failure is kept. */
void compile_failed(struct compiler *compiler, enum status status);
/* Fails with the error for a failed allocation, unless `allocated`. Returns `allocated`. */
bool compile_check(struct compiler *compiler, bool allocated);

/* Begins a timed call without any operation. */
void begin_timed_call(struct compiler *compiler, const struct call_rows *rows);
/* Adds an operation to it. */
void add_op(struct compiler *compiler, const struct op *op);
/* Ends the timed call. Without any operation its rows are computation. `rest`: ticks of the call
 * after its reenacted part. */
void end_timed_call(struct compiler *compiler, const struct call_rows *rows, uint64_t rest);

/* Opens a slot for the request of a message, collective or one-sided operation, stores it in its
 * `owner`, and returns it. `key` names the buffer. */
uint32_t request_open(struct compiler *compiler, uint32_t *owner, uint64_t key);
/* How many requests are open on a buffer. */
uint32_t request_uses(const struct compiler *compiler, uint64_t key);
/* Add the owner's request to the set under construction: one that the call completed, or tested
 * without success. They do nothing if the owner has no request. */
void request_complete(struct compiler *compiler, uint32_t *owner);
void request_test(struct compiler *compiler, uint32_t owner);
/* Makes the set, closes the slots of completed requests, and empties the lists. */
void request_set_make(struct compiler *compiler, struct request_set *set);

/* Adds the send or receive of a post. */
void compile_message(struct compiler *compiler, const struct post *post);
/* Adds the one operation of a call of the Sendrecv family. */
void compile_sendrecv(struct compiler *compiler);
/* Adds a probe, or a loop of probes. */
void compile_probe(struct compiler *compiler);

/* Adds the call that made a communicator. False if the trace does not have all of its arguments. */
bool compile_creation(struct compiler *compiler, const struct collective *collective);

/* Makes the windows of this rank that all members must make before the run (windows.h). */
void compile_early_windows(struct compiler *compiler);
/* Each adds the one-sided call of a record, if the record stands for one. */
void compile_window_collective(struct compiler *compiler, const struct collective *collective);
void compile_window_operation(struct compiler *compiler, uint32_t index);
/* Synchronisations: also names the request that the call completes or tests. */
void compile_window_sync(struct compiler *compiler, uint32_t row);

/* The times of a stream in the recording, if that has the same number of rows; else in the trace.
 */
const uint64_t *stream_recorded_times(const struct trace *trace, const struct stream *stream);

/* Ticks of the engine's clock between the rounds of the polling loop at which `walk` is. */
static inline uint64_t poll_spacing(const struct compiler *compiler)
{
    const struct recorded_call *call = &compiler->walk.call;
    const uint64_t *time = compiler->stream->time;
    return (uint64_t)((double)(time[call->last_enter] - time[call->enter]) / (call->rounds - 1) *
                      compiler->input->ticks_scale);
}

/* Fills `program`, which must be all zero, for this process's rank. Its buffers are places, not yet
 * addresses. `*attached` gets the number of bytes that its Bsends need. Not collective. Fails with
 * STATUS_INPUT naming the event, or with STATUS_ENVIRONMENT. */
enum status program_compile(const struct compile_input *input, struct collective_calls *calls,
                            struct replay_program *program, uint64_t *attached,
                            struct error *error);

/* Turns the places of buffers into addresses, after buffers_allocate. */
void program_place_calls(struct collective_calls *calls, const struct buffers *buffers);
void program_place_buffers(struct replay_program *program, const struct buffers *buffers);

void program_clear(struct replay_program *program);

#endif
