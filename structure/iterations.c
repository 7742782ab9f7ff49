#include "structure/iterations.h"

#include "base/mpi/mail.h"
#include "base/sort.h"
#include "structure/rows.h"

#include <stdlib.h>
#include <string.h>

/* Visits belong together if they are this many periods apart. The period of a signal is less exact
 * than that of the visits themselves. */
static const double NEAREST = 0.75, NEAREST_IN_SIGNAL = 0.6, FURTHEST = 1.75;

/* The same for visits with equally many calls between them, if the sizes of messages are left
 * out. */
static const double FAR = 4;

/* A candidate covers at least this part of the stretch. Its region encloses the iteration if it
 * takes this part of it. */
static const double MOST = 0.8, ENCLOSES = 0.7;

/* An iteration this much longer than the usual one ends the series if it calls anything that the
 * next one does not call. */
static const double LONG = 1.25;

/* A sequence is the same if this part of its calls is. */
static const double SAME = 0.9;

enum { LONGEST = 256 }; /* sequence */

/* --- visits ----------------------------------------------------------------------------------- */

/* What a rank calls: a region's begin, with the partner of what it posts first. */
struct called {
    uint32_t row; /* of the ENTER */
    uint32_t hash;
    uint64_t sequence; /* hash of the sequence that begins here */
};

/* The visits of one key on one rank. */
struct visits {
    uint64_t key;
    ARRAY(uint32_t) calls;     /* places in the rank's calls */
    size_t run_begin, run_end; /* the longest regular part */
};

struct rank_calls {
    ARRAY(struct called) calls;
    struct map numbers; /* key -> place in `all` */
    ARRAY(struct visits) all;
};

