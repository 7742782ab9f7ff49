#include "report/timeline/timeline_private.h"

#include <assert.h>

enum { KINDS_MAX = 16 }; /* call paths distinguished within a mixed piece */

struct piece_kind {
    uint32_t callpath;
    int64_t length;
};

/* Activities of a rank: computation, MPI, waiting in MPI. */
enum { COMPUTES, IN_MPI, WAITS, ACTIVITIES = TIMELINE_ACTIVITIES };

struct row_walk {
    const struct timeline_row *row;
    timeline_piece_sink *sink;
    void *context;
    size_t call, point; /* the next ones */
    /* since the beginning of the last piece: */
    uint32_t calls; /* entered */
    uint32_t depth; /* calls that are open, */
    uint32_t least; /* and the fewest that were */
    /* short pieces not yet handed over */
    struct timeline_piece open;
    size_t open_count;
    uint32_t open_least; /* fewest open calls between its parts */
    struct piece_kind kinds[KINDS_MAX];
    size_t kind_count;
    int64_t lengths[ACTIVITIES];
    int64_t
        rests[ACTIVITIES]; /* what rounding has left to the next mixed piece, 255ths of a tick */
};

static bool is_mpi_path(const struct row_walk *walk, uint32_t callpath)
{
    const struct trace *trace = walk->row->trace;
    const uint32_t region = trace->calltree.paths.items[callpath].region;
    return trace->definitions->regions[region].mpi_call != MPI_CALL_NONE;
}

static void pass_piece(struct row_walk *walk, const struct timeline_piece *piece)
{
    if (piece->callpath != CALLPATH_NONE)
        walk->sink(walk->context, piece);
    else /* not shown: the next one counts them */
        walk->calls += piece->calls;
}

/* The call path with most time; one that computes goes before MPI. */
static uint32_t choose_callpath(const struct row_walk *walk)
{
    const struct piece_kind *longest = NULL;
    bool longest_in_mpi = true;
    for (size_t i = 0; i < walk->kind_count; i++) {
        const struct piece_kind *kind = &walk->kinds[i];
        const bool mpi = is_mpi_path(walk, kind->callpath);
        if (!longest || (longest_in_mpi && !mpi) ||
            (longest_in_mpi == mpi && kind->length > longest->length)) {
            longest = kind;
            longest_in_mpi = mpi;
        }
    }
    return longest ? longest->callpath : CALLPATH_NONE;
}

/* Writes the shares of a mixed piece. What rounding loses goes to the row's next mixed piece, so
 * that the sums over a row are right to one 255th of a piece. */
static void round_shares(struct row_walk *walk)
{
    struct timeline_piece *piece = &walk->open;
    const int64_t length = piece->end - piece->begin;
    int64_t left = TIMELINE_SHARES;
    for (int i = 0; i < ACTIVITIES; i++) {
        walk->rests[i] += walk->lengths[i] * TIMELINE_SHARES;
        int64_t share = (int64_t)((double)walk->rests[i] / (double)length + 0.5);
        share = share < 0 ? 0 : share > left ? left : share;
        left -= share;
        piece->shares[i] = (uint8_t)share;
        walk->rests[i] -= share * length;
    }
}

static void close_mixed(struct row_walk *walk)
{
    if (walk->open_count > 1) {
        walk->open.callpath = choose_callpath(walk);
        walk->open.waits = false;
        walk->open.mixed = true;
        round_shares(walk);
    }
    if (walk->open_count > 0)
        pass_piece(walk, &walk->open);
    walk->open_count = walk->kind_count = 0;
}

static void add_kind(struct row_walk *walk, const struct timeline_piece *piece)
{
    const int64_t length = piece->end - piece->begin;
    size_t i = 0;
    if (piece->callpath == CALLPATH_NONE)
        return;
    walk->lengths[piece->waits                         ? WAITS
                  : is_mpi_path(walk, piece->callpath) ? IN_MPI
                                                       : COMPUTES] += length;
    while (i < walk->kind_count && walk->kinds[i].callpath != piece->callpath)
        i++;
    if (i == KINDS_MAX)
        return;
    if (i == walk->kind_count)
        walk->kinds[walk->kind_count++] = (struct piece_kind){piece->callpath, 0};
    walk->kinds[i].length += length;
}

/* True if one of the points lies in the piece. */
static bool has_point(struct row_walk *walk, const struct timeline_piece *piece)
{
    const struct timeline_row *row = walk->row;
    while (walk->point < row->point_count && row->points[walk->point].time < piece->begin)
        walk->point++;
    return walk->point < row->point_count && row->points[walk->point].time < piece->end;
}

static void open_mixed(struct row_walk *walk, const struct timeline_piece *piece)
{
    walk->open = *piece;
    walk->open_least = UINT32_MAX;
    for (int i = 0; i < ACTIVITIES; i++)
        walk->lengths[i] = 0;
}

