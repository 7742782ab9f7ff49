#include "report/timeline/timeline_private.h"

#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "report/page/page.h"
#include "report/report_file.h"
#include "threads/teams.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern const struct page_kind
    timeline_page; /* generated from alone.html, alone.css and the scripts */

/* A thread of a rank. */
struct timeline_thread {
    uint32_t rank, index; /* in trace->carried */
};

/* A run being written. */
struct timeline_maker {
    const struct timeline_input *timeline;
    struct timeline_place *places;
    bool *shown;                     /* [rank]: it has a row */
    struct timeline_thread *threads; /* by rank: those that have rows */
    size_t thread_count;
    struct timeline_point *points; /* by rank and time */
    size_t point_count;
    int64_t *used; /* [call path] */
    int64_t threshold;
};

static void choose_shown_ranks(struct timeline_maker *maker)
{
    const struct timeline_input *timeline = maker->timeline;
    uint32_t count = timeline->trace->rank_count;
    uint32_t stride = count / TIMELINE_ROWS + (count % TIMELINE_ROWS > 0);
    for (uint32_t rank = 0; rank < count; rank += stride)
        maker->shown[rank] = true;
    for (size_t i = 0; i < timeline->path_count; i++)
        maker->shown[timeline->path[i].rank] = maker->shown[timeline->path[i].other_rank] = true;
}

ORDER_BY(by_rank_and_index, struct timeline_thread, ASCENDING(rank) ?: ASCENDING(index))

/* Collective. The threads of the ranks that have rows; none if there would be too many rows. */
static void choose_threads(struct timeline_maker *maker)
{
    const struct trace *trace = maker->timeline->trace;
    for (uint32_t i = 0; i < trace->carried_count; i++) {
        const struct stream *stream = &trace->carried[i];
        if (stream_is_thread(trace, stream) && maker->shown[stream->rank])
            maker->threads[maker->thread_count++] = (struct timeline_thread){stream->rank, i};
    }
    qsort(maker->threads, maker->thread_count, sizeof *maker->threads, by_rank_and_index);
    int64_t count = (int64_t)maker->thread_count;
    processes_sum(trace->processes, &count, 1);
    if (count > TIMELINE_ROWS)
        maker->thread_count = 0;
}

ORDER_BY(by_rank_and_time, struct timeline_point, ASCENDING(rank) ?: ASCENDING(time))

/* The waits of the path, their calls, and the messages that they wait for. */
static void choose_points(struct timeline_maker *maker)
{
    const struct timeline_input *timeline = maker->timeline;
    for (size_t i = 0; i < timeline->path_count; i++) {
        const struct timeline_wait *wait = &timeline->path[i];
        const struct timeline_place *place = &maker->places[i];
        struct timeline_point points[] = {{wait->rank, place->enter},
                                          {wait->rank, place->until},
                                          {wait->other_rank, place->departure}};
        memcpy(maker->points + maker->point_count, points, sizeof points);
        maker->point_count += sizeof points / sizeof *points;
    }
    qsort(maker->points, maker->point_count, sizeof *maker->points, by_rank_and_time);
}

/* Collective. */
static enum status open_maker(struct timeline_maker *maker, const struct timeline_input *timeline,
                              struct error *error)
{
    const struct trace *trace = timeline->trace;
    maker->timeline = timeline;
    maker->shown = calloc(trace->rank_count + 1ul, sizeof *maker->shown);
    maker->points = calloc(3 * timeline->path_count + 1, sizeof *maker->points);
    maker->used = calloc(trace->calltree.paths.count + 1, sizeof *maker->used);
    maker->threads = calloc(trace->carried_count + 1ul, sizeof *maker->threads);
    bool room = maker->shown && maker->points && maker->used && maker->threads;
    enum status status = processes_agree_memory(trace->processes, room, "the time line", error);
    if (status == STATUS_OK)
        status = timeline_path_place(timeline, &maker->places, error);
    if (status != STATUS_OK)
        return status;
    choose_shown_ranks(maker);
    choose_threads(maker);
    choose_points(maker);
    return STATUS_OK;
}

static void close_maker(struct timeline_maker *maker)
{
    free(maker->shown);
    free(maker->points);
    free(maker->used);
    free(maker->threads);
    free(maker->places);
}

