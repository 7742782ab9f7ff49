/* Collective operations that could be left out, or replaced by a cheaper one:
 *
 *   - operations without data: no member sends or receives a byte, so they only synchronise;
 *   - a reduction to a root that broadcasts the result at once could be one MPI_Allreduce.
 *
 * A trace does not show where a result is needed, so MPI_Reduce is not proposed for MPI_Allreduce.
 */
#include "advise/candidates/families.h"

#include <stdlib.h>

/* The operations of each call path, on all ranks: arrays [call path] in one block. */
struct operation_counts {
    int64_t *operations, *bytes; /* of operations that move data of their members */
    int64_t *pairs;              /* reductions that are followed by a broadcast, as above */
    int64_t *lowest, *highest;   /* call paths of these broadcasts */
};

/* True if the broadcast sends the result of the reduction, as seen from one member. */
static bool is_reduce_and_broadcast(const struct collective *reduction,
                                    const struct collective *broadcast)
{
    return reduction->op == COLLECTIVE_REDUCE && broadcast->op == COLLECTIVE_BCAST &&
           reduction->comm == broadcast->comm && reduction->root == broadcast->root &&
           reduction->sent == broadcast->received && reduction->received == broadcast->sent;
}

static bool moves_data(const struct collective *collective)
{
    enum collective_flow flow = collective_operations[collective->op].flow;
    return collective->instance != INDEX_NONE &&
           !(collective->flags & (COLLECTIVE_NEIGHBOUR | COLLECTIVE_LOCAL | COLLECTIVE_WINDOW)) &&
           (flow == FLOW_ALL || flow == FLOW_PAIRS || flow == FLOW_FROM_ROOT ||
            flow == FLOW_TO_ROOT || flow == FLOW_PREFIX);
}

/* The next operation of the rank; NULL if a message is sent or received in between. */
static const struct collective *following_operation(const struct stream *stream, uint32_t number)
{
    const struct collective *own = &stream->collectives[number], *next = own + 1;
    if (number + 1 >= stream->collective_count || own->end == INDEX_NONE || next->begin < own->end)
        return NULL;
    for (uint32_t row = own->end + 1; row < next->begin; row++)
        if (!event_opens(stream->kind[row]) && !event_closes(stream->kind[row]))
            return NULL;
    return next;
}

static void count_operations(const struct stream *stream, const struct operation_counts *counts)
{
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *own = &stream->collectives[i];
        uint32_t path = moves_data(own) ? stream_callpath_at(stream, own->begin) : CALLPATH_NONE;
        if (path == CALLPATH_NONE)
            continue;
        counts->operations[path]++;
        counts->bytes[path] += (int64_t)(own->sent + own->received);
        const struct collective *next = following_operation(stream, i);
        if (!next || !is_reduce_and_broadcast(own, next))
            continue;
        int64_t other = stream_callpath_at(stream, next->begin);
        counts->pairs[path]++;
        counts->lowest[path] = other < counts->lowest[path] ? other : counts->lowest[path];
        counts->highest[path] = other > counts->highest[path] ? other : counts->highest[path];
    }
}

static void add_empty_collective(const struct facts *facts, struct candidate_list *list,
                                 uint32_t path)
{
    const char *pattern = candidate_callpath(list, facts->trace, path);
    const char *text = candidate_path_text(list, facts->trace, path);
    candidate_add_path(
        list, facts, path,
        (struct advice_candidate){
            .kind = "empty-collective",
            .effort = EFFORT_SMALL,
            .cause = candidate_text(list, "collective %u", path),
            .sections = candidate_text(list,
                                       "[cut empty operations]\nwhat = collectives\n"
                                       "callpath = %s\n",
                                       pattern),
            .change = candidate_text(list,
                                     "Leave out the operation in %s: no rank sends or "
                                     "receives data in it.",
                                     text),
            .check = "Make sure that it is not used as a barrier for something else: "
                     "files, memory that ranks share, clocks.",
        });
}

static void add_allreduce(const struct facts *facts, struct candidate_list *list,
                          uint32_t reduction, uint32_t broadcast)
{
    const struct trace *trace = facts->trace;
    const char *first = candidate_callpath(list, trace, reduction);
    const char *second = candidate_callpath(list, trace, broadcast);
    const char *text = candidate_path_text(list, trace, reduction);
    candidate_add_path(
        list, facts, reduction,
        (struct advice_candidate){
            .kind = "cheaper-collective",
            .effort = EFFORT_SMALL,
            .cause = candidate_text(list, "collective %u", reduction),
            .sections = candidate_text(list,
                                       "[cut broadcast]\nwhat = collectives\n"
                                       "operation = MPI_Bcast\ncallpath = %s\n\n"
                                       "[replace reduction]\noperation = MPI_Reduce\n"
                                       "callpath = %s\nby = allreduce\n",
                                       second, first),
            .change = candidate_text(list,
                                     "Call MPI_Allreduce instead of MPI_Reduce and MPI_Bcast "
                                     "in %s: the root broadcasts the result of the reduction.",
                                     text),
            .check = "Make sure that the root does not change the result before it "
                     "broadcasts it.",
        });
}

static void add_collectives(const struct facts *facts, const struct operation_counts *counts,
                            struct candidate_list *list)
{
    for (uint32_t path = 0; path < facts->trace->calltree.paths.count; path++) {
        if (counts->operations[path] > 0 && counts->bytes[path] == 0)
            add_empty_collective(facts, list, path);
        else if (counts->pairs[path] > 0 && counts->pairs[path] == counts->operations[path] &&
                 counts->lowest[path] == counts->highest[path] &&
                 counts->operations[counts->lowest[path]] == counts->pairs[path])
            add_allreduce(facts, list, path, (uint32_t)counts->lowest[path]);
    }
}

static enum status propose_collectives(const struct facts *facts, struct candidate_list *list,
                                       struct error *error)
{
    const struct trace *trace = facts->trace;
    const size_t paths = trace->calltree.paths.count;
    int64_t *block = calloc(5 * paths + 1, sizeof *block);
    const struct operation_counts counts = {block, block + paths, block + 2 * paths,
                                            block + 3 * paths, block + 4 * paths};
    enum status status =
        processes_agree_memory(trace->processes, block != NULL, "the advice", error);
    if (status != STATUS_OK) {
        free(block);
        return status;
    }
    for (size_t path = 0; path < paths; path++) {
        counts.lowest[path] = INT64_MAX;
        counts.highest[path] = -1;
    }
    for (uint32_t i = 0; i < trace->owned_count; i++)
        count_operations(&trace->streams[i], &counts);
    processes_sum(trace->processes, block, 3 * paths);
    processes_min(trace->processes, counts.lowest, paths);
    processes_max(trace->processes, counts.highest, paths);
    add_collectives(facts, &counts, list);
    free(block);
    return STATUS_OK;
}

const struct candidate_family candidates_collectives = {
    .name = "collectives",
    .description = "collective operations that a cheaper one could replace",
    .propose = propose_collectives,
};
