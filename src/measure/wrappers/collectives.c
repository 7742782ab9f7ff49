#include "measure/wrappers/collectives.h"

#include "measure/wrappers/operators.h"
#include "measure/wrappers/point_to_point.h"
#include "measure/wrappers/windows.h"

#include "base/map.h"
#include "base/otf2_attributes.h"

#include <assert.h>
#include <stdlib.h>

static_assert(COLLECTIVE_OP_COUNT <= UINT8_MAX + 1, "record_collective has 8 bits for it");

/* An operation that is being described. */
struct description {
    const struct collective_call *arguments;
    struct traced_communicator *comm;
    const struct collective_operation *operation;
    bool at_root, in_place;
    bool is_member; /* false in the root's group of an intercommunicator */
    struct record_collective *result;
    struct types_used types;                   /* those that are significant on this rank */
    MPI_Datatype *sent_types, *received_types; /* owned; NULL: one for all peers */
};

/* The size of the type of the data sent or received, which is noted for the record. */
static uint64_t type_bytes(struct description *description, const struct collective_data *data,
                           bool sends)
{
    const uint64_t size = type_size(data->type);
    description->result->type_size = size <= UINT16_MAX ? (uint16_t)size : 0;
    if (sends) {
        description->types.sent = &data->type;
        description->types.sent_count = 1;
    } else {
        description->types.received = &data->type;
        description->types.received_count = 1;
    }
    return size;
}

/* The count for the i-th peer. */
static MPI_Count count_for_peer(const struct collective_data *data, int i)
{
    return data->counts         ? data->counts[i]
           : data->large_counts ? data->large_counts[i]
                                : data->count;
}

/* Notes the types of an operation that has one for each peer. Those of peers without data are left
 * out, and may be invalid. False if out of memory. */
static bool note_types(struct description *description, int n, const struct collective_data *data,
                       const int *ranks, bool sends)
{
    MPI_Datatype *significant = malloc(((size_t)n + 1) * sizeof(MPI_Datatype));
    int present = 0;
    if (!significant)
        return false;
    for (int i = 0; i < n; i++)
        if (!ranks || ranks[i] != MPI_PROC_NULL)
            significant[present++] = count_for_peer(data, i) ? data->types[i] : MPI_DATATYPE_NULL;
    if (sends) {
        description->types.sent = description->sent_types = significant;
        description->types.sent_count = present;
    } else {
        description->types.received = description->received_types = significant;
        description->types.received_count = present;
    }
    return true;
}

/* The sum of `n` counts in bytes, without this rank's part if that is in place. Defines the vector
 * in the trace as `*id`. `ranks` (may be NULL): of the peers; MPI_PROC_NULL is left out. `common`:
 * all members pass the same vector, so the trace gets it with this rank's part. */
static uint64_t vector(struct description *description, int n, const struct collective_data *data,
                       const int *ranks, bool common, bool sends, uint32_t *id)
{
    uint64_t sum = 0, *vector = malloc(((size_t)n + 1) * sizeof *vector);
    size_t present = 0;
    const uint64_t size = data->types ? 0 : type_bytes(description, data, sends);
    if (data->types && !note_types(description, n, data, ranks, sends))
        measurement_out_of_memory();
    for (int i = 0; i < n; i++) {
        const bool moves = !(description->in_place && i == description->comm->rank);
        const MPI_Count count = count_for_peer(data, i);
        const uint64_t part =
            (moves || common) && count /* otherwise the type may be invalid */
                ? (uint64_t)count * (data->types ? type_size(data->types[i]) : size)
                : 0;
        if (ranks && ranks[i] == MPI_PROC_NULL)
            continue;
        sum += moves ? part : 0;
        if (vector)
            vector[present++] = part;
    }
    if (vector)
        *id = define_numbers(DEFINITION_COUNTS, vector, present);
    free(vector);
    return sum;
}

