/* One pass over the slices of the trace adds up the computation in the visits of the regions that
 * are asked for, and notes which ranks enter which regions, for the message if one of the queries
 * has no answer. */
#include "predict/measured.h"

#include "base/names.h"
#include "trace/load/load.h"
#include "trace/load/slices.h"
#include "transform/compensate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of a trace from time `from` on and, unless `last`, before trace->end. */
struct recording_part {
    const struct trace *trace;
    uint64_t from;
    bool last;
};

/* The rows of a stream that belong to a part, and the call path before the first of them. Rows
 * before `from` are the ENTERs of open regions. */
struct part_rows {
    uint32_t begin, end;
    uint32_t path;
};

static struct part_rows rows_of(const struct recording_part *part, const struct stream *stream)
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
    uint64_t current; /* ticks of computation in the open visit */
    double owed;      /* ticks of the tracer's work that are still in it */
    bool open;
    uint64_t visits;
    double mean; /* seconds */
    bool all;    /* keep the length of each, in seconds */
    bool no_memory;
    ARRAY(double) lengths;
};

struct region_measuring {
    const struct measured_query *queries;
    uint32_t count;
    struct visit_sum *sums; /* [count]; only those of owned ranks are used */
    bool *entered;          /* [owned rank][region] */
    struct measured_answer *answers;
    uint32_t *failed; /* see measured_answer */
};

static bool has_region(const struct trace *trace, const char *name)
{
    for (uint32_t r = 0; r < trace->definitions->region_count; r++)
        if (region_is_named(&trace->definitions->regions[r], name))
            return true;
    return false;
}

/* Fills where[path + 1]; where[0], of CALLPATH_NONE, is outside all regions. */
static_assert((uint32_t)(CALLPATH_NONE + 1) == 0, "call path none comes first");
static void find_whereabouts(const struct trace *trace, const char *name, uint8_t *where)
{
    const struct callpath *paths = trace->calltree.paths.items;
    bool all = strcmp(name, "main") == 0 && !has_region(trace, name);
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
    sum->visits++;
    sum->mean += (seconds - sum->mean) / (double)sum->visits;
    sum->no_memory |= sum->all && !array_push(&sum->lengths, seconds);
    sum->current = 0;
    sum->open = false;
}

static void follow(const struct recording_part *part, const struct stream *stream,
                   const uint8_t *where, const struct event_costs *costs, struct visit_sum *sum)
{
    const struct trace *trace = part->trace;
    struct part_rows rows = rows_of(part, stream);
    uint32_t path = rows.path;
    for (uint32_t row = rows.begin; row < rows.end; row++) {
        uint64_t now = stream->time[row];
        bool first = sum->since == 0 && row == 0; /* the trace has nothing before the first event */
        if (where[path + 1] == COMPUTING && now > sum->since && !first) {
            sum->owed += event_cost_before(trace, stream, row, costs);
            sum->current += take_owed(now - sum->since, &sum->owed);
        }
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

static size_t entered_index(const struct trace *trace, uint32_t owned, uint32_t region)
{
    return (size_t)owned * trace->definitions->region_count + region;
}

static void note_entered(const struct trace *trace, bool *entered)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        for (uint32_t row = 0; row < stream->count; row++)
            if (event_opens(stream->kind[row]))
                entered[entered_index(trace, s,
                                      trace->calltree.paths.items[stream->arg[row]].region)] = true;
    }
}

/* "0-3, 7"; a text that is too long ends with "...". */
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

