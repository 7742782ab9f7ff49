#include "trace/grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* OTF2_RegionRole */
enum { ROLE_POINT_TO_POINT = 28, ROLE_COLLECTIVE = 26, PARADIGM_MPI = 4 };

static struct definitions *copy_definitions(const struct definitions *from)
{
    struct arena *arena = arena_create();
    struct definitions *copy = arena ? arena_memdup(arena, from, sizeof *from) : NULL;
    if (copy) {
        copy->arena = arena;
        copy->regions = arena_alloc_array(arena, from->region_count + (size_t)MPI_CALL_COUNT,
                                          sizeof *copy->regions);
    }
    if (!copy || !copy->regions) {
        arena_destroy(arena);
        return NULL;
    }
    if (from->region_count > 0)
        memcpy(copy->regions, from->regions, from->region_count * sizeof *copy->regions);
    return copy;
}

static bool copy_calltree(const struct calltree *from, struct calltree *copy)
{
    memset(copy, 0, sizeof *copy);
    for (size_t i = 0; i < from->paths.count; i++)
        if (calltree_child(copy, from->paths.items[i].parent, from->paths.items[i].region) != i) {
            calltree_clear(copy);
            return false;
        }
    return true;
}

enum status trace_own_definitions(struct trace *trace, struct error *error)
{
    if (!trace->borrows)
        return STATUS_OK;
    struct calltree calltree;
    struct definitions *definitions = copy_definitions(trace->definitions);
    if (!definitions)
        return error_memory(error, "a changed copy of the trace");
    if (!copy_calltree(&trace->calltree, &calltree)) {
        arena_destroy(definitions->arena);
        return error_memory(error, "a changed copy of the trace");
    }
    trace->definitions = definitions;
    trace->calltree = calltree;
    trace->borrows = false;
    return STATUS_OK;
}

static uint32_t find_call_region(const struct definitions *definitions, enum mpi_call call)
{
    for (uint32_t r = 0; r < definitions->region_count; r++)
        if (definitions->regions[r].mpi_call == call)
            return r;
    return INDEX_NONE;
}

uint32_t trace_mpi_path(struct trace *trace, uint32_t parent, enum mpi_call call)
{
    assert(!trace->borrows);
    struct definitions *definitions = trace->definitions;
    uint32_t region = find_call_region(definitions, call);
    if (region == INDEX_NONE) { /* there is room for one region per call */
        const char *name = mpi_call_infos[call].name;
        bool collective = mpi_call_infos[call].class == MPI_CLASS_COLLECTIVE;
        region = definitions->region_count++;
        definitions->regions[region] =
            (struct region){.name = name,
                            .canonical = name,
                            .description = "",
                            .file = "",
                            .role = collective ? ROLE_COLLECTIVE : ROLE_POINT_TO_POINT,
                            .paradigm = PARADIGM_MPI,
                            .mpi_call = call};
    }
    return calltree_child(&trace->calltree, parent, region);
}

uint32_t trace_mpi_path_find(const struct trace *trace, uint32_t parent, enum mpi_call call)
{
    assert(call != MPI_CALL_NONE);
    uint32_t region = find_call_region(trace->definitions, call);
    if (region == INDEX_NONE)
        return CALLPATH_NONE;
    return map_get(&trace->calltree.children, (uint64_t)parent << 32 | region);
}