/* The index of the first point of a rank or of a later one. */
static size_t find_points(const struct timeline_maker *maker, uint32_t rank)
{
    return first_where(0, maker->point_count, i, maker->points[i].rank >= rank);
}

static void walk_row(const struct timeline_maker *maker, uint32_t owned,
                     const struct timeline_call *calls, timeline_piece_sink *sink, void *context)
{
    const struct trace *trace = maker->timeline->trace;
    const struct stream *stream = &trace->streams[owned];
    size_t first = find_points(maker, stream->rank);
    struct timeline_row row = {
        .trace = trace,
        .stream = stream,
        .calls = calls,
        .call_count = maker->timeline->call_counts[owned],
        .points = maker->points + first,
        .point_count = find_points(maker, stream->rank + 1) - first,
        .threshold = maker->threshold,
    };
    timeline_row_walk(&row, sink, context);
}

/* False if out of memory. */
static bool walk_thread(const struct timeline_maker *maker, uint32_t index, uint32_t thread,
                        timeline_piece_sink *sink, void *context)
{
    const struct trace *trace = maker->timeline->trace;
    struct stream moved = trace->carried[index];
    moved.time = trace_carried_times(trace, &trace->carried[index]);
    if (!moved.time)
        return false;
    const struct timeline_row row = {
        .trace = trace, .stream = &moved, .thread = thread, .threshold = maker->threshold};
    timeline_row_walk(&row, sink, context);
    free(moved.time);
    return true;
}

/* All rows of the owned ranks: each rank, and then its threads. False if out of memory. */
static bool walk_rows(const struct timeline_maker *maker, timeline_piece_sink *sink, void *context)
{
    const struct trace *trace = maker->timeline->trace;
    const struct timeline_call *calls = maker->timeline->calls;
    size_t next = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint32_t rank = trace->streams[s].rank;
        if (maker->shown[rank])
            walk_row(maker, s, calls, sink, context);
        calls += maker->timeline->call_counts[s];
        for (uint32_t thread = 1; next < maker->thread_count && maker->threads[next].rank == rank;
             thread++)
            if (!walk_thread(maker, maker->threads[next++].index, thread, sink, context))
                return false;
    }
    return true;
}

static void count_piece(void *context, const struct timeline_piece *piece)
{
    (void)piece;
    ++*(int64_t *)context;
}

/* Collective: the number of pieces at the current threshold. */
static int64_t count_pieces(const struct timeline_maker *maker)
{
    int64_t count = 0;
    walk_rows(maker, count_piece, &count); /* gather_pieces says if memory is out */
    processes_sum(maker->timeline->trace->processes, &count, 1);
    return count;
}

/* Collective. Finds the lowest threshold, 0 or a power of 2, that leaves few enough pieces. A
 * threshold longer than the trace always does: it leaves the path's pieces and two next to each,
 * which TIMELINE_PATH_WAITS and TIMELINE_ROWS limit. */
static void choose_threshold(struct timeline_maker *maker)
{
    const struct trace *trace = maker->timeline->trace;
    int coarse = 0, fine = 0; /* exponents: enough; not enough */
    maker->threshold = 0;
    if (count_pieces(maker) <= TIMELINE_PIECES)
        return;
    while (coarse < 62 && (uint64_t)1 << coarse <= trace->end - trace->begin)
        coarse++;
    while (coarse - fine > 1) {
        int middle = (coarse + fine) / 2;
        maker->threshold = (int64_t)1 << middle;
        if (count_pieces(maker) <= TIMELINE_PIECES)
            coarse = middle;
        else
            fine = middle;
    }
    maker->threshold = (int64_t)1 << coarse;
}

struct row_taker {
    struct timeline_maker *maker;
    ARRAY(struct timeline_piece) pieces;
    bool out_of_memory;
};

static void take_piece(void *context, const struct timeline_piece *piece)
{
    struct row_taker *taker = context;
    taker->maker->used[piece->callpath] = 1;
    taker->out_of_memory |= !array_push(&taker->pieces, *piece);
}

/* Collective. All rows' pieces at process 0, in order of rank and thread. */
static enum status gather_pieces(struct timeline_maker *maker, char **pieces, size_t *size,
                                 struct error *error)
{
    const struct trace *trace = maker->timeline->trace;
    struct row_taker taker = {.maker = maker};
    const bool room = walk_rows(maker, take_piece, &taker) && !taker.out_of_memory;
    enum status status = processes_agree_memory(trace->processes, room, "the time line", error);
    if (status == STATUS_OK)
        status = exchange_gather(trace->processes, taker.pieces.items,
                                 taker.pieces.count * sizeof *taker.pieces.items, pieces, size,
                                 NULL, error);
    free(taker.pieces.items);
    return status;
}

