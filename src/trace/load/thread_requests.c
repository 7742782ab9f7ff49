/* Requests that one thread begins and another completes, where threads are ranks. Such a request
 * belongs to the rank that completes it, because that one waits. The record that posts it moves
 * there: to its time, or, if the rank is in an MPI call then, to the begin of that call. A visit of
 * the posting call without length is around it. The other rank keeps its visit, without a record.
 */
#include "base/sort.h"
#include "trace/calls/records.h"
#include "trace/load/load_private.h"
#include "trace/load/merge_threads_private.h"
#include "trace/load/split_threads_private.h"

#include <stdlib.h>
#include <string.h>

/* One end of a request. */
struct request_end {
    uint64_t id, time;
    uint32_t rank, index; /* as in struct thread_end */
    bool ends;
};

typedef ARRAY(struct request_end) request_ends;

/* A request on its way to the rank that completes it. */
struct handed_request {
    struct request_end begun, ended;
    uint32_t region; /* that posts it; INDEX_NONE: it is posted outside of all regions */
    uint32_t row;    /* of `ended.rank`, before which the post comes; then its own */
    uint32_t path;   /* around that row */
    uint64_t time;   /* of the post there */
    uint8_t kind;    /* enum event_kind of the post */
};

typedef ARRAY(struct handed_request) handed_requests;

ORDER_BY(by_request_id, struct request_end, ASCENDING(id) ?: ASCENDING(time) ?: ASCENDING(ends))

ORDER_BY(by_receiver, struct handed_request,
         ASCENDING(ended.rank) ?: ASCENDING(begun.time) ?: ASCENDING(begun.index))

static struct collective *operation_of(const struct splitting *s, const struct request_end *end)
{
    return &trace_stream(s->trace, end->rank)->collectives[end->index & ~COLLECTIVE_BIT];
}

static struct message *message_of(const struct splitting *s, const struct request_end *end)
{
    return &trace_stream(s->trace, end->rank)->messages[end->index];
}

/* The row of the end. */
static uint32_t row_of(const struct splitting *s, const struct request_end *end)
{
    if (end->index & COLLECTIVE_BIT)
        return end->ends ? operation_of(s, end)->end : operation_of(s, end)->begin;
    return end->ends ? message_of(s, end)->completion : message_of(s, end)->post;
}

static bool list_ends(const struct splitting *s, uint32_t mpi_process, request_ends *list)
{
    list->count = 0;
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1]; rank++) {
        const struct stream *stream = trace_stream(s->trace, rank);
        const struct thread_ends *ends = stream->ends;
        const uint32_t begun = ends ? ends->begun_count : 0;
        const uint32_t all = ends ? begun + ends->ended_count : 0;
        for (uint32_t i = 0; i < all; i++) {
            const struct thread_end *of = i < begun ? &ends->begun[i] : &ends->ended[i - begun];
            struct request_end end = {of->id, 0, rank, of->index, i >= begun};
            if (of->probe) /* the receive needs no probe */
                continue;
            end.time = stream->time[row_of(s, &end)];
            if (!array_push(list, end))
                return false;
        }
    }
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_request_id);
    return true;
}

static bool same_kind(const struct splitting *s, const struct request_end *begun,
                      const struct request_end *ended)
{
    if ((begun->index | ended->index) & COLLECTIVE_BIT)
        return begun->index & ended->index & COLLECTIVE_BIT;
    return !((message_of(s, begun)->flags ^ message_of(s, ended)->flags) & MESSAGE_SEND);
}

static enum status never_posted(const struct splitting *s, const struct request_end *end,
                                struct error *error)
{
    const struct stream *stream = trace_stream(s->trace, end->rank);
    const uint32_t row = row_of(s, end);
    char name[RANK_NAME_SIZE];
    return error_set(
        error, STATUS_INPUT,
        "%s: %s, event %u (%s) at %.9f s: a request completes that no thread of the rank has "
        "posted before",
        s->trace->path, rank_name(s->d, end->rank, name), row,
        event_kind_name((enum event_kind)stream->kind[row]),
        trace_seconds(s->trace, (double)(end->time - s->d->global_offset)));
}

/* The innermost region at the post, if that is an MPI call. */
static uint32_t posting_region(const struct splitting *s, const struct request_end *begun)
{
    const struct stream *stream = trace_stream(s->trace, begun->rank);
    const uint32_t path = stream_callpath_at(stream, row_of(s, begun));
    if (path == CALLPATH_NONE)
        return INDEX_NONE;
    const uint32_t region = s->trace->calltree.paths.items[path].region;
    return region & REGION_PROGRAM_BIT || s->d->regions[region].mpi_call == MPI_CALL_NONE
               ? INDEX_NONE
               : region;
}