struct iteration_search {
    const struct trace *trace;
    uint64_t begin, end, from, to;
    double period, calls;     /* ticks, and calls of a rank (0: unknown) */
    bool sizes;               /* messages of different sizes are different calls */
    uint32_t length;          /* of the sequences that are compared */
    size_t most;              /* visits of a key that is worth keeping */
    struct rank_calls *ranks; /* [owned rank] */
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* The partner's distance, the tag and the direction of what the call posts first, and its size. */
static uint64_t first_post(const struct iteration_search *search, const struct stream *stream,
                           uint32_t enter)
{
    const struct trace *trace = search->trace;
    for (uint32_t row = enter + 1; row < stream->count; row++) {
        uint8_t kind = stream->kind[row];
        if (event_opens(kind) || event_closes(kind))
            break;
        if (kind == EVENT_COLLECTIVE_END || kind == EVENT_NBC_REQUEST) {
            const struct collective *collective = &stream->collectives[stream->arg[row]];
            return mix(mix(mix(1, collective->comm), collective->root),
                       search->sizes ? collective->sent + collective->received : 0);
        }
        if (kind != EVENT_SEND && kind != EVENT_ISEND && kind != EVENT_RECV &&
            kind != EVENT_IRECV_REQUEST)
            continue;
        const struct message *message = &stream->messages[stream->arg[row]];
        if (message->flags & (MESSAGE_ANY_SOURCE | MESSAGE_ANY_TAG) ||
            message->peer == PEER_UNKNOWN)
            return 2;
        uint32_t peer =
            comm_world_rank(trace->definitions, message->comm, stream->rank, message->peer);
        return mix(
            mix(mix(mix(3, peer - stream->rank), message->tag), message->flags & MESSAGE_SEND),
            search->sizes ? message->bytes : 0);
    }
    return 0;
}

static bool list_calls(const struct iteration_search *search, uint32_t s)
{
    const struct trace *trace = search->trace;
    const struct stream *stream = &trace->streams[s];
    bool room = true;
    search->ranks[s].calls.count = 0;
    for (uint32_t row = stream_row_at(stream, search->begin);
         row < stream->count && stream->time[row] < search->end && room; row++)
        if (stream->kind[row] == EVENT_ENTER) {
            uint64_t hash = mix(first_post(search, stream, row), stream->arg[row]);
            room = array_push(&search->ranks[s].calls,
                              ((struct called){row, (uint32_t)(hash >> 16), hash}));
        }
    return room;
}

static bool add_visit(const struct iteration_search *search, struct rank_calls *rank, uint64_t key,
                      uint32_t call)
{
    uint32_t *number = map_at(&rank->numbers, key, (uint32_t)rank->all.count);
    if (!number)
        return false;
    if (*number == rank->all.count && !array_push(&rank->all, ((struct visits){.key = key})))
        return false;
    struct visits *visits = &rank->all.items[*number];
    return visits->calls.count > search->most || array_push(&visits->calls, call);
}

/* Doubles the length of the sequences: one and the one behind it. */
static void join_sequences(struct rank_calls *rank, uint32_t length)
{
    for (size_t i = 0; i < rank->calls.count; i++) {
        struct called *call = &rank->calls.items[i];
        uint64_t next = i + length < rank->calls.count ? call[length].sequence : 0;
        call->sequence = mix(call->sequence, next);
    }
}

/* The key of a sequence is its hash; that of a single call is its path. */
static bool list_visits(const struct iteration_search *search, uint32_t s)
{
    struct rank_calls *rank = &search->ranks[s];
    const struct stream *stream = &search->trace->streams[s];
    for (size_t i = 0; i + search->length <= rank->calls.count; i++) {
        const struct called *call = &rank->calls.items[i];
        uint64_t path = stream->arg[call->row];
        if (!add_visit(search, rank, search->length == 1 ? path : path << 32 | call->sequence >> 32,
                       (uint32_t)i))
            return false;
    }
    return true;
}

static uint64_t time_of(const struct iteration_search *search, uint32_t s, size_t call)
{
    return search->trace->streams[s].time[search->ranks[s].calls.items[call].row];
}

static double gap_before(const struct iteration_search *search, uint32_t s,
                         const struct visits *visits, size_t i)
{
    const uint32_t *calls = visits->calls.items;
    return (double)(time_of(search, s, calls[i]) - time_of(search, s, calls[i - 1]));
}

/* Whether the call separates phases of a program if it comes once in a while: a barrier does, any
 * call does in an iteration that takes long. */
static bool may_separate(const struct iteration_search *search, uint32_t s, size_t call,
                         bool is_long)
{
    const struct stream *stream = &search->trace->streams[s];
    uint32_t path = stream->arg[search->ranks[s].calls.items[call].row];
    return is_long || callpath_call(search->trace, path) == MPI_CALL_BARRIER;
}

/* Whether rank s calls something like that between the visits i - 1 and i, but not between visit i
 * and the next one. */
static bool has_separator(const struct iteration_search *search, uint32_t s,
                          const struct visits *visits, size_t i, bool is_long)
{
    const struct rank_calls *rank = &search->ranks[s];
    const uint32_t *calls = visits->calls.items;
    size_t end = i + 1 < visits->calls.count ? calls[i + 1] : rank->calls.count;
    for (size_t call = calls[i - 1]; call < calls[i]; call++) {
        size_t same = calls[i];
        if (!may_separate(search, s, call, is_long))
            continue;
        while (same < end && rank->calls.items[same].hash != rank->calls.items[call].hash)
            same++;
        if (same == end)
            return true;
    }
    return false;
}

/* How far apart visits are. */
struct distance {
    double ticks, calls;
    bool is_own; /* measured between the visits themselves; else the signal's */
};

static bool is_regular(const struct iteration_search *search, uint32_t s,
                       const struct visits *visits, size_t i, const struct distance *usual)
{
    double gap = gap_before(search, s, visits, i);
    double calls = (double)(visits->calls.items[i] - visits->calls.items[i - 1]);
    double nearest = usual->is_own ? NEAREST : NEAREST_IN_SIGNAL;
    bool in_time = gap >= nearest * usual->ticks && gap <= FURTHEST * usual->ticks;
    bool in_calls = calls >= SAME * usual->calls && calls * SAME <= usual->calls &&
                    (search->sizes || (gap * FAR >= usual->ticks && gap <= FAR * usual->ticks));
    return (in_time || in_calls) &&
           !(usual->is_own &&
             has_separator(search, s, visits, i, gap > LONG * usual->ticks && !in_calls));
}

/* Finds the longest part of the visits in which they are as far apart as usual, and that has
 * something of the stretch. */
static void find_run(const struct iteration_search *search, uint32_t s,
                     const struct distance *usual, struct visits *visits)
{
    const uint32_t *calls = visits->calls.items;
    size_t count = visits->calls.count, begin = 0;
    visits->run_begin = visits->run_end = 0;
    for (size_t i = 1; i <= count; i++) {
        if (i < count && is_regular(search, s, visits, i, usual))
            continue;
        if (i - begin > visits->run_end - visits->run_begin &&
            time_of(search, s, calls[begin]) < search->to &&
            time_of(search, s, calls[i - 1]) >= search->from)
            visits->run_begin = begin, visits->run_end = i;
        begin = i;
    }
}

/* Whether rank s makes the same `length` calls from two places on. */
static bool is_same(const struct rank_calls *rank, size_t a, size_t b, size_t length)
{
    size_t same = 0;
    if (a + length > rank->calls.count || b + length > rank->calls.count)
        return false;
    for (size_t i = 0; i < length; i++)
        same += rank->calls.items[a + i].hash == rank->calls.items[b + i].hash;
    return rank->calls.items[a].hash == rank->calls.items[b].hash &&
           (double)same >= SAME * (double)length;
}

/* Adds iterations before and behind the run that are the same as the run's, though longer sequences
 * from there on are not. Then the visits are the run. False if memory is out. */
static bool extend_run(const struct rank_calls *rank, struct visits *visits)
{
    ARRAY(uint32_t) before = {0}, all = {0};
    const uint32_t *calls = visits->calls.items;
    size_t begin = visits->run_begin, last = visits->run_end - 1;
    uint32_t length = calls[begin + 1] - calls[begin], at = calls[begin];
    bool room = true;
    for (; room && at >= length && is_same(rank, at - length, at, length); at -= length)
        room = array_push(&before, at - length);
    for (size_t i = before.count; room && i-- > 0;)
        room = array_push(&all, before.items[i]);
    for (size_t i = begin; room && i <= last; i++)
        room = array_push(&all, calls[i]);
    length = calls[last] - calls[last - 1];
    for (at = calls[last]; room && is_same(rank, at, at + length, length); at += length)
        room = array_push(&all, at + length);
    free(before.items);
    free(visits->calls.items);
    visits->calls.items = all.items;
    visits->calls.count = all.count;
    visits->calls.capacity = all.capacity;
    visits->run_begin = 0;
    visits->run_end = all.count;
    return room;
}

/* The same with the distance that the visits themselves have. False if memory is out. */
static bool find_own_run(const struct iteration_search *search, uint32_t s, struct visits *visits)
{
    struct distance usual = {search->period, search->calls, false};
    if (visits->calls.count > search->most || visits->calls.count < 2)
        return true;
    find_run(search, s, &usual, visits);
    size_t run = visits->run_end - visits->run_begin;
    if (run < 2)
        return true;
    double *gaps = malloc(run * sizeof *gaps);
    if (!gaps)
        return false;
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i + 1 < run; i++) {
            size_t visit = visits->run_begin + i;
            gaps[i] = which == 0
                          ? gap_before(search, s, visits, visit + 1)
                          : (double)(visits->calls.items[visit + 1] - visits->calls.items[visit]);
        }
        qsort(gaps, run - 1, sizeof *gaps, order_double);
        *(which == 0 ? &usual.ticks : &usual.calls) = gaps[(run - 1) / 2];
    }
    free(gaps);
    usual.is_own = true;
    find_run(search, s, &usual, visits);
    return visits->run_end - visits->run_begin < 2 || extend_run(&search->ranks[s], visits);
}

