#include "base/call_role.h"

#include <assert.h>

static enum call_role collective_call_role(enum mpi_call call)
{
    switch (collective_operations[mpi_call_infos[call].operation].flow) {
    case FLOW_BARRIER:
        return CALL_ROLE_BARRIER;
    case FLOW_FROM_ROOT:
        return CALL_ROLE_COLL_ONE2ALL;
    case FLOW_TO_ROOT:
        return CALL_ROLE_COLL_ALL2ONE;
    case FLOW_PREFIX:
        return CALL_ROLE_COLL_OTHER;
    default:
        return CALL_ROLE_COLL_ALL2ALL;
    }
}

/* Of one-sided operations and the creation of windows. */
static enum call_role window_call_role(enum mpi_call call)
{
    switch (call) {
    case MPI_CALL_PUT:
    case MPI_CALL_PUT_C:
    case MPI_CALL_GET:
    case MPI_CALL_GET_C:
    case MPI_CALL_RPUT:
    case MPI_CALL_RPUT_C:
    case MPI_CALL_RGET:
    case MPI_CALL_RGET_C:
        return CALL_ROLE_RMA;
    case MPI_CALL_WIN_ALLOCATE:
    case MPI_CALL_WIN_ALLOCATE_C:
    case MPI_CALL_WIN_ALLOCATE_SHARED:
    case MPI_CALL_WIN_ALLOCATE_SHARED_C:
        return CALL_ROLE_ALLOCATE;
    default:
        return mpi_call_infos[call].class == MPI_CLASS_RMA ? CALL_ROLE_ATOMIC : CALL_ROLE_FUNCTION;
    }
}

enum call_role call_role(enum mpi_call call)
{
    assert(call < MPI_CALL_COUNT);
    switch (mpi_call_infos[call].class) {
    case MPI_CLASS_SEND ... MPI_CLASS_PERSISTENT:
    case MPI_CLASS_START:
    case MPI_CLASS_READY:
    case MPI_CLASS_ARRIVED:
    case MPI_CLASS_PROBE ... MPI_CLASS_IMRECV:
        return CALL_ROLE_POINT2POINT;
    case MPI_CLASS_COLLECTIVE ... MPI_CLASS_INEIGHBOUR:
        return collective_call_role(call);
    case MPI_CLASS_RMA:
    case MPI_CLASS_WINDOW:
        return window_call_role(call);
    case MPI_CLASS_IO:
        return CALL_ROLE_FILE_IO;
    default:
        return CALL_ROLE_FUNCTION;
    }
}

const char *call_role_name(enum call_role role)
{
    static const char *const names[] = {
#define X(identifier, name) name,
        CALL_ROLES(X)
#undef X
    };
    assert(role < CALL_ROLE_COUNT);
    return names[role];
}
