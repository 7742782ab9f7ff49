#include "replay/costs/pieces.h"

#include "trace/forks.h"

#include <stdlib.h>

bool callpath_accesses_file(const struct trace *trace, uint32_t path)
{
    return mpi_call_infos[callpath_call(trace, path)].class == MPI_CLASS_IO;
}

/* The class of computation with `path` innermost, plus 1; 0: none. */
static uint32_t class_of_path(const struct trace *trace, const struct sharing *sharing,
                              uint32_t path)
{
    if (path == CALLPATH_NONE || path >= sharing->path_count ||
        (sharing->files ? !callpath_accesses_file(trace, path)
                        : callpath_communicates(trace, path)))
        return 0;
    return sharing->class_of[path];
}

bool pieces_find(const struct trace *trace, const struct stream *stream,
                 const struct sharing *sharing, struct pieces *pieces)
{
    uint32_t path = CALLPATH_NONE, first = 0, class = 0; /* `class`: of the rows since `first` */
    for (uint32_t row = 0; row < stream->count; row++) {
        path = callpath_after(&trace->calltree, stream, row, path);
        uint32_t next = row + 1 < stream->count ? class_of_path(trace, sharing, path) : 0;
        if (next == class)
            continue;
        const struct piece piece = {first, row, class - 1};
        if (class > 0 && stream->time[row] > stream->time[first] &&
            !array_push(&pieces->list, piece))
            return false;
        first = row;
        class = next;
    }
    return true;
}

/* A parallel region of a rank, from the fork to the join. */
struct team_span {
    uint64_t begin, end;
    double wanted;      /* threads, by the record of the fork */
    double lanes;       /* threads that have events in it */
    uint32_t last_lane; /* the thread of these that came last */
};

typedef ARRAY(struct team_span) team_spans;

/* False if out of memory. */
static bool find_team_spans(const struct stream *rank, team_spans *spans)
{
    uint32_t depth = 0;
    for (uint32_t row = 0; row < rank->count; row++) {
        const int fork = stream_fork_at(rank, row);
        if (fork > 0 && depth++ == 0) {
            const struct team_span span = {.begin = rank->time[row],
                                           .end = UINT64_MAX,
                                           .wanted = (double)*stream_fork_threads(rank, row),
                                           .last_lane = INDEX_NONE};
            if (!array_push(spans, span))
                return false;
        } else if (fork < 0 && depth > 0 && --depth == 0) {
            spans->items[spans->count - 1].end = rank->time[row];
        }
    }
    return true;
}

/* How much the threads of a rank compute in the classes of its pieces. */
struct thread_time {
    const struct trace *trace;
    const struct stream *rank;
    const struct sharing *sharing;
    const struct piece *pieces;
    size_t count;
    team_spans spans;
    double *busy; /* [piece]; NULL: the lanes of the spans are counted */
};

/* Adds an interval in which a thread computes. A thread that a hypothesis has added has no events:
 * it is taken to do what the others do. */
static void add_thread_interval(struct thread_time *of, const struct team_span *span,
                                uint64_t begin, uint64_t end, uint32_t class, size_t p)
{
    const bool added = span && span->wanted > span->lanes && span->lanes > 0;
    for (; p < of->count && of->rank->time[of->pieces[p].first] < end; p++) {
        const uint64_t from = of->rank->time[of->pieces[p].first],
                       to = of->rank->time[of->pieces[p].last];
        if (of->pieces[p].class + 1 == class)
            of->busy[p] += (double)((end < to ? end : to) - (begin > from ? begin : from)) *
                           (added ? span->wanted / span->lanes : 1);
    }
}

/* Adds the time of a thread, or counts it in the spans. */
static void add_thread(struct thread_time *of, const struct stream *thread, uint32_t lane)
{
    uint32_t path = CALLPATH_NONE, depth = 0;
    size_t p = 0, k = 0;
    for (uint32_t row = 0; row + 1 < thread->count; row++) {
        const uint64_t begin = thread->time[row], end = thread->time[row + 1];
        path = callpath_after(&of->trace->calltree, thread, row, path);
        depth += event_opens(thread->kind[row]);
        depth -= event_closes(thread->kind[row]);
        while (k < of->spans.count && of->spans.items[k].end <= begin)
            k++;
        while (p < of->count && of->rank->time[of->pieces[p].last] <= begin)
            p++;
        if (depth == 0 || begin == end || path == CALLPATH_NONE || path >= of->sharing->path_count)
            continue;
        struct team_span *span =
            k < of->spans.count && of->spans.items[k].begin <= begin ? &of->spans.items[k] : NULL;
        const uint32_t class = of->sharing->thread_class_of[path];
        if (of->busy && class > 0) {
            add_thread_interval(of, span, begin, end, class, p);
        } else if (!of->busy && span && span->last_lane != lane) {
            span->last_lane = lane;
            span->lanes++;
        }
    }
}

static void add_threads_of_rank(struct thread_time *of)
{
    add_thread(of, of->rank, 0);
    for (uint32_t c = 0; c < of->trace->carried_count; c++)
        if (of->trace->carried[c].rank == of->rank->rank)
            add_thread(of, &of->trace->carried[c], c + 1);
}

bool pieces_find_threads(const struct trace *trace, uint32_t s, const struct sharing *sharing,
                         const struct piece *pieces, size_t count, double *threads)
{
    const struct stream *rank = &trace->streams[s];
    struct thread_time of = {
        .trace = trace, .rank = rank, .sharing = sharing, .pieces = pieces, .count = count};
    const bool found = !sharing->thread_class_of || find_team_spans(rank, &of.spans);
    const bool teams = found && of.spans.count > 0;
    for (size_t p = 0; p < count; p++)
        threads[p] = teams ? 0 : 1;
    if (teams) {
        add_threads_of_rank(&of);
        of.busy = threads;
        add_threads_of_rank(&of);
    }
    for (size_t p = 0; p < count && teams; p++)
        threads[p] /= (double)(rank->time[pieces[p].last] - rank->time[pieces[p].first]);
    free(of.spans.items);
    return found;
}
