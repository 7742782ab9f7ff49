/* [replace LABEL]: replaces a blocking collective operation by another one on the same
 * communicator, with the same block of data of each member or with one of `bytes`. Bytes are
 * counted as tracers do: with a block n and p members, the member's data to and from itself count
 * too. */
#include "trace/calls/collective_operations.h"
#include "trace/grow.h"
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#define X(operation, word, messages, mpich, simgrid, replacement, ...) replacement(operation, word)
#define NOT_OFFERED(operation, word)

static const struct {
    enum collective_op op;
    enum mpi_call call;
} substitutes[] = {
#define OFFERED(operation, word) {COLLECTIVE_##operation, MPI_CALL_##operation},
    COLLECTIVE_ALGORITHMS(X)
#undef OFFERED
};

static const char *const substitute_names[] = {
#define OFFERED(operation, word) #word,
    COLLECTIVE_ALGORITHMS(X)
#undef OFFERED
        NULL};
#undef NOT_OFFERED
#undef X

struct replace {
    struct conditions conditions;
    int by; /* index into substitutes */
    int64_t root;
    bool has_bytes;
    uint64_t bytes;
};

static const struct ini_key replace_keys[] = {
    OPERATION_KEYS(replace),
    CALL_KEYS(replace),
    COMMUNICATOR_KEY(replace),
    INI_KEY(replace, by, CHOICE, .choices = substitute_names, .required = true),
    INI_KEY(replace, root, INTEGER, .most = UINT32_MAX / 2),
    INI_KEY(replace, bytes, BYTES),
    INI_KEYS_END,
};

static enum status replace_check(void *state, struct error *error)
{
    struct replace *replace = state;
    replace->has_bytes = ini_value(replace->conditions.section, "bytes") != NULL;
    return conditions_check_operations(&replace->conditions, error);
}

/* Collective. Finds the largest block of any member, by instance; fails if an operation cannot be
 * replaced. */
static enum status find_largest_blocks(const struct replace *replace, const struct trace *trace,
                                       struct choice *choice, struct error *error)
{
    const struct definitions *definitions = trace->definitions;
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t c = 0; c < stream->collective_count && status == STATUS_OK; c++) {
            const struct collective *collective = &stream->collectives[c];
            char where[1024];
            if (!choice->chosen[s][c])
                continue;
            int64_t members = comm_size(definitions, collective->comm, stream->rank, true);
            int64_t me = comm_rank_of(definitions, collective->comm, stream->rank);
            int64_t block = collective_block(collective, members, me);
            int64_t *largest = &choice->blocks[choice_instance(choice, collective)];
            *largest = block > *largest ? block : *largest;
            trace_describe_event(trace, stream, collective->begin, where, sizeof where);
            if (collective->flags & (COLLECTIVE_NONBLOCKING | COLLECTIVE_NEIGHBOUR) ||
                definitions->comms[collective->comm].remote_group != INDEX_NONE)
                status = section_error(error, replace->conditions.section, NULL,
                                       "only blocking operations of all members of one group can "
                                       "be replaced, not that of %s",
                                       where);
            else if (replace->root >= members)
                status = section_error(error, replace->conditions.section, "root",
                                       "there is no rank %lld among the %lld members of %s",
                                       (long long)replace->root, (long long)members, where);
        }
    }
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        processes_max(trace->processes, choice->blocks,
                      (size_t)choice->first[definitions->comm_count]);
    return status;
}

/* Adds call paths for every call path of a collective operation: the same on all processes. */
static bool add_substitute_paths(const struct replace *replace, struct trace *trace)
{
    size_t count = trace->calltree.paths.count;
    for (uint32_t path = 0; path < count; path++) {
        enum mpi_call call = callpath_call(trace, path);
        if (mpi_call_infos[call].class == MPI_CLASS_COLLECTIVE &&
            trace_mpi_path(trace, trace->calltree.paths.items[path].parent,
                           substitutes[replace->by].call) == CALLPATH_NONE)
            return false;
    }
    return true;
}

static void replace_one(const struct replace *replace, const struct trace *trace,
                        const struct choice *choice, uint32_t rank, struct collective *collective)
{
    uint32_t members = comm_size(trace->definitions, collective->comm, rank, false);
    uint32_t me = comm_rank_of(trace->definitions, collective->comm, rank);
    enum collective_op op = substitutes[replace->by].op;
    uint64_t block = replace->has_bytes
                         ? replace->bytes
                         : (uint64_t)choice->blocks[choice_instance(choice, collective)];
    collective->op = (uint8_t)op;
    collective->root = collective_op_is_rooted(op) ? (uint32_t)replace->root : ROOT_NONE;
    collective->send_counts = collective->receive_counts = INDEX_NONE;
    collective->type_size = 0;
    collective->types = 0;
    collective->reduction = INDEX_NONE;
    collective->flags &=
        (uint8_t) ~(COLLECTIVE_IN_PLACE | COLLECTIVE_MAYBE_IN_PLACE | COLLECTIVE_UNTOUCHED);
    collective_set_block(collective, block, members, me);
    /* another operation, so the recorded cost does not apply */
    collective->recorded = INDEX_NONE;
}

/* True if the call entered at `row` is a chosen operation. */
static bool is_replaced_call(const struct stream *stream, uint32_t row, const bool *chosen)
{
    for (row++; row < stream->count && stream->kind[row] > EVENT_PROGRAM_END; row++)
        if (stream->kind[row] == EVENT_COLLECTIVE_BEGIN)
            return chosen[stream->arg[row]];
    return false;
}

static bool replace_in_stream(const struct replace *replace, struct trace *trace,
                              const struct choice *choice, uint32_t s)
{
    struct stream *stream = &trace->streams[s];
    struct row_writer writer;
    row_writer_open(&writer, trace, stream, NULL, NULL);
    for (uint32_t c = 0; c < stream->collective_count && !writer.out_of_memory; c++)
        if (choice->chosen[s][c])
            replace_one(replace, trace, choice, stream->rank, &writer.collectives[c]);
    while (!writer.out_of_memory && writer.next < stream->count) {
        uint32_t row = writer.next;
        bool chosen =
            stream->kind[row] == EVENT_ENTER && is_replaced_call(stream, row, choice->chosen[s]);
        if (chosen) {
            row_writer_add(&writer, stream->time[row], EVENT_ENTER,
                           trace_mpi_path_find(trace, row_writer_path(&writer),
                                               substitutes[replace->by].call));
            row_writer_skip(&writer, stream->time[row]);
        } else {
            row_writer_copy(&writer, stream->time[row]);
        }
    }
    return row_writer_close(&writer);
}

static enum status replace_apply(const void *state, struct trace *trace,
                                 struct hypothesis_outcome *outcome, struct error *error)
{
    const struct replace *replace = state;
    struct choice choice;
    enum status status = operations_choose(&replace->conditions, trace, &choice, error);
    if (status != STATUS_OK)
        return status;
    *outcome = (struct hypothesis_outcome){true, choice.count, choice.total, "parts of operations"};
    status = find_largest_blocks(replace, trace, &choice, error);
    if (status == STATUS_OK)
        status = trace_own_definitions(trace, error);
    if (status == STATUS_OK && !add_substitute_paths(replace, trace))
        status = error_memory(error, "the call tree");
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!replace_in_stream(replace, trace, &choice, s))
            status = error_memory(error, "the replaced operations");
    choice_clear(&choice);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_replace = {
    .name = "replace",
    .description = "replace collective operations by other ones",
    .state_size = sizeof(struct replace),
    .keys = replace_keys,
    .check = replace_check,
    .apply = replace_apply,
};