/* Whether this rank sends or receives what the column of the table counts. */
static bool takes_part(const struct description *description, enum counted_blocks counted)
{
    if (!description->arguments->rooted)
        return counted != COUNTED_NONE;
    return counted == COUNTED_EACH_AT_ROOT
               ? description->at_root
               : counted != COUNTED_NONE && description->is_member && !description->in_place;
}

/* The arguments that describe the data sent. In place, and where members send parts that are
 * reduced, these are the arguments for receiving. */
static const struct collective_data *sent_data(const struct description *description)
{
    const struct collective_operation *operation = description->operation;
    const bool in_place = description->in_place && !description->arguments->rooted;
    const bool reduced_parts =
        operation->reduces && (operation->sends_each || operation->sent == COUNTED_VECTOR);
    return in_place || reduced_parts ? &description->arguments->receive
                                     : &description->arguments->send;
}

static uint64_t side_bytes(struct description *description, bool sends)
{
    const struct collective_operation *operation = description->operation;
    const struct traced_communicator *comm = description->comm;
    const struct collective_data *data =
        sends ? sent_data(description) : &description->arguments->receive;
    const enum counted_blocks counted = sends ? operation->sent : operation->received;
    const int peers = comm->remote_size;
    struct record_collective *result = description->result;
    if (!takes_part(description, counted))
        return 0;
    if (counted == COUNTED_VECTOR)
        return vector(description, comm->size, data, NULL, true, sends, &result->receive_counts);
    if ((counted == COUNTED_EACH || counted == COUNTED_EACH_AT_ROOT) &&
        (sends ? operation->send_counts : operation->receive_counts))
        return vector(description, peers, data, NULL, operation->flow == FLOW_ALL, sends,
                      sends ? &result->send_counts : &result->receive_counts);
    const int64_t blocks =
        collective_op_blocks(counted == COUNTED_OWN_PART ? COUNTED_EACH : counted, peers,
                             comm->rank, description->at_root, description->in_place);
    return (uint64_t)blocks * (uint64_t)count_for_peer(data, comm->rank) *
           type_bytes(description, data, sends);
}

/* The bytes that this rank sends or receives. */
static void add_side(struct description *description, bool sends)
{
    *(sends ? &description->result->sent : &description->result->received) =
        side_bytes(description, sends);
}

static void add_neighbourhood(struct description *description)
{
    const struct collective_call *arguments = description->arguments;
    struct traced_communicator *comm = description->comm;
    struct record_collective *result = description->result;
    communicator_ask_neighbours(comm);
    result->sources = comm->sources_id;
    result->destinations = comm->destinations_id;
    result->sent = vector(description, comm->destination_count, &arguments->send,
                          comm->destinations, false, true, &result->send_counts);
    result->received = vector(description, comm->source_count, &arguments->receive, comm->sources,
                              false, false, &result->receive_counts);
}

static struct record_collective without_data(uint32_t comm, OTF2_CollectiveOp op)
{
    return (struct record_collective){.comm = comm,
                                      .root = OTF2_COLLECTIVE_ROOT_NONE,
                                      .send_counts = RECORD_NONE,
                                      .receive_counts = RECORD_NONE,
                                      .destinations = RECORD_NONE,
                                      .sources = RECORD_NONE,
                                      .types = RECORD_NONE,
                                      .op = (uint8_t)op};
}

static uint32_t root_in_trace(int root)
{
    return root == MPI_ROOT        ? OTF2_COLLECTIVE_ROOT_SELF
           : root == MPI_PROC_NULL ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                   : (uint32_t)root;
}

