#include "measure/wrappers/call.h"

#include "base/call_role.h"

#include <otf2/OTF2_Definitions.h>

__thread int call_depth;
bool threads_at_once;
uint32_t call_regions[MPI_CALL_COUNT];

bool call_failed_after_all(int result)
{
    int class = MPI_SUCCESS;
    PMPI_Error_class(result, &class);
    return class != MPI_ERR_TRUNCATE && class != MPI_ERR_OTHER;
}

uint32_t call_define_region(enum mpi_call id)
{
    static const OTF2_RegionRole roles[] = {CALL_ROLES(CALL_ROLE_OF_OTF2)};
    const char *name = mpi_call_infos[id].name;
    const uint32_t region =
        define_region(name, name, "MPI", 0, OTF2_PARADIGM_MPI, roles[call_role(id)]);
    __atomic_store_n(&call_regions[id], region + 1, __ATOMIC_RELAXED);
    return region;
}

struct known_site known_sites[KNOWN_SITES];

uint32_t call_find_region(enum mpi_call id, const void *return_address, const void *frame,
                          struct known_site *known)
{
    bool direct;
    uint32_t region = call_site_region(id, return_address, frame, &direct);
    if (region == USER_REGION_EXCLUDED)
        region = call_region(id);
    if (direct && !threads_at_once)
        *known = (struct known_site){return_address, id, region};
    return region;
}
