#include "base/mpi/mail.h"

#include "base/mpi/handles.h"
#include "base/mpi/local.h"

#include <assert.h>
#include <limits.h>

void mail_start(const struct processes *processes, struct mail_sending *sending, int to, int tag,
                const void *data, size_t size)
{
    assert(!sending->active && size <= INT_MAX && to != processes->rank);
    *sending =
        (struct mail_sending){.active = true, .to = to, .tag = tag, .data = data, .size = size};
    if (processes->local)
        local_mail_start(processes->local, sending);
    else {
        MPI_Request request;
        PMPI_Isend(data, (int)size, MPI_BYTE, to, tag, processes_comm(processes), &request);
        sending->request = (uintptr_t)request;
    }
}

bool mail_is_sent(const struct processes *processes, struct mail_sending *sending)
{
    if (!sending->active)
        return true;
    if (processes->local) {
        local_mail_advance(processes->local);
        return !sending->active;
    }
    MPI_Request request = (MPI_Request)sending->request;
    int done = 0;
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    sending->request = (uintptr_t)request;
    sending->active = !done;
    return done;
}

void mail_finish(const struct processes *processes, struct mail_sending *sending)
{
    if (sending->active && !processes->local) {
        MPI_Request request = (MPI_Request)sending->request;
        processes_wait(processes, &request);
        sending->active = false;
    }
    for (unsigned tests = 0; !mail_is_sent(processes, sending);)
        processes_pause(processes, &tests);
}

int64_t mail_take(const struct processes *processes, int from, int tag, void *buffer, size_t room)
{
    if (processes->local)
        return local_mail_take(processes->local, from, tag, buffer, room);
    MPI_Message message;
    MPI_Status status;
    int found, size;
    if (processes->size == 1)
        return -1;
    PMPI_Improbe(from == MAIL_FROM_ANY ? MPI_ANY_SOURCE : from, tag, processes_comm(processes),
                 &found, &message, &status);
    if (!found)
        return -1;
    PMPI_Get_count(&status, MPI_BYTE, &size);
    assert((size_t)size <= room);
    PMPI_Mrecv(buffer, size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return size;
}

size_t mail_wait(const struct processes *processes, int from, int tag, void *buffer, size_t room)
{
    unsigned tests = 0;
    for (;;) {
        const int64_t size = mail_take(processes, from, tag, buffer, room);
        if (size >= 0)
            return (size_t)size;
        processes_pause(processes, &tests);
    }
}