/* Whether the calls behind the last visit are those behind the visit before: otherwise that one
 * only ends the last iteration. */
static bool is_complete(const struct rank_calls *rank, const struct visits *visits)
{
    const uint32_t *calls = visits->calls.items;
    size_t last = visits->run_end - 1;
    return is_same(rank, calls[last - 1], calls[last], calls[last] - calls[last - 1]);
}

static size_t iterations_in(const struct rank_calls *rank, const struct visits *visits)
{
    size_t run = visits->run_end - visits->run_begin;
    return run < 2 ? 0 : is_complete(rank, visits) ? run : run - 1;
}

/* --- choosing --------------------------------------------------------------------------------- */

/* Iterations that begin with visits of one key: on one rank, and then on several. Ranks have
 * different partners, so the hashes of their sequences differ; what makes the sequences of several
 * ranks one candidate is their number. Single visits are those of one call path. */
struct iteration_head {
    uint64_t name;        /* call path, or number of iterations */
    uint32_t path, ranks; /* path: of the first visit */
    uint64_t first;       /* its time */
    uint64_t least, most; /* iterations on a rank */
    double covered;       /* the least part of the stretch on a rank */
};

typedef ARRAY(struct iteration_head) candidate_list;

static struct iteration_head candidate_of(const struct iteration_search *search, uint32_t s,
                                          const struct visits *visits)
{
    const struct rank_calls *rank = &search->ranks[s];
    const uint32_t *calls = visits->calls.items;
    uint64_t first = time_of(search, s, calls[visits->run_begin]);
    uint64_t last = time_of(search, s, calls[visits->run_end - 1]);
    size_t iterations = iterations_in(rank, visits);
    uint32_t path = search->trace->streams[s].arg[rank->calls.items[calls[0]].row];
    return (struct iteration_head){.name = search->length == 1 ? path : iterations,
                                   .path = path,
                                   .ranks = 1,
                                   .first = first,
                                   .least = iterations,
                                   .most = iterations,
                                   .covered = ((double)(last - first) + search->period) /
                                              (double)(search->to - search->from)};
}

