#include "measure/wrappers/collective_bytes.h"

#include "measure/wrappers/types.h"

#include <stdlib.h>

struct bytes {
    const struct collective_call *arguments;
    struct communicator *comm;
    int peers;
    bool at_root, in_place;
    bool sends;    /* false in the receiving group of an intercommunicator */
    bool receives; /* false in the sending group */
    struct record_collective *result;
};

static uint64_t type_bytes(struct bytes *bytes, MPI_Datatype type)
{
    const uint64_t size = type_size(type);
    bytes->result->type_size = size <= UINT16_MAX ? (uint16_t)size : 0;
    return size;
}

static uint64_t sent_block(struct bytes *bytes)
{
    return (uint64_t)bytes->arguments->sendcount * type_bytes(bytes, bytes->arguments->sendtype);
}

static uint64_t received_block(struct bytes *bytes)
{
    return (uint64_t)bytes->arguments->recvcount * type_bytes(bytes, bytes->arguments->recvtype);
}

static uint64_t peers_without_me(const struct bytes *bytes)
{
    return (uint64_t)(bytes->peers - bytes->in_place);
}

/* The sum of a vector of counts in bytes, without this rank's part if that is in place. Defines the
 * vector in the trace as `*id`. `types` has one type per count; NULL: all have `type`. `common`:
 * all members pass the same vector and record it whole, also this rank's part. */
static uint64_t vector(struct bytes *bytes, int n, const int *counts, MPI_Datatype type,
                       const MPI_Datatype *types, bool common, uint32_t *id)
{
    uint64_t sum = 0;
    const uint64_t size = types ? 0 : type_bytes(bytes, type);
    uint64_t *vector = malloc((size_t)n * sizeof *vector + 1);
    for (int i = 0; i < n; i++) {
        const bool moves = !(bytes->in_place && i == bytes->comm->rank);
        const uint64_t part = (moves || common) && counts[i]
                                  ? (uint64_t)counts[i] * (types ? type_size(types[i]) : size)
                                  : 0;
        sum += moves ? part : 0;
        if (vector)
            vector[i] = part;
    }
    if (vector)
        *id = define_counts(vector, (size_t)n);
    free(vector);
    return sum;
}

static void bcast(struct bytes *bytes)
{
    const uint64_t block = bytes->at_root ? sent_block(bytes) : received_block(bytes);
    if (bytes->at_root)
        bytes->result->sent = block * (uint64_t)bytes->peers;
    if (bytes->receives)
        bytes->result->received = block;
}

static void gather(struct bytes *bytes)
{
    if (bytes->at_root)
        bytes->result->received = peers_without_me(bytes) * received_block(bytes);
    if (bytes->sends && !bytes->in_place)
        bytes->result->sent = sent_block(bytes);
}

static void gatherv(struct bytes *bytes)
{
    const struct collective_call *arguments = bytes->arguments;
    if (bytes->at_root)
        bytes->result->received =
            vector(bytes, bytes->peers, arguments->recvcounts, arguments->recvtype, NULL, false,
                   &bytes->result->receive_counts);
    if (bytes->sends && !bytes->in_place)
        bytes->result->sent = sent_block(bytes);
}

static void scatter(struct bytes *bytes)
{
    if (bytes->at_root)
        bytes->result->sent = peers_without_me(bytes) * sent_block(bytes);
    if (bytes->receives && !bytes->in_place)
        bytes->result->received = received_block(bytes);
}

static void scatterv(struct bytes *bytes)
{
    const struct collective_call *arguments = bytes->arguments;
    if (bytes->at_root)
        bytes->result->sent = vector(bytes, bytes->peers, arguments->sendcounts,
                                     arguments->sendtype, NULL, false, &bytes->result->send_counts);
    if (bytes->receives && !bytes->in_place)
        bytes->result->received = received_block(bytes);
}