/* Fills in the record of an operation on `comm`. */
static void describe_collective(const struct collective_call *arguments,
                                struct traced_communicator *comm,
                                struct record_collective *collective)
{
    struct description description = {
        .arguments = arguments,
        .comm = comm,
        .operation = &collective_operations[arguments->op],
        .at_root = arguments->rooted && arguments->root == (comm->inter ? MPI_ROOT : comm->rank),
        .is_member =
            !comm->inter || (arguments->root != MPI_ROOT && arguments->root != MPI_PROC_NULL),
        .result = collective,
        .types = {.user_op = RECORD_NONE}};
    description.in_place =
        (arguments->sendbuf == MPI_IN_PLACE || arguments->recvbuf == MPI_IN_PLACE) &&
        (description.at_root || !arguments->rooted);
    *collective = without_data(comm->id, (OTF2_CollectiveOp)arguments->op);
    if (arguments->rooted)
        collective->root = root_in_trace(arguments->root);
    collective->flags =
        (uint8_t)((arguments->neighbour ? RECORD_NEIGHBOUR : 0) |
                  (description.in_place ? RECORD_IN_PLACE : 0) | arguments->untouched);
    if (arguments->reduces) {
        collective->operation = (uint8_t)window_operator(arguments->operation);
        collective->element = type_element(arguments->receive.type);
        if (collective->operation == SILAS_OPERATION_UNKNOWN)
            description.types.user_op = operator_number(arguments->operation);
    }
    if (arguments->neighbour) {
        add_neighbourhood(&description);
    } else { /* first what the root does: its type is not the one that is recorded */
        const bool sends_first = description.operation->flow == FLOW_FROM_ROOT;
        add_side(&description, sends_first);
        add_side(&description, !sends_first);
    }
    collective->types = types_define(&description.types);
    free(description.sent_types);
    free(description.received_types);
}

void collective_begins(const struct call *call, uint32_t comm)
{
    if (call->recorder && comm != COMM_UNKNOWN)
        record_plain(call->recorder, call->enter, RECORD_COLLECTIVE_BEGIN, 0);
}

void collective_returned(const struct call *call, const struct collective_call *arguments)
{
    if (!call->recorder)
        return;
    struct traced_communicator *comm = communicator_find(arguments->comm);
    if (!comm) {
        communicator_warn_unknown();
    } else if (communicator_records_collectives(comm)) {
        struct record_collective collective;
        describe_collective(arguments, comm, &collective);
        record_collective(call->recorder, call->leave, RECORD_COLLECTIVE_END, &collective);
    }
}

/* The description of a call, which the caller frees. NULL if the operation is not to be recorded,
 * or out of memory. */
static struct record_collective *new_description(const struct collective_call *arguments)
{
    struct traced_communicator *comm = communicator_find(arguments->comm);
    if (!comm || !communicator_records_collectives(comm))
        return NULL;
    struct record_collective *collective = malloc(sizeof *collective);
    if (collective)
        describe_collective(arguments, comm, collective);
    else
        measurement_out_of_memory();
    return collective;
}

struct request collective_request(const struct call *call, MPI_Comm comm)
{
    struct request request = {.kind = REQUEST_SILENT, .active = true};
    if (!call->recorder || (request.comm = comm_of_collective(comm)) == COMM_UNKNOWN)
        return request;
    request.kind = REQUEST_COLLECTIVE;
    request_begins(call, &request);
    return request;
}

void collective_describe(const struct collective_call *arguments, struct request *request)
{
    if (request->kind == REQUEST_SILENT)
        return;
    struct record_collective *collective = new_description(arguments);
    if (collective)
        collective->request = request->id;
    else
        request->kind = REQUEST_SILENT;
    request->operation = collective;
}

struct request persistent_collective_request(const struct collective_call *arguments)
{
    struct traced_communicator *comm = communicator_find(arguments->comm);
    const uint32_t number = comm ? comm->persistent_count++ : 0;
    if (measurement_state != MEASUREMENT_FILES)
        return (struct request){.kind = REQUEST_SILENT, .flags = RECORD_PERSISTENT};
    struct record_collective *collective = new_description(arguments);
    if (collective) {
        collective->flags |= RECORD_PERSISTENT;
        collective->persistent = number;
    }
    return (struct request){.kind = collective ? REQUEST_COLLECTIVE : REQUEST_SILENT,
                            .flags = RECORD_PERSISTENT,
                            .comm = collective ? collective->comm : 0,
                            .operation = collective};
}

