/* A probe waits for a message that is sent too late. With e and l enter and leave of MPI_Probe or
 * MPI_Mprobe, and o the enter of the call that posts the send of the message that it finds:
 *
 *     late sender in a probe   max(0, min(o, l) - e)
 *
 * A matched probe names its message; of any other probe it is what the rank's next communication
 * receives (trace/calls/walk.h). Scalasca has no such metric, and counts this time as MPI's. The
 * receive that follows does not wait for the message any more, so no time counts twice. MPI_Iprobe
 * and MPI_Improbe do not wait, like the Test calls. */
#include "patterns/pattern.h"

#include "trace/calls/walk.h"

#include <stdlib.h>

static bool call_is_blocking_probe(enum mpi_call call)
{
    return mpi_class_is_blocking_probe(mpi_call_infos[call].class);
}

/* Most programs do not probe, and need not be read once more. */
static bool may_probe(const struct definitions *definitions)
{
    for (uint32_t i = 0; i < definitions->region_count; i++)
        if (call_is_blocking_probe(definitions->regions[i].mpi_call))
            return true;
    return false;
}

static int64_t probe_wait(const struct search_rank *rank, const struct recorded_call *call)
{
    const int64_t enter = (int64_t)rank->stream->time[call->enter];
    const int64_t leave = (int64_t)rank->stream->time[call->leave];
    return int64_min(rank->other[call->probed].enter, leave) - enter;
}

static void search_probes(const struct search_rank *rank)
{
    const struct stream *stream = rank->stream;
    struct call_walk walk;
    if (!may_probe(rank->trace->definitions))
        return;
    call_walk_open(&walk, rank->trace, stream, 0);
    while (call_walk_next(&walk)) {
        const struct recorded_call *probe = &walk.call;
        if (!call_is_blocking_probe(probe->mpi_call) || !probe->probes ||
            stream->messages[probe->probed].flags & MESSAGE_NO_WAIT)
            continue;
        const struct search_call call = {.path = stream->arg[probe->enter],
                                         .enter_row = probe->enter};
        const int64_t wait = probe_wait(rank, probe);
        if (wait > 0)
            search_rank_add_wait(rank, METRIC_MPI_PROBE_WAIT, &call, wait,
                                 stream->messages[probe->probed].partner_rank);
    }
    if (walk.out_of_memory)
        rank->findings->out_of_memory = true;
    call_walk_close(&walk);
}

const struct pattern probe_wait_pattern = {
    .name = "late sender in a probe",
    .description = "a probe waits for a message that is not yet sent",
    .search_rank = search_probes,
};