static void allgather(struct bytes *bytes)
{
    const uint64_t block = received_block(bytes);
    bytes->result->received = peers_without_me(bytes) * block;
    bytes->result->sent = peers_without_me(bytes) * (bytes->in_place ? block : sent_block(bytes));
}

static void allgatherv(struct bytes *bytes)
{
    const struct collective_call *arguments = bytes->arguments;
    bytes->result->received =
        vector(bytes, bytes->peers, arguments->recvcounts, arguments->recvtype, NULL, true,
               &bytes->result->receive_counts);
    bytes->result->sent = peers_without_me(bytes) *
                          (bytes->in_place ? (uint64_t)arguments->recvcounts[bytes->comm->rank] *
                                                 type_size(arguments->recvtype)
                                           : sent_block(bytes));
}

static void alltoallv(struct bytes *bytes)
{
    const struct collective_call *arguments = bytes->arguments;
    struct record_collective *result = bytes->result;
    result->received = vector(bytes, bytes->peers, arguments->recvcounts, arguments->recvtype,
                              arguments->recvtypes, false, &result->receive_counts);
    result->sent = result->received;
    result->send_counts = result->receive_counts;
    if (!bytes->in_place)
        result->sent = vector(bytes, bytes->peers, arguments->sendcounts, arguments->sendtype,
                              arguments->sendtypes, false, &result->send_counts);
}

static void reduce(struct bytes *bytes)
{
    const uint64_t block = bytes->at_root || bytes->sends ? sent_block(bytes) : 0;
    if (bytes->at_root)
        bytes->result->received = peers_without_me(bytes) * block;
    if (bytes->sends && !bytes->in_place)
        bytes->result->sent = block;
}

static void allreduce(struct bytes *bytes)
{
    bytes->result->sent = bytes->result->received = peers_without_me(bytes) * sent_block(bytes);
}

/* There is one count per member of the own group. */
static void reduce_scatter(struct bytes *bytes)
{
    const struct collective_call *arguments = bytes->arguments;
    bytes->result->sent = vector(bytes, bytes->comm->size, arguments->recvcounts,
                                 arguments->recvtype, NULL, true, &bytes->result->receive_counts);
    bytes->result->received = peers_without_me(bytes) *
                              (uint64_t)arguments->recvcounts[bytes->comm->rank] *
                              type_size(arguments->recvtype);
}

static void reduce_scatter_block(struct bytes *bytes)
{
    bytes->result->sent = bytes->result->received = peers_without_me(bytes) * received_block(bytes);
}

/* A rank sends to itself and all higher ranks, and receives from itself and all lower ones. */
static void scan(struct bytes *bytes)
{
    const uint64_t block = sent_block(bytes);
    bytes->result->sent = (uint64_t)(bytes->peers - bytes->comm->rank - bytes->in_place) * block;
    bytes->result->received = (uint64_t)(bytes->comm->rank + 1 - bytes->in_place) * block;
}

static void exscan(struct bytes *bytes)
{
    const uint64_t block = sent_block(bytes);
    bytes->result->sent = (uint64_t)(bytes->peers - bytes->comm->rank - 1) * block;
    bytes->result->received = (uint64_t)bytes->comm->rank * block;
}

/* The same for neighbours: their sum in bytes, and the vector without MPI_PROC_NULL as `*id`. */
static uint64_t spread(struct bytes *bytes, int neighbours, const int *ranks, int count,
                       const int *counts, MPI_Datatype type, const MPI_Datatype *types,
                       uint32_t *id)
{
    uint64_t sum = 0;
    uint64_t *vector = malloc(((size_t)neighbours + 1) * sizeof *vector);
    size_t present = 0;
    for (int i = 0; i < neighbours; i++) {
        const uint64_t elements = (uint64_t)(counts ? counts[i] : count);
        const uint64_t part =
            elements ? elements * (types ? type_size(types[i]) : type_bytes(bytes, type)) : 0;
        if (ranks[i] == MPI_PROC_NULL)
            continue;
        sum += part;
        if (vector)
            vector[present++] = part;
    }
    if (vector)
        *id = define_counts(vector, present);
    free(vector);
    return sum;
}

