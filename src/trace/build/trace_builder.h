/* Builds a trace from the actions of ranks, call by call. Computation takes a given time; MPI calls
 * take no time until an engine computes it (predicted.h). Model scripts, GOAL schedules and
 * time-independent traces are converted to traces in this way.
 *
 * Call the functions in this order: builder_create; builder_comm; then, for each rank of this
 * process in order, builder_begin_rank, its actions, builder_end_rank; builder_finish. Definitions
 * must be the same on all processes. If memory runs out in a function that returns no status,
 * builder_finish reports it. */
#ifndef TRACE_BUILD_TRACE_BUILDER_H
#define TRACE_BUILD_TRACE_BUILDER_H

#include "trace/trace.h"
#include "trace/calls/semantics.h"

struct trace_builder;

#define BUILDER_WORLD 0 /* the communicator of all ranks */

/* Collective. `program`: its name in the trace. `ranks_per_node`: the number of consecutive ranks
 * on each node. `regions`: the names of the program's own regions, the same on all processes;
 * builder_enter takes their indices. All texts are copied. */
enum status builder_create(struct processes *processes, const char *program, uint32_t ranks,
                           uint32_t ranks_per_node, const char *const *regions,
                           uint32_t region_count, struct trace_builder **builder,
                           struct error *error);
void builder_destroy(struct trace_builder *builder); /* NULL is allowed */

/* The ranks that this process owns: first .. first + count - 1. */
uint32_t builder_first_rank(const struct trace_builder *builder);
uint32_t builder_owned_ranks(const struct trace_builder *builder);

/* A communicator with these members (world ranks, copied); returns its number. `name` may be "". */
uint32_t builder_comm(struct trace_builder *builder, const char *name, uint32_t parent,
                      const uint32_t *members, uint32_t count);

/* Regions of the program that each rank enters before MPI_Init and leaves after MPI_Finalize,
 * outermost first; the caller keeps the list. `bare`: there are no events of the program itself.
 * Before the first rank. */
void builder_surround(struct trace_builder *builder, const uint32_t *regions, uint32_t count,
                      bool bare);

/* Begins the next owned rank: it enters the program and spends `startup` seconds in MPI_Init. */
void builder_begin_rank(struct trace_builder *builder, double startup);
/* Skips the next owned rank, which then has no events, for callers that discard the trace. */
void builder_skip_rank(struct trace_builder *builder);
/* Calls MPI_Finalize, computes for `shutdown` seconds, and leaves the program. All requests must be
 * complete and all regions left. */
void builder_end_rank(struct trace_builder *builder, double shutdown);

/* Computation that takes `seconds`. Fractions of ticks add up over calls. */
void builder_compute(struct trace_builder *builder, double seconds);
void builder_enter(struct trace_builder *builder, uint32_t region);
void builder_leave(struct trace_builder *builder);

/* The arguments of an MPI call for one end of a message. NULL in place of a pointer to them stands
 * for the peer MPI_PROC_NULL: the call is made but transfers nothing. */
struct builder_end {
    uint32_t peer; /* rank in the communicator */
    uint32_t tag;
    uint64_t bytes;
};

/* Blocking calls. `call`: MPI_CALL_SEND, _SSEND, _BSEND, _RSEND. */
void builder_send(struct trace_builder *builder, enum mpi_call call, uint32_t comm,
                  const struct builder_end *end);
void builder_receive(struct trace_builder *builder, uint32_t comm, const struct builder_end *end);
void builder_sendrecv(struct trace_builder *builder, uint32_t comm, const struct builder_end *send,
                      const struct builder_end *receive);

/* Nonblocking calls. They return a request for builder_wait; INDEX_NONE for MPI_PROC_NULL, for
 * which there is nothing to wait. `call`: MPI_CALL_ISEND, _ISSEND, _IBSEND, _IRSEND. */
uint32_t builder_isend(struct trace_builder *builder, enum mpi_call call, uint32_t comm,
                       const struct builder_end *end);
uint32_t builder_ireceive(struct trace_builder *builder, uint32_t comm,
                          const struct builder_end *end);
/* A call that completes these requests in this order. `call`: MPI_CALL_WAIT, _WAITALL, _WAITANY. */
void builder_wait(struct trace_builder *builder, enum mpi_call call, const uint32_t *requests,
                  uint32_t count);

/* A collective operation. */
struct builder_collective {
    enum mpi_call call; /* blocking or nonblocking, on a communicator or a neighbourhood; also
                           MPI_CALL_COMM_SPLIT, _COMM_DUP, _CART_CREATE, _CART_SUB, _COMM_FREE */
    uint32_t comm;      /* for a call that creates a communicator: the parent */
    uint32_t made;  /* the communicator that the call creates or frees; INDEX_NONE for other calls
                       and for a rank that gets none */
    uint32_t root;  /* ROOT_NONE if the operation has none */
    uint64_t bytes; /* of a block as in collective_block (collective_operations.h) */
    const uint64_t *send_counts,
        *receive_counts; /* [members], bytes, for calls that take counts; NULL: the call takes none,
                            or not on this rank */
    const uint32_t *destinations, *sources; /* of neighbourhood operations: ranks */
    uint32_t destination_count, source_count;
};

/* Returns the request of a nonblocking operation; INDEX_NONE for a blocking one. */
uint32_t builder_collective(struct trace_builder *builder,
                            const struct builder_collective *collective);

/* Reads or writes a file for `seconds`: a visit of a region "read" or "write" with the role
 * FILE_IO. */
void builder_file(struct trace_builder *builder, bool writes, double seconds);

/* The number of events of the current rank; 0 between ranks. */
uint64_t builder_events(const struct trace_builder *builder);

/* Collective. Returns the trace, not matched yet, which the caller destroys; the builder is empty
 * afterwards. `status` is the status of this process so far: all processes fail if one has failed.
 */
enum status builder_finish(struct trace_builder *builder, enum status status, struct trace **trace,
                           struct error *error);

#endif