/* Collective: marks the call paths that rows, path and bands name, with their callers. */
static void mark_callpaths(struct timeline_maker *maker)
{
    const struct timeline_input *timeline = maker->timeline;
    const struct calltree *tree = &timeline->trace->calltree;
    for (size_t i = 0; i < timeline->path_count; i++) {
        const int64_t paths[] = {maker->places[i].callpath, maker->places[i].other_callpath};
        for (int k = 0; k < 2; k++)
            if (paths[k] != (int64_t)CALLPATH_NONE)
                maker->used[paths[k]] = 1;
    }
    if (timeline->bands)
        timeline->bands->mark(timeline->bands->what, maker->used);
    processes_max(timeline->trace->processes, maker->used, tree->paths.count);
    for (size_t p = tree->paths.count; p-- > 0;)
        if (maker->used[p] && tree->paths.items[p].parent != CALLPATH_NONE)
            maker->used[tree->paths.items[p].parent] = 1;
}

/* Collective. Process 0 writes the run to `stream`, which is NULL elsewhere. */
static enum status write_timeline_run(const struct timeline_input *timeline, FILE *stream,
                                      struct error *error)
{
    const struct processes *processes = timeline->trace->processes;
    struct timeline_maker maker = {0};
    struct timeline_messages messages = {0};
    char *pieces = NULL;
    size_t size = 0;
    assert(timeline->path_count <= TIMELINE_PATH_WAITS);
    enum status status = open_maker(&maker, timeline, error);
    if (status == STATUS_OK) {
        choose_threshold(&maker);
        status = gather_pieces(&maker, &pieces, &size, error);
    }
    if (status == STATUS_OK)
        status = timeline_messages_gather(timeline->trace, maker.shown, &messages, error);
    if (status == STATUS_OK) {
        mark_callpaths(&maker);
        const struct timeline_data data = {
            .timeline = timeline,
            .places = maker.places,
            .messages = &messages,
            .used = maker.used,
            .shown = maker.shown,
            .pieces = (const struct timeline_piece *)(const void *)pieces,
            .piece_count = size / sizeof(struct timeline_piece),
            .threshold = maker.threshold,
        };
        const bool written = !stream || timeline_json_write(&data, stream);
        status = processes_agree_memory(processes, written, "the time line", error);
    }
    free(messages.items);
    free(pieces);
    close_maker(&maker);
    return status;
}

enum status timeline_data_make(const struct timeline_input *runs, size_t count, char **json,
                               size_t *size, struct error *error)
{
    assert(count == 1 || count == 2);
    const struct processes *processes = runs->trace->processes;
    const bool first = processes->rank == 0;
    *json = NULL;
    *size = 0;
    FILE *stream = first ? open_memstream(json, size) : NULL;
    enum status status =
        processes_agree_memory(processes, stream != NULL || !first, "the time line", error);
    if (stream)
        fputs("{\"format\":3,\"runs\":[\n", stream);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (stream && i > 0)
            fputs(",\n", stream);
        status = write_timeline_run(&runs[i], stream, error);
    }
    bool written = true;
    if (stream) {
        fputs("]}\n", stream);
        written = !ferror(stream);
        written = fclose(stream) == 0 && written;
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, written, "the time line", error);
    if (status != STATUS_OK) {
        free(*json);
        *json = NULL;
        *size = 0;
    }
    return status;
}

static bool write_timeline_page(const void *json, FILE *stream)
{
    page_begin(&timeline_page, "Time line", "", stream);
    page_data_begin("application/json", "data", stream);
    fputs(json, stream);
    page_data_end(stream);
    return page_end(&timeline_page, stream);
}

enum status timeline_page_write(const struct timeline_input *timeline, const char *path,
                                struct error *error)
{
    assert(timeline->trace && path);
    const struct processes *processes = timeline->trace->processes;
    char *json;
    size_t size;
    enum status status = timeline_data_make(timeline, 1, &json, &size, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0)
        status = report_file_write(path, write_timeline_page, json, error);
    free(json);
    return processes_agree(processes, status, error);
}
