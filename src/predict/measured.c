/* One pass over the slices of the trace adds up the computation in the visits of each region that
 * is asked for. If one of them does not occur, a second pass finds out what does, for the message:
 * that costs nothing where nothing is wrong. */
#include "predict/measured.h"

#include "base/names.h"
#include "trace/load/load.h"
#include "trace/load/slices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which trace, and how many events of all ranks are held unless it must be held as a whole. */
struct recorded {
    const char *path;
    uint64_t events_held;
    struct processes *processes;
};

/* A part of a trace: what is from `from` on, and, unless `last`, before trace->end. */
struct part {
    const struct trace *trace;
    uint64_t from;
    bool last;
};

/* Collective: takes the next part. */
typedef enum status part_reader(const struct part *part, void *context, struct error *error);

static enum status read_part(const struct part *part, part_reader *read, void *context,
                             struct error *error)
{
    const struct trace *trace = part->trace;
    if (definitions_property(trace->definitions, SILAS_PROPERTY_REDUCED))
        return error_set(error, STATUS_INPUT,
                         "%s is a reduced trace: its regions are no longer whole, so nothing can "
                         "be measured in it; use the recording that it was made from",
                         trace->path);
    return read(part, context, error);
}

static enum status read_whole(const struct recorded *recorded, part_reader *read, void *context,
                              struct error *error)
{
    struct trace *trace = NULL;
    enum status status = trace_load(recorded->path, recorded->processes, &trace, error);
    if (status != STATUS_OK)
        return status;
    status = read_part(&(struct part){trace, 0, true}, read, context, error);
    trace_destroy(trace);
    return status;
}

static enum status read_slices(const struct recorded *recorded, part_reader *read, void *context,
                               struct error *error)
{
    struct trace_slices *slices = NULL;
    struct trace *slice = NULL;
    uint64_t from = 0;
    bool last = false;
    enum status status = trace_slices_open(recorded->path, recorded->processes,
                                           recorded->events_held, &slices, error);
    while (status == STATUS_OK && !last) {
        status = trace_slices_next(slices, from, &slice, &last, error);
        if (status == STATUS_OK)
            status = read_part(&(struct part){slice, from, last}, read, context, error);
        if (status == STATUS_OK)
            from = slice->end;
    }
    trace_slices_close(slices);
    return status;
}

/* Collective. */
static enum status read_trace(const struct recorded *recorded, part_reader *read, void *context,
                              struct error *error)
{
    struct trace_size size = {0};
    const struct processes *processes = recorded->processes;
    enum status status =
        processes->rank == 0 ? trace_peek(recorded->path, &size, error) : STATUS_OK;
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_broadcast(processes, &size, sizeof size);
    return size.whole ? read_whole(recorded, read, context, error)
                      : read_slices(recorded, read, context, error);
}

/* The rows of a stream that belong to a part, and the call path before the first of them. Rows
 * before `from` are the ENTERs of open regions. */
struct part_rows {
    uint32_t begin, end;
    uint32_t path;
};

static struct part_rows rows_of(const struct part *part, const struct stream *stream)
{
    struct part_rows rows;
    rows.begin = stream_row_at(stream, part->from);
    rows.end = part->last ? stream->count : stream_row_at(stream, part->trace->end);
    rows.path = rows.begin > 0 ? stream->arg[rows.begin - 1] : CALLPATH_NONE;
    return rows;
}

/* Where a call path is, as a query sees it. */
enum whereabouts { OUTSIDE, COMPUTING, COMMUNICATING };

struct visit_sum {
    uint64_t since;   /* ticks: up to where the rank has been followed */
    uint64_t current; /* ticks of computation in the visit that goes on */
    bool open;
    uint64_t visits;
    double mean, squares; /* Welford: mean, sum of squared deviations; seconds */
};

struct measuring {
    const struct measured_query *queries;
    uint32_t count;
    struct visit_sum *sums; /* [count]; only those of owned ranks are used */
};

