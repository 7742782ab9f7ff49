#include "measure/recorder/user_regions.h"

#include "measure/recorder/address_regions.h"
#include "measure/recorder/call_sites.h"
#include "measure/recorder/definitions.h"
#include "measure/recorder/measurement_state.h"

#include <assert.h>

static uint32_t define_user_function(unsigned kind, uint32_t object, uint64_t address,
                                     const void *unused)
{
    (void)kind;
    (void)unused;
    if (measurement_settings.sites != SITES_ALWAYS)
        call_sites_recorded = false;
    return define_function(object, address);
}

static uint32_t define_user_construct(unsigned kind, uint32_t object, uint64_t address,
                                      const void *unused)
{
    (void)unused;
    return define_construct(object, address, kind - ADDRESS_OF_CONSTRUCT);
}

uint32_t user_construct_region(const void *place, int construct)
{
    assert(construct > 0 && construct < ADDRESS_OF_CALL - ADDRESS_OF_CONSTRUCT);
    return address_region(ADDRESS_OF_CONSTRUCT + (unsigned)construct, place, define_user_construct,
                          NULL);
}

static uint32_t region_of_function(const void *function)
{
    return address_region(ADDRESS_OF_FUNCTION, function, define_user_function, NULL);
}

bool user_function_known_as(const void *address, uint32_t region)
{
    return address_region_set(ADDRESS_OF_FUNCTION, address, region);
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void __cyg_profile_func_enter(void *function, void *call_site)
{
    (void)call_site;
    if (measurement_state == MEASUREMENT_NONE)
        return;
    uint32_t region = region_of_function(function);
    if (region != USER_REGION_EXCLUDED)
        user_region_enter((uintptr_t)function, region);
}

EXPORTED void __cyg_profile_func_exit(void *function, void *call_site)
{
    (void)call_site;
    if (measurement_state == MEASUREMENT_NONE)
        return;
    if (region_of_function(function) != USER_REGION_EXCLUDED)
        user_region_leave((uintptr_t)function);
}
