#include "report/timeline/parts.h"

#include "base/mpi/mail.h"
#include "base/sort.h"
#include "report/report_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A page being made. */
struct maker {
    const struct timeline_input *timeline;
    struct timeline_place *places;
    bool *shown;                   /* [rank]: it has a row */
    struct timeline_point *points; /* by rank and time */
    size_t point_count;
    int64_t *used; /* [call path] */
    int64_t threshold;
};

/* --- what is to be shown ---------------------------------------------------------------------- */

static void choose_rows(struct maker *maker)
{
    const struct timeline_input *timeline = maker->timeline;
    uint32_t count = timeline->trace->rank_count;
    uint32_t stride = count / TIMELINE_ROWS + (count % TIMELINE_ROWS > 0);
    for (uint32_t rank = 0; rank < count; rank += stride)
        maker->shown[rank] = true;
    for (size_t i = 0; i < timeline->path_count; i++)
        maker->shown[timeline->path[i].rank] = maker->shown[timeline->path[i].other_rank] = true;
}

static int by_rank_and_time(const void *a, const void *b)
{
    const struct timeline_point *x = a, *y = b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->time, y->time);
}

/* The path's waits, the calls behind them, and what they wait for. */
static void choose_points(struct maker *maker)
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
static enum status open_maker(struct maker *maker, const struct timeline_input *timeline,
                              struct error *error)
{
    const struct trace *trace = timeline->trace;
    maker->timeline = timeline;
    maker->shown = calloc(trace->rank_count + 1ul, sizeof *maker->shown);
    maker->points = calloc(3 * timeline->path_count + 1, sizeof *maker->points);
    maker->used = calloc(trace->calltree.paths.count + 1, sizeof *maker->used);
    bool room = maker->shown && maker->points && maker->used;
    enum status status = processes_agree_memory(trace->processes, room, "the time line", error);
    if (status == STATUS_OK)
        status = timeline_path_place(timeline, &maker->places, error);
    if (status != STATUS_OK)
        return status;
    choose_rows(maker);
    choose_points(maker);
    return STATUS_OK;
}

static void close_maker(struct maker *maker)
{
    free(maker->shown);
    free(maker->points);
    free(maker->used);
    free(maker->places);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The index of the first point of a rank or of a later one. */
static size_t find_points(const struct maker *maker, uint32_t rank)
{
    size_t low = 0, high = maker->point_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (maker->points[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void walk_row(const struct maker *maker, uint32_t owned, const struct timeline_call *calls,
                     timeline_piece_sink *sink, void *context)
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

static void count_piece(void *context, const struct timeline_piece *piece)
{
    (void)piece;
    ++*(int64_t *)context;
}

/* Collective: the number of pieces at the current threshold. */
static int64_t count_pieces(const struct maker *maker)
{
    const struct trace *trace = maker->timeline->trace;
    const struct timeline_call *calls = maker->timeline->calls;
    int64_t count = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        if (maker->shown[trace->streams[s].rank])
            walk_row(maker, s, calls, count_piece, &count);
        calls += maker->timeline->call_counts[s];
    }
    processes_sum(trace->processes, &count, 1);
    return count;
}

/* Collective. Finds the lowest threshold, 0 or a power of 2, that leaves few enough pieces. A
 * threshold longer than the trace always does: it leaves the path's pieces and two beside each,
 * which TIMELINE_PATH_WAITS and TIMELINE_ROWS limit. */
static void choose_threshold(struct maker *maker)
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

struct row_text {
    struct maker *maker;
    FILE *stream;
    int64_t end;
};

static void write_piece(void *context, const struct timeline_piece *piece)
{
    struct row_text *writing = context;
    writing->maker->used[piece->callpath] = 1;
    timeline_json_piece(writing->stream, piece, &writing->end);
}

/* The owned ranks' rows as text; false when memory is out. */
static bool write_rows(struct maker *maker, char **text, size_t *size)
{
    const struct trace *trace = maker->timeline->trace;
    const struct timeline_call *calls = maker->timeline->calls;
    struct row_text writing = {.maker = maker, .stream = open_memstream(text, size)};
    if (!writing.stream)
        return false;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        uint32_t rank = trace->streams[s].rank;
        if (maker->shown[rank]) {
            writing.end = 0;
            timeline_json_row_begin(writing.stream, rank);
            walk_row(maker, s, calls, write_piece, &writing);
            timeline_json_row_end(writing.stream);
        }
        calls += maker->timeline->call_counts[s];
    }
    bool written = !ferror(writing.stream);
    return fclose(writing.stream) == 0 && written;
}

/* Collective. All ranks' rows at process 0, in order of rank. */
static enum status gather_rows(struct maker *maker, char **rows, size_t *size, struct error *error)
{
    const struct processes *processes = maker->timeline->trace->processes;
    char *text = NULL;
    size_t text_size = 0;
    enum status status = processes_agree_memory(processes, write_rows(maker, &text, &text_size),
                                                "the time line", error);
    if (status == STATUS_OK)
        status = mail_gather(processes, text, text_size, rows, size, NULL, error);
    free(text);
    return status;
}

/* --- the page --------------------------------------------------------------------------------- */

/* Collective: marks the call paths that rows, path and bands name, with their callers. */
static void mark_callpaths(struct maker *maker)
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

static bool write_page(const void *what, FILE *stream)
{
    return fputs(timeline_page_head, stream) >= 0 && timeline_json_write(what, stream) &&
           fputs(timeline_page_tail, stream) >= 0;
}

enum status timeline_page_write(const struct timeline_input *timeline, const char *path,
                                struct error *error)
{
    const struct processes *processes = timeline->trace->processes;
    struct maker maker = {0};
    struct timeline_messages messages = {0};
    char *rows = NULL;
    size_t rows_size = 0;
    assert(timeline->path_count <= TIMELINE_PATH_WAITS);
    enum status status = open_maker(&maker, timeline, error);
    if (status == STATUS_OK) {
        choose_threshold(&maker);
        status = gather_rows(&maker, &rows, &rows_size, error);
    }
    if (status == STATUS_OK)
        status = timeline_messages_gather(timeline->trace, maker.shown, &messages, error);
    if (status == STATUS_OK) {
        mark_callpaths(&maker);
        struct timeline_data data = {timeline, maker.places, &messages,      maker.used,
                                     rows,     rows_size,    maker.threshold};
        if (processes->rank == 0)
            status = report_file_write(path, write_page, &data, error);
        status = processes_agree(processes, status, error);
    }
    free(messages.items);
    free(rows);
    close_maker(&maker);
    return status;
}