static bool region_is_named(const struct trace *trace, const char *name)
{
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        if (strcmp(trace->definitions->regions[r].name, name) == 0)
            return true;
    return false;
}

/* Fills where[path + 1]; where[0], of CALLPATH_NONE, is outside all regions. */
static_assert((uint32_t)(CALLPATH_NONE + 1) == 0, "call path none comes first");
static void find_whereabouts(const struct trace *trace, const char *name, uint8_t *where)
{
    const struct callpath *paths = trace->calltree.paths.items;
    bool all = strcmp(name, "main") == 0 && !region_is_named(trace, name);
    where[0] = all ? COMPUTING : OUTSIDE;
    for (uint32_t p = 0; p < trace->calltree.paths.count; p++) {
        const struct region *region = &trace->definitions->regions[paths[p].region];
        uint8_t above = where[paths[p].parent + 1];
        bool communicates = callpath_communicates(trace, p);
        bool begins = !communicates && strcmp(region->name, name) == 0;
        where[p + 1] = above == OUTSIDE && !begins ? OUTSIDE
                       : communicates              ? COMMUNICATING
                                                   : COMPUTING;
    }
}

static void end_visit(const struct trace *trace, struct visit_sum *sum)
{
    double seconds = trace_seconds(trace, (double)sum->current);
    double away = seconds - sum->mean;
    sum->visits++;
    sum->mean += away / (double)sum->visits;
    sum->squares += away * (seconds - sum->mean);
    sum->current = 0;
    sum->open = false;
}

static void follow(const struct part *part, const struct stream *stream, const uint8_t *where,
                   struct visit_sum *sum)
{
    const struct trace *trace = part->trace;
    struct part_rows rows = rows_of(part, stream);
    uint32_t path = rows.path;
    for (uint32_t row = rows.begin; row < rows.end; row++) {
        uint64_t now = stream->time[row];
        bool first = sum->since == 0 && row == 0; /* nothing is known before the first event */
        if (where[path + 1] == COMPUTING && now > sum->since && !first)
            sum->current += now - sum->since;
        path = callpath_after(&trace->calltree, stream, row, path);
        if (where[path + 1] != OUTSIDE)
            sum->open = true;
        else if (sum->open)
            end_visit(trace, sum);
        bool flush = stream->kind[row] == EVENT_BUFFER_FLUSH;
        sum->since = flush ? stream->flushes[stream->arg[row]] : now;
    }
    if (part->last && sum->open)
        end_visit(trace, sum);
}

static enum status measure_part(const struct part *part, void *context, struct error *error)
{
    struct measuring *measuring = context;
    const struct trace *trace = part->trace;
    const char *name = NULL;
    uint8_t *where = malloc(trace->calltree.paths.count + 1);
    enum status status =
        processes_agree_memory(trace->processes, where != NULL, "measured regions", error);
    for (uint32_t q = 0; q < measuring->count && status == STATUS_OK; q++) {
        const struct measured_query *query = &measuring->queries[q];
        const struct stream *stream =
            query->rank < trace->rank_count ? trace_stream(trace, query->rank) : NULL;
        if (!stream)
            continue;
        if (!name || strcmp(name, query->region) != 0)
            find_whereabouts(trace, query->region, where);
        name = query->region;
        follow(part, stream, where, &measuring->sums[q]);
    }
    free(where);
    return status;
}

struct occurrences {
    const struct measured_query *query; /* the one that has no answer */
    struct map visited;                 /* owned rank << 32 | region -> 1 */
};

/* "0-3, 7"; what is too long ends with "...". */
static void format_ranks(const uint32_t *ranks, size_t count, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && ranks[end] == ranks[end - 1] + 1)
            end++;
        const char *joint = i > 0 ? ", " : "";
        if (length + 32 > size) {
            snprintf(text + length, size - length, "%s...", joint);
            return;
        }
        length += (size_t)snprintf(text + length, size - length, end - i > 1 ? "%s%u-%u" : "%s%u",
                                   joint, (unsigned)ranks[i], (unsigned)ranks[end - 1]);
        i = end;
    }
}