/* The visits that rank s takes for the begins of iterations: the earliest ones. */
static const struct visits *best_visits(const struct iteration_search *search, uint32_t s,
                                        uint64_t name)
{
    const struct rank_calls *rank = &search->ranks[s];
    const struct visits *best = NULL;
    uint64_t earliest = 0;
    for (size_t i = 0; i < rank->all.count; i++) {
        const struct visits *visits = &rank->all.items[i];
        if (iterations_in(rank, visits) < 2)
            continue;
        struct iteration_head candidate = candidate_of(search, s, visits);
        if (candidate.name == name && (!best || candidate.first < earliest))
            best = visits, earliest = candidate.first;
    }
    return best;
}

static int by_name(const void *a, const void *b)
{
    const struct iteration_head *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* The best candidate of each name on each rank. */
static bool list_candidates(const struct iteration_search *search, candidate_list *list)
{
    for (uint32_t s = 0; s < search->trace->owned_count; s++) {
        const struct rank_calls *rank = &search->ranks[s];
        size_t first = list->count, kept = first;
        for (size_t i = 0; i < rank->all.count; i++) {
            const struct visits *visits = &rank->all.items[i];
            if (iterations_in(rank, visits) >= 2 &&
                !array_push(list, candidate_of(search, s, visits)))
                return false;
        }
        if (list->count > first)
            qsort(list->items + first, list->count - first, sizeof *list->items, by_name);
        for (size_t i = first; i < list->count; i++)
            if (i == first || list->items[i].name != list->items[kept - 1].name)
                list->items[kept++] = list->items[i];
        list->count = kept;
    }
    return true;
}

static size_t unite(struct iteration_head *all, size_t count)
{
    size_t united = 0;
    if (count > 0)
        qsort(all, count, sizeof *all, by_name);
    for (size_t i = 0; i < count; i++) {
        struct iteration_head *last = united > 0 ? &all[united - 1] : NULL;
        if (!last || last->name != all[i].name) {
            all[united++] = all[i];
            continue;
        }
        last->least = all[i].least < last->least ? all[i].least : last->least;
        last->most = all[i].most > last->most ? all[i].most : last->most;
        last->covered = all[i].covered < last->covered ? all[i].covered : last->covered;
        last->ranks += all[i].ranks;
    }
    return united;
}

static uint32_t depth_of(const struct trace *trace, uint32_t path)
{
    uint32_t depth = 0;
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent)
        depth++;
    return depth;
}

/* More iterations are better, then a call path nearer to the root, then the earlier one. */
static bool is_better(const struct trace *trace, const struct iteration_head *a,
                      const struct iteration_head *b)
{
    uint32_t depth_a = depth_of(trace, a->path), depth_b = depth_of(trace, b->path);
    if (a->least != b->least)
        return a->least > b->least;
    return depth_a != depth_b ? depth_a < depth_b : a->first < b->first;
}

/* Of those that all ranks have equally often; NULL if no one will do. */
static const struct iteration_head *choose(const struct trace *trace,
                                           const struct iteration_head *all, size_t count)
{
    const struct iteration_head *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (all[i].ranks == trace->rank_count && all[i].least == all[i].most &&
            all[i].covered >= MOST && (!best || is_better(trace, &all[i], best)))
            best = &all[i];
    return best;
}

