#include "structure/cut_marks.h"

#include "trace/calls/records.h"
#include "trace/calls/walk.h"
#include "trace/exchange.h"
#include "transform/cut_rows.h"

#include <assert.h>
#include <string.h>

static const char purpose[] = "cutting a trace";

struct cut_range cut_range_of_all(uint32_t rank_count, const struct cut_range *ranges)
{
    struct cut_range all = {UINT64_MAX, 0};
    for (uint32_t rank = 0; rank < rank_count; rank++) {
        if (ranges[rank].begin >= ranges[rank].end)
            continue;
        if (ranges[rank].begin < all.begin)
            all.begin = ranges[rank].begin;
        if (ranges[rank].end > all.end)
            all.end = ranges[rank].end;
    }
    return all;
}

const char *const cut_crossing_names[] = {
#define X(identifier, name) name,
    CUT_CROSSINGS(X)
#undef X
};

static void count_crossing_at(const struct cut_marks *marks, enum cut_crossing_kind kind,
                              uint32_t path)
{
    size_t paths = marks->trace->calltree.paths.count;
    if (marks->crossings)
        marks->crossings[kind * (paths + 1) + (path == CALLPATH_NONE ? paths : path)]++;
}

static uint32_t path_at_mark(const struct stream *stream, uint32_t row)
{
    return row == INDEX_NONE ? CALLPATH_NONE : stream_callpath_at(stream, row);
}

/* Marks all ENTERs and LEAVEs of a region and of those in it, and records of the number of tests.
 */
static void drop_regions(struct location_marks *marks, uint32_t enter, uint32_t leave)
{
    for (uint32_t row = enter; row <= leave; row++) {
        const enum event_kind kind = marks->stream->kind[row];
        if (event_opens(kind) || event_closes(kind) || kind == EVENT_POLLS)
            marks->drop[row] = true;
    }
}

static enum mpi_class call_class_at(const struct trace *trace, const struct stream *stream,
                                    uint32_t row)
{
    if (stream->kind[row] != EVENT_ENTER)
        return MPI_CLASS_NONE;
    return mpi_call_infos[callpath_call(trace, stream->arg[row])].class;
}

/* A call that ends exactly at the end of the range is in the range: its region is left there.
 * Probes and tests that are not completely in the range are removed. */
static void mark_calls(const struct trace *trace, struct location_marks *marks)
{
    const struct stream *stream = marks->stream;
    for (uint32_t row = 0; row < stream->count; row++) {
        enum mpi_class class = call_class_at(trace, stream, row);
        if (!mpi_class_communicates(class)) {
            marks->inside[row] = row_is_kept(marks, row);
            continue;
        }
        uint32_t leave = region_leave(stream, row);
        if (row >= marks->first && stream->time[leave] <= marks->range.end)
            for (uint32_t i = row; i <= leave; i++)
                marks->inside[i] = i < marks->last;
        else if (mpi_class_probes(class) || mpi_class_tests(class))
            drop_regions(marks, row, leave);
        row = leave;
    }
}

static bool row_is_inside(const struct location_marks *marks, uint32_t row)
{
    return row != INDEX_NONE && marks->inside[row];
}

static bool is_edge(const struct location_marks *marks, uint32_t post, uint32_t completion)
{
    return completion != INDEX_NONE && row_is_kept(marks, post) != row_is_kept(marks, completion);
}

/* Marks messages whose end on this rank alone decides it. */
static void mark_messages(const struct cut_marks *all, struct location_marks *marks)
{
    const struct stream *stream = marks->stream;
    for (uint32_t m = 0; m < stream->message_count; m++) {
        const struct message *message = &stream->messages[m];
        bool whole = row_is_inside(marks, message->post) &&
                     (row_is_inside(marks, message->completion) ||
                      (message->completion == INDEX_NONE && message_takes_part(message)));
        marks->messages[m] = !whole || message->flags & MESSAGE_CUT;
        if (message->flags & MESSAGE_NONBLOCKING && message_takes_part(message) &&
            is_edge(marks, message->post, message->completion)) {
            all->losses->requests++;
            count_crossing_at(all, CUT_CROSSING_REQUEST, path_at_mark(stream, message->post));
        }
    }
    for (uint32_t row = 0; row < stream->count; row++)
        if (stream->kind[row] == EVENT_MATCHED && stream->arg[row] != INDEX_NONE &&
            !marks->inside[row])
            marks->messages[stream->arg[row]] = true;
}