/* Joins the ends with one id. Requests with one id end in the order in which they begin. */
static enum status join_requests(struct splitting *s, const request_ends *ends,
                                 handed_requests *handed, struct error *error)
{
    const struct request_end *items = ends->items;
    size_t begun = 0; /* all ends before it have been joined */
    for (size_t i = 0; i < ends->count; i++) {
        if (!items[i].ends)
            continue;
        while (begun < i && (items[begun].ends || items[begun].id != items[i].id))
            begun++;
        if (begun == i || !same_kind(s, &items[begun], &items[i]))
            return never_posted(s, &items[i], error);
        struct handed_request request = {.begun = items[begun], .ended = items[i]};
        request.region = posting_region(s, &request.begun);
        request.kind = trace_stream(s->trace, items[begun].rank)->kind[row_of(s, &items[begun])];
        if (!array_push(handed, request))
            return error_memory(error, "the requests of threads");
        begun++;
    }
    return STATUS_OK;
}

static bool is_mpi_path(const struct splitting *s, uint32_t path)
{
    const uint32_t region = s->trace->calltree.paths.items[path].region;
    return !(region & REGION_PROGRAM_BIT) && s->d->regions[region].mpi_call != MPI_CALL_NONE;
}

/* Finds the rows before which the posts of a stream come. */
static void place_posts(const struct splitting *s, const struct stream *stream,
                        struct handed_request *requests, size_t count)
{
    uint32_t row = 0, path = CALLPATH_NONE, call = INDEX_NONE, outside = CALLPATH_NONE;
    for (size_t i = 0; i < count; i++) {
        struct handed_request *request = &requests[i];
        const uint32_t end = row_of(s, &request->ended);
        for (; row < end && stream->time[row] <= request->begun.time; row++) {
            if (event_opens(stream->kind[row]) && call == INDEX_NONE &&
                is_mpi_path(s, stream->arg[row])) {
                call = row;
                outside = path;
            } else if (event_closes(stream->kind[row]) && stream->arg[row] == call) {
                call = INDEX_NONE;
            }
            path = callpath_after(&s->trace->calltree, stream, row, path);
        }
        request->row = call == INDEX_NONE ? row : call;
        request->path = call == INDEX_NONE ? path : outside;
        request->time = request->begun.time;
        if (request->row < stream->count && stream->time[request->row] < request->time)
            request->time = stream->time[request->row];
    }
}

/* Moves the request's data to the placeholder that has its completion. */
static void move_data(const struct splitting *s, const struct handed_request *request)
{
    if (request->begun.index & COLLECTIVE_BIT)
        return; /* all data are recorded with the completion */
    const struct message *posted = message_of(s, &request->begun);
    struct message *completed = message_of(s, &request->ended);
    struct message joined = *posted;
    joined.flags &= (uint16_t)~MESSAGE_MATCHED; /* the probe stays where it is */
    joined.post = INDEX_NONE;
    joined.completion = completed->completion;
    if (!(joined.flags & MESSAGE_SEND)) {
        joined.comm = completed->comm;
        joined.peer = completed->peer;
        joined.tag = completed->tag;
        joined.bytes = completed->bytes;
        joined.partner_rank = completed->partner_rank;
        joined.type_size = completed->type_size;
    }
    *completed = joined;
}

/* New columns of a stream, without the posts that leave it and with those that come. */
struct rewriting {
    struct splitting *s;
    struct stream *stream;
    struct handed_request *coming;
    size_t coming_count;
    uint64_t *time;
    uint8_t *kind;
    uint32_t *arg, *new_row;
    uint32_t count;
    uint32_t
        *gone[2]; /* [message], [collective]: itself if it leaves the stream, else INDEX_NONE */
};

static void put_row(struct rewriting *r, uint64_t time, uint8_t kind, uint32_t arg)
{
    r->time[r->count] = time;
    r->kind[r->count] = kind;
    r->arg[r->count++] = arg;
}

/* False if out of memory. */
static bool put_post(struct rewriting *r, struct handed_request *request)
{
    const uint32_t enter = r->count;
    if (request->region != INDEX_NONE) {
        const uint32_t path =
            calltree_child(&r->s->trace->calltree, request->path, request->region);
        if (path == CALLPATH_NONE)
            return false;
        put_row(r, request->time, EVENT_ENTER, path);
    }
    request->row = r->count;
    put_row(r, request->time, request->kind, request->ended.index & ~COLLECTIVE_BIT);
    if (request->region != INDEX_NONE)
        put_row(r, request->time, EVENT_LEAVE, enter);
    return true;
}

/* Writes the rows. A record about an item that leaves becomes one of an unknown request. */
static bool put_rows(struct rewriting *r)
{
    const struct stream *stream = r->stream;
    size_t next = 0;
    for (uint32_t row = 0; row <= stream->count; row++) {
        for (; next < r->coming_count && r->coming[next].row == row; next++)
            if (!put_post(r, &r->coming[next]))
                return false;
        if (row == stream->count)
            break;
        const struct record record = record_at(stream, row);
        const bool operation = record.subject == RECORD_OF_COLLECTIVE;
        uint32_t arg = stream->arg[row];
        if ((operation || record.subject == RECORD_OF_MESSAGE) &&
            r->gone[operation][record.index] != INDEX_NONE) {
            if (record_properties((enum event_kind)stream->kind[row]) & RECORD_POSTS)
                continue;
            arg = INDEX_NONE;
        }
        r->new_row[row] = r->count;
        put_row(r, stream->time[row], stream->kind[row],
                event_closes(stream->kind[row]) ? r->new_row[arg] : arg);
    }
    return true;
}