/* Collective. `*found`, with `least` 0 if there is none. */
static enum status agree_on(const struct iteration_search *search, struct iteration_head *found,
                            struct error *error)
{
    const struct trace *trace = search->trace;
    candidate_list own = {0};
    char *received = NULL;
    size_t size;
    bool room = list_candidates(search, &own);
    enum status status = processes_agree_memory(trace->processes, room, "iterations", error);
    if (status == STATUS_OK) {
        own.count = unite(own.items, own.count);
        status = mail_gather(trace->processes, own.items, own.count * sizeof *own.items, &received,
                             &size, NULL, error);
    }
    *found = (struct iteration_head){0};
    if (status == STATUS_OK && trace->processes->rank == 0) {
        struct iteration_head *all = (struct iteration_head *)(void *)received;
        const struct iteration_head *best = choose(trace, all, unite(all, size / sizeof *all));
        if (best)
            *found = *best;
    }
    if (status == STATUS_OK)
        processes_broadcast(trace->processes, found, sizeof *found);
    free(own.items);
    free(received);
    return status;
}

/* --- boundaries ------------------------------------------------------------------------------- */

static uint64_t leave_time(const struct stream *stream, uint32_t enter)
{
    uint32_t row = enter + 1;
    while (row < stream->count && !(event_closes(stream->kind[row]) && stream->arg[row] == enter))
        row++;
    return stream->time[row < stream->count ? row : stream->count - 1];
}

/* When the last iteration ends if no visit follows: right behind the region's end if that encloses
 * iterations; or with the next call, unless that is far; or as long after its begin as iterations
 * take in the middle. `gaps` has room for `count` values. */
static uint64_t end_of(const struct iteration_search *search, uint32_t s, const uint32_t *calls,
                       size_t count, uint64_t *gaps)
{
    const struct stream *stream = &search->trace->streams[s];
    const struct rank_calls *rank = &search->ranks[s];
    for (size_t i = 0; i + 1 < count; i++)
        gaps[i] = time_of(search, s, calls[i + 1]) - time_of(search, s, calls[i]);
    qsort(gaps, count - 1, sizeof *gaps, order_uint64);
    uint64_t usual = gaps[(count - 1) / 2], last = time_of(search, s, calls[count - 1]);
    uint64_t leave = leave_time(stream, rank->calls.items[calls[count - 1]].row);
    if ((double)(leave - last) >= ENCLOSES * (double)usual)
        return leave < search->end ? leave + 1 : search->end;
    uint64_t end = last + usual;
    size_t next = calls[count - 1] + (calls[count - 1] - calls[count - 2]);
    if (next < rank->calls.count &&
        (double)(time_of(search, s, next) - last) <= FURTHEST * (double)usual)
        end = time_of(search, s, next);
    return end < search->end ? end : search->end;
}

static bool set_boundaries(const struct iteration_search *search, uint64_t name,
                           struct iterations *iterations)
{
    const struct trace *trace = search->trace;
    size_t count = iterations->count;
    iterations->begin = malloc((count + 1) * sizeof *iterations->begin);
    iterations->own = malloc((trace->owned_count + 1) * (count + 1) * sizeof *iterations->own);
    if (!iterations->begin || !iterations->own)
        return false;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct visits *visits = best_visits(search, s, name);
        const uint32_t *calls = visits->calls.items + visits->run_begin;
        uint64_t *own = iterations->own + s * (count + 1);
        if (visits->run_end - visits->run_begin > count)
            own[count] = time_of(search, s, calls[count]);
        else
            own[count] = end_of(search, s, calls, count, own);
        for (size_t i = 0; i < count; i++)
            own[i] = time_of(search, s, calls[i]);
    }
    return true;
}

/* Collective. */
static void unite_boundaries(const struct trace *trace, struct iterations *iterations)
{
    size_t count = iterations->count;
    int64_t *begin = (int64_t *)iterations->begin, end = 0;
    for (size_t i = 0; i < count; i++)
        begin[i] = INT64_MAX;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint64_t *own = iterations_of(iterations, s);
        for (size_t i = 0; i < count; i++)
            begin[i] = (int64_t)own[i] < begin[i] ? (int64_t)own[i] : begin[i];
        end = (int64_t)own[count] > end ? (int64_t)own[count] : end;
    }
    processes_min(trace->processes, begin, count);
    processes_max(trace->processes, &end, 1);
    begin[count] = end;
}

