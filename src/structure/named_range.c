#include "structure/named_range.h"

#include "base/sort.h"
#include "structure/metrics.h"
#include "trace/calls/regions.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads "1.5s"; returns the rest of the text, NULL if it does not begin with a time. */
static const char *read_time(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}, {"", 1}};
    char digits[32];
    size_t length = 0;
    /* not by strtod alone, which would take the first dot of ".." */
    while (length < sizeof digits - 1 && text[length] && strchr("0123456789.", text[length]) &&
           strncmp(text + length, "..", 2) != 0)
        length++;
    if (length == 0)
        return NULL;
    memcpy(digits, text, length);
    digits[length] = '\0';
    char *end;
    *seconds = strtod(digits, &end);
    if (*end || end == digits)
        return NULL;
    size_t unit = 0;
    while (strncmp(text + length, units[unit].name, strlen(units[unit].name)) != 0)
        unit++;
    *seconds *= units[unit].factor;
    return text + length + strlen(units[unit].name);
}

/* False if the text is not "TIME..TIME". */
static bool read_times(const char *text, double *begin_s, double *end_s)
{
    const char *rest = read_time(text, begin_s);
    if (!rest || strncmp(rest, "..", 2) != 0)
        return false;
    rest = read_time(rest + 2, end_s);
    return rest && !*rest;
}

static enum status find_time_range(const struct trace *trace, const char *text, double begin_s,
                                   double end_s, struct cut_range *ranges,
                                   struct cut_weight *weight, struct error *error)
{
    double second = (double)trace->definitions->ticks_per_second;
    if (begin_s >= end_s || begin_s >= weight->whole_s)
        return error_set(error, STATUS_INPUT,
                         "--range %s: the trace lasts from 0 to %.9g s; a range is, for example, "
                         "%.3gs..%.3gs",
                         text, weight->whole_s, 0.25 * weight->whole_s, 0.5 * weight->whole_s);
    uint64_t begin = trace->begin + (uint64_t)(begin_s * second);
    uint64_t end =
        end_s >= weight->whole_s ? trace->end : trace->begin + (uint64_t)(end_s * second);
    uint64_t length = end - begin;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        ranges[rank] = (struct cut_range){begin, end == trace->end ? end + 1 : end};
    cut_weight_set_periods(weight, trace, &length, 1);
    weight->total_s = weight->periods_s[0];
    weight->iterations = weight->count = 1;
    return STATUS_OK;
}

struct named_visits {
    const struct trace *trace;
    const char *text; /* as the user wrote it */
    char *name;       /* the same without the number */
    bool *meant;      /* [call path]: it has the name */
    size_t wanted;    /* the number of the visit to cut, from 1 */
    uint64_t *ends;   /* [2 * count]: begin and end of each visit on one rank */
    size_t count;
};

/* Splits "solve#3" into "solve" and 3. False if no number follows the last #. */
static bool split_name(char *name, size_t *wanted)
{
    char *mark = strrchr(name, '#'), *end;
    *wanted = 1;
    if (!mark)
        return true;
    long number = strtol(mark + 1, &end, 10);
    if (*end || end == mark + 1 || number < 1)
        return false;
    *mark = '\0';
    *wanted = (size_t)number;
    return true;
}

/* Longer call paths cannot be named. */
enum { NAME_SIZE = 4096 };

/* Marks the call paths with that name, or with a region of that name. False if there are none. */
static bool mark_named_paths(struct named_visits *visits, const char *name)
{
    const struct trace *trace = visits->trace;
    bool found = false;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        char text[NAME_SIZE], plain[NAME_SIZE];
        uint32_t region = trace->calltree.paths.items[path].region;
        callpath_format(&trace->calltree, trace->definitions, path, text, sizeof text);
        callpath_plain_format(&trace->calltree, trace->definitions, path, plain, sizeof plain);
        visits->meant[path] = region_is_named(&trace->definitions->regions[region], name) ||
                              strcmp(text, name) == 0 || strcmp(plain, name) == 0;
        found |= visits->meant[path];
    }
    return found;
}

/* Finds the visits of one rank; those inside of another one are part of it. `ends` has room. */
static void find_visits(struct named_visits *visits, const struct stream *stream)
{
    visits->count = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (!event_opens(stream->kind[row]) || !visits->meant[stream->arg[row]])
            continue;
        uint32_t leave = region_leave(stream, row);
        visits->ends[2 * visits->count] = stream->time[row];
        visits->ends[2 * visits->count++ + 1] = stream->time[leave];
        row = leave;
    }
}

/* Sums over the ranks: ticks in visits, ranks and visits; and, of the lowest rank with the wanted
 * visit, the lengths of its visits or their quantiles. */
struct visit_sums {
    int64_t ticks, ranks, most;
    int64_t lowest; /* the rank */
    int64_t lengths[CUT_PERIODS_MAX], length_count;
};

