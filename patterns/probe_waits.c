/* A probe waits for a message that is sent too late. With e and l enter and leave of MPI_Probe or
 * MPI_Mprobe, and o the enter of the call that posts the send of the message that it finds:
 *
 *     late sender in a probe   max(0, min(o, l) - e)
 *
 * A matched probe names its message; of any other probe it is what the rank's next communication
 * receives (trace/calls/walk.h). Scalasca has no such metric, and counts this time as MPI's. The
 * receive that follows does not wait for the message any more, so no time counts twice. MPI_Iprobe
 * and MPI_Improbe do not wait, like the Test calls. */
#include "patterns/probe_waits.h"

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

bool probe_waits_list(const struct search_rank *rank, struct call_waits *waits)
{
    const struct stream *stream = rank->stream;
    struct call_walk walk;
    bool allocated = true;
    if (!may_probe(rank->trace->definitions))
        return true;
    call_walk_open(&walk, rank->trace, stream, 0);
    while (allocated && call_walk_next(&walk)) {
        const struct recorded_call *call = &walk.call;
        if (!call_is_blocking_probe(call->mpi_call) || !call->probes ||
            stream->messages[call->probed].flags & MESSAGE_NO_WAIT)
            continue;
        const struct call_wait wait = {.rank = stream->rank,
                                       .enter_row = call->enter,
                                       .culprit = stream->messages[call->probed].partner_rank,
                                       .kind = SYNC_LATE_SENDER,
                                       .ticks = probe_wait(rank, call)};
        allocated = wait.ticks <= 0 || array_push(&waits->all, wait);
    }
    allocated = allocated && !walk.out_of_memory;
    call_walk_close(&walk);
    return allocated;
}

static void search_probes(const struct search_rank *rank)
{
    struct call_waits waits = {0};
    if (!probe_waits_list(rank, &waits))
        rank->findings->out_of_memory = true;
    for (size_t i = 0; i < waits.all.count; i++) {
        const struct call_wait *wait = &waits.all.items[i];
        const struct search_call call = {.path = rank->stream->arg[wait->enter_row],
                                         .enter_row = wait->enter_row};
        search_rank_add_wait(rank, METRIC_MPI_PROBE_WAIT, &call, wait->ticks, wait->culprit);
    }
    free(waits.all.items);
}

const struct pattern probe_wait_pattern = {
    .name = "late sender in a probe",
    .description = "a probe waits for a message that is not yet sent",
    .search_rank = search_probes,
};
