/* Neighbourhood collectives need a communicator that knows the neighbours. The kind of topology,
 * Cartesian or graph, does not matter: MPI sends each neighbour its block in the order of the
 * lists, which are in the trace. */
#include "replay/realtime/topologies.h"

#include <stdlib.h>

/* This rank's part of a communicator's topology. */
struct neighbourhood {
    uint32_t destinations, sources; /* groups */
    uint8_t used, unknown; /* neighbourhood collectives occur with known lists, with unknown ones */
};

static void look(const struct stream *stream, struct neighbourhood *all)
{
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *c = &stream->collectives[i];
        if (c->instance == INDEX_NONE || !(c->flags & COLLECTIVE_NEIGHBOUR))
            continue;
        struct neighbourhood *own = &all[c->comm];
        bool known = c->destinations != INDEX_NONE && c->sources != INDEX_NONE &&
                     c->send_counts != INDEX_NONE && c->receive_counts != INDEX_NONE;
        bool same =
            !own->used || (own->destinations == c->destinations && own->sources == c->sources);
        own->destinations = c->destinations;
        own->sources = c->sources;
        own->used = 1;
        own->unknown |= !known || !same;
    }
}

/* The largest number of neighbours of any topology, sources and destinations together. */
static size_t most_neighbours(const struct trace *trace, const struct neighbourhood *all)
{
    size_t most = 0;
    for (uint32_t comm = 0; comm < trace->definitions->comm_count; comm++) {
        if (!all[comm].used || all[comm].unknown)
            continue;
        size_t count = (size_t)trace->definitions->groups[all[comm].sources].count +
                       trace->definitions->groups[all[comm].destinations].count;
        most = count > most ? count : most;
    }
    return most;
}

static void copy_ranks(const struct group *group, int *ranks)
{
    for (uint32_t i = 0; i < group->count; i++)
        ranks[i] = (int)group->members[i];
}

/* `ranks` has room for the ranks of all neighbours. */
static MPI_Comm create(const struct trace *trace, MPI_Comm real, const struct neighbourhood *own,
                       int *ranks)
{
    const struct group *from = &trace->definitions->groups[own->sources];
    const struct group *to = &trace->definitions->groups[own->destinations];
    int *sources = ranks, *destinations = ranks + from->count;
    MPI_Comm created = MPI_COMM_NULL;
    copy_ranks(from, sources);
    copy_ranks(to, destinations);
    MPI_Dist_graph_create_adjacent(real, (int)from->count, sources, MPI_UNWEIGHTED, (int)to->count,
                                   destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &created);
    return created;
}

/* All ranks go in order of definition, so the creations cannot block each other. */
enum status communicators_add_topologies(const struct trace *trace, MPI_Errhandler handler,
                                         struct communicators *communicators, struct error *error)
{
    uint32_t count = trace->definitions->comm_count;
    struct neighbourhood *all = calloc((size_t)count + 1, sizeof *all);
    communicators->topology = malloc(((size_t)count + 1) * sizeof *communicators->topology);
    int *ranks = NULL;
    if (all) {
        look(trace_stream(trace, (uint32_t)trace->processes->rank), all);
        ranks = malloc((most_neighbours(trace, all) + 1) * sizeof *ranks);
    }
    bool room = ranks && communicators->topology;
    enum status status = processes_agree_memory(trace->processes, room, "communicators", error);
    for (uint32_t comm = 0; comm < count && status == STATUS_OK; comm++) {
        MPI_Comm real = communicators->real[comm];
        int unknown = all[comm].unknown, somewhere;
        communicators->topology[comm] = MPI_COMM_NULL;
        if (!all[comm].used || real == MPI_COMM_NULL)
            continue;
        MPI_Allreduce(&unknown, &somewhere, 1, MPI_INT, MPI_MAX, real);
        if (somewhere)
            continue;
        communicators->topology[comm] = create(trace, real, &all[comm], ranks);
        if (communicators->topology[comm] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(communicators->topology[comm], handler);
    }
    communicators->topology_count = status == STATUS_OK ? count : 0;
    free(ranks);
    free(all);
    return status;
}

void communicators_free_topologies(struct communicators *communicators)
{
    for (uint32_t i = 0; i < communicators->topology_count; i++)
        if (communicators->topology[i] != MPI_COMM_NULL)
            MPI_Comm_free(&communicators->topology[i]);
    free(communicators->topology);
    communicators->topology = NULL;
    communicators->topology_count = 0;
}
