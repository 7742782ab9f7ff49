#include "measure/wrappers/point_to_point.h"

static struct request message_request(enum request_kind kind, int count, MPI_Datatype datatype,
                                      uint32_t comm, unsigned flags)
{
    const uint64_t size = type_size(datatype);
    if (comm == COMM_UNKNOWN) {
        communicator_warn_unknown();
        return (struct request){.kind = REQUEST_SILENT, .message.flags = flags};
    }
    return (struct request){.kind = kind,
                            .message = {.bytes = size * (uint64_t)count,
                                        .comm = comm,
                                        .type_size = (uint32_t)size,
                                        .flags = flags}};
}

struct request send_request(int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                            unsigned flags)
{
    if (dest == MPI_PROC_NULL)
        return (struct request){.kind = REQUEST_SILENT, .message.flags = flags};
    struct request request =
        message_request(REQUEST_SEND, count, datatype, communicator_id(comm), flags);
    request.message.peer = (uint32_t)dest;
    request.message.tag = (uint32_t)tag;
    return request;
}

struct request recv_request(int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                            unsigned flags)
{
    if (source == MPI_PROC_NULL)
        return (struct request){.kind = REQUEST_SILENT, .message.flags = flags};
    return message_request(REQUEST_RECEIVE, count, datatype, communicator_id(comm),
                           flags | wildcard_flags(source, tag));
}

struct request mrecv_request(int count, MPI_Datatype datatype, struct matched_message message)
{
    if (message.null)
        return (struct request){.kind = REQUEST_SILENT};
    struct request request =
        message_request(REQUEST_RECEIVE, count, datatype, message.comm, message.flags);
    request.probe = message.probe;
    return request;
}

void request_begins(const struct call *call, struct request *request)
{
    request->active = true;
    if (!call->recorder || request->kind == REQUEST_SILENT)
        return;
    const uint64_t id = request->message.request = request_new_id();
    request->recorded = true;
    if (request->kind == REQUEST_SEND) {
        record_message(call->recorder, call->enter, RECORD_ISEND, &request->message);
    } else if (request->kind == REQUEST_RECEIVE) {
        if (request->probe)
            record_request(call->recorder, call->enter, RECORD_MATCHED, request->probe, 0);
        record_request(call->recorder, call->enter, RECORD_IRECV_REQUEST, id,
                       request->message.flags);
    } else {
        record_request(call->recorder, call->enter, RECORD_NBC_REQUEST, id, 0);
    }
}

void requests_start(const struct call *call, int count, const MPI_Request *handles)
{
    requests_lock();
    for (int i = 0; i < count; i++) {
        struct request *request = request_find(handles[i]);
        if (request && !request->active) {
            request_begins(call, request);
            request->starter = call;
        } else if (request) {
            request->starter = NULL;
        }
    }
    requests_unlock();
}

void requests_not_started(const struct call *call, int count, const MPI_Request *handles)
{
    requests_lock();
    for (int i = 0; i < count; i++) {
        struct request *request = request_find(handles[i]);
        if (request && request->starter == call)
            request->active = request->recorded = false;
    }
    requests_unlock();
}
