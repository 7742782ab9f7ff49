#include "reduce/rows.h"

#include "base/array.h"
#include "reduce/rules/calls.h"
#include "threads/teams.h"
#include "transform/cut_rows.h"

#include <assert.h>
#include <stdlib.h>

/* A visit of a region that is not left yet. */
struct row_visit {
    uint32_t enter;
    bool stays; /* for something in it, for its length, or because it is the first */
    bool in_team;
};

struct rows {
    const struct trace *trace;
    const struct stream *stream;
    const bool *calls;         /* [row]: struct folding */
    const bool *changed_paths; /* as struct part_assumed has them */
    bool has_workers;          /* the rank has recorded threads */
    bool *drop;
    ARRAY(struct row_visit) visits;
};

static enum mpi_class class_of_visit(const struct rows *rows, uint32_t enter)
{
    return mpi_call_infos[callpath_call(rows->trace, rows->stream->arg[enter])].class;
}

/* Whether a visit in which nothing stays may be left out. Calls on which MPI or other ranks depend
 * may only if the folding has emptied them. */
static bool visit_may_go(const struct rows *rows, uint32_t enter)
{
    return class_may_be_silent(class_of_visit(rows, enter)) ? !rows->calls[enter]
                                                            : rows->drop[enter];
}

static bool path_changes(const struct rows *rows, uint32_t path)
{
    return rows->changed_paths[path == CALLPATH_NONE ? rows->trace->calltree.paths.count : path];
}

/* Whether the visit is inside a call that communicates. */
static bool is_in_call(const struct rows *rows, uint32_t enter)
{
    uint32_t path = rows->stream->arg[enter];
    return callpath_communicates(rows->trace, rows->trace->calltree.paths.items[path].parent);
}

static struct row_visit *innermost_visit(struct rows *rows)
{
    return rows->visits.count > 0 ? &rows->visits.items[rows->visits.count - 1] : NULL;
}

static bool open_visit(struct rows *rows, uint32_t row)
{
    const struct row_visit *around = innermost_visit(rows);
    const struct callpath *callpath = &rows->trace->calltree.paths.items[rows->stream->arg[row]];
    bool in_team = rows->has_workers &&
                   ((around && around->in_team) ||
                    region_is_parallel(&rows->trace->definitions->regions[callpath->region]));
    bool stays = row == 0 || in_team || path_changes(rows, rows->stream->arg[row]) ||
                 path_changes(rows, callpath->parent);
    return array_push(&rows->visits, ((struct row_visit){row, stays, in_team}));
}

static void close_visit(struct rows *rows, uint32_t row)
{
    struct row_visit visit = rows->visits.items[--rows->visits.count];
    bool goes = !visit.stays && row + 1 < rows->stream->count && visit_may_go(rows, visit.enter);
    for (uint32_t i = visit.enter; i <= row && goes; i++)
        rows->drop[i] = true;
    if (goes)
        return;
    rows->drop[visit.enter] = rows->drop[row] = false;
    if (innermost_visit(rows))
        innermost_visit(rows)->stays = true;
}

/* A record that stays keeps its call. Records that SILAS does not interpret are left out together
 * with their call. */
static void visit_record(struct rows *rows, uint32_t row)
{
    uint8_t kind = rows->stream->kind[row];
    bool is_other = kind == EVENT_OTHER || kind == EVENT_MEASUREMENT_ON_OFF;
    if (innermost_visit(rows) && !is_other && !rows->drop[row])
        innermost_visit(rows)->stays = true;
}

static bool choose_visits(struct rows *rows)
{
    for (uint32_t row = 0; row < rows->stream->count; row++)
        if (event_opens(rows->stream->kind[row])) {
            if (!open_visit(rows, row))
                return false;
        } else if (event_closes(rows->stream->kind[row])) {
            close_visit(rows, row);
        } else {
            visit_record(rows, row);
        }
    return true;
}

/* Two tests must not merge into one polling loop when the visit between them is left out, so that
 * visit stays, empty. A visit that an assumption may remove does not count as a separation. */
static void separate_tests(struct rows *rows, bool removes)
{
    const struct stream *stream = rows->stream;
    uint32_t between = INDEX_NONE, depth = 0; /* between: the ENTER of such a visit */
    bool tested = false;
    for (uint32_t row = 0; row < stream->count; row++) {
        bool opens = event_opens(stream->kind[row]);
        if (!opens && !event_closes(stream->kind[row]))
            continue;
        if (rows->drop[row]) {
            if (opens && depth == 0 && !is_in_call(rows, row))
                between = row;
            depth += opens ? 1 : -1u;
            continue;
        }
        enum mpi_class class = class_of_visit(rows, opens ? row : stream->arg[row]);
        bool tests = class_polls(class);
        if (tests && opens && tested && between != INDEX_NONE)
            for (uint32_t i = between; i < row; i++)
                if (i == between || (event_closes(stream->kind[i]) && stream->arg[i] == between))
                    rows->drop[i] = false;
        if (!removes || tests) {
            tested = tests && !opens;
            between = INDEX_NONE;
        }
    }
}

bool reduction_drop_rows(const struct trace *trace, uint32_t s, const struct folding *folding,
                         const bool *changed_paths, bool *drop)
{
    assert(s < trace->owned_count && folding->trace == trace);
    struct rows rows = {.trace = trace,
                        .stream = &trace->streams[s],
                        .calls = folding->calls[s],
                        .changed_paths = changed_paths,
                        .has_workers = rank_worker_count(trace, s) > 0,
                        .drop = drop};
    bool room = cut_rows_choose(trace, rows.stream, folding->messages[s], folding->collectives[s],
                                EMPTIED_CALLS_GO, drop) &&
                choose_visits(&rows);
    if (room)
        separate_tests(&rows, folding->removes[s]);
    free(rows.visits.items);
    return room;
}