/* Collective. Lists the ranks on which a region of this name occurs as text. */
static enum status list_ranks(const struct part *part, const struct occurrences *occurrences,
                              const char *name, char *text, size_t size, struct error *error)
{
    const struct trace *trace = part->trace;
    ARRAY(uint32_t) ranks = {0};
    bool room = true;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        bool occurs = false;
        for (uint32_t r = 0; r < trace->definitions->region_count && !occurs; r++)
            occurs = strcmp(trace->definitions->regions[r].name, name) == 0 &&
                     map_get(&occurrences->visited, (uint64_t)s << 32 | r) != MAP_NONE;
        if (occurs)
            room = room && array_push(&ranks, trace->first_rank + s);
    }
    enum status status = processes_agree_memory(trace->processes, room, "ranks", error);
    if (status == STATUS_OK)
        status = processes_share(trace->processes, &ranks, "ranks", error);
    if (status == STATUS_OK)
        format_ranks(ranks.items, ranks.count, text, size);
    free(ranks.items);
    return status;
}

typedef ARRAY(const char *) name_list;

/* Collective. Lists the names of the regions in which some rank computes; the caller frees
 * names->items. */
static enum status list_names(const struct part *part, const struct occurrences *occurrences,
                              name_list *names, struct error *error)
{
    const struct trace *trace = part->trace;
    uint32_t regions = trace->definitions->region_count;
    int64_t *found = calloc((size_t)regions + 1, sizeof *found);
    bool room = found && array_reserve(names, regions);
    enum status status = processes_agree_memory(trace->processes, room, "names of regions", error);
    for (size_t i = 0; i < occurrences->visited.slots && status == STATUS_OK; i++)
        if (occurrences->visited.values[i] != MAP_NONE)
            found[(uint32_t)occurrences->visited.keys[i]] = 1;
    if (status == STATUS_OK)
        processes_max(trace->processes, found, regions);
    for (uint32_t r = 0; r < regions && status == STATUS_OK; r++) {
        const struct region *region = &trace->definitions->regions[r];
        if (found[r] && !mpi_class_communicates(mpi_call_infos[region->mpi_call].class))
            names->items[names->count++] = region->name;
    }
    free(found);
    return status;
}

/* Collective. Words the error. */
static enum status refuse(const struct part *part, const struct occurrences *occurrences,
                          const name_list *names, struct error *error)
{
    const struct measured_query *query = occurrences->query;
    const char *path = part->trace->path;
    char ranks[600], nearest[600];
    int near = nearest_name(query->region, names->items, names->count);
    if (query->rank >= part->trace->rank_count)
        return error_set(error, STATUS_INPUT, "%s has no rank %u: its ranks are 0 to %u", path,
                         (unsigned)query->rank, (unsigned)part->trace->rank_count - 1);
    if (mpi_class_communicates(mpi_call_infos[mpi_call_from_name(query->region)].class))
        return error_set(error, STATUS_INPUT,
                         "%s is an MPI call, in which nothing is computed: name a region of the "
                         "program, or \"main\" for all computation of the rank",
                         query->region);
    if (near < 0) {
        names_nearest(query->region, names->items, names->count, nearest, sizeof nearest);
        return error_set(error, STATUS_INPUT, "no region in %s is named \"%s\"; %s%s", path,
                         query->region, *nearest ? "the nearest names are " : "it has none",
                         nearest);
    }
    const char *name = names->items[near];
    enum status status = list_ranks(part, occurrences, name, ranks, sizeof ranks, error);
    if (status != STATUS_OK)
        return status;
    const char *plural = strpbrk(ranks, ",-") ? "s" : "";
    if (strcmp(name, query->region) == 0)
        return error_set(error, STATUS_INPUT,
                         "rank %u in %s is never in region \"%s\"; rank%s %s %s",
                         (unsigned)query->rank, path, name, plural, ranks, *plural ? "are" : "is");
    return error_set(error, STATUS_INPUT,
                     "no region in %s is named \"%s\"; did you mean \"%s\" (rank%s %s)?", path,
                     query->region, name, plural, ranks);
}

