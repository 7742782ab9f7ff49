/* Makes a trace from what ranks do, call by call. Computation has a length; MPI calls take no time
 * yet: an engine fills it in (predicted.h). Model scripts, GOAL schedules and time-independent
 * traces become traces this way.
 *
 * In this order: create; define communicators; then for each rank of this process, in order, begin,
 * steps, end; finish. Definitions must be the same on all processes; regions may be defined at any
 * time. All functions but create and finish remember lack of memory, which `finish` reports. */
#ifndef TRACE_BUILD_TRACE_BUILDER_H
#define TRACE_BUILD_TRACE_BUILDER_H

#include "trace/trace.h"
#include "trace/calls/parts.h"

struct trace_builder;

#define BUILDER_WORLD 0 /* the communicator of all ranks */

/* Collective. `program`: its name in the trace. `ranks_per_node`: ranks are placed on nodes block
 * by block. `regions`: names of the program's own regions, the same on all processes; their numbers
 * are their indices. All texts are copied. */
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

/* Begins the next owned rank: it enters the program and spends `startup` seconds in MPI_Init. */
void builder_begin_rank(struct trace_builder *builder, double startup);
/* Passes over the next owned rank, which then has no events: for builders whose trace is not
 * wanted. */
void builder_skip_rank(struct trace_builder *builder);
/* Enters MPI_Finalize, computes for `shutdown` seconds after it, and leaves the program. All
 * requests must be complete and all regions left. */
void builder_end_rank(struct trace_builder *builder, double shutdown);

/* The rank computes for so many seconds; fractions of ticks are carried on. */
void builder_compute(struct trace_builder *builder, double seconds);
void builder_enter(struct trace_builder *builder, uint32_t region);
void builder_leave(struct trace_builder *builder);

/* A message end, as the MPI call has it. Where a pointer to one is NULL, the peer is MPI_PROC_NULL:
 * the call is made, but transfers nothing. */
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

/* Nonblocking calls return a request, a number that a wait takes; INDEX_NONE if there is nothing to
 * wait for (MPI_PROC_NULL). `call`: MPI_CALL_ISEND, _ISSEND, _IBSEND, _IRSEND. */
uint32_t builder_isend(struct trace_builder *builder, enum mpi_call call, uint32_t comm,
                       const struct builder_end *end);
uint32_t builder_ireceive(struct trace_builder *builder, uint32_t comm,
                          const struct builder_end *end);
/* One call completes these requests in this order: MPI_CALL_WAIT, _WAITALL, _WAITANY. */
void builder_wait(struct trace_builder *builder, enum mpi_call call, const uint32_t *requests,
                  uint32_t count);

/* A collective operation. */
struct builder_collective {
    enum mpi_call call; /* blocking or nonblocking, also MPI_Barrier, of a neighbourhood, and
                           MPI_CALL_COMM_SPLIT, _COMM_DUP, _CART_CREATE, _CART_SUB, _COMM_FREE */
    uint32_t comm;      /* of calls that make a communicator: on which it is made */
    uint32_t made;      /* the communicator that is made or freed; else INDEX_NONE. INDEX_NONE also
                           for a rank that gets none */
    uint32_t root;      /* ROOT_NONE if the operation has none */
    uint64_t bytes;     /* of a block (collective_operations.h): what this rank contributes or gets;
                           of MPI_Reduce_scatter the whole vector */
    const uint64_t *send_counts, *receive_counts; /* [members], of calls that take counts (bytes);
                                                     NULL: the call, or this rank, gives none */
    const uint32_t *destinations, *sources;       /* of neighbourhood operations: ranks */
    uint32_t destination_count, source_count;
};

/* Returns the request of a nonblocking operation; INDEX_NONE for others. */
uint32_t builder_collective(struct trace_builder *builder,
                            const struct builder_collective *collective);

/* A read or write of a file that takes so long: a region "read" or "write" of role FILE_IO. */
void builder_file(struct trace_builder *builder, bool writes, double seconds);

/* The rank's events so far; 0 between ranks. */
uint64_t builder_events(const struct trace_builder *builder);

/* Collective. The trace, not matched yet; the caller destroys it. The builder is empty then.
 * `status`: this process's so far; all fail if one has. */
enum status builder_finish(struct trace_builder *builder, enum status status, struct trace **trace,
                           struct error *error);

#endif