/* Marks requests whose completion is not recorded (walk.h) if the call that waits for them is not
 * in the range. False if out of memory. */
static bool mark_unrecorded(const struct trace *trace, struct location_marks *marks)
{
    struct call_walk walk;
    call_walk_open(&walk, trace, marks->stream, 0);
    while (call_walk_next(&walk))
        for (size_t i = 0; walk.call.unrecorded && i < walk.waits.count; i++) {
            const struct wait *wait = &walk.waits.items[i];
            if ((wait->kind == WAIT_SEND || wait->kind == WAIT_RECEIVE) &&
                !marks->inside[walk.call.enter])
                marks->messages[wait->index] = true;
        }
    bool allocated = !walk.out_of_memory;
    call_walk_close(&walk);
    return allocated;
}

static bool has_unrecorded(const struct stream *stream)
{
    for (uint32_t m = 0; m < stream->message_count; m++)
        if (message_takes_part(&stream->messages[m]) &&
            stream->messages[m].completion == INDEX_NONE)
            return true;
    return false;
}

static bool touches(const struct location_marks *marks, uint32_t begin, uint32_t end)
{
    return row_is_kept(marks, begin) || (end != INDEX_NONE && row_is_kept(marks, end));
}

/* Marks collective operations for which this member alone decides it. Operations with this member
 * only are decided and counted here. */
static void mark_collectives(const struct cut_marks *all, struct location_marks *marks)
{
    const struct trace *trace = all->trace;
    struct cut_losses *losses = all->losses;
    const struct stream *stream = marks->stream;
    for (uint32_t c = 0; c < stream->collective_count; c++) {
        const struct collective *collective = &stream->collectives[c];
        bool known = collective->comm != INDEX_NONE;
        bool unmatched = known && collective->instance == INDEX_NONE; /* cut short */
        marks->collectives[c] = unmatched || !row_is_inside(marks, collective->begin) ||
                                !row_is_inside(marks, collective->end);
        if (collective->flags & COLLECTIVE_NONBLOCKING && known && !unmatched &&
            is_edge(marks, collective->begin, collective->end)) {
            losses->requests++;
            count_crossing_at(all, CUT_CROSSING_REQUEST, path_at_mark(stream, collective->begin));
        }
        if (known && !unmatched && trace->definitions->comms[collective->comm].self) {
            bool lost = marks->collectives[c] && touches(marks, collective->begin, collective->end);
            losses->kept_collectives += !marks->collectives[c];
            losses->collectives += lost;
            if (lost)
                count_crossing_at(all, CUT_CROSSING_COLLECTIVE,
                                  path_at_mark(stream, collective->begin));
        }
    }
}

/* False if out of memory. */
static bool mark_location(struct cut_marks *all, uint32_t i, const struct cut_range *ranges)
{
    assert(i < all->trace->owned_count + all->trace->carried_count);
    struct location_marks *marks = &all->locations[i];
    const struct trace *trace = all->trace;
    const struct stream *stream = trace_any_stream(trace, i);
    marks->stream = stream;
    marks->range = stream->rank == INDEX_NONE ? cut_range_of_all(trace->rank_count, ranges)
                                              : ranges[stream->rank];
    marks->first = stream_row_at(stream, marks->range.begin);
    marks->last = stream_row_at(stream, marks->range.end);
    if (marks->last < marks->first)
        marks->last = marks->first;
    struct {
        bool **array;
        uint32_t count;
    } arrays[] = {
        {&marks->inside, stream->count},           {&marks->drop, stream->count},
        {&marks->messages, stream->message_count}, {&marks->collectives, stream->collective_count},
        {&marks->rma_ops, stream->rma_op_count},   {&marks->rma_syncs, stream->rma_sync_count}};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
        if (!(*arrays[a].array = arena_alloc_array(all->arena, arrays[a].count, sizeof(bool))))
            return false;
    struct cut_losses of_carried = {0}; /* of locations that are not replayed: not counted */
    struct cut_marks counted = *all;
    if (i >= trace->owned_count) {
        counted.losses = &of_carried;
        counted.crossings = NULL;
    }
    mark_calls(trace, marks);
    mark_messages(&counted, marks);
    mark_collectives(&counted, marks);
    return i >= trace->owned_count || !has_unrecorded(stream) || mark_unrecorded(trace, marks);
}

