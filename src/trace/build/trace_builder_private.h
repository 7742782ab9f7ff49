/* Shared by build_definitions.c and build_events.c, which builds the events of ranks. */
#ifndef TRACE_BUILD_TRACE_BUILDER_PRIVATE_H
#define TRACE_BUILD_TRACE_BUILDER_PRIVATE_H

#include "base/array.h"
#include "base/name_set.h"
#include "trace/build/trace_builder.h"

#define BUILDER_TICKS_PER_SECOND 1000000000u

/* An open region of the current rank. */
struct builder_frame {
    uint32_t enter; /* row */
    uint32_t path;
};

struct trace_builder {
    struct processes *processes;
    struct trace *trace; /* under construction */
    bool out_of_memory;

    /* The order of regions: the program's own, the program itself, read and write, then one for
     * each MPI call. builder_finish removes those that are not used. */
    uint32_t own_regions;
    bool used[MPI_CALL_COUNT]; /* by ranks of this process */
    bool used_file[2];
    ARRAY(struct communicator) comms;
    ARRAY(struct group) groups;
    struct name_set
        counts; /* vectors of counts and of neighbours; builder_finish makes groups of them */

    const uint32_t *around; /* regions around the whole program */
    uint32_t around_count;
    bool bare; /* no events of the program itself */

    /* the current rank */
    uint32_t begun; /* ranks of this process so far */
    struct stream *stream;
    uint32_t row_capacity,
        *comm_ranks; /* [comm]: its rank there + 2; 0: not looked up yet, 1: it is not a member */
    double now;      /* ticks */
    ARRAY(struct builder_frame) frames;
    ARRAY(struct message) messages;
    ARRAY(struct collective) collectives;
};

static inline uint32_t program_region(const struct trace_builder *builder)
{
    return builder->own_regions;
}

static inline uint32_t file_region(const struct trace_builder *builder, bool writes)
{
    return builder->own_regions + 1 + writes;
}

static inline uint32_t mpi_region(const struct trace_builder *builder, enum mpi_call call)
{
    return builder->own_regions + 3 + (uint32_t)call;
}

/* The number of a vector among builder->counts; INDEX_NONE for NULL, or when memory is out. */
uint32_t builder_vector(struct trace_builder *builder, const uint64_t *values, uint32_t count);

#endif
