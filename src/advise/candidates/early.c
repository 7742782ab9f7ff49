/* What is sent late because the sender does something else first, which the message does not need.
 * A call is looked at, or a region that only sends, if a visit of the same other region precedes
 * it directly in the same caller nearly every time. A trace does not tell what the message needs,
 * so this counts only if the rank has computed something else since its last communication, which
 * stays before the send. Otherwise all programs that compute and then send would be late.
 *
 * One-sided: MPI_Win_complete after computation that follows the last access of the epoch (kind
 * late-completion). The data are on their way already, so nothing else is needed. */
#include "advise/candidates/families.h"
#include "base/map.h"

#include <stdlib.h>

enum { UNITS_MOST = 64, DEPTH = 2 };
static const double nearly_all = 0.9; /* of the visits */

/* A call path that could come earlier. */
struct unit {
    uint32_t path;
    bool completes; /* an epoch */
    int64_t visits;
    int64_t *preceded; /* [depth * regions + region]: visits that this region precedes so closely */
};

/* An open region of a rank: the visits of the program's regions in it since it last communicated.
 */
struct frame {
    uint32_t last[DEPTH]; /* regions, the last one first; INDEX_NONE: there are none */
    uint32_t run;
    bool communicates;
};

struct scan {
    const struct trace *trace;
    struct unit *units;
    uint32_t unit_count;
    uint32_t *unit_of; /* [call path], INDEX_NONE: none */
    ARRAY(struct frame) frames;
};

static bool only_sends(enum mpi_call call)
{
    switch (mpi_call_infos[call].class) {
    case MPI_CLASS_SEND:
    case MPI_CLASS_ISEND:
        return true;
    default:
        return !mpi_class_communicates(mpi_call_infos[call].class);
    }
}

/* [call path]: whether it and all below it send, and nothing but that. NULL when memory is out. */
static bool *find_senders(const struct facts *facts)
{
    const struct trace *trace = facts->trace;
    const size_t count = trace->calltree.paths.count;
    const struct callpath *items = trace->calltree.paths.items;
    bool *sends = calloc(2 * count + 1, sizeof *sends), *others = sends ? sends + count : NULL;
    for (size_t path = count; sends && path-- > 0;) { /* callees come after their callers */
        if (facts->paths[path].visits == 0)
            continue;
        enum mpi_call call = callpath_call(trace, (uint32_t)path);
        if (!only_sends(call))
            others[path] = true;
        else if (mpi_class_communicates(mpi_call_infos[call].class))
            sends[path] = true;
        if (items[path].parent != CALLPATH_NONE) {
            sends[items[path].parent] |= sends[path];
            others[items[path].parent] |= others[path];
        }
    }
    for (size_t path = 0; sends && path < count; path++)
        sends[path] = sends[path] && !others[path];
    return sends;
}

static bool open_units(const struct facts *facts, struct scan *scan)
{
    const struct trace *trace = facts->trace;
    const size_t regions = trace->definitions->region_count;
    bool *sends = find_senders(facts);
    bool complete = sends != NULL;
    scan->unit_of = malloc((trace->calltree.paths.count + 1) * sizeof *scan->unit_of);
    scan->units = calloc(UNITS_MOST, sizeof *scan->units);
    complete = complete && scan->unit_of && scan->units;
    for (uint32_t path = 0; complete && path < trace->calltree.paths.count; path++) {
        const bool completes = callpath_call(trace, path) == MPI_CALL_WIN_COMPLETE;
        scan->unit_of[path] = INDEX_NONE;
        if ((!sends[path] && !completes) || facts->paths[path].visits == 0 ||
            trace->calltree.paths.items[path].parent == CALLPATH_NONE ||
            scan->unit_count == UNITS_MOST)
            continue;
        struct unit *unit = &scan->units[scan->unit_count];
        unit->path = path;
        unit->completes = completes;
        unit->preceded = calloc(DEPTH * regions + 1, sizeof *unit->preceded);
        complete = unit->preceded != NULL;
        scan->unit_of[path] = scan->unit_count++;
    }
    free(sends);
    return complete;
}

static void close_units(struct scan *scan)
{
    for (uint32_t i = 0; i < scan->unit_count; i++)
        free(scan->units[i].preceded);
    free(scan->units);
    free(scan->unit_of);
    free(scan->frames.items);
}

static const struct frame no_visits = {.last = {INDEX_NONE, INDEX_NONE}};

/* A unit is entered. */
static void look_back(struct scan *scan, struct unit *unit)
{
    const struct frame *inner = &scan->frames.items[scan->frames.count - 1];
    const size_t regions = scan->trace->definitions->region_count;
    uint32_t others = 0;
    unit->visits++;
    for (size_t i = 0; i + 1 < scan->frames.count; i++)
        others += scan->frames.items[i].run;
    for (uint32_t depth = 0; depth < DEPTH && depth < inner->run; depth++)
        if (unit->completes || inner->run - depth - 1 + others > 0)
            unit->preceded[depth * regions + inner->last[depth]]++;
}

