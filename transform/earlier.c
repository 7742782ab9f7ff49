/* [earlier LABEL]: visits of a region, or MPI calls, move before the visits of other regions that
 * directly precede them: for example, a rank sends first and does its bookkeeping afterwards.
 *
 * A visit moves if its caller has just left regions that `before` names, with only computation of
 * the caller in between. It moves with all events in it, before all of these visits, back to the
 * last one before which a visit has moved already. The passed visits are delayed by its length;
 * later events keep their times. A visit stays
 *
 *   - if it waits for requests which the passed visits post,
 *   - if one of the two makes or frees communicators or windows and the other communicates, if both
 *     communicate one-sidedly, or if the passed visits probe for messages,
 *   - if one of the two contains MPI_Init, MPI_Finalize, a flush of the tracer or a pause of the
 *     recording. */
#include "trace/calls/records.h"
#include "transform/callpath_marks.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct earlier {
    const struct ini_section *section;
    const char *before; /* list of name patterns */
};

static const struct ini_key earlier_keys[] = {
    WHERE_KEYS,
    INI_KEY(earlier, before, STRING, .required = true),
    INI_KEYS_END,
};

/* Derived from the call tree: the same on all processes. */
struct move_plan {
    const struct trace *trace;
    struct callpath_marks marks;
    bool *before;          /* [region]: visits of it may be passed */
    int64_t moved, visits; /* of the chosen regions */
};

/* An open region, and the visits in it that the next one may pass. */
struct mover_frame {
    uint32_t begin;  /* the new place of its first row */
    uint32_t passed; /* the new place of the first row that can be passed; INDEX_NONE: none */
    bool used;       /* a visit has passed them: later visits pass only later rows */
};

/* A rank while its rows get their new places. Rows are old numbers, places new ones. */
struct mover {
    struct move_plan *plan;
    const struct stream *stream;
    uint32_t *order;   /* [place]: row */
    uint64_t *times;   /* [place]: new time */
    uint32_t *places;  /* [row] */
    uint32_t *scratch; /* [place], for the exchange of two parts */
    uint64_t *scratch_times;
    ARRAY(struct mover_frame) frames; /* the first is outside all regions */
};

enum content {
    COMMUNICATES = 1 << 0,
    SETS_UP = 1 << 1, /* makes or frees communicators or windows */
    ONE_SIDED = 1 << 2,
    PROBES = 1 << 3,
    FIXED = 1 << 4, /* must not move */
};

static unsigned content_of_call(enum mpi_class class)
{
    unsigned content = mpi_class_communicates(class) ? COMMUNICATES : 0;
    switch (class) {
    case MPI_CLASS_INIT:
    case MPI_CLASS_FINALIZE:
    case MPI_CLASS_ABORT:
        return content | FIXED;
    case MPI_CLASS_COMM_CREATE:
    case MPI_CLASS_COMM_ICREATE:
    case MPI_CLASS_COMM_FREE:
        return content | SETS_UP;
    case MPI_CLASS_WINDOW:
        return content | SETS_UP | ONE_SIDED;
    case MPI_CLASS_RMA:
    case MPI_CLASS_RMA_SYNC:
        return content | ONE_SIDED;
    default:
        return content | (mpi_class_probes(class) ? PROBES : 0);
    }
}

static unsigned content_of_row(const struct mover *mover, uint32_t row)
{
    const struct stream *stream = mover->stream;
    switch (stream->kind[row]) {
    case EVENT_ENTER:
        return content_of_call(
            mpi_call_infos[callpath_call(mover->plan->trace, stream->arg[row])].class);
    case EVENT_BUFFER_FLUSH:
    case EVENT_MEASUREMENT_ON_OFF:
        return FIXED;
    case EVENT_RMA_OP:
    case EVENT_RMA_SYNC:
        return ONE_SIDED;
    case EVENT_COMM_CREATE:
    case EVENT_COMM_DESTROY:
    case EVENT_RMA_WIN_CREATE:
    case EVENT_RMA_WIN_DESTROY:
        return SETS_UP;
    default:
        return 0;
    }
}

