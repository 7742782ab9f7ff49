#include "measure/wrappers/call.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>

__thread int call_depth;
bool threads_at_once;
uint32_t call_regions[MPI_CALL_COUNT];

/* The region roles that Score-P uses. Some tools recognise the kind of a call by them. */
static OTF2_RegionRole collective_region_role(enum mpi_call id)
{
    switch (collective_operations[mpi_call_infos[id].operation].flow) {
    case FLOW_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
    case FLOW_FROM_ROOT:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case FLOW_TO_ROOT:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case FLOW_PREFIX:
        return OTF2_REGION_ROLE_COLL_OTHER;
    default:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
}

/* Of one-sided operations and the creation of windows. */
static OTF2_RegionRole window_role(enum mpi_call id)
{
    switch (id) {
    case MPI_CALL_PUT:
    case MPI_CALL_PUT_C:
    case MPI_CALL_GET:
    case MPI_CALL_GET_C:
    case MPI_CALL_RPUT:
    case MPI_CALL_RPUT_C:
    case MPI_CALL_RGET:
    case MPI_CALL_RGET_C:
        return OTF2_REGION_ROLE_RMA;
    case MPI_CALL_WIN_ALLOCATE:
    case MPI_CALL_WIN_ALLOCATE_C:
    case MPI_CALL_WIN_ALLOCATE_SHARED:
    case MPI_CALL_WIN_ALLOCATE_SHARED_C:
        return OTF2_REGION_ROLE_ALLOCATE;
    default:
        return mpi_call_infos[id].class == MPI_CLASS_RMA ? OTF2_REGION_ROLE_ATOMIC
                                                         : OTF2_REGION_ROLE_FUNCTION;
    }
}

static OTF2_RegionRole region_role(enum mpi_call id)
{
    switch (mpi_call_infos[id].class) {
    case MPI_CLASS_SEND ... MPI_CLASS_PERSISTENT:
    case MPI_CLASS_START:
    case MPI_CLASS_READY:
    case MPI_CLASS_ARRIVED:
    case MPI_CLASS_PROBE ... MPI_CLASS_IMRECV:
        return OTF2_REGION_ROLE_POINT2POINT;
    case MPI_CLASS_COLLECTIVE ... MPI_CLASS_INEIGHBOUR:
        return collective_region_role(id);
    case MPI_CLASS_RMA:
    case MPI_CLASS_WINDOW:
        return window_role(id);
    case MPI_CLASS_IO:
        return OTF2_REGION_ROLE_FILE_IO;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
}

bool call_failed_after_all(int result)
{
    int class;
    PMPI_Error_class(result, &class);
    return class != MPI_ERR_TRUNCATE && class != MPI_ERR_OTHER;
}

uint32_t call_define_region(enum mpi_call id)
{
    const struct mpi_call_info *info = &mpi_call_infos[id];
    const uint32_t region =
        define_region(info->name, info->name, "MPI", 0, OTF2_PARADIGM_MPI, region_role(id));
    __atomic_store_n(&call_regions[id], region + 1, __ATOMIC_RELAXED);
    return region;
}