void synchronisation_returned(const struct call *call, uint32_t comm, OTF2_CollectiveOp op)
{
    const struct record_collective collective = without_data(comm, op);
    if (call->recorder && comm != COMM_UNKNOWN)
        record_collective(call->recorder, call->leave, RECORD_COLLECTIVE_END, &collective);
}

static struct map file_comms; /* file handle -> communicator */
static pthread_mutex_t files_mutex = PTHREAD_MUTEX_INITIALIZER;

void file_opened(int result, const MPI_File *file, uint32_t comm)
{
    if (result != MPI_SUCCESS || comm == COMM_UNKNOWN)
        return;
    threads_lock(&files_mutex);
    if (!map_set(&file_comms, (uintptr_t)*file, comm))
        measurement_out_of_memory();
    threads_unlock(&files_mutex);
}

static_assert(COMM_UNKNOWN == MAP_NONE, "a file that is not in the map has an unknown one");

uint32_t file_comm(MPI_File file)
{
    threads_lock(&files_mutex);
    const uint32_t comm = map_get(&file_comms, (uintptr_t)file);
    threads_unlock(&files_mutex);
    return comm;
}

uint32_t file_closed(const MPI_File *file)
{
    threads_lock(&files_mutex);
    const uint32_t comm = map_take(&file_comms, (uintptr_t)*file);
    threads_unlock(&files_mutex);
    return comm;
}

/* Begin and end are recorded together, because the communicator is unknown before the call. */
void communicator_made(const struct call *call, MPI_Comm parent, uint32_t added)
{
    const uint32_t comm =
        comm_of_handles(parent == MPI_COMM_NULL ? added : communicator_id(parent));
    collective_begins(call, comm);
    if (call->recorder && added != COMM_UNKNOWN)
        record_plain(call->recorder, call->leave, RECORD_COMM_CREATE, added);
    synchronisation_returned(call, comm, OTF2_COLLECTIVE_OP_CREATE_HANDLE);
}

uint32_t communicator_freed(const struct call *call, MPI_Comm handle)
{
    if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
        return COMM_UNKNOWN; /* an error of the program */
    const uint32_t comm = communicator_id(handle);
    collective_begins(call, comm_of_handles(comm));
    if (call->recorder && comm != COMM_UNKNOWN)
        record_plain(call->recorder, call->enter, RECORD_COMM_DESTROY, comm);
    communicator_forget(handle);
    return comm_of_handles(comm);
}

struct new_communicator {
    struct record_collective collective; /* on the parent */
    struct announcement announcement;
    MPI_Comm parent, *newcomm;
};

struct request new_communicator_request(const struct call *call, MPI_Comm parent, MPI_Comm *newcomm)
{
    static struct announcement unheard; /* whose end no request waits for */
    struct request request = {.kind = REQUEST_NEW_COMM, .active = true};
    struct new_communicator *made = malloc(sizeof *made);
    communicator_announce(made ? &made->announcement : &unheard, parent);
    if (!made) {
        measurement_out_of_memory();
        return (struct request){.kind = REQUEST_SILENT, .active = true};
    }
    made->parent = parent;
    made->newcomm = newcomm;
    made->collective = without_data(communicator_id(parent), OTF2_COLLECTIVE_OP_CREATE_HANDLE);
    request.operation = made;
    request.comm = made->collective.comm;
    if (comm_of_handles(made->collective.comm) != COMM_UNKNOWN)
        request_begins(call, &request);
    made->collective.request = request.id;
    return request;
}

void new_communicator_completed(const struct call *call, struct request *request)
{
    struct new_communicator *made = request->operation;
    const uint32_t added =
        communicator_add_announced(&made->announcement, *made->newcomm, made->parent);
    if (!call->recorder || (!request->recorded && !measurement_settings.compatible))
        return;
    if (added != COMM_UNKNOWN)
        record_plain(call->recorder, call->leave, RECORD_COMM_CREATE, added);
    if (request->recorded)
        record_collective(call->recorder, call->leave, RECORD_NBC_COMPLETE, &made->collective);
}