static unsigned content_of(const struct mover *mover, uint32_t begin, uint32_t end)
{
    unsigned content = 0;
    for (uint32_t place = begin; place < end; place++)
        content |= content_of_row(mover, mover->order[place]);
    return content;
}

/* The row at which the subject of a record was posted; INDEX_NONE: there is none. */
static uint32_t posting_row(const struct stream *stream, uint32_t row)
{
    struct record record = record_at(stream, row);
    if (record.subject == RECORD_OF_MESSAGE)
        return stream->messages[record.index].post;
    return record.subject == RECORD_OF_COLLECTIVE ? stream->collectives[record.index].begin
                                                  : INDEX_NONE;
}

/* True if the places from `middle` to `end` depend on requests that those before it post. */
static bool needs_requests(const struct mover *mover, uint32_t begin, uint32_t middle, uint32_t end)
{
    for (uint32_t place = middle; place < end; place++) {
        uint32_t post = posting_row(mover->stream, mover->order[place]);
        if (post != INDEX_NONE && mover->places[post] >= begin && mover->places[post] < middle)
            return true;
    }
    return false;
}

static bool may_pass(const struct mover *mover, uint32_t begin, uint32_t middle, uint32_t end)
{
    unsigned passed = content_of(mover, begin, middle), moved = content_of(mover, middle, end);
    bool in_order = ((passed | moved) & FIXED) || (passed & moved & ONE_SIDED) ||
                    (passed & SETS_UP && moved & COMMUNICATES) ||
                    (moved & SETS_UP && passed & COMMUNICATES) ||
                    (passed & PROBES && moved & COMMUNICATES);
    return !in_order && !needs_requests(mover, begin, middle, end);
}

/* Moves the rows from the place `middle` to the last one, at `end` - 1, before those from `begin`
 * to `middle`, which are delayed by their length. */
static void exchange_parts(struct mover *mover, uint32_t begin, uint32_t middle, uint32_t end)
{
    assert(begin < middle && middle < end);
    uint32_t length = end - middle, *order = mover->order;
    uint64_t *times = mover->times, first = times[begin];
    uint64_t passed = times[middle] - first, moved = times[end - 1] - times[middle];
    memcpy(mover->scratch, order + begin, (middle - begin) * sizeof *order);
    memcpy(mover->scratch_times, times + begin, (middle - begin) * sizeof *times);
    memmove(order + begin, order + middle, length * sizeof *order);
    for (uint32_t i = 0; i < length; i++)
        times[begin + i] = times[middle + i] - passed;
    memcpy(order + begin + length, mover->scratch, (middle - begin) * sizeof *order);
    for (uint32_t i = 0; i < middle - begin; i++)
        times[begin + length + i] = mover->scratch_times[i] + moved;
    for (uint32_t place = begin; place < end; place++)
        mover->places[order[place]] = place;
}

static struct mover_frame *innermost_frame(struct mover *mover)
{
    assert(mover->frames.count > 0);
    return &mover->frames.items[mover->frames.count - 1];
}

static bool is_moving_path(const struct move_plan *plan, uint32_t path)
{
    uint32_t parent = plan->trace->calltree.paths.items[path].parent;
    return marks_of(&plan->marks, path) & CALLPATH_CHOSEN &&
           !(marks_of(&plan->marks, parent) & CALLPATH_INSIDE);
}