static enum status find_occurrences(const struct part *part, void *context, struct error *error)
{
    struct occurrences *occurrences = context;
    const struct trace *trace = part->trace;
    bool room = true;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        struct part_rows rows = rows_of(part, stream);
        for (uint32_t row = rows.begin; row < rows.end && room; row++) {
            if (!event_opens(stream->kind[row]))
                continue;
            uint32_t region = trace->calltree.paths.items[stream->arg[row]].region;
            room = map_set(&occurrences->visited, (uint64_t)s << 32 | region, 1);
        }
    }
    enum status status =
        processes_agree_memory(trace->processes, room, "the regions of a trace", error);
    if (status != STATUS_OK || !part->last)
        return status;
    name_list names = {0};
    status = list_names(part, occurrences, &names, error);
    if (status == STATUS_OK)
        status = refuse(part, occurrences, &names, error);
    free(names.items);
    return status;
}

struct found_answer {
    uint32_t query;
    struct measured_answer answer;
};

/* Collective. Everybody gets all answers; those without a visit stay zero. */
static enum status share_answers(const struct measuring *measuring,
                                 const struct processes *processes, struct measured_answer *answers,
                                 struct error *error)
{
    ARRAY(struct found_answer) found = {0};
    bool room = true;
    memset(answers, 0, measuring->count * sizeof *answers);
    for (uint32_t q = 0; q < measuring->count && room; q++) {
        const struct visit_sum *sum = &measuring->sums[q];
        struct found_answer own = {.query = q, .answer = {.visits = sum->visits}};
        if (sum->visits == 0)
            continue;
        own.answer.seconds = sum->mean;
        if (sum->visits > 1)
            own.answer.spread = sqrt(sum->squares / (double)(sum->visits - 1));
        room = array_push(&found, own);
    }
    enum status status = processes_agree_memory(processes, room, "measured regions", error);
    if (status == STATUS_OK)
        status = processes_share(processes, &found, "measured regions", error);
    for (size_t i = 0; i < found.count && status == STATUS_OK; i++)
        answers[found.items[i].query] = found.items[i].answer;
    free(found.items);
    return status;
}

enum status measured_answer_in_slices(const char *path, uint64_t events,
                                      const struct measured_query *queries, uint32_t count,
                                      struct processes *processes, struct measured_answer *answers,
                                      uint32_t *failed, struct error *error)
{
    const struct recorded recorded = {path, events, processes};
    struct measuring measuring = {queries, count,
                                  calloc((size_t)count + 1, sizeof(struct visit_sum))};
    *failed = UINT32_MAX;
    enum status status =
        processes_agree_memory(processes, measuring.sums != NULL, "measured regions", error);
    if (status == STATUS_OK)
        status = read_trace(&recorded, measure_part, &measuring, error);
    if (status == STATUS_OK)
        status = share_answers(&measuring, processes, answers, error);
    free(measuring.sums);
    for (uint32_t q = 0; q < count && status == STATUS_OK; q++) {
        if (answers[q].visits > 0)
            continue;
        struct occurrences occurrences = {.query = &queries[q]};
        *failed = q;
        status = read_trace(&recorded, find_occurrences, &occurrences, error);
        map_clear(&occurrences.visited);
    }
    return status;
}

enum status measured_answer(const char *path, const struct measured_query *queries, uint32_t count,
                            struct processes *processes, struct measured_answer *answers,
                            uint32_t *failed, struct error *error)
{
    static const uint64_t events_held = 8000000;
    return measured_answer_in_slices(path, events_held, queries, count, processes, answers, failed,
                                     error);
}
