#include "report/timeline/parts.h"

enum { KINDS_MAX = 16 }; /* kinds distinguished within a mixed piece */

struct piece_kind {
    uint32_t callpath;
    bool waits;
    int64_t length;
};

struct row_walk {
    const struct timeline_row *row;
    timeline_piece_sink *sink;
    void *context;
    size_t call, point; /* the next ones */
    /* short pieces not yet handed over */
    struct timeline_piece open;
    size_t open_count;
    struct piece_kind kinds[KINDS_MAX];
    size_t kind_count;
};

static void hand_over(const struct row_walk *walk, const struct timeline_piece *piece)
{
    if (piece->callpath != CALLPATH_NONE)
        walk->sink(walk->context, piece);
}

static void close_mixed(struct row_walk *walk)
{
    if (walk->open_count > 1) {
        const struct piece_kind *longest = &walk->kinds[0];
        for (size_t i = 1; i < walk->kind_count; i++)
            if (walk->kinds[i].length > longest->length)
                longest = &walk->kinds[i];
        walk->open.callpath = longest->callpath;
        walk->open.waits = longest->waits;
        walk->open.mixed = true;
    }
    if (walk->open_count > 0)
        hand_over(walk, &walk->open);
    walk->open_count = walk->kind_count = 0;
}

static void add_kind(struct row_walk *walk, const struct timeline_piece *piece)
{
    size_t i = 0;
    while (i < walk->kind_count &&
           (walk->kinds[i].callpath != piece->callpath || walk->kinds[i].waits != piece->waits))
        i++;
    if (i == KINDS_MAX)
        return;
    if (i == walk->kind_count)
        walk->kinds[walk->kind_count++] = (struct piece_kind){piece->callpath, piece->waits, 0};
    walk->kinds[i].length += piece->end - piece->begin;
}

/* True if one of the points lies in the piece. */
static bool has_point(struct row_walk *walk, const struct timeline_piece *piece)
{
    const struct timeline_row *row = walk->row;
    while (walk->point < row->point_count && row->points[walk->point].time < piece->begin)
        walk->point++;
    return walk->point < row->point_count && row->points[walk->point].time < piece->end;
}

static void add_piece(struct row_walk *walk, const struct timeline_piece *piece)
{
    int64_t threshold = walk->row->threshold;
    if (has_point(walk, piece) || piece->end - piece->begin >= threshold) {
        close_mixed(walk);
        hand_over(walk, piece);
        return;
    }
    if (walk->open_count == 0)
        walk->open = *piece;
    walk->open.end = piece->end;
    walk->open_count++;
    add_kind(walk, piece);
    if (walk->open.end - walk->open.begin >= threshold)
        close_mixed(walk);
}

static int64_t time_of(const struct timeline_row *row, uint32_t event)
{
    return timeline_time(row->trace, row->stream, event);
}

/* Finds the waiting part of the next call that waits at or after `begin`. False if there is
 * none. */
static bool next_wait(struct row_walk *walk, int64_t begin, int64_t *from, int64_t *until)
{
    const struct timeline_row *row = walk->row;
    for (; walk->call < row->call_count; walk->call++) {
        const struct timeline_call *call = &row->calls[walk->call];
        int64_t leave = time_of(row, call->leave);
        *from = time_of(row, call->enter);
        *until = *from + call->wait < leave ? *from + call->wait : leave;
        if (*until > begin)
            return true;
    }
    return false;
}

/* Adds a stretch of one call path, split where waits begin and end. */
static void add_stretch(struct row_walk *walk, int64_t begin, int64_t end, uint32_t callpath)
{
    int64_t from, until;
    while (begin < end) {
        struct timeline_piece piece = {.begin = begin, .end = end, .callpath = callpath};
        if (next_wait(walk, begin, &from, &until)) {
            piece.waits = from <= begin;
            int64_t limit = piece.waits ? until : from;
            if (limit < end)
                piece.end = limit;
        }
        add_piece(walk, &piece);
        begin = piece.end;
    }
}

void timeline_row_walk(const struct timeline_row *row, timeline_piece_sink *sink, void *context)
{
    const struct stream *stream = row->stream;
    struct row_walk walk = {.row = row, .sink = sink, .context = context};
    uint32_t callpath = CALLPATH_NONE;
    int64_t begin = 0;
    for (uint32_t event = 0; event < stream->count; event++) {
        if (!event_opens(stream->kind[event]) && !event_closes(stream->kind[event]))
            continue;
        int64_t time = time_of(row, event);
        if (time > begin) {
            if (event > 0)
                add_stretch(&walk, begin, time, callpath);
            begin = time;
        }
        callpath = callpath_after(&row->trace->calltree, stream, event, callpath);
    }
    close_mixed(&walk);
}
