#include "threads/unrecorded_loops.h"

#include "base/otf2_attributes.h"

#include <otf2/OTF2_Definitions.h>
#include <string.h>

bool loops_are_unrecorded(const struct trace *trace)
{
    const char *value = definitions_property(trace->definitions, SILAS_PROPERTY_STATIC_LOOPS);
    return value && strcmp(value, "unrecorded") == 0;
}

/* True for constructs that all threads of a team reach together, or that distribute their work. */
static bool divides_team(const struct region *region)
{
    switch (region_construct(region)) {
    case OMP_NONE:
        return region->role == OTF2_REGION_ROLE_SINGLE || region->role == OTF2_REGION_ROLE_TASK ||
               region->role == OTF2_REGION_ROLE_WORKSHARE;
    case OMP_CRITICAL:
    case OMP_CRITICAL_BLOCK:
    case OMP_LOCK_CALL:
        return false;
    default:
        return true;
    }
}

/* A lane while its parts are found. */
struct part_scan {
    const struct trace *trace;
    lane_parts *parts;
    uint32_t region;            /* call path of the parallel region */
    bool open;                  /* the last part has not ended */
    uint32_t depth;             /* of the open regions inside the part */
    uint32_t locks, first_lock; /* critical sections in the part; the step before the first */
};

static bool begin_part(struct part_scan *scan, uint32_t path, uint32_t step)
{
    const struct lane_part part = {step + 1, step + 1, path};
    scan->open = true;
    scan->depth = scan->locks = 0;
    return array_push(scan->parts, part);
}

/* The part ends with `step`. */
static void end_part(struct part_scan *scan, uint32_t step)
{
    struct lane_part *part = &scan->parts->items[scan->parts->count - 1];
    part->end = (scan->locks == 1 ? scan->first_lock : step) + 1;
    scan->open = false;
}

/* The code after the barrier at the end of the region is not part of a loop. */
static void end_region(struct part_scan *scan, uint32_t step)
{
    end_part(scan, step);
    if (scan->parts->count > 1)
        scan->parts->count--;
}

static const struct region *region_of_path(const struct trace *trace, uint32_t path)
{
    return &trace->definitions->regions[trace->calltree.paths.items[path].region];
}

static void part_enters(struct part_scan *scan, uint32_t path, uint32_t step)
{
    const struct region *region = region_of_path(scan->trace, path);
    const enum omp_construct construct = region_construct(region);
    if (divides_team(region)) {
        end_part(scan, step);
        return;
    }
    if ((construct == OMP_CRITICAL || construct == OMP_LOCK_CALL) && scan->locks++ == 0)
        scan->first_lock = step;
    scan->depth++;
}

static void part_leaves(struct part_scan *scan, uint32_t path, uint32_t step)
{
    if (scan->depth > 0)
        scan->depth--;
    else if (divides_team(region_of_path(scan->trace, path))) /* the barrier was in a loop */
        scan->parts->items[scan->parts->count - 1].first = step + 1;
    else if (path == scan->region)
        end_region(scan, step);
    else
        end_part(scan, step);
}

bool unrecorded_loops_find(const struct trace *trace, const struct lane *lane,
                           const struct lane_program *program, lane_parts *parts)
{
    const struct stream *stream = trace_any_stream(trace, lane->stream);
    struct part_scan scan = {.trace = trace, .parts = parts, .region = CALLPATH_NONE};
    uint32_t path = CALLPATH_NONE;
    bool allocated = true;
    assert(program->count == lane->last - lane->first + 1);
    for (uint32_t i = 0; i < program->count && allocated; i++) {
        const uint32_t row = lane->first + i;
        if (event_opens(stream->kind[row])) {
            if (scan.open)
                part_enters(&scan, stream->arg[row], i);
            path = stream->arg[row];
            if (scan.region == CALLPATH_NONE)
                allocated = begin_part(&scan, scan.region = path, i);
        } else if (event_closes(stream->kind[row]) && path != CALLPATH_NONE) {
            if (scan.open)
                part_leaves(&scan, path, i);
            path = trace->calltree.paths.items[path].parent;
        }
        if (program->steps[i].kind == STEP_BARRIER)
            allocated = allocated && begin_part(&scan, path, i);
    }
    if (scan.open)
        end_region(&scan, program->count - 1);
    return allocated;
}
