#include "reduce/resolve.h"

#include "base/names.h"
#include "transform/callpath_marks.h"
#include "transform/kinds.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The flags while they are set. */
struct flags {
    bool *paths;
    bool **messages, **collectives;
};

static bool make_change_flags(const struct trace *trace, struct arena *arena, struct flags *flags)
{
    size_t streams = (size_t)trace->owned_count + 1;
    flags->paths = arena_alloc(arena, trace->calltree.paths.count + 1);
    flags->messages = arena_alloc_array(arena, streams, sizeof *flags->messages);
    flags->collectives = arena_alloc_array(arena, streams, sizeof *flags->collectives);
    bool room = flags->paths && flags->messages && flags->collectives;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        const struct stream *stream = &trace->streams[s];
        flags->messages[s] = arena_alloc(arena, (size_t)stream->message_count + 1);
        flags->collectives[s] = arena_alloc(arena, (size_t)stream->collective_count + 1);
        room = flags->messages[s] && flags->collectives[s];
    }
    return room;
}

/* Marks the computation below the call paths that the section chooses. */
static enum status mark_assumed_paths(const struct ini_section *section, const struct trace *trace,
                                      bool *paths, struct error *error)
{
    struct callpath_marks marks;
    enum status status = callpath_marks_create(section, trace, &marks, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++)
        paths[path] |= marks_computes(&marks, path, CALLPATH_INSIDE);
    callpath_marks_clear(&marks);
    return STATUS_OK;
}

/* Marks all computation of all ranks. Marking more than needed is safe: less folds. */
static void mark_all_paths(const struct trace *trace, bool *paths)
{
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++)
        paths[path] |= !callpath_communicates(trace, path);
    paths[trace->calltree.paths.count] = true;
}

/* Marks the messages and collective operations of one stream that are not in `left`. False when
 * out of memory. */
static bool mark_missing(const struct stream *stream, const struct stream *left, bool *messages,
                         bool *collectives)
{
    bool *there = calloc((size_t)stream->message_count + stream->collective_count + 1, 1);
    if (!there)
        return false;
    bool *there_too = there + stream->message_count;
    for (uint32_t m = 0; m < left->message_count; m++)
        if (left->messages[m].recorded < stream->message_count)
            there[left->messages[m].recorded] = true;
    for (uint32_t c = 0; c < left->collective_count; c++)
        if (left->collectives[c].recorded < stream->collective_count)
            there_too[left->collectives[c].recorded] = true;
    for (uint32_t m = 0; m < stream->message_count; m++)
        messages[m] |= !there[m];
    for (uint32_t c = 0; c < stream->collective_count; c++)
        collectives[c] |= !there_too[c];
    free(there);
    return true;
}

/* Collective. Applies the hypothesis to a copy of the trace, which the caller destroys, also after
 * a failure. */
static enum status apply_assumption(const struct assumption *assumption, const struct trace *trace,
                                    struct trace **changed, struct error *error)
{
    struct hypothesis hypothesis;
    enum status status =
        hypothesis_read(assumption_kind(assumption), assumption->section, &hypothesis, error);
    if (status == STATUS_OK)
        status = hypotheses_apply(&hypothesis, 1, trace, changed, NULL, error);
    hypothesis_clear(&hypothesis);
    return status;
}

/* Collective. Marks what the hypothesis removes. */
static enum status mark_removed(const struct assumption *assumption, const struct trace *trace,
                                const struct flags *flags, struct error *error)
{
    struct trace *changed = NULL;
    bool room = true;
    enum status status = apply_assumption(assumption, trace, &changed, error);
    for (uint32_t s = 0; s < trace->owned_count && room && status == STATUS_OK; s++)
        room = mark_missing(&trace->streams[s], &changed->streams[s], flags->messages[s],
                            flags->collectives[s]);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, room, "the assumptions", error);
    trace_destroy(changed);
    return status;
}

/* True for another network that differs in one parameter. Then either all parts of a call get
 * longer or all get shorter, so no part of a call changes whose cost stays the same. */
static bool changes_network(const struct assumption *assumption)
{
    return assumption_kind(assumption) == &hypothesis_network &&
           assumption->section->entry_count == 1;
}

/* Collective. */
static enum status resolve_network(const struct assumption *assumption, const struct trace *trace,
                                   struct resolved *resolved, struct error *error)
{
    enum status status = apply_assumption(assumption, trace, &resolved->altered, error);
    if (status == STATUS_OK)
        resolved->input.environment = resolved->altered->environment;
    return status;
}

/* Collective. */
static enum status resolve_one(const struct assumption *assumption, const struct trace *trace,
                               struct resolved *resolved, const struct flags *flags,
                               struct error *error)
{
    const struct hypothesis_kind *kind = assumption_kind(assumption);
    if (assumption->waits) {
        double ticks =
            floor(assumption->least_wait_s * (double)trace->definitions->ticks_per_second);
        int64_t least = ticks < 1e18 ? (int64_t)ticks : INT64_MAX;
        if (least < resolved->input.least_wait)
            resolved->input.least_wait = least;
    } else if (kind == &hypothesis_scale || kind == &hypothesis_balance) {
        return mark_assumed_paths(assumption->section, trace, flags->paths, error);
    } else if (kind == &hypothesis_cpu) {
        mark_all_paths(trace, flags->paths);
    } else if (kind == &hypothesis_cut) {
        return mark_removed(assumption, trace, flags, error);
    } else if (changes_network(assumption) && !resolved->altered) {
        return resolve_network(assumption, trace, resolved, error);
    } else {                          /* the effect depends on the calls or on other assumptions */
        struct trace *changed = NULL; /* only to find names that the trace does not have */
        enum status status = apply_assumption(assumption, trace, &changed, error);
        trace_destroy(changed);
        resolved->everything = true;
        return status;
    }
    return STATUS_OK;
}