static void add_row_piece(struct row_walk *walk, struct timeline_piece *piece)
{
    const int64_t threshold = walk->row->threshold;
    piece->rank = walk->row->stream->rank;
    piece->thread = walk->row->thread;
    piece->calls = walk->calls;
    piece->kept = walk->least;
    walk->calls = 0;
    walk->least = walk->depth;
    if (has_point(walk, piece) || piece->end - piece->begin >= threshold) {
        if (walk->open_count > 0 && walk->open_least < piece->kept)
            piece->kept = walk->open_least;
        close_mixed(walk);
        pass_piece(walk, piece);
        return;
    }
    if (walk->open_count == 0) {
        open_mixed(walk, piece);
    } else {
        walk->open.end = piece->end;
        walk->open.calls += piece->calls;
        if (piece->kept < walk->open_least)
            walk->open_least = piece->kept;
        if (piece->kept < walk->open.kept)
            walk->open.kept = piece->kept;
    }
    walk->open_count++;
    add_kind(walk, piece);
    if (walk->open.end - walk->open.begin >= threshold) {
        if (walk->open_least < walk->least)
            walk->least = walk->open_least;
        close_mixed(walk);
    }
}

static int64_t time_of_row(const struct timeline_row *row, uint32_t event)
{
    return timeline_time(row->trace, row->stream, event);
}

/* Finds the next call that waits at or after `begin`, and its waiting part. NULL: there is none. */
static const struct timeline_call *next_wait(struct row_walk *walk, int64_t begin, int64_t *from,
                                             int64_t *until)
{
    const struct timeline_row *row = walk->row;
    for (; walk->call < row->call_count; walk->call++) {
        const struct timeline_call *call = &row->calls[walk->call];
        int64_t leave = time_of_row(row, call->leave);
        *from = time_of_row(row, call->enter);
        *until = *from + call->wait < leave ? *from + call->wait : leave;
        if (*until > begin)
            return call;
    }
    return NULL;
}

static bool waits_for_threads(const struct row_walk *walk, uint32_t callpath)
{
    const struct trace *trace = walk->row->trace;
    return callpath != CALLPATH_NONE && !is_mpi_path(walk, callpath) && /* MPI_Barrier is another */
           region_waits_for_threads(callpath_region(trace, callpath));
}

/* Adds a stretch of one call path, split where waits begin and end. */
static void add_row_stretch(struct row_walk *walk, int64_t begin, int64_t end, uint32_t callpath)
{
    int64_t from, until;
    if (waits_for_threads(walk, callpath)) {
        struct timeline_piece piece = {.begin = begin,
                                       .end = end,
                                       .callpath = callpath,
                                       .waits = true,
                                       .kind = TIMELINE_WAITS_FOR_THREADS,
                                       .other_rank = INDEX_NONE};
        add_row_piece(walk, &piece);
        return;
    }
    while (begin < end) {
        struct timeline_piece piece = {.begin = begin, .end = end, .callpath = callpath};
        const struct timeline_call *call = next_wait(walk, begin, &from, &until);
        if (call) {
            piece.waits = from <= begin && callpath != CALLPATH_NONE;
            piece.kind = piece.waits ? call->kind : WAIT_STATE_NONE;
            piece.other_rank = call->other_rank;
            int64_t limit = piece.waits ? until : from;
            if (limit < end)
                piece.end = limit;
        }
        add_row_piece(walk, &piece);
        begin = piece.end;
    }
}

/* After a call was entered or left. */
static void note_depth(struct row_walk *walk, bool entered)
{
    if (entered) {
        walk->depth++;
        walk->calls++;
    } else {
        assert(walk->depth > 0);
        walk->depth--;
        if (walk->depth < walk->least)
            walk->least = walk->depth;
    }
}

void timeline_row_walk(const struct timeline_row *row, timeline_piece_sink *sink, void *context)
{
    assert(row->threshold >= 0 && sink);
    const struct stream *stream = row->stream;
    struct row_walk walk = {.row = row, .sink = sink, .context = context};
    uint32_t callpath = CALLPATH_NONE;
    int64_t begin = 0;
    for (uint32_t event = 0; event < stream->count; event++) {
        if (!event_opens(stream->kind[event]) && !event_closes(stream->kind[event]))
            continue;
        int64_t time = time_of_row(row, event);
        if (time > begin) {
            if (event > 0)
                add_row_stretch(&walk, begin, time, callpath);
            begin = time;
        }
        callpath = callpath_after(&row->trace->calltree, stream, event, callpath);
        if (event_opens(stream->kind[event]) || walk.depth > 0)
            note_depth(&walk, event_opens(stream->kind[event]));
        if (row->thread > 0 && walk.depth == 0) /* it would be that of the master */
            callpath = CALLPATH_NONE;
    }
    close_mixed(&walk);
}