static void neighbourhood(struct bytes *bytes)
{
    const struct collective_call *arguments = bytes->arguments;
    struct communicator *comm = bytes->comm;
    communicator_ask_neighbours(comm);
    bytes->result->sources = comm->sources_id;
    bytes->result->destinations = comm->destinations_id;
    bytes->result->sent = spread(bytes, comm->destination_count, comm->destinations,
                                 arguments->sendcount, arguments->sendcounts, arguments->sendtype,
                                 arguments->sendtypes, &bytes->result->send_counts);
    bytes->result->received = spread(bytes, comm->source_count, comm->sources, arguments->recvcount,
                                     arguments->recvcounts, arguments->recvtype,
                                     arguments->recvtypes, &bytes->result->receive_counts);
}

static void (*const rules[])(struct bytes *) = {
    [OTF2_COLLECTIVE_OP_BCAST] = bcast,
    [OTF2_COLLECTIVE_OP_GATHER] = gather,
    [OTF2_COLLECTIVE_OP_GATHERV] = gatherv,
    [OTF2_COLLECTIVE_OP_SCATTER] = scatter,
    [OTF2_COLLECTIVE_OP_SCATTERV] = scatterv,
    [OTF2_COLLECTIVE_OP_ALLGATHER] = allgather,
    [OTF2_COLLECTIVE_OP_ALLGATHERV] = allgatherv,
    [OTF2_COLLECTIVE_OP_ALLTOALL] = allgather,
    [OTF2_COLLECTIVE_OP_ALLTOALLV] = alltoallv,
    [OTF2_COLLECTIVE_OP_ALLTOALLW] = alltoallv,
    [OTF2_COLLECTIVE_OP_ALLREDUCE] = allreduce,
    [OTF2_COLLECTIVE_OP_REDUCE] = reduce,
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = reduce_scatter,
    [OTF2_COLLECTIVE_OP_SCAN] = scan,
    [OTF2_COLLECTIVE_OP_EXSCAN] = exscan,
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = reduce_scatter_block,
};

static uint32_t root_in_trace(const struct collective_call *arguments)
{
    if (!arguments->rooted)
        return OTF2_COLLECTIVE_ROOT_NONE;
    if (arguments->root == MPI_ROOT)
        return OTF2_COLLECTIVE_ROOT_SELF;
    if (arguments->root == MPI_PROC_NULL)
        return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    return (uint32_t)arguments->root;
}

bool collective_describe(const struct collective_call *arguments,
                         struct record_collective *collective)
{
    struct communicator *comm = communicator_find(arguments->comm);
    struct bytes bytes = {.arguments = arguments, .comm = comm, .result = collective};
    if (!comm)
        return false;
    *collective = (struct record_collective){
        .comm = comm->id,
        .root = root_in_trace(arguments),
        .send_counts = RECORD_NONE,
        .receive_counts = RECORD_NONE,
        .destinations = RECORD_NONE,
        .sources = RECORD_NONE,
        .op = (uint8_t)arguments->op,
        .flags = arguments->neighbour ? RECORD_NEIGHBOUR : 0,
    };
    bytes.peers = comm->remote_size;
    bytes.at_root = arguments->rooted && arguments->root == (comm->inter ? MPI_ROOT : comm->rank);
    bytes.in_place = (arguments->sendbuf == MPI_IN_PLACE || arguments->recvbuf == MPI_IN_PLACE) &&
                     (bytes.at_root || !arguments->rooted);
    if (bytes.in_place)
        collective->flags |= RECORD_IN_PLACE;
    bytes.sends = bytes.receives =
        !comm->inter || (arguments->root != MPI_ROOT && arguments->root != MPI_PROC_NULL);
    if (arguments->neighbour)
        neighbourhood(&bytes);
    else if (rules[arguments->op])
        rules[arguments->op](&bytes);
    return true;
}
