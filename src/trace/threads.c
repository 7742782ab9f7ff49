#include "trace/threads.h"

#include <assert.h>
#include <stdio.h>

uint32_t mpi_process_count(const struct definitions *d)
{
    return d->threads ? d->threads->mpi_process_count : d->rank_count;
}

uint32_t mpi_process_of(const struct definitions *d, uint32_t rank)
{
    assert(rank < d->rank_count);
    return d->threads ? d->threads->mpi_process[rank] : rank;
}

uint32_t mpi_process_first_rank(const struct definitions *d, uint32_t mpi_process)
{
    assert(mpi_process <= mpi_process_count(d));
    return d->threads ? d->threads->first_rank[mpi_process] : mpi_process;
}

uint32_t thread_of_rank(const struct definitions *d, uint32_t rank)
{
    assert(rank < d->rank_count);
    return d->threads ? d->threads->thread[rank] : 0;
}

const char *rank_name(const struct definitions *d, uint32_t rank, char text[RANK_NAME_SIZE])
{
    if (d->threads && rank < d->rank_count)
        snprintf(text, RANK_NAME_SIZE, "rank %u, thread %u", d->threads->mpi_process[rank],
                 d->threads->thread[rank]);
    else
        snprintf(text, RANK_NAME_SIZE, "rank %u", rank);
    return text;
}

enum status threads_refuse(const struct definitions *d, const char *path, const char *tool,
                           struct error *error)
{
    if (!d->threads)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: several threads of a rank communicate at the same time "
                     "(MPI_THREAD_MULTIPLE): %s needs one communicating thread per rank",
                     path, tool);
}

uint32_t recorded_comm(const struct definitions *d, uint32_t comm)
{
    return d->threads && comm < d->threads->total_comms ? d->threads->comm_of[comm] : comm;
}

uint32_t recorded_window_comm(const struct definitions *d, uint32_t window)
{
    assert(window < d->window_count);
    return d->threads ? d->threads->window_comms[window] : d->windows[window].comm;
}

uint32_t recorded_group(const struct definitions *d, uint32_t group)
{
    const struct thread_ranks *t = d->threads;
    return !t                        ? group
           : group < t->total_groups ? t->recorded[group]
                                     : group - t->total_groups + t->group_count;
}

uint32_t recorded_comm_count(const struct definitions *d)
{
    return d->threads ? d->threads->comm_count : d->comm_count - d->window_count;
}

bool group_is_recorded(const struct definitions *d, uint32_t group)
{
    const struct thread_ranks *t = d->threads;
    return !t || group < t->group_count || group >= t->total_groups;
}

uint32_t recorded_group_of(const struct definitions *d, uint32_t comm, bool remote)
{
    assert(comm < recorded_comm_count(d));
    if (d->threads)
        return d->threads->group_of[2 * comm + remote];
    return remote ? d->comms[comm].remote_group : d->comms[comm].group;
}

uint32_t recorded_peer(const struct definitions *d, uint32_t comm, uint32_t caller, uint32_t peer)
{
    assert(comm < d->comm_count);
    if (!d->threads || d->comms[comm].self)
        return peer;
    const uint32_t recorded = recorded_comm(d, comm);
    const uint32_t rank = comm_world_rank(d, comm, caller, peer);
    if (rank == INDEX_NONE || d->comms[recorded].self)
        return d->comms[recorded].self ? 0 : peer;
    const uint32_t mpi_process = d->threads->mpi_process[rank];
    /* of an intercommunicator the peer is in one of the groups only */
    for (int remote = 0; remote < 2; remote++) {
        const uint32_t index = d->threads->group_of[2 * recorded + remote];
        const struct group *group = index == INDEX_NONE ? NULL : &d->groups[index];
        for (uint32_t i = 0; group && i < group->count; i++)
            if (group_rank(group, i) == mpi_process)
                return i;
    }
    return peer;
}