/* Collective. Lists the ranks that enter a region of this name as text. */
static enum status list_ranks(const struct trace *trace, const bool *entered, const char *name,
                              char *text, size_t size, struct error *error)
{
    ARRAY(uint32_t) ranks = {0};
    bool complete = true;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        bool occurs = false;
        for (uint32_t r = 0; r < trace->definitions->region_count && !occurs; r++)
            occurs = entered[entered_index(trace, s, r)] &&
                     strcmp(trace->definitions->regions[r].name, name) == 0;
        if (occurs)
            complete = complete && array_push(&ranks, trace->first_rank + s);
    }
    enum status status = processes_agree_memory(trace->processes, complete, "ranks", error);
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
static enum status list_names(const struct trace *trace, const bool *entered, name_list *names,
                              struct error *error)
{
    uint32_t regions = trace->definitions->region_count;
    int64_t *found = calloc((size_t)regions + 1, sizeof *found);
    bool complete = found && array_reserve(names, regions);
    enum status status =
        processes_agree_memory(trace->processes, complete, "names of regions", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        for (uint32_t r = 0; r < regions; r++)
            found[r] |= entered[entered_index(trace, s, r)];
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
static enum status refuse_query(const struct trace *trace, const bool *entered,
                                const struct measured_query *query, const name_list *names,
                                struct error *error)
{
    const char *path = trace->path;
    char ranks[600], nearest[600];
    int near = nearest_name(query->region, names->items, names->count);
    if (query->rank >= trace->rank_count)
        return error_set(error, STATUS_INPUT, "%s has no rank %u: its ranks are 0 to %u", path,
                         (unsigned)query->rank, (unsigned)trace->rank_count - 1);
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
    enum status status = list_ranks(trace, entered, name, ranks, sizeof ranks, error);
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

struct found_answer {
    uint32_t query;
    struct measured_answer answer;
};

struct found_length {
    uint32_t query;
    double seconds;
};

/* Collective. Everybody gets all lengths that are wanted; the others' answers have none. */
static enum status share_lengths(const struct region_measuring *measuring,
                                 const struct processes *processes, struct measured_answer *answers,
                                 struct error *error)
{
    ARRAY(struct found_length) found = {0};
    bool complete = true;
    for (uint32_t q = 0; q < measuring->count && complete; q++) {
        const struct visit_sum *sum = &measuring->sums[q];
        complete = !sum->no_memory;
        for (size_t i = 0; i < sum->lengths.count && complete; i++)
            complete = array_push(&found, ((struct found_length){q, sum->lengths.items[i]}));
    }
    enum status status = processes_agree_memory(processes, complete, "measured regions", error);
    if (status == STATUS_OK)
        status = processes_share(processes, &found, "measured regions", error);
    for (uint32_t q = 0; q < measuring->count && status == STATUS_OK && complete; q++)
        if (measuring->queries[q].all) {
            answers[q].lengths = malloc((answers[q].visits + 1) * sizeof *answers[q].lengths);
            complete = answers[q].lengths;
            answers[q].visits = complete ? 0 : answers[q].visits;
        }
    for (size_t i = 0; i < found.count && status == STATUS_OK && complete; i++) {
        struct measured_answer *answer = &answers[found.items[i].query];
        answer->lengths[answer->visits++] = found.items[i].seconds;
    }
    free(found.items);
    return status ?: processes_agree_memory(processes, complete, "measured regions", error);
}

/* Collective. Everybody gets all answers; those without a visit stay zero. */
static enum status share_answers(const struct region_measuring *measuring,
                                 const struct processes *processes, struct measured_answer *answers,
                                 struct error *error)
{
    ARRAY(struct found_answer) found = {0};
    bool complete = true;
    memset(answers, 0, measuring->count * sizeof *answers);
    for (uint32_t q = 0; q < measuring->count && complete; q++) {
        const struct visit_sum *sum = &measuring->sums[q];
        struct found_answer own = {q, {sum->mean, sum->visits, NULL}};
        if (sum->visits > 0)
            complete = array_push(&found, own);
    }
    enum status status = processes_agree_memory(processes, complete, "measured regions", error);
    if (status == STATUS_OK)
        status = processes_share(processes, &found, "measured regions", error);
    for (size_t i = 0; i < found.count && status == STATUS_OK; i++)
        answers[found.items[i].query] = found.items[i].answer;
    free(found.items);
    return status ?: share_lengths(measuring, processes, answers, error);
}

/* Collective. After the last part: the answers, and the error for the first query without one. */
static enum status answer_queries(const struct trace *trace,
                                  const struct region_measuring *measuring, struct error *error)
{
    name_list names = {0};
    enum status status = share_answers(measuring, trace->processes, measuring->answers, error);
    uint32_t q = 0;
    while (q < measuring->count && measuring->answers[q].visits > 0)
        q++;
    if (status != STATUS_OK || q == measuring->count)
        return status;
    *measuring->failed = q;
    status = list_names(trace, measuring->entered, &names, error);
    if (status == STATUS_OK)
        status = refuse_query(trace, measuring->entered, &measuring->queries[q], &names, error);
    free(names.items);
    return status;
}

/* Collective. */
static enum status measure_part(const struct recording_part *part,
                                struct region_measuring *measuring, struct error *error)
{
    const struct trace *trace = part->trace;
    const char *name = NULL;
    struct event_costs costs;
    bool stated;
    uint8_t *where = malloc(trace->calltree.paths.count + 1);
    if (!measuring->entered) /* the regions are the same in all parts */
        measuring->entered =
            calloc(entered_index(trace, trace->owned_count, 1), sizeof *measuring->entered);
    enum status status = processes_agree_memory(trace->processes, where && measuring->entered,
                                                "measured regions", error);
    if (status == STATUS_OK)
        status = event_costs_read(trace, &costs, &stated, error);
    if (status == STATUS_OK)
        note_entered(trace, measuring->entered);
    for (uint32_t q = 0; q < measuring->count && status == STATUS_OK; q++) {
        const struct measured_query *query = &measuring->queries[q];
        const struct stream *stream =
            query->rank < trace->rank_count ? trace_stream(trace, query->rank) : NULL;
        if (!stream)
            continue;
        if (!name || strcmp(name, query->region) != 0)
            find_whereabouts(trace, query->region, where);
        name = query->region;
        follow(part, stream, where, &costs, &measuring->sums[q]);
    }
    free(where);
    return status == STATUS_OK && part->last ? answer_queries(trace, measuring, error) : status;
}

static enum status refuse_reduced(const struct trace *trace, struct error *error)
{
    if (!definitions_property(trace->definitions, SILAS_PROPERTY_REDUCED))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s is a reduced trace: its regions are no longer whole, so nothing can be "
                     "measured in it; use the recording that it was made from",
                     trace->path);
}

/* Collective. A trace that must be loaded as a whole is one part. */
static enum status measure_whole(const char *path, struct processes *processes,
                                 struct region_measuring *measuring, struct error *error)
{
    struct recording_part part = {.last = true};
    struct trace *trace = NULL;
    enum status status = trace_load(path, processes, &trace, error);
    if (status != STATUS_OK)
        return status;
    part.trace = trace;
    status = refuse_reduced(trace, error);
    if (status == STATUS_OK)
        status = measure_part(&part, measuring, error);
    trace_destroy(trace);
    return status;
}

/* Collective. */
static enum status measure_slices(const char *path, uint64_t events, struct processes *processes,
                                  struct region_measuring *measuring, struct error *error)
{
    struct recording_part part = {.last = false};
    struct trace_slices *slices = NULL;
    struct trace *slice = NULL;
    enum status status = trace_slices_open(path, processes, events, &slices, error);
    while (status == STATUS_OK && !part.last) {
        status = trace_slices_next(slices, part.from, &slice, &part.last, error);
        part.trace = slice;
        if (status == STATUS_OK)
            status = refuse_reduced(slice, error);
        if (status == STATUS_OK)
            status = measure_part(&part, measuring, error);
        if (status == STATUS_OK)
            part.from = slice->end;
    }
    trace_slices_close(slices);
    return status;
}

enum status measured_answer(const char *path, uint64_t events, const struct measured_query *queries,
                            uint32_t count, struct processes *processes,
                            struct measured_answer *answers, uint32_t *failed, struct error *error)
{
    struct trace_size size = {0};
    struct region_measuring measuring = {
        .queries = queries, .count = count, .answers = answers, .failed = failed};
    assert(count > 0);
    memset(answers, 0, count * sizeof *answers);
    *failed = UINT32_MAX;
    enum status status = processes->rank == 0 ? trace_peek(path, &size, error) : STATUS_OK;
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    processes_broadcast(processes, &size, sizeof size);
    measuring.sums = calloc(count, sizeof *measuring.sums);
    status = processes_agree_memory(processes, measuring.sums, "measured regions", error);
    for (uint32_t q = 0; q < count && status == STATUS_OK; q++)
        measuring.sums[q].all = queries[q].all;
    if (status == STATUS_OK)
        status = size.whole ? measure_whole(path, processes, &measuring, error)
                            : measure_slices(path, events, processes, &measuring, error);
    for (uint32_t q = 0; q < count && measuring.sums; q++)
        free(measuring.sums[q].lengths.items);
    free(measuring.sums);
    free(measuring.entered);
    for (uint32_t q = 0; q < count && status != STATUS_OK; q++) {
        free(answers[q].lengths);
        answers[q].lengths = NULL;
    }
    return status;
}
