#include "base/topology.h"

#include <assert.h>
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

struct topology {
    hwloc_topology_t hwloc;
    hwloc_cpuset_t allowed; /* hardware threads this process may run on */
};

enum status topology_open(struct topology **topology, struct error *error)
{
    struct topology *opened = calloc(1, sizeof *opened);
    if (!opened)
        return error_memory(error, "the topology of this host");
    if (hwloc_topology_init(&opened->hwloc) != 0)
        goto free_opened;
    if (hwloc_topology_load(opened->hwloc) != 0)
        goto destroy_hwloc;
    opened->allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(opened->hwloc));
    if (!opened->allowed)
        goto destroy_hwloc;
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    if (bound && hwloc_get_cpubind(opened->hwloc, bound, HWLOC_CPUBIND_PROCESS) == 0)
        hwloc_bitmap_and(opened->allowed, opened->allowed, bound);
    hwloc_bitmap_free(bound);
    *topology = opened;
    return STATUS_OK;

destroy_hwloc:
    hwloc_topology_destroy(opened->hwloc);
free_opened:
    free(opened);
    return error_set(error, STATUS_ENVIRONMENT, "hwloc cannot read the topology of this host: %s",
                     strerror(errno));
}

void topology_close(struct topology *topology)
{
    if (!topology)
        return;
    hwloc_bitmap_free(topology->allowed);
    hwloc_topology_destroy(topology->hwloc);
    free(topology);
}

/* If a host's cores are unknown (some virtual machines), hardware threads count instead. */
static hwloc_obj_type_t core_type(const struct topology *topology)
{
    int depth = hwloc_get_type_depth(topology->hwloc, HWLOC_OBJ_CORE);
    return depth == HWLOC_TYPE_DEPTH_UNKNOWN ? HWLOC_OBJ_PU : HWLOC_OBJ_CORE;
}

int topology_cores(const struct topology *topology, int *cores, int capacity)
{
    assert(capacity == 0 || cores);
    hwloc_obj_type_t type = core_type(topology);
    int found = 0;
    for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology->hwloc, type, NULL); core;
         core = hwloc_get_next_obj_by_type(topology->hwloc, type, core)) {
        if (!hwloc_bitmap_intersects(core->cpuset, topology->allowed))
            continue;
        if (found < capacity)
            cores[found] = (int)core->logical_index;
        found++;
    }
    return found;
}

size_t topology_cache(const struct topology *topology, int core, int *sharers)
{
    assert(core >= 0);
    size_t largest = 0;
    *sharers = 1;
    hwloc_obj_t object =
        hwloc_get_obj_by_type(topology->hwloc, core_type(topology), (unsigned)core);
    for (; object; object = object->parent) {
        if (!hwloc_obj_type_is_dcache(object->type) ||
            object->attr->cache.size <= (hwloc_uint64_t)largest)
            continue;
        largest = (size_t)object->attr->cache.size;
        *sharers = hwloc_get_nbobjs_inside_cpuset_by_type(topology->hwloc, object->cpuset,
                                                          core_type(topology));
    }
    return largest;
}

size_t topology_cache_level(const struct topology *topology, int core, unsigned level)
{
    assert(core >= 0);
    hwloc_obj_t object =
        hwloc_get_obj_by_type(topology->hwloc, core_type(topology), (unsigned)core);
    for (; object; object = object->parent)
        if (hwloc_obj_type_is_dcache(object->type) && object->attr->cache.depth == level)
            return (size_t)object->attr->cache.size;
    return 0;
}

enum cores_apart topology_apart(const struct topology *topology, int a, int b)
{
    assert(a >= 0 && b >= 0);
    hwloc_obj_t first = hwloc_get_obj_by_type(topology->hwloc, core_type(topology), (unsigned)a);
    hwloc_obj_t second = hwloc_get_obj_by_type(topology->hwloc, core_type(topology), (unsigned)b);
    enum cores_apart apart = CORES_OF_ONE_HOST;
    for (; first && second; first = first->parent) {
        if (!hwloc_bitmap_isset(first->cpuset, (unsigned)hwloc_bitmap_first(second->cpuset)))
            continue;
        if (hwloc_obj_type_is_dcache(first->type))
            return CORES_SHARE_CACHE;
        if (first->type == HWLOC_OBJ_PACKAGE)
            apart = CORES_OF_ONE_PACKAGE;
    }
    return apart;
}

enum status topology_bind(const struct topology *topology, int core, struct error *error)
{
    hwloc_obj_t object =
        hwloc_get_obj_by_type(topology->hwloc, core_type(topology), (unsigned)core);
    if (!object)
        return error_set(error, STATUS_ENVIRONMENT, "this host has no core %d", core);
    hwloc_cpuset_t one = hwloc_bitmap_dup(object->cpuset);
    if (!one)
        return error_memory(error, "binding to a core");
    hwloc_bitmap_and(one, one, topology->allowed);
    hwloc_bitmap_singlify(one);
    int result = hwloc_set_cpubind(topology->hwloc, one, HWLOC_CPUBIND_THREAD);
    int reason = errno;
    hwloc_bitmap_free(one);
    if (result != 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot bind to core %d: %s", core,
                         strerror(reason));
    return STATUS_OK;
}
