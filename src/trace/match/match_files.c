/* Which collective calls on files wait for all members. MPI leaves it open. MPICH and Open MPI let
 * most of them wait, but not if hints or components let each rank access the file alone. The
 * recording decides for all calls of one name: if a member has left one of them before the last
 * member entered it, none of them waits. Clocks may err: by as much as operations that must wait
 * seem to be left early. */
#include "trace/match/match_private.h"

#include "trace/calls/collective_operations.h"
#include "trace/exchange.h"

static const char purpose[] = "matching";

struct timed_member { /* of an instance, at its owner */
    struct member_record from;
    uint32_t file_call; /* enum mpi_call; MPI_CALL_NONE: an operation that must wait */
    int64_t begin, end;
};

/* The collective call on a file, or MPI_CALL_NONE. */
static enum mpi_call file_call_of(const struct trace *trace, const struct stream *stream,
                                  const struct collective *collective)
{
    if (collective->op != COLLECTIVE_BARRIER || collective->flags & COLLECTIVE_NONBLOCKING ||
        collective->instance == INDEX_NONE)
        return MPI_CALL_NONE;
    const enum mpi_call call = callpath_call(trace, stream_callpath_at(stream, collective->begin));
    return mpi_call_infos[call].class == MPI_CLASS_SYNCHRONISE ? call : MPI_CALL_NONE;
}

static bool must_wait(const struct collective *collective)
{
    const enum collective_flow flow = collective_operations[collective->op].flow;
    return !(collective->flags & (COLLECTIVE_NONBLOCKING | COLLECTIVE_LOCAL)) &&
           (flow == FLOW_BARRIER ||
            (flow == FLOW_ALL && collective->sent > 0 && collective->received > 0));
}

static bool send_timed_member(void *data, uint32_t s, uint32_t index, void *record)
{
    const struct trace *trace = data;
    const struct stream *stream = &trace->streams[s];
    const struct collective *collective = &stream->collectives[index];
    struct timed_member *member = record;
    if (!must_wait(collective) ||
        !collective_is_ordered(trace->definitions, collective, stream->rank))
        return false;
    member->file_call = file_call_of(trace, stream, collective);
    member->begin = (int64_t)stream->time[collective->begin];
    member->end = (int64_t)stream->time[collective->end];
    return true;
}

/* Collective. left_early[call]: by how many ticks at most a member has left the file call before
 * the last one entered it; of MPI_CALL_NONE, those of operations that must wait. */
static enum status find_left_early(struct trace *trace, int64_t *left_early, struct error *error)
{
    static const struct instance_exchange exchange = {.purpose = purpose,
                                                      .record_size = sizeof(struct timed_member),
                                                      .order = MEMBERS_BY_RANK,
                                                      .send = send_timed_member};
    struct owned_instances instances;
    enum status status = owned_instances_open(&instances, trace, &exchange, trace, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < instances.instance_count; i++) {
        const struct timed_member *first = instance_record(&instances, i, 0);
        int64_t last_begin = first->begin, first_end = first->end;
        for (uint32_t m = 1; m < instance_member_count(&instances, i); m++) {
            const struct timed_member *member = instance_record(&instances, i, m);
            last_begin = int64_max(last_begin, member->begin);
            first_end = int64_min(first_end, member->end);
        }
        left_early[first->file_call] =
            int64_max(left_early[first->file_call], last_begin - first_end);
    }
    owned_instances_close(&instances);
    processes_max(trace->processes, left_early, MPI_CALL_COUNT);
    return STATUS_OK;
}

enum status match_file_calls(struct trace *trace, struct error *error)
{
    int64_t left_early[MPI_CALL_COUNT] = {0}, any = 0;
    if (trace->recording) /* decided there; this trace has other times */
        return STATUS_OK;
    for (uint32_t p = 0; p < trace->calltree.paths.count && !any; p++)
        any = mpi_call_infos[callpath_call(trace, p)].class == MPI_CLASS_SYNCHRONISE;
    if (!any) /* the same on all processes, as the call tree is */
        return STATUS_OK;
    enum status status = find_left_early(trace, left_early, error);
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++) {
            struct collective *collective = &trace->streams[s].collectives[c];
            const enum mpi_call call = file_call_of(trace, &trace->streams[s], collective);
            if (call != MPI_CALL_NONE && left_early[call] > left_early[MPI_CALL_NONE])
                collective->flags |= COLLECTIVE_LOCAL;
        }
    return status;
}