/* As sent to the other end of a message. */
struct end_state {
    uint8_t removed, touches; /* marked; in the range or across its edge */
};

struct end_states {
    struct cut_marks *marks;
    bool **other_removed; /* [stream][message]: the other end is marked */
};

static struct end_state end_state_of(const struct location_marks *marks, uint32_t m)
{
    const struct message *message = &marks->stream->messages[m];
    return (struct end_state){marks->messages[m],
                              touches(marks, message->post, message->completion)};
}

static bool write_end_state(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct end_states *ends = data;
    struct end_state state = end_state_of(&ends->marks->locations[s], m);
    memcpy(value, &state, sizeof state);
    return true;
}

static void combine_ends(void *data, uint32_t s, uint32_t m, const void *value)
{
    struct end_states *ends = data;
    const struct location_marks *marks = &ends->marks->locations[s];
    struct end_state other, own = end_state_of(marks, m);
    memcpy(&other, value, sizeof other);
    ends->other_removed[s][m] = other.removed;
    if (!(marks->stream->messages[m].flags & MESSAGE_SEND))
        return;
    const bool removed = own.removed || other.removed;
    ends->marks->losses->kept_messages += !removed;
    if (removed && (own.touches || other.touches)) {
        ends->marks->losses->messages++;
        count_crossing_at(ends->marks, CUT_CROSSING_MESSAGE,
                          path_at_mark(marks->stream, marks->stream->messages[m].post));
    }
}

static enum status pair_messages(struct cut_marks *marks, struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = purpose,
                                                     .size = sizeof(struct end_state),
                                                     .send = write_end_state,
                                                     .receive = combine_ends};
    const struct trace *trace = marks->trace;
    struct end_states ends = {marks, arena_alloc_array(marks->arena, (size_t)trace->owned_count + 1,
                                                       sizeof *ends.other_removed)};
    bool allocated = ends.other_removed != NULL;
    for (uint32_t s = 0; allocated && s < trace->owned_count; s++)
        allocated = (ends.other_removed[s] = arena_alloc_array(
                         marks->arena, trace->streams[s].message_count, sizeof(bool))) != NULL;
    enum status status = partners_exchange(trace, allocated, &exchange, &ends, error);
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++)
        for (uint32_t m = 0; m < trace->streams[s].message_count; m++)
            marks->locations[s].messages[m] |= ends.other_removed[s][m];
    return status;
}

struct cut_member {
    struct member_record from;
    uint32_t removed, touches; /* as struct end_state */
    uint32_t path;
};

static bool write_cut_member(void *data, uint32_t s, uint32_t c, void *part)
{
    const struct cut_marks *all = data;
    const struct location_marks *marks = &all->locations[s];
    const struct collective *collective = &marks->stream->collectives[c];
    struct cut_member *member = part;
    member->removed = marks->collectives[c];
    member->touches = touches(marks, collective->begin, collective->end);
    member->path = path_at_mark(marks->stream, collective->begin);
    return !all->trace->definitions->comms[collective->comm].self;
}

/* Answers only if the operation is removed. */
static bool decide_instance(void *data, const struct owned_instances *instances, uint32_t instance,
                            struct exchange *answers)
{
    const struct cut_marks *marks = data;
    uint32_t count = instance_member_count(instances, instance);
    bool removed = false, touched = false;
    for (uint32_t n = 0; n < count; n++) {
        const struct cut_member *member = instance_record(instances, instance, n);
        removed |= member->removed != 0;
        touched |= member->touches != 0;
    }
    marks->losses->kept_collectives += !removed;
    if (removed && touched) {
        const struct cut_member *first = instance_record(instances, instance, 0);
        marks->losses->collectives++;
        count_crossing_at(marks, CUT_CROSSING_COLLECTIVE, first->path);
    }
    for (uint32_t n = 0; removed && n < count; n++) {
        const struct cut_member *member = instance_record(instances, instance, n);
        struct instance_answer answer = {member->from.rank, member->from.collective};
        exchange_put_owner(answers, marks->trace, answer.rank, &answer);
    }
    return true;
}

static void mark_lost_collective(void *data, uint32_t s, uint32_t c, const void *answer)
{
    const struct cut_marks *marks = data;
    (void)answer;
    marks->locations[s].collectives[c] = true;
}