/* Takes one rank's visits, whose ends become their lengths. */
static void take_visits(struct named_visits *visits, const struct stream *stream,
                        struct cut_range *range, int64_t *computation, struct visit_sums *sums)
{
    assert(visits->wanted > 0);
    if (visits->count < visits->wanted)
        return;
    const uint64_t *own = visits->ends + 2 * (visits->wanted - 1);
    *range = (struct cut_range){own[0], own[1]};
    for (size_t i = 0; i < visits->count; i++) {
        uint64_t begin = visits->ends[2 * i], end = visits->ends[2 * i + 1];
        *computation += (int64_t)stream_computation(visits->trace, stream, begin, end);
        sums->ticks += (int64_t)(end - begin);
        visits->ends[i] = end - begin;
    }
    *computation /= (int64_t)visits->count;
    sums->ranks++;
    if ((int64_t)visits->count > sums->most)
        sums->most = (int64_t)visits->count;
    if (sums->length_count > 0)
        return;
    qsort(visits->ends, visits->count, sizeof *visits->ends, order_uint64);
    sums->lowest = stream->rank;
    sums->length_count = visits->count < CUT_PERIODS_MAX ? (int64_t)visits->count : CUT_PERIODS_MAX;
    for (int64_t i = 0; i < sums->length_count; i++)
        sums->lengths[i] =
            (int64_t)visits->ends[visits->count <= CUT_PERIODS_MAX
                                      ? (size_t)i
                                      : (size_t)i * (visits->count - 1) / (CUT_PERIODS_MAX - 1)];
}

/* Collective. Unites the results of the processes. `computation` is [rank]. */
static void unite_visits(const struct trace *trace, struct cut_range *ranges, int64_t *computation,
                         struct visit_sums *sums)
{
    int64_t lowest = sums->length_count > 0 ? sums->lowest : INT64_MAX, own = lowest;
    processes_min(trace->processes, &lowest, 1);
    if (own != lowest) {
        sums->length_count = 0;
        memset(sums->lengths, 0, sizeof sums->lengths);
    }
    processes_sum(trace->processes, &sums->ticks, 1);
    processes_sum(trace->processes, &sums->ranks, 1);
    processes_max(trace->processes, &sums->most, 1);
    processes_max(trace->processes, &sums->length_count, 1);
    processes_max(trace->processes, sums->lengths, CUT_PERIODS_MAX);
    processes_sum(trace->processes, computation, trace->rank_count);
    processes_sum(trace->processes, (int64_t *)ranges, 2 * (size_t)trace->rank_count);
}

static size_t most_rows(const struct trace *trace)
{
    size_t most = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        most = trace->streams[s].count > most ? trace->streams[s].count : most;
    return most;
}

static enum status find_region_range(struct named_visits *visits, int64_t *computation,
                                     struct cut_range *ranges, struct cut_weight *weight,
                                     struct error *error)
{
    const struct trace *trace = visits->trace;
    struct visit_sums sums = {0};
    if (!split_name(visits->name, &visits->wanted))
        return error_set(error, STATUS_INPUT,
                         "--range %s: the number of a visit, from 1, must follow the #",
                         visits->text);
    if (!mark_named_paths(visits, visits->name))
        return error_set(error, STATUS_INPUT,
                         "--range %s: the trace has no region and no call path %s; a range is "
                         "TIME..TIME, REGION or REGION#VISIT",
                         visits->text, visits->name);
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        uint32_t rank = trace->first_rank + s;
        find_visits(visits, &trace->streams[s]);
        take_visits(visits, &trace->streams[s], &ranges[rank], &computation[rank], &sums);
    }
    unite_visits(trace, ranges, computation, &sums);
    if (sums.ranks == 0)
        return error_set(error, STATUS_INPUT, "--range %s: no rank visits %s %zu times",
                         visits->text, visits->name, visits->wanted);
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        weight->computation_s[rank] = trace_seconds(trace, (double)computation[rank]);
    cut_weight_set_periods(weight, trace, (uint64_t *)sums.lengths, (size_t)sums.length_count);
    weight->total_s = trace_seconds(trace, (double)sums.ticks / (double)sums.ranks);
    weight->iterations = (size_t)sums.most;
    weight->count = 1;
    weight->first = visits->wanted - 1;
    return STATUS_OK;
}

enum status named_range_find(const struct trace *trace, const char *text, struct cut_range *ranges,
                             struct cut_weight *weight, struct error *error)
{
    double begin_s, end_s;
    memset(weight, 0, sizeof *weight);
    weight->whole_s = trace_seconds(trace, (double)(trace->end - trace->begin));
    if (read_times(text, &begin_s, &end_s))
        return find_time_range(trace, text, begin_s, end_s, ranges, weight, error);
    struct named_visits visits = {.trace = trace,
                                  .text = text,
                                  .name = strdup(text),
                                  .meant =
                                      calloc(trace->calltree.paths.count + 1, sizeof *visits.meant),
                                  .ends = malloc((2 * most_rows(trace) + 1) * sizeof *visits.ends)};
    int64_t *computation = calloc((size_t)trace->rank_count + 1, sizeof *computation);
    weight->computation_s = calloc((size_t)trace->rank_count + 1, sizeof *weight->computation_s);
    bool allocated =
        visits.meant && visits.ends && visits.name && computation && weight->computation_s;
    enum status status = processes_agree_memory(trace->processes, allocated, "a range", error);
    if (status == STATUS_OK)
        status = find_region_range(&visits, computation, ranges, weight, error);
    if (status != STATUS_OK)
        cut_weight_clear(weight);
    free(visits.meant);
    free(visits.ends);
    free(visits.name);
    free(computation);
    return status;
}