/* A visit has ended: its rows have the places from `begin` to `end`. */
static void finish_visit(struct mover *mover, uint32_t path, uint32_t begin, uint32_t end)
{
    struct move_plan *plan = mover->plan;
    struct mover_frame *caller = innermost_frame(mover);
    uint32_t region = plan->trace->calltree.paths.items[path].region;
    if (is_moving_path(plan, path)) {
        plan->visits++;
        if (caller->passed == INDEX_NONE || !may_pass(mover, caller->passed, begin, end)) {
            caller->passed = INDEX_NONE;
            return;
        }
        exchange_parts(mover, caller->passed, begin, end);
        caller->passed += end - begin;
        caller->used = true;
        plan->moved++;
    } else if (plan->before[region]) {
        if (caller->passed == INDEX_NONE || caller->used)
            caller->passed = begin;
        caller->used = false;
    } else if (mpi_call_infos[callpath_call(plan->trace, path)].class != MPI_CLASS_LOCAL) {
        caller->passed = INDEX_NONE;
    }
}

/* False if out of memory. */
static bool place_rows(struct mover *mover)
{
    const struct stream *stream = mover->stream;
    if (!array_push(&mover->frames, ((struct mover_frame){.passed = INDEX_NONE})))
        return false;
    for (uint32_t row = 0; row < stream->count; row++) {
        mover->order[row] = mover->places[row] = row;
        mover->times[row] = stream->time[row];
        if (event_opens(stream->kind[row])) {
            if (!array_push(&mover->frames,
                            ((struct mover_frame){.begin = row, .passed = INDEX_NONE})))
                return false;
        } else if (event_closes(stream->kind[row])) {
            uint32_t begin = mover->frames.items[--mover->frames.count].begin;
            finish_visit(mover, stream->arg[stream->arg[row]], begin, row + 1);
        } else if (stream->kind[row] != EVENT_OTHER) {
            innermost_frame(mover)->passed = INDEX_NONE;
        }
    }
    return true;
}

/* False if out of memory. */
static bool move_visits(struct move_plan *plan, struct trace *trace, struct stream *stream)
{
    size_t rows = (size_t)stream->count + 1;
    int64_t moved_before = plan->moved;
    struct mover mover = {
        .plan = plan,
        .stream = stream,
        .order = malloc(rows * sizeof *mover.order),
        .times = malloc(rows * sizeof *mover.times),
        .places = malloc(rows * sizeof *mover.places),
        .scratch = malloc(rows * sizeof *mover.scratch),
        .scratch_times = malloc(rows * sizeof *mover.scratch_times),
    };
    bool done =
        mover.order && mover.times && mover.places && mover.scratch && mover.scratch_times &&
        place_rows(&mover) &&
        (plan->moved == moved_before || rewrite_order(trace, stream, mover.order, mover.times));
    free(mover.order);
    free(mover.times);
    free(mover.places);
    free(mover.scratch);
    free(mover.scratch_times);
    free(mover.frames.items);
    return done;
}

static enum status earlier_apply(const void *state, struct trace *trace,
                                 struct hypothesis_outcome *outcome, struct error *error)
{
    const struct earlier *earlier = state;
    struct move_plan plan = {.trace = trace};
    enum status status = callpath_marks_create(earlier->section, trace, &plan.marks, error);
    if (status == STATUS_OK)
        status = regions_choose(earlier->section, "before", trace, &plan.before, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (!move_visits(&plan, trace, &trace->streams[s]))
            status = error_memory(error, "the events in another order");
    callpath_marks_clear(&plan.marks);
    free(plan.before);
    status = processes_agree(trace->processes, status, error);
    if (status != STATUS_OK)
        return status;
    int64_t counts[] = {plan.moved, plan.visits};
    processes_sum(trace->processes, counts, 2);
    *outcome = (struct hypothesis_outcome){true, counts[0], counts[1], "visits"};
    if (counts[0] == 0)
        return section_error(
            error, earlier->section, NULL,
            "none of the %lld chosen visits can be moved: none directly follows a visit of "
            "a region in \"before\" on which it does not depend",
            (long long)counts[1]);
    return STATUS_OK;
}

const struct hypothesis_kind hypothesis_earlier = {
    .name = "earlier",
    .description = "move visits of a region ahead of the code that directly precedes them",
    .keys = earlier_keys,
    .state_size = sizeof(struct earlier),
    .needs_where = true,
    .apply = earlier_apply,
};