/* The computation of regions since the last MPI call of a rank, and the longest of all ranks. */
struct region_computation {
    int64_t ticks, longest;
    uint64_t stretch; /* the number of the stretch to which `ticks` belongs */
};

static void measure_regions(const struct trace *trace, struct region_computation *regions)
{
    uint64_t stretch = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        uint32_t path = CALLPATH_NONE;
        stretch++;
        for (uint32_t row = 0; row < stream->count; row++) {
            const bool communicates = path != CALLPATH_NONE && callpath_communicates(trace, path);
            stretch += communicates;
            if (path != CALLPATH_NONE && !communicates) {
                struct region_computation *region =
                    &regions[trace->calltree.paths.items[path].region];
                const int64_t before = region->stretch == stretch ? region->ticks : 0;
                region->stretch = stretch;
                region->ticks = before + (int64_t)(stream->time[row] - stream->time[row - 1]);
                region->longest = region->ticks > region->longest ? region->ticks : region->longest;
            }
            path = callpath_after(&trace->calltree, stream, row, path);
        }
    }
}

/* Adds an assumption for each region that computes at least `least_s` between two calls. */
static enum status assume_regions(struct assumptions *assumptions, const struct trace *trace,
                                  const int64_t *longest, double least_s, struct error *error)
{
    const double least = floor(least_s * (double)trace->definitions->ticks_per_second);
    char *list = NULL;
    size_t size = 0, count = 0;
    bool room = true;
    FILE *text = open_memstream(&list, &size);
    for (uint32_t r = 0; text && room && r < trace->definitions->region_count; r++) {
        if (longest[r] == 0 || (double)longest[r] < least)
            continue;
        char *pattern = name_to_pattern(trace->definitions->regions[r].name);
        struct ini_entry entry = {.key = (char *)"region", .value = pattern};
        const struct ini_section section = {
            .kind = (char *)"scale", .entries = &entry, .entry_count = 1};
        room = pattern != NULL;
        fputs(count++ > 0 ? "; " : "", text);
        if (room)
            assumption_write(text, &section);
        free(pattern);
    }
    if (!text || fclose(text) != 0 || !room) {
        free(list);
        return error_memory(error, "the assumptions");
    }
    enum status status =
        count > 0 ? assumptions_read(assumptions, &assumable_hypotheses, "--assume", list, error)
                  : error_set(error, STATUS_INPUT,
                              "--assume \"computation at_least=%.15g\": no region computes for %g "
                              "s between two MPI calls",
                              least_s, least_s);
    free(list);
    return status;
}

enum status assumptions_expand(struct assumptions *assumptions, const struct trace *trace,
                               struct error *error)
{
    const uint32_t count = trace->definitions->region_count;
    double least_s = INFINITY;
    size_t kept = 0;
    for (size_t i = 0; i < assumptions->items.count; i++)
        if (assumptions->items.items[i].computation)
            least_s = fmin(least_s, assumptions->items.items[i].least_wait_s);
        else
            assumptions->items.items[kept++] = assumptions->items.items[i];
    assumptions->items.count = kept;
    if (isinf(least_s))
        return STATUS_OK;
    struct region_computation *regions = calloc(count + 1ul, sizeof *regions);
    int64_t *longest = calloc(count + 1ul, sizeof *longest);
    enum status status =
        processes_agree_memory(trace->processes, regions && longest, "the assumptions", error);
    if (status == STATUS_OK) {
        measure_regions(trace, regions);
        for (uint32_t r = 0; r < count; r++)
            longest[r] = regions[r].longest;
        processes_max(trace->processes, longest, count);
        status = processes_agree(
            trace->processes, assume_regions(assumptions, trace, longest, least_s, error), error);
    }
    free(regions);
    free(longest);
    return status;
}

enum status assumptions_resolve(const struct assumptions *assumptions, const struct trace *trace,
                                struct resolved *resolved, struct error *error)
{
    assert(trace->matched);
    struct flags flags = {NULL, NULL, NULL};
    *resolved = (struct resolved){.input.least_wait = INT64_MAX, .arena = arena_create()};
    bool room = resolved->arena && make_change_flags(trace, resolved->arena, &flags);
    enum status status = processes_agree_memory(trace->processes, room, "the assumptions", error);
    for (size_t i = 0; i < assumptions->items.count && status == STATUS_OK; i++)
        status = resolve_one(&assumptions->items.items[i], trace, resolved, &flags, error);
    if (status != STATUS_OK) {
        resolved_clear(resolved);
        return status;
    }
    if (resolved->everything) /* its regions may be any */
        memset(flags.paths, true, trace->calltree.paths.count + 1);
    for (uint32_t s = 0; s < trace->owned_count && resolved->everything; s++) {
        memset(flags.messages[s], true, trace->streams[s].message_count);
        memset(flags.collectives[s], true, trace->streams[s].collective_count);
    }
    resolved->input.changed = (struct part_assumed){flags.paths, flags.messages, flags.collectives};
    return STATUS_OK;
}

void resolved_clear(struct resolved *resolved)
{
    arena_destroy(resolved->arena);
    trace_destroy(resolved->altered);
    memset(resolved, 0, sizeof *resolved);
}