static void renew(const struct rewriting *r, uint32_t *row)
{
    if (*row != INDEX_NONE)
        *row = r->new_row[*row];
}

/* Sets the rows of the items that stay or come. */
static void renew_items(const struct rewriting *r)
{
    struct stream *stream = r->stream;
    for (uint32_t i = 0; i < stream->message_count; i++) {
        renew(r, &stream->messages[i].completion);
        if (stream->messages[i].post != INDEX_NONE)
            renew(r, &stream->messages[i].post);
    }
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        renew(r, &stream->collectives[i].begin);
        renew(r, &stream->collectives[i].end);
    }
    for (uint32_t i = 0; i < stream->rma_sync_count; i++)
        renew(r, &stream->rma_syncs[i].row);
}

/* Puts the posts of the requests that come into the tables, which are in the order of posts. The
 * time of the recorded post stays known. */
static bool settle_items(struct rewriting *r)
{
    struct stream *stream = r->stream;
    struct splitting *s = r->s;
    renew_items(r);
    for (size_t i = 0; i < r->coming_count; i++)
        if (r->coming[i].ended.index & COLLECTIVE_BIT)
            operation_of(s, &r->coming[i].ended)->begin = r->coming[i].row;
        else
            message_of(s, &r->coming[i].ended)->post = r->coming[i].row;
    if (!stream_sort_tables(stream, r->gone[0], r->gone[1]))
        return false;
    for (size_t i = 0; i < r->coming_count; i++) {
        const uint32_t operation = r->coming[i].ended.index & COLLECTIVE_BIT;
        const uint64_t key =
            split_post_key(stream->rank, stream->arg[r->coming[i].row] | operation);
        if (!map_set(&s->handed, key, (uint32_t)s->post_times.count) ||
            !array_push(&s->post_times, r->coming[i].begun.time))
            return false;
    }
    return true;
}

static bool rewrite_stream(struct rewriting *r)
{
    struct arena *arena = r->s->trace->arena;
    struct stream *stream = r->stream;
    const size_t rows = (size_t)stream->count + 3 * r->coming_count + 1;
    r->time = arena_alloc_array(arena, rows, sizeof *r->time);
    r->kind = arena_alloc_array(arena, rows, sizeof *r->kind);
    r->arg = arena_alloc_array(arena, rows, sizeof *r->arg);
    r->new_row = indices_none(stream->count);
    bool room = r->time && r->kind && r->arg && r->new_row && put_rows(r);
    if (room) {
        stream->time = r->time;
        stream->kind = r->kind;
        stream->arg = r->arg;
        stream->count = r->count;
        room = settle_items(r);
    }
    free(r->new_row);
    return room;
}

/* Moves the requests of one MPI process, which are sorted by the ranks that they go to. */
static bool hand_over(struct splitting *s, uint32_t mpi_process, handed_requests *handed)
{
    struct handed_request *items = handed->items;
    bool room = true;
    size_t next = 0;
    for (size_t i = 0; i < handed->count; i++)
        move_data(s, &items[i]);
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1] && room; rank++) {
        struct rewriting r = {.s = s, .stream = trace_stream(s->trace, rank)};
        r.coming = items + next;
        while (next < handed->count && items[next].ended.rank == rank)
            next++;
        r.coming_count = (size_t)(items + next - r.coming);
        r.gone[0] = indices_none(r.stream->message_count);
        r.gone[1] = indices_none(r.stream->collective_count);
        room = r.gone[0] && r.gone[1];
        for (size_t i = 0; i < handed->count && room; i++) {
            const uint32_t index = items[i].begun.index & ~COLLECTIVE_BIT;
            if (items[i].begun.rank == rank)
                r.gone[(items[i].begun.index & COLLECTIVE_BIT) != 0][index] = index;
        }
        place_posts(s, r.stream, r.coming, r.coming_count);
        room = room && rewrite_stream(&r);
        free(r.gone[0]);
        free(r.gone[1]);
    }
    return room;
}

enum status split_requests(struct splitting *s, struct error *error)
{
    request_ends ends = {0};
    enum status status = STATUS_OK;
    for (uint32_t rank = s->trace->first_rank;
         rank < s->trace->first_rank + s->trace->owned_count && status == STATUS_OK;) {
        const uint32_t mpi_process = s->threads->mpi_process[rank];
        handed_requests handed = {0};
        status = list_ends(s, mpi_process, &ends) ? join_requests(s, &ends, &handed, error)
                                                  : error_memory(error, "the requests of threads");
        if (handed.count > 1)
            qsort(handed.items, handed.count, sizeof *handed.items, by_receiver);
        if (status == STATUS_OK && handed.count > 0 && !hand_over(s, mpi_process, &handed))
            status = error_memory(error, "the requests of threads");
        free(handed.items);
        rank = s->threads->first_rank[mpi_process + 1];
    }
    free(ends.items);
    return processes_agree(s->trace->processes, status, error);
}