static bool enter(struct scan *scan, uint32_t path)
{
    if (scan->unit_of[path] != INDEX_NONE)
        look_back(scan, &scan->units[scan->unit_of[path]]);
    return array_push(&scan->frames, no_visits);
}

static void leave(struct scan *scan, uint32_t path)
{
    const uint32_t region = scan->trace->calltree.paths.items[path].region;
    const bool communicates = scan->frames.items[scan->frames.count - 1].communicates ||
                              callpath_communicates(scan->trace, path);
    if (scan->frames.count < 2)
        return;
    struct frame *caller = &scan->frames.items[--scan->frames.count - 1];
    if (communicates) {
        for (size_t i = 0; i < scan->frames.count; i++)
            scan->frames.items[i] = no_visits;
        caller->communicates = true;
    } else if (region_is_own(scan->trace, region)) {
        for (uint32_t depth = DEPTH - 1; depth > 0; depth--)
            caller->last[depth] = caller->last[depth - 1];
        caller->last[0] = region;
        caller->run++;
    }
}

/* False when memory is out. */
static bool scan_rank(struct scan *scan, const struct stream *stream)
{
    scan->frames.count = 0;
    if (!array_push(&scan->frames, no_visits))
        return false;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (event_opens(stream->kind[row]) && !enter(scan, stream->arg[row]))
            return false;
        if (event_closes(stream->kind[row]))
            leave(scan, stream->arg[stream->arg[row]]);
    }
    return true;
}

/* The region that precedes nearly all visits of the unit; INDEX_NONE: there is none. */
static uint32_t predecessor(const struct facts *facts, const struct unit *unit, uint32_t depth)
{
    const uint32_t regions = facts->trace->definitions->region_count;
    for (uint32_t r = 0; r < regions; r++)
        if ((double)unit->preceded[depth * (size_t)regions + r] >=
                nearly_all * (double)unit->visits &&
            facts_matters(facts, facts->regions[r].computation))
            return r;
    return INDEX_NONE;
}

static bool add(const struct facts *facts, struct candidate_list *list, const struct unit *unit,
                const char *regions)
{
    const struct trace *trace = facts->trace;
    const char *pattern = candidate_callpath(list, trace, unit->path);
    const char *text = candidate_path_text(list, trace, unit->path);
    return pattern && text && regions &&
           candidate_add(
               list,
               (struct candidate){
                   .kind = unit->completes ? "late-completion" : "late-send",
                   .effort = EFFORT_SMALL,
                   .path = unit->path,
                   .region = path_own_region(trace, unit->path),
                   .ranks = facts->paths[unit->path].ranks,
                   .cause = candidate_text(list, "earlier %u", unit->path),
                   .sections = candidate_text(list, "[earlier calls]\ncallpath = %s\nbefore = %s\n",
                                              pattern, regions),
                   .change = candidate_text(list, "Do %s before %s, not after: others wait for it.",
                                            text, regions),
                   .check = unit->completes
                                ? "What comes after must not access the window in the same epoch."
                                : candidate_text(list,
                                                 "What is sent must not depend on %s, which must "
                                                 "not change it either.",
                                                 regions),
               });
}

static bool add_unit(const struct facts *facts, struct candidate_list *list,
                     const struct unit *unit)
{
    const uint32_t last = predecessor(facts, unit, 0), other = predecessor(facts, unit, 1);
    if (last == INDEX_NONE)
        return true;
    const char *name = candidate_region(list, facts->trace, last);
    if (!name || !add(facts, list, unit, name))
        return false;
    if (other == INDEX_NONE || other == last)
        return true;
    const char *further = candidate_region(list, facts->trace, other);
    return further && add(facts, list, unit, candidate_text(list, "%s, %s", further, name));
}

/* Collective. */
static void add_up(struct scan *scan)
{
    const struct trace *trace = scan->trace;
    for (uint32_t i = 0; i < scan->unit_count; i++) {
        processes_sum(trace->processes, &scan->units[i].visits, 1);
        processes_sum(trace->processes, scan->units[i].preceded,
                      DEPTH * (size_t)trace->definitions->region_count);
    }
}

static enum status propose(const struct facts *facts, struct candidate_list *list,
                           struct error *error)
{
    const struct trace *trace = facts->trace;
    struct scan scan = {.trace = trace};
    bool complete = open_units(facts, &scan);
    for (uint32_t i = 0; i < trace->owned_count && complete; i++)
        complete = scan_rank(&scan, &trace->streams[i]);
    enum status status = processes_agree_memory(trace->processes, complete, "the advice", error);
    if (status == STATUS_OK)
        add_up(&scan);
    for (uint32_t i = 0; i < scan.unit_count && status == STATUS_OK; i++)
        if (!add_unit(facts, list, &scan.units[i]))
            status = error_memory(error, "the advice");
    close_units(&scan);
    return status;
}

const struct candidate_family candidates_early = {
    .name = "early",
    .description = "sends and epochs' ends that come later than they could",
    .propose = propose,
};