/* --- the whole -------------------------------------------------------------------------------- */

static void clear_visits(struct rank_calls *rank)
{
    for (size_t i = 0; i < rank->all.count; i++)
        free(rank->all.items[i].calls.items);
    free(rank->all.items);
    map_clear(&rank->numbers);
    memset(&rank->all, 0, sizeof rank->all);
}

/* Collective: searches for sequences of one length. Keeps the result if it is better than the one
 * before. */
static enum status search_length(struct iteration_search *search, struct iterations *iterations,
                                 struct error *error)
{
    const struct trace *trace = search->trace;
    struct iteration_head found = {0};
    bool room = true;
    for (uint32_t s = 0; s < trace->owned_count && room; s++) {
        room = list_visits(search, s);
        for (size_t i = 0; i < search->ranks[s].all.count && room; i++)
            room = find_own_run(search, s, &search->ranks[s].all.items[i]);
    }
    enum status status = processes_agree_memory(trace->processes, room, "iterations", error);
    if (status == STATUS_OK)
        status = agree_on(search, &found, error);
    if (status == STATUS_OK && found.least > iterations->count) {
        iterations_clear(iterations);
        iterations->count = found.least;
        iterations->path = found.path;
        iterations->calls = search->length;
        room = set_boundaries(search, found.name, iterations);
        status = processes_agree_memory(trace->processes, room, "iterations", error);
        if (status == STATUS_OK)
            unite_boundaries(trace, iterations);
    }
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        clear_visits(&search->ranks[s]);
        join_sequences(&search->ranks[s], search->length);
    }
    return status;
}

enum status iterations_find(const struct trace *trace, uint64_t begin, uint64_t end, uint64_t from,
                            uint64_t to, double period, double calls, struct iterations *iterations,
                            struct error *error)
{
    assert(begin < end && from < to && period > 0);
    struct iteration_search search = {
        .trace = trace,
        .begin = begin,
        .end = end,
        .from = from,
        .to = to,
        .period = period,
        .calls = calls,
        .most = (size_t)((double)(end - begin) / period / NEAREST_IN_SIGNAL) + 2};
    search.ranks = calloc((size_t)trace->owned_count + 1, sizeof *search.ranks);
    memset(iterations, 0, sizeof *iterations);
    enum status status =
        processes_agree_memory(trace->processes, search.ranks, "iterations", error);
    for (int sizes = 0; sizes < 2 && status == STATUS_OK; sizes++) {
        bool room = true;
        search.sizes = sizes;
        for (uint32_t s = 0; s < trace->owned_count && room; s++)
            room = list_calls(&search, s);
        status = processes_agree_memory(trace->processes, room, "iterations", error);
        for (search.length = 1; search.length <= LONGEST && status == STATUS_OK; search.length *= 2)
            status = search_length(&search, iterations, error);
    }
    for (uint32_t s = 0; s < trace->owned_count && search.ranks; s++)
        free(search.ranks[s].calls.items);
    free(search.ranks);
    return status;
}

enum status calls_sample(const struct trace *trace, uint64_t begin, uint64_t end, bool sizes,
                         uint32_t *calls, uint64_t *times, size_t most, size_t *count,
                         struct error *error)
{
    struct iteration_search search = {.trace = trace, .begin = begin, .end = end, .sizes = sizes};
    struct rank_calls rank = {0};
    const bool has_first = trace->owned_count > 0 && trace->first_rank == 0;
    search.ranks = &rank;
    bool room = !has_first || list_calls(&search, 0);
    enum status status = processes_agree_memory(trace->processes, room, "iterations", error);
    *count = rank.calls.count < most ? rank.calls.count : most;
    for (size_t i = 0; i < *count; i++) {
        calls[i] = rank.calls.items[i].hash;
        times[i] = time_of(&search, 0, i);
    }
    free(rank.calls.items);
    if (status != STATUS_OK)
        return status;
    processes_broadcast(trace->processes, count, sizeof *count);
    processes_broadcast(trace->processes, calls, *count * sizeof *calls);
    processes_broadcast(trace->processes, times, *count * sizeof *times);
    return STATUS_OK;
}

void iterations_clear(struct iterations *iterations)
{
    free(iterations->begin);
    free(iterations->own);
    memset(iterations, 0, sizeof *iterations);
}
