#include "measure/wrappers/call.h"

#include <otf2/OTF2_Definitions.h>
#include <string.h>

__thread int call_depth;
bool threads_at_once;
uint32_t call_regions[MPI_CALL_COUNT];

/* Roles of regions as Score-P gives them, from which some tools tell the kind of a call. */
static OTF2_RegionRole collective_role(const char *name)
{
    static const struct {
        const char *operation; /* without its first letter, large or small */
        OTF2_RegionRole role;
    } roles[] = {
        {"arrier", OTF2_REGION_ROLE_BARRIER},
        {"cast", OTF2_REGION_ROLE_COLL_ONE2ALL},
        {"educe_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"llgather", OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"llreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"lltoall", OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"ather", OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"educe", OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"catter", OTF2_REGION_ROLE_COLL_ONE2ALL},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strstr(name, roles[i].operation))
            return roles[i].role;
    return OTF2_REGION_ROLE_COLL_OTHER;
}

static OTF2_RegionRole region_role(const struct mpi_call_info *info)
{
    switch (info->class) {
    case MPI_CLASS_SEND:
    case MPI_CLASS_RECV:
    case MPI_CLASS_SENDRECV:
    case MPI_CLASS_ISEND:
    case MPI_CLASS_IRECV:
    case MPI_CLASS_PERSISTENT:
    case MPI_CLASS_START:
    case MPI_CLASS_MRECV:
    case MPI_CLASS_IMRECV:
        return OTF2_REGION_ROLE_POINT2POINT;
    case MPI_CLASS_COLLECTIVE:
    case MPI_CLASS_ICOLLECTIVE:
    case MPI_CLASS_NEIGHBOUR:
    case MPI_CLASS_INEIGHBOUR:
        return collective_role(info->name);
    case MPI_CLASS_RMA:
        return OTF2_REGION_ROLE_RMA;
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
    return class != MPI_ERR_TRUNCATE;
}

uint32_t call_define_region(enum mpi_call id)
{
    const struct mpi_call_info *info = &mpi_call_infos[id];
    const uint32_t region =
        define_region(info->name, info->name, "MPI", 0, OTF2_PARADIGM_MPI, region_role(info));
    __atomic_store_n(&call_regions[id], region + 1, __ATOMIC_RELAXED);
    return region;
}
