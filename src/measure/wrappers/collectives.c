#include "measure/wrappers/collectives.h"

#include "measure/wrappers/point_to_point.h"

#include <stdlib.h>

void collective_begins(const struct call *call, MPI_Comm comm)
{
    if (call->recorder && communicator_id(comm) != COMM_UNKNOWN)
        record_collective_begin(call->recorder, call->enter);
}

void collective_returned(const struct call *call, const struct collective_call *arguments)
{
    struct record_collective collective;
    if (!call->recorder)
        return;
    if (collective_describe(arguments, &collective))
        record_collective_end(call->recorder, call->leave, &collective);
    else
        communicator_warn_unknown();
}

struct request collective_request(const struct call *call, const struct collective_call *arguments)
{
    struct request request = {.kind = REQUEST_SILENT, .active = true};
    struct record_collective *collective;
    if (!call->recorder)
        return request;
    collective = malloc(sizeof *collective);
    if (!collective || !collective_describe(arguments, collective)) {
        free(collective);
        return request;
    }
    request.kind = REQUEST_COLLECTIVE;
    request.operation = collective;
    request_begins(call, &request);
    collective->request = request.id;
    return request;
}

void collective_completed(const struct call *call, const struct request *request)
{
    record_nbc_complete(call->recorder, call->leave, request->operation);
}

static struct record_collective without_data(uint32_t comm, OTF2_CollectiveOp op)
{
    return (struct record_collective){.comm = comm,
                                      .root = OTF2_COLLECTIVE_ROOT_NONE,
                                      .send_counts = RECORD_NONE,
                                      .receive_counts = RECORD_NONE,
                                      .destinations = RECORD_NONE,
                                      .sources = RECORD_NONE,
                                      .op = (uint8_t)op};
}

void synchronisation_begins(const struct call *call, uint32_t comm)
{
    if (call->recorder && comm != COMM_UNKNOWN)
        record_collective_begin(call->recorder, call->enter);
}

void synchronisation_returned(const struct call *call, uint32_t comm, OTF2_CollectiveOp op)
{
    const struct record_collective collective = without_data(comm, op);
    if (call->recorder && comm != COMM_UNKNOWN)
        record_collective_end(call->recorder, call->leave, &collective);
}

/* Begin and end are recorded together, because the communicator is unknown before the call. */
void communicator_made(const struct call *call, MPI_Comm parent, uint32_t added)
{
    const uint32_t comm = parent == MPI_COMM_NULL ? added : communicator_id(parent);
    synchronisation_begins(call, comm);
    if (call->recorder && added != COMM_UNKNOWN)
        record_comm_create(call->recorder, call->leave, added);
    synchronisation_returned(call, comm, OTF2_COLLECTIVE_OP_CREATE_HANDLE);
}

uint32_t communicator_freed(const struct call *call, MPI_Comm handle)
{
    if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF)
        return COMM_UNKNOWN; /* an error of the program */
    const uint32_t comm = communicator_id(handle);
    synchronisation_begins(call, comm);
    if (call->recorder && comm != COMM_UNKNOWN)
        record_comm_destroy(call->recorder, call->enter, comm);
    communicator_forget(handle);
    return comm;
}

/* --- MPI_Comm_idup --- */

struct new_communicator {
    struct record_collective collective; /* on the parent */
    struct announcement announcement;
    MPI_Comm parent, *newcomm;
};

struct request new_communicator_request(const struct call *call, MPI_Comm parent, MPI_Comm *newcomm)
{
    struct request request = {.kind = REQUEST_NEW_COMM, .active = true};
    struct new_communicator *made = malloc(sizeof *made);
    if (!made)
        return (struct request){.kind = REQUEST_SILENT, .active = true};
    made->parent = parent;
    made->newcomm = newcomm;
    made->collective = without_data(communicator_id(parent), OTF2_COLLECTIVE_OP_CREATE_HANDLE);
    communicator_announce(&made->announcement, parent);
    request.operation = made;
    if (made->collective.comm != COMM_UNKNOWN)
        request_begins(call, &request);
    made->collective.request = request.id;
    return request;
}

void new_communicator_completed(const struct call *call, struct request *request)
{
    struct new_communicator *made = request->operation;
    const uint32_t added =
        communicator_add_announced(&made->announcement, *made->newcomm, made->parent);
    if (!call->recorder || !request->recorded)
        return;
    if (added != COMM_UNKNOWN)
        record_comm_create(call->recorder, call->leave, added);
    record_nbc_complete(call->recorder, call->leave, &made->collective);
}
