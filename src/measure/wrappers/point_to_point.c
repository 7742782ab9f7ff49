#include "measure/wrappers/point_to_point.h"

int status_bytes_offset = -1;

/* Whether statuses that MPI has set have their numbers of bytes at `offset`. */
static bool status_has_bytes_at(int offset)
{
    static const int numbers[] = {0, 1, 0x12345678, INT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        MPI_Status status;
        memset(&status, 0, sizeof status);
        if (PMPI_Status_set_elements(&status, MPI_BYTE, numbers[i]) != MPI_SUCCESS ||
            status_number(&status, offset) != (uint64_t)numbers[i])
            return false;
    }
    return true;
}

void status_find_bytes(void)
{
    for (int offset = 0; offset + 8 <= (int)sizeof(MPI_Status); offset += 4)
        if (status_has_bytes_at(offset))
            status_bytes_offset = offset;
}

static struct request new_message_request(enum request_kind kind, MPI_Datatype datatype,
                                          uint32_t comm, unsigned flags)
{
    if (comm == COMM_UNKNOWN) {
        communicator_warn_unknown();
        return (struct request){.kind = REQUEST_SILENT, .flags = flags};
    }
    return (struct request){.kind = kind,
                            .comm = comm,
                            .type_size = (uint32_t)type_size(datatype),
                            .types = types_of_message(datatype),
                            .flags = flags};
}

struct request send_request(MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                            MPI_Comm comm, unsigned flags)
{
    struct request request = {.kind = REQUEST_SILENT, .flags = flags};
    if (dest != MPI_PROC_NULL) {
        request = new_message_request(REQUEST_SEND, datatype, communicator_id(comm), flags);
        request.bytes = type_size(datatype) * (uint64_t)count;
        request.peer = (uint32_t)dest;
        request.tag = (uint32_t)tag;
    }
    return request;
}

struct request recv_request(MPI_Count count, MPI_Datatype datatype, int source, int tag,
                            MPI_Comm comm, unsigned flags)
{
    struct request request = {.kind = REQUEST_SILENT, .flags = flags};
    if (source != MPI_PROC_NULL) {
        request = new_message_request(REQUEST_RECEIVE, datatype, communicator_id(comm),
                                      flags | wildcard_flags(source, tag));
        request.bytes = type_size(datatype) * (uint64_t)count;
        request.peer = (uint32_t)source;
        request.no_status = flags & RECORD_PARTITIONED;
        request.tag = (uint32_t)tag;
    }
    return request;
}

struct request mrecv_request(MPI_Count count, MPI_Datatype datatype, struct request message)
{
    struct request request = {.kind = REQUEST_SILENT};
    if (message.kind != REQUEST_SILENT) {
        request = new_message_request(REQUEST_RECEIVE, datatype, message.comm, message.flags);
        request.bytes = type_size(datatype) * (uint64_t)count;
        request.probe = message.probe;
    }
    return request;
}

void request_begins(const struct call *call, struct request *request)
{
    request->active = true;
    if (!call->recorder || request->kind == REQUEST_SILENT)
        return;
    request->id = request_new_id();
    request->recorded = true;
    if (request->kind == REQUEST_SEND) {
        const struct record_message message = {.bytes = request->bytes,
                                               .request = request->id,
                                               .peer = request->peer,
                                               .comm = request->comm,
                                               .tag = request->tag,
                                               .type_size = request->type_size,
                                               .flags = request->flags};
        record_types(call->recorder, call->enter, request->types);
        record_message(call->recorder, call->enter, RECORD_ISEND, &message);
    } else if (request->kind == REQUEST_RECEIVE) {
        if (request->probe)
            record_request(call->recorder, call->enter, RECORD_MATCHED, request->probe, 0);
        record_types(call->recorder, call->enter, request->types);
        record_receive_request(call->recorder, call->enter, request->id, request->comm,
                               request->peer, request->tag, request->flags);
    } else {
        struct record_collective *persistent =
            request->kind == REQUEST_COLLECTIVE ? request->operation : NULL;
        if (persistent)
            persistent->request = request->id;
        record_pair(call->recorder, call->enter, RECORD_NBC_REQUEST,
                    persistent ? RECORD_PERSISTENT : 0, request->comm, request->id,
                    persistent ? persistent->persistent : 0);
    }
}

static void resume_request(struct request *request, const struct call *call)
{
    int complete = 1;
    const bool is_message = request->kind == REQUEST_SEND || request->kind == REQUEST_RECEIVE;
    if (is_message && request->active && !request->recorded && !request->partitions &&
        PMPI_Request_get_status(request->handle, &complete, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        !complete)
        request_begins(call, request);
}

void requests_resume(uint64_t now)
{
    const struct call call = {.recorder = recorder_get(), .enter = now};
    if (!call.recorder)
        return;
    requests_lock();
    requests_visit(resume_request, &call);
    requests_unlock();
}

void requests_start(const struct call *call, int count, const MPI_Request *handles)
{
    requests_lock();
    for (int i = 0; i < count; i++) {
        struct request *request = request_find(handles[i]);
        if (request && !request->active) {
            if (request->partitions) {
                request->active = true;
                request->ready = 0;
            } else
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

void request_partitions_ready(const struct call *call, MPI_Request handle, int count)
{
    requests_lock();
    struct request *request = request_find(handle);
    if (request && request->active && request->partitions && count > 0) {
        request->ready += (uint32_t)count;
        if (request->ready == request->partitions)
            request_begins(call, request);
    }
    requests_unlock();
}

void request_partitions_not_ready(const struct call *call, MPI_Request handle, int count)
{
    (void)call;
    requests_lock();
    struct request *request = request_find(handle);
    if (request && request->active && request->partitions && count > 0) {
        if (request->ready == request->partitions)
            request->recorded = false;
        request->ready -= (uint32_t)count;
    }
    requests_unlock();
}

void sendrecv_made(int result, const MPI_Request *handle, struct request *send,
                   struct request *receive)
{
    const bool sends = send->kind != REQUEST_SILENT;
    const bool receives = receive->kind != REQUEST_SILENT;
    send->paired = sends && receives;
    receive->no_status = true;
    if (sends)
        request_made(result, handle, send);
    if (receives || !sends)
        request_made(result, handle, receive);
}