static enum status join_members(struct cut_marks *marks, struct error *error)
{
    static const struct instance_exchange exchange = {.purpose = purpose,
                                                      .record_size = sizeof(struct cut_member),
                                                      .answer_size = sizeof(struct instance_answer),
                                                      .order = MEMBERS_BY_RANK,
                                                      .send = write_cut_member,
                                                      .answer = decide_instance,
                                                      .receive = mark_lost_collective};
    return instances_exchange(marks->trace, &exchange, marks, error);
}

/* Collective. Removes MPI_Init and MPI_Finalize unless all ranks that call them do so in their
 * ranges. */
static void drop_program_calls(struct cut_marks *marks)
{
    static const enum mpi_class classes[] = {MPI_CLASS_INIT, MPI_CLASS_FINALIZE};
    const struct trace *trace = marks->trace;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        int64_t removed = 0;
        for (uint32_t s = 0; s < trace->owned_count; s++)
            for (uint32_t row = 0; row < trace->streams[s].count; row++)
                removed |= call_class_at(trace, &trace->streams[s], row) == classes[k] &&
                           !marks->locations[s].inside[row];
        processes_max(trace->processes, &removed, 1);
        for (uint32_t s = 0; removed && s < trace->owned_count; s++)
            for (uint32_t row = 0; row < trace->streams[s].count; row++)
                if (call_class_at(trace, &trace->streams[s], row) == classes[k])
                    drop_regions(&marks->locations[s], row, region_leave(&trace->streams[s], row));
    }
}

/* False if out of memory. */
static bool choose_dropped_rows(struct cut_marks *all, uint32_t i)
{
    struct location_marks *marks = &all->locations[i];
    const struct stream *stream = marks->stream;
    for (uint32_t row = marks->first; row < marks->last; row++) {
        struct record record = record_at(stream, row);
        marks->drop[row] |=
            (record.subject == RECORD_OF_RMA_OP && marks->rma_ops[record.index]) ||
            (record.subject == RECORD_OF_RMA_SYNC && marks->rma_syncs[record.index]);
        if (i < all->trace->owned_count && marks->drop[row] &&
            (record.subject == RECORD_OF_RMA_OP || record.subject == RECORD_OF_RMA_SYNC)) {
            all->losses->one_sided++;
            count_crossing_at(all, CUT_CROSSING_ONE_SIDED, path_at_mark(stream, row));
        }
    }
    return cut_rows_choose(all->trace, stream, marks->messages, marks->collectives,
                           EMPTIED_CALLS_STAY, marks->drop);
}

static void sum_losses(const struct cut_marks *marks)
{
    struct cut_losses *losses = marks->losses;
    int64_t sums[] = {losses->messages,  losses->collectives,   losses->requests,
                      losses->one_sided, losses->kept_messages, losses->kept_collectives};
    processes_sum(marks->trace->processes, sums, sizeof sums / sizeof *sums);
    *losses = (struct cut_losses){sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
    processes_sum(marks->trace->processes, marks->crossings,
                  CUT_CROSSING_KIND_COUNT * (marks->trace->calltree.paths.count + 1));
}

enum status cut_marks_make(struct cut_marks *marks, const struct cut_range *ranges,
                           struct error *error)
{
    const struct trace *trace = marks->trace;
    uint32_t count = trace->owned_count + trace->carried_count;
    assert(marks->arena && marks->losses && trace->matched);
    memset(marks->losses, 0, sizeof *marks->losses);
    marks->locations = arena_alloc_array(marks->arena, (size_t)count + 1, sizeof *marks->locations);
    marks->crossings =
        arena_alloc_array(marks->arena, CUT_CROSSING_KIND_COUNT * (trace->calltree.paths.count + 1),
                          sizeof *marks->crossings);
    bool allocated = marks->locations && marks->crossings;
    for (uint32_t i = 0; allocated && i < count; i++)
        allocated = mark_location(marks, i, ranges);
    enum status status = processes_agree_memory(trace->processes, allocated, purpose, error);
    if (status == STATUS_OK)
        status = pair_messages(marks, error);
    if (status == STATUS_OK)
        status = join_members(marks, error);
    if (status == STATUS_OK)
        status = cut_marks_windows(marks, error);
    if (status != STATUS_OK)
        return status;
    drop_program_calls(marks);
    for (uint32_t i = 0; allocated && i < count; i++)
        allocated = choose_dropped_rows(marks, i);
    status = processes_agree_memory(trace->processes, allocated, purpose, error);
    if (status == STATUS_OK)
        sum_losses(marks);
    return status;
}
