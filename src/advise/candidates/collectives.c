/* Collective operations that a cheaper one, or none, could replace:
 *
 *   - operations without data: no member sends or receives a byte, so they only synchronise;
 *   - a reduction to a root that broadcasts the result at once: one MPI_Allreduce.
 *
 * That a result is not needed everywhere (an Allreduce that could be a Reduce) is in no trace. */
#include "advise/candidates/families.h"

#include "trace/calls/collective_operations.h"

#include <stdlib.h>

/* What is done at one call path: [call path] each, in one block. */
struct counts {
    int64_t *operations, *bytes; /* with members' data, of all ranks */
    int64_t *pairs;              /* reductions that a broadcast follows, as above; */
    int64_t *lowest, *highest;   /* call paths of these broadcasts */
};

/* Whether the broadcast hands out what the reduction has brought, seen from one member. */
static bool is_pair(const struct collective *reduction, const struct collective *broadcast)
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

/* The next operation of the rank, if no message is sent or received in between. */
static const struct collective *follower(const struct stream *stream, uint32_t number)
{
    const struct collective *own = &stream->collectives[number], *next = own + 1;
    if (number + 1 >= stream->collective_count || own->end == INDEX_NONE || next->begin < own->end)
        return NULL;
    for (uint32_t row = own->end + 1; row < next->begin; row++)
        if (!event_opens(stream->kind[row]) && !event_closes(stream->kind[row]))
            return NULL;
    return next;
}

static void count(const struct stream *stream, const struct counts *counts)
{
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *own = &stream->collectives[i];
        uint32_t path = moves_data(own) ? stream_callpath_at(stream, own->begin) : CALLPATH_NONE;
        if (path == CALLPATH_NONE)
            continue;
        counts->operations[path]++;
        counts->bytes[path] += (int64_t)(own->sent + own->received);
        const struct collective *next = follower(stream, i);
        if (!next || !is_pair(own, next))
            continue;
        int64_t other = stream_callpath_at(stream, next->begin);
        counts->pairs[path]++;
        counts->lowest[path] = other < counts->lowest[path] ? other : counts->lowest[path];
        counts->highest[path] = other > counts->highest[path] ? other : counts->highest[path];
    }
}

static bool add_empty(const struct facts *facts, struct candidate_list *list, uint32_t path)
{
    const char *pattern = candidate_callpath(list, facts->trace, path);
    const char *text = candidate_path_text(list, facts->trace, path);
    return pattern && text &&
           candidate_add(
               list,
               (struct candidate){
                   .kind = "empty-collective",
                   .effort = EFFORT_SMALL,
                   .path = path,
                   .region = path_own_region(facts->trace, path),
                   .ranks = facts->paths[path].ranks,
                   .cause = candidate_text(list, "collective %u", path),
                   .sections = candidate_text(list,
                                              "[cut empty operations]\nwhat = collectives\n"
                                              "callpath = %s\n",
                                              pattern),
                   .change = candidate_text(list,
                                            "Leave out the operation in %s: no rank sends or "
                                            "receives data in it.",
                                            text),
                   .check = "It must not serve as a barrier for what MPI does not see: files, "
                            "memory that ranks share, clocks.",
               });
}

static bool add_pair(const struct facts *facts, struct candidate_list *list, uint32_t reduction,
                     uint32_t broadcast)
{
    const struct trace *trace = facts->trace;
    const char *first = candidate_callpath(list, trace, reduction);
    const char *second = candidate_callpath(list, trace, broadcast);
    const char *text = candidate_path_text(list, trace, reduction);
    return first && second && text &&
           candidate_add(
               list, (struct candidate){
                         .kind = "cheaper-collective",
                         .effort = EFFORT_SMALL,
                         .path = reduction,
                         .region = path_own_region(trace, reduction),
                         .ranks = facts->paths[reduction].ranks,
                         .cause = candidate_text(list, "collective %u", reduction),
                         .sections = candidate_text(list,
                                                    "[cut broadcast]\nwhat = collectives\n"
                                                    "operation = MPI_Bcast\ncallpath = %s\n\n"
                                                    "[replace reduction]\noperation = MPI_Reduce\n"
                                                    "callpath = %s\nby = allreduce\n",
                                                    second, first),
                         .change = candidate_text(
                             list,
                             "Call MPI_Allreduce instead of MPI_Reduce and MPI_Bcast "
                             "in %s: the root sends back what it has received.",
                             text),
                         .check = "The root must not change the result before it sends it.",
                     });
}

static bool add_all(const struct facts *facts, const struct counts *counts,
                    struct candidate_list *list)
{
    bool complete = true;
    for (uint32_t path = 0; path < facts->trace->calltree.paths.count && complete; path++) {
        if (counts->operations[path] > 0 && counts->bytes[path] == 0)
            complete = add_empty(facts, list, path);
        else if (counts->pairs[path] > 0 && counts->pairs[path] == counts->operations[path] &&
                 counts->lowest[path] == counts->highest[path] &&
                 counts->operations[counts->lowest[path]] == counts->pairs[path])
            complete = add_pair(facts, list, path, (uint32_t)counts->lowest[path]);
    }
    return complete;
}

static enum status propose(const struct facts *facts, struct candidate_list *list,
                           struct error *error)
{
    const struct trace *trace = facts->trace;
    const size_t paths = trace->calltree.paths.count;
    int64_t *block = calloc(5 * paths + 1, sizeof *block);
    const struct counts counts = {block, block + paths, block + 2 * paths, block + 3 * paths,
                                  block + 4 * paths};
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
        count(&trace->streams[i], &counts);
    processes_sum(trace->processes, block, 3 * paths);
    processes_min(trace->processes, counts.lowest, paths);
    processes_max(trace->processes, counts.highest, paths);
    bool complete = add_all(facts, &counts, list);
    free(block);
    return complete ? STATUS_OK : error_memory(error, "the advice");
}

const struct candidate_family candidates_collectives = {
    .name = "collectives",
    .description = "collective operations that a cheaper one could replace",
    .propose = propose,
};
