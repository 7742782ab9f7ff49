/* Records messages. A send is recorded when its call begins, a receive when its call has returned,
 * because only the status has its source, tag and size. Messages to and from MPI_PROC_NULL are not
 * recorded. */
#ifndef MEASURE_POINT_TO_POINT_H
#define MEASURE_POINT_TO_POINT_H

#include "measure/wrappers/communicators.h"
#include "measure/wrappers/datatypes.h"
#include "measure/wrappers/requests.h"

#include <stdlib.h>
#include <string.h>

/* Statuses have the number of received bytes in the 8 bytes at this offset if these are a number
 * below 2^31; -1: MPI must be asked, which costs as much as half of a record. */
extern int status_bytes_offset __attribute__((visibility("hidden")));

/* Finds that offset, which differs from MPI to MPI. Called after MPI was initialised. */
void status_find_bytes(void);

static inline uint64_t status_number(const MPI_Status *status, int offset)
{
    uint64_t number;
    memcpy(&number, (const char *)status + offset, sizeof number);
    return number;
}

/* Bytes that a completed receive got. */
static inline uint64_t received_status_bytes(const MPI_Status *status)
{
    if (__builtin_expect(status_bytes_offset >= 0, 1)) {
        const uint64_t number = status_number(status, status_bytes_offset);
        if (__builtin_expect(number <= INT32_MAX, 1))
            return number;
    }
    int bytes = MPI_UNDEFINED;
    MPI_Count many = 0;
    if (PMPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes != MPI_UNDEFINED)
        return (uint64_t)bytes;
    PMPI_Get_elements_x(status, MPI_BYTE, &many); /* the number does not fit an int */
    return (uint64_t)many;
}

static inline unsigned wildcard_flags(int source, int tag)
{
    return (source == MPI_ANY_SOURCE ? RECORD_ANY_SOURCE : 0u) |
           (tag == MPI_ANY_TAG ? RECORD_ANY_TAG : 0u);
}

/* Bytes that a receive wrote into a buffer of `capacity` bytes. If the message was longer, the
 * status does not have its size. */
static inline uint64_t received_bytes(int result, const MPI_Status *status, uint64_t capacity)
{
    return result == MPI_SUCCESS ? received_status_bytes(status) : capacity;
}

/* The status to pass to MPI. The tracer needs one even if the program ignores it. */
static inline MPI_Status *status_or(MPI_Status *status, MPI_Status *own)
{
    return status == MPI_STATUS_IGNORE ? own : status;
}

static inline void send_begins(const struct call *call, MPI_Count count, MPI_Datatype datatype,
                               int dest, int tag, MPI_Comm comm)
{
    if (!call->recorder || dest == MPI_PROC_NULL)
        return;
    const uint64_t size = type_size(datatype);
    const struct record_message message = {.bytes = size * (uint64_t)count,
                                           .peer = (uint32_t)dest,
                                           .comm = communicator_id(comm),
                                           .tag = (uint32_t)tag,
                                           .type_size = (uint32_t)size};
    if (message.comm == COMM_UNKNOWN) {
        communicator_warn_unknown();
        return;
    }
    record_types(call->recorder, call->enter, types_of_message(datatype));
    record_message(call->recorder, call->enter, RECORD_SEND, &message);
}

/* A blocking receive that has returned. */
struct returned_receive {
    int result;
    MPI_Count count;
    MPI_Datatype datatype;
    const MPI_Status *status;
    unsigned untouched; /* RECORD_UNTOUCHED (untouched.h) or 0 */
};

/* Records a blocking receive that has returned. */
HOT_INLINE void message_arrived(const struct call *call, const struct returned_receive *receive,
                                uint32_t comm, unsigned flags)
{
    const uint64_t size = type_size(receive->datatype);
    const MPI_Status *status = receive->status;
    if (comm == COMM_UNKNOWN) {
        communicator_warn_unknown();
        return;
    }
    const struct record_message message = {
        .bytes = received_bytes(receive->result, status, size * (uint64_t)receive->count),
        .peer = (uint32_t)status->MPI_SOURCE,
        .comm = comm,
        .tag = (uint32_t)status->MPI_TAG,
        .type_size = (uint32_t)size,
        .flags = flags | receive->untouched};
    record_types(call->recorder, call->leave, types_of_message(receive->datatype));
    record_message(call->recorder, call->leave, RECORD_RECV, &message);
}

HOT_INLINE void recv_returned(const struct call *call, struct returned_receive receive, int source,
                              int tag, MPI_Comm comm)
{
    if (call->recorder && source != MPI_PROC_NULL && call_took_place(receive.result))
        message_arrived(call, &receive, communicator_id(comm), wildcard_flags(source, tag));
}

static inline void mrecv_returned(const struct call *call, struct returned_receive receive,
                                  struct request message)
{
    if (call->recorder && message.kind != REQUEST_SILENT && call_took_place(receive.result)) {
        if (message.probe && message.comm != COMM_UNKNOWN)
            record_request(call->recorder, call->leave, RECORD_MATCHED, message.probe, 0);
        message_arrived(call, &receive, message.comm, message.flags);
    }
}

/* Called after a matched probe; `matched`: it found a message. */
static inline void message_matched(const struct call *call, int result, bool matched,
                                   MPI_Message handle, int source, int tag, MPI_Comm comm)
{
    if (result != MPI_SUCCESS || !matched || handle == MPI_MESSAGE_NO_PROC)
        return;
    const struct request message = {.kind = REQUEST_RECEIVE,
                                    .probe = call->recorder ? request_new_id() : 0,
                                    .comm = communicator_id(comm),
                                    .flags = wildcard_flags(source, tag)};
    if (message.probe)
        record_request(call->recorder, call->leave, RECORD_MATCHED, message.probe, 0);
    matched_message_add(handle, &message);
}

struct request send_request(MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                            MPI_Comm comm, unsigned flags);
struct request recv_request(MPI_Count count, MPI_Datatype datatype, int source, int tag,
                            MPI_Comm comm, unsigned flags);
struct request mrecv_request(MPI_Count count, MPI_Datatype datatype, struct request message);

/* Gives the request a new id and records that its operation begins. */
void request_begins(const struct call *call, struct request *request);

/* Records that messages begin that were begun while recording was paused and are still under way.
 * Called when recording resumes, at `now`. Messages that have already arrived stay unrecorded,
 * because the other rank's call was probably not recorded either. */
void requests_resume(uint64_t now);

/* For MPI_Start and MPI_Startall: called before the call, and after a call that failed. */
void requests_start(const struct call *call, int count, const MPI_Request *handles);
void requests_not_started(const struct call *call, int count, const MPI_Request *handles);

/* For MPI_Pready and similar calls on `count` partitions: called before the call, which sends the
 * message if these are the last partitions, and after a call that failed. */
void request_partitions_ready(const struct call *call, MPI_Request handle, int count);
void request_partitions_not_ready(const struct call *call, MPI_Request handle, int count);

/* For MPI_Isendrecv, whose send and receive have one handle. Adds those that are recorded. */
void sendrecv_made(int result, const MPI_Request *handle, struct request *send,
                   struct request *receive);

/* Adds the request, or frees its operation if the call failed. */
static inline void request_made(int result, const MPI_Request *handle,
                                const struct request *request)
{
    if (result == MPI_SUCCESS)
        request_add(*handle, request);
    else
        free(request->operation);
}

#endif
