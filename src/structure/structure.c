#include "structure/structure.h"

#include "base/names.h"
#include "base/progress.h"
#include "structure/groups.h"
#include "structure/iterations.h"
#include "structure/periods.h"
#include "structure/samples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 1 << 15, /* of a signal, and of coarser ones, down to */
    FEWEST_SAMPLES = 1 << 7,
    FEW_EVENTS = 16,   /* of a rank: too few to search */
    USEFUL_PART = 100, /* stretches shorter than 1 / USEFUL_PART of the period around them are not
                          searched, and iterations not shown */
    DEEPEST = 16,      /* levels, if the user sets no limit */
};

/* Iterations with this part of all calls are shown, however short they are. */
static const double MOST_CALLS = 0.5;

struct structure_finder {
    const struct trace *trace;
    struct signal_choice choice; /* if the user names a signal */
    struct counter counter;      /* if that is a counter */
    uint64_t shortest;           /* ticks */
    uint64_t level;              /* length of the period or trace that is being searched, ticks */
    int levels;
    struct sample_options sampling;
    double period;  /* see structure_options, for the first search; 0: none */
    bool by_calls;  /* not by the signal */
    float *samples; /* [SAMPLES] */
    struct error *error;
};

typedef ARRAY(struct stretch) stretch_list;

static void clear_stretch(struct stretch *stretch)
{
    for (size_t i = 0; i < stretch->child_count; i++)
        clear_stretch(&stretch->children[i]);
    free(stretch->children);
    free(stretch->bounds);
    free(stretch->kinds);
    free(stretch->flushed);
    free(stretch->perturbed);
    free(stretch->strata);
    for (size_t i = 0; i < stretch->sample_count; i++)
        free(stretch->samples[i].own);
    free(stretch->samples);
}

void structure_destroy(struct stretch *whole)
{
    if (whole)
        clear_stretch(whole);
    free(whole);
}

static void clear_stretches(stretch_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        clear_stretch(&list->items[i]);
    free(list->items);
    memset(list, 0, sizeof *list);
}

/* A part of the trace that is searched. */
struct search_part {
    uint64_t begin, end;
    struct cut_range *own; /* [owned rank]: the same for each rank */
};

/* Collective: whether some rank has more than a few events there. The values of counters are not
 * among them. */
static bool is_worth_searching(const struct structure_finder *finder,
                               const struct search_part *part)
{
    int64_t most = 0;
    for (uint32_t s = 0; s < finder->trace->owned_count; s++) {
        const struct stream *stream = &finder->trace->streams[s];
        int64_t count = (int64_t)stream_row_at(stream, part->own[s].end) -
                        (int64_t)stream_row_at(stream, part->own[s].begin);
        most = count > most ? count : most;
    }
    processes_max(finder->trace->processes, &most, 1);
    const uint64_t length = part->end - part->begin;
    const bool enough = most >= FEW_EVENTS || finder->choice.kind == SIGNAL_COUNTER;
    return enough && length >= 2 * finder->shortest && length * USEFUL_PART >= finder->level;
}

static double iterations_length(const struct iterations *iterations)
{
    return iterations->count == 0
               ? 0
               : (double)(iterations->begin[iterations->count] - iterations->begin[0]);
}

/* Collective. Searches for a period of a signal in `count` samples: for calls whose iterations are
 * as long, or else takes the period as iterations. */
static enum status find_by_signal(struct structure_finder *finder, const struct search_part *part,
                                  const struct signal_choice *choice, size_t count,
                                  struct iterations *iterations, double *quality)
{
    const struct trace *trace = finder->trace;
    struct signal_period period = {0};
    double width = (double)(part->end - part->begin) / (double)count;
    enum status status =
        signal_sample(trace, choice, part->begin, part->end, finder->samples, count, finder->error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes,
                                 signal_find_period(finder->samples, count, &period, finder->error),
                                 finder->error);
    if (status != STATUS_OK || period.length <= 0 ||
        period.length * width < (double)finder->shortest)
        return status;
    *quality = period.quality;
    status = iterations_find(trace, part->own, width * period.length, iterations, finder->error);
    if (status != STATUS_OK || iterations->count > 0)
        return status;
    return iterations_by_time(trace, part->begin + (uint64_t)(width * (double)period.begin),
                              part->begin + (uint64_t)(width * (double)period.end),
                              width * period.length, iterations, finder->error);
}

/* Collective. Searches a part for iterations. `iterations->count` is 0 if there are none. */
static enum status find_iterations(struct structure_finder *finder, const struct search_part *part,
                                   struct iterations *iterations, const char **signal,
                                   double *quality)
{
    memset(iterations, 0, sizeof *iterations);
    *signal = "calls";
    *quality = 1;
    enum status status = STATUS_OK;
    if (finder->by_calls && finder->period > 0) {
        status =
            iterations_find(finder->trace, part->own, finder->period, iterations, finder->error);
        finder->period = 0;
        if (status != STATUS_OK || iterations->count > 0)
            return status;
    }
    if (finder->by_calls)
        return iterations_find(finder->trace, part->own, 0, iterations, finder->error);
    const uint64_t length = part->end - part->begin;
    *signal = signal_name(&finder->choice);
    for (size_t samples = SAMPLES;
         samples >= FEWEST_SAMPLES && status == STATUS_OK && iterations->count == 0; samples /= 4)
        status = find_by_signal(finder, part, &finder->choice,
                                length < samples ? (size_t)length : samples, iterations, quality);
    return status;
}

static enum status find_level(struct structure_finder *finder, const struct search_part *part,
                              int level, stretch_list *list);

static bool add_plain(stretch_list *list, uint64_t begin, uint64_t end, bool flushing)
{
    struct stretch plain = {
        .begin = begin, .end = end, .iterations = 1, .path = CALLPATH_NONE, .flushing = flushing};
    return begin >= end || array_push(list, plain);
}

/* Collective. Searches the part from `from` up to `to` of each rank: the boundaries of iterations,
 * or those of `whole` if SIZE_MAX. */
static enum status find_inside(struct structure_finder *finder, const struct search_part *whole,
                               const struct iterations *iterations, size_t from, size_t to,
                               int level, stretch_list *list)
{
    const struct trace *trace = finder->trace;
    struct search_part part = {from == SIZE_MAX ? whole->begin : iterations->begin[from],
                               to == SIZE_MAX ? whole->end : iterations->begin[to],
                               malloc(((size_t)trace->owned_count + 1) * sizeof *part.own)};
    enum status status = processes_agree_memory(trace->processes, part.own != NULL,
                                                "the structure of a trace", finder->error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        const uint64_t *bounds = iterations_of(iterations, s);
        part.own[s] = (struct cut_range){from == SIZE_MAX ? whole->own[s].begin : bounds[from],
                                         to == SIZE_MAX ? whole->own[s].end : bounds[to]};
    }
    if (status == STATUS_OK && part.begin < part.end)
        status = find_level(finder, &part, level, list);
    free(part.own);
    return status;
}

/* Collective. The stretches in iteration k. Groups are divided after long iterations. */
static enum status find_in_iteration(struct structure_finder *finder,
                                     const struct search_part *part,
                                     const struct iterations *iterations,
                                     const struct iteration_groups *groups, size_t k, int level,
                                     stretch_list *list)
{
    if (groups->size == 0)
        return find_inside(finder, part, iterations, k, k + 1, level, list);
    const size_t from = groups->first + k * groups->size;
    size_t done = 0;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < groups->size && status == STATUS_OK; i++) {
        if (!groups->ends[i] && i + 1 < groups->size)
            continue;
        status = find_inside(finder, part, &groups->inner, from + done, from + i + 1, level, list);
        done = i + 1;
    }
    return status;
}

/* Collective. Sets flushed[iteration]. */
static enum status find_flushed(const struct structure_finder *finder,
                                const struct iterations *iterations, bool *flushed)
{
    const struct trace *trace = finder->trace;
    const size_t n = iterations->count;
    int64_t *counts = calloc(n, sizeof *counts);
    enum status status = processes_agree_memory(trace->processes, counts != NULL,
                                                "the structure of a trace", finder->error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        const struct stream *stream = &trace->streams[s];
        const uint64_t *bounds = iterations_of(iterations, s);
        if (stream->flush_count == 0)
            continue;
        const uint32_t end = stream_row_at(stream, bounds[n]);
        size_t i = 0;
        for (uint32_t row = stream_row_at(stream, bounds[0]); row < end; row++) {
            if (stream->kind[row] != EVENT_BUFFER_FLUSH)
                continue;
            while (i + 1 < n && bounds[i + 1] <= stream->time[row])
                i++;
            counts[i]++;
        }
    }
    if (status == STATUS_OK)
        processes_max(trace->processes, counts, n);
    for (size_t i = 0; i < n && status == STATUS_OK; i++)
        flushed[i] = counts[i] > 0;
    free(counts);
    return status;
}

/* Collective. Makes a stretch of iterations, with the structure of one of them. */
static enum status add_periodic(struct structure_finder *finder, const struct search_part *part,
                                struct iterations *iterations,
                                const struct iteration_groups *groups, const char *signal,
                                double quality, int level, stretch_list *list)
{
    const struct trace *trace = finder->trace;
    size_t n = iterations->count;
    struct stretch stretch = {.begin = iterations->begin[0],
                              .end = iterations->begin[n],
                              .iterations = n,
                              .bounds = malloc((n + 1) * sizeof *stretch.bounds),
                              .kinds = malloc(n * sizeof *stretch.kinds),
                              .flushed = malloc(n * sizeof *stretch.flushed),
                              .perturbed = malloc(n * sizeof *stretch.perturbed),
                              .kind_count = iterations->kind_count,
                              .path = iterations->path,
                              .calls = iterations->calls,
                              .signal = signal,
                              .quality = quality};
    bool allocated = stretch.bounds && stretch.kinds && stretch.flushed && stretch.perturbed;
    enum status status = processes_agree_memory(trace->processes, allocated,
                                                "the structure of a trace", finder->error)
                             ?: find_flushed(finder, iterations, stretch.flushed);
    if (status == STATUS_OK) {
        memcpy(stretch.bounds, iterations->begin, (n + 1) * sizeof *stretch.bounds);
        memcpy(stretch.kinds, iterations->kinds, n * sizeof *stretch.kinds);
        status = processes_agree_memory(trace->processes, stretch_measure_lengths(&stretch),
                                        "the structure of a trace", finder->error);
    }
    if (status == STATUS_OK)
        status = samples_choose(trace, iterations, &finder->sampling, &stretch, finder->error);
    if (status == STATUS_OK && level + 1 < finder->levels) {
        size_t k = stretch.representative;
        stretch_list children = {0};
        uint64_t outer = finder->level;
        finder->level = stretch_iteration_ticks(&stretch, k);
        status = find_in_iteration(finder, part, iterations, groups, k, level + 1, &children);
        finder->level = outer;
        if (status == STATUS_OK &&
            (children.count > 1 || (children.count == 1 && children.items[0].iterations > 1))) {
            stretch.children = children.items;
            stretch.child_count = children.count;
        } else {
            clear_stretches(&children);
        }
    }
    allocated = status != STATUS_OK || array_push(list, stretch);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, allocated, "the structure of a trace",
                                        finder->error);
    else
        allocated = false;
    if (!allocated)
        clear_stretch(&stretch);
    return status;
}

/* Whether the iterations last long enough to be shown, or are most of what the program does: then
 * the rest of the time is, for example, its start. */
static bool are_useful(const struct structure_finder *finder, const struct search_part *part,
                       int level, const struct iterations *iterations)
{
    const bool is_whole = level == 0 && part->end - part->begin == finder->level;
    return iterations_length(iterations) * USEFUL_PART >= (double)finder->level ||
           (is_whole && iterations->explained >= MOST_CALLS);
}

/* Keeps the iterations' bounds within the part: its ranks may begin and end at other times. */
static void clip_iterations(const struct search_part *part, struct iterations *iterations)
{
    for (size_t i = 0; i <= iterations->count; i++) {
        uint64_t *begin = &iterations->begin[i];
        *begin = *begin < part->begin ? part->begin : *begin > part->end ? part->end : *begin;
    }
}

/* Collective. Appends the stretches of a part. */
static enum status find_level(struct structure_finder *finder, const struct search_part *part,
                              int level, stretch_list *list)
{
    struct iterations iterations = {0};
    struct iteration_groups groups = {0};
    const char *signal = NULL;
    double quality = 1;
    enum status status = STATUS_OK;
    if (is_worth_searching(finder, part))
        status = find_iterations(finder, part, &iterations, &signal, &quality);
    if (iterations.count > 0)
        clip_iterations(part, &iterations);
    if (status == STATUS_OK && iterations.count > 0 && finder->by_calls)
        status =
            iteration_groups_find(finder->trace, part->own, &iterations, &groups, finder->error);
    if (status != STATUS_OK || iterations.count == 0 ||
        !are_useful(finder, part, level, &iterations)) {
        iterations_clear(&iterations);
        iteration_groups_clear(&groups);
        if (status == STATUS_OK)
            status = processes_agree_memory(finder->trace->processes,
                                            add_plain(list, part->begin, part->end, false),
                                            "the structure of a trace", finder->error);
        return status;
    }
    status = find_inside(finder, part, &iterations, SIZE_MAX, 0, level, list);
    if (status == STATUS_OK)
        status = add_periodic(finder, part, &iterations, &groups, signal, quality, level, list);
    if (status == STATUS_OK)
        status = find_inside(finder, part, &iterations, iterations.count, SIZE_MAX, level, list);
    iterations_clear(&iterations);
    iteration_groups_clear(&groups);
    return status;
}

/* Collective. The same for the same time of all ranks. */
static enum status find_in_time(struct structure_finder *finder, uint64_t begin, uint64_t end,
                                stretch_list *list)
{
    const struct trace *trace = finder->trace;
    struct search_part part = {begin, end,
                               malloc(((size_t)trace->owned_count + 1) * sizeof *part.own)};
    enum status status = processes_agree_memory(trace->processes, part.own != NULL,
                                                "the structure of a trace", finder->error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        part.own[s] = (struct cut_range){begin, end};
    if (status == STATUS_OK)
        status = find_level(finder, &part, 0, list);
    free(part.own);
    return status;
}

/* A part of the trace's time in which buffers were flushed, or were not. */
struct flush_part {
    uint64_t begin, end;
    bool flushing;
};

typedef ARRAY(struct flush_part) flush_part_list;

/* Collective. Divides the trace's time by the flushes of all ranks (section 2.1 of the paper). */
static enum status find_flushes(const struct structure_finder *finder, flush_part_list *parts)
{
    const struct trace *trace = finder->trace;
    struct signal_choice flushing = {.kind = SIGNAL_FLUSHING};
    uint64_t length = trace->end - trace->begin, begin = trace->begin;
    size_t count = length < SAMPLES ? (size_t)length : SAMPLES;
    double width = (double)length / (double)count;
    float *signal = malloc(count * sizeof *signal);
    enum status status =
        processes_agree_memory(trace->processes, signal != NULL, "a signal", finder->error);
    if (status == STATUS_OK)
        status =
            signal_sample(trace, &flushing, trace->begin, trace->end, signal, count, finder->error);
    bool allocated = status == STATUS_OK &&
                     signal_close(signal, count, (size_t)((double)finder->shortest / width / 2));
    for (size_t i = 0; i < count && allocated;) {
        const bool perturbed = signal[i] > 0;
        while (i < count && (signal[i] > 0) == perturbed)
            i++;
        const uint64_t end = i == count ? trace->end : trace->begin + (uint64_t)(width * (double)i);
        allocated = array_push(parts, ((struct flush_part){begin, end, perturbed}));
        begin = end;
    }
    free(signal);
    return status ?: processes_agree_memory(trace->processes, allocated, "a signal", finder->error);
}

/* Collective. A signal is searched in each part without flushes. */
static enum status find_between_flushes(struct structure_finder *finder,
                                        const flush_part_list *parts, stretch_list *list)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < parts->count && status == STATUS_OK; i++) {
        const struct flush_part *part = &parts->items[i];
        if (part->flushing)
            status = processes_agree_memory(finder->trace->processes,
                                            add_plain(list, part->begin, part->end, true),
                                            "the structure of a trace", finder->error);
        else
            status = find_in_time(finder, part->begin, part->end, list);
    }
    return status;
}

/* Collective. Calls are the same whether buffers are flushed between them or not: they are searched
 * in the whole trace. Where nothing repeats, the flushes become stretches. */
static enum status find_across_flushes(struct structure_finder *finder,
                                       const flush_part_list *parts, stretch_list *list)
{
    stretch_list found = {0};
    enum status status = find_in_time(finder, finder->trace->begin, finder->trace->end, &found);
    bool allocated = true;
    for (size_t i = 0; i < found.count && allocated && status == STATUS_OK; i++) {
        struct stretch *stretch = &found.items[i];
        if (stretch->bounds) {
            allocated = array_push(list, *stretch);
            if (allocated)
                *stretch = (struct stretch){0};
            continue;
        }
        for (size_t k = 0; k < parts->count && allocated; k++) {
            const uint64_t begin = parts->items[k].begin, end = parts->items[k].end;
            allocated =
                add_plain(list, begin > stretch->begin ? begin : stretch->begin,
                          end < stretch->end ? end : stretch->end, parts->items[k].flushing);
        }
    }
    clear_stretches(&found);
    return status
               ?: processes_agree_memory(finder->trace->processes, allocated,
                                         "the structure of a trace", finder->error);
}

/* Collective. The first level. */
static enum status find_first_level(struct structure_finder *finder, stretch_list *list)
{
    flush_part_list parts = {0};
    enum status status = find_flushes(finder, &parts);
    if (status == STATUS_OK)
        status = finder->by_calls ? find_across_flushes(finder, &parts, list)
                                  : find_between_flushes(finder, &parts, list);
    free(parts.items);
    return status;
}

static enum status measure_metrics(const struct structure_finder *finder, struct stretch *stretch)
{
    const struct trace *trace = finder->trace;
    struct cut_range *ranges = malloc(((size_t)trace->owned_count + 1) * sizeof *ranges);
    enum status status = processes_agree_memory(trace->processes, ranges != NULL,
                                                "the structure of a trace", finder->error);
    for (uint32_t s = 0; status == STATUS_OK && s < trace->owned_count; s++)
        ranges[s] = (struct cut_range){stretch->begin, stretch->end};
    if (status == STATUS_OK)
        part_measure(trace, ranges, stretch->end - stretch->begin, &stretch->metrics);
    free(ranges);
    return status;
}

static enum status measure_shares(const struct structure_finder *finder, struct stretch *stretch)
{
    const enum signal_state kinds[] = {SIGNAL_POINT_TO_POINT, SIGNAL_COLLECTIVE};
    double *const shares[] = {&stretch->point_to_point, &stretch->collective};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 2 && status == STATUS_OK && stretch->begin < stretch->end; i++) {
        float ranks = 0;
        struct signal_choice choice = {.kind = kinds[i]};
        status = signal_sample(finder->trace, &choice, stretch->begin, stretch->end, &ranks, 1,
                               finder->error);
        *shares[i] = (double)ranks / finder->trace->rank_count;
    }
    stretch->mpi = stretch->point_to_point + stretch->collective;
    if (status == STATUS_OK)
        status = measure_metrics(finder, stretch);
    for (size_t i = 0; i < stretch->child_count && status == STATUS_OK; i++)
        status = measure_shares(finder, &stretch->children[i]);
    return status;
}

static enum status no_such_signal(const struct trace *trace, const char *wanted,
                                  struct error *error)
{
    const struct definitions *d = trace->definitions;
    const char **names = malloc((SIGNAL_CALL + (size_t)d->region_count) * sizeof *names);
    size_t count = 0;
    char nearest[256];
    if (!names)
        return error_memory(error, "names");
    for (; count < SIGNAL_CALL; count++)
        names[count] = signal_name(&(struct signal_choice){.kind = (enum signal_state)count});
    for (uint32_t r = 0; r < d->region_count; r++)
        names[count++] = d->regions[r].name;
    names_nearest(wanted, names, count, nearest, sizeof nearest);
    free(names);
    return error_set(
        error, STATUS_INPUT,
        "%s: no region is named %s; a signal is point-to-point, collective, "
        "computation, counter:NAME, a region, or a call path with '/'; the nearest names are %s",
        trace->path, wanted, nearest);
}

/* The signal that the user names. */
static enum status choose_signal(struct structure_finder *finder, const char *name)
{
    const struct trace *trace = finder->trace;
    struct signal_choice *choice = &finder->choice;
    signal_choose(name, choice);
    if (choice->kind == SIGNAL_COUNTER)
        return STATUS_OK;
    if (!signal_has_region(trace, choice))
        return no_such_signal(trace, choice->where, finder->error);
    if (!choice->comm)
        return STATUS_OK;
    if (choice->kind == SIGNAL_COMPUTATION || choice->kind == SIGNAL_FLUSHING ||
        choice->kind == SIGNAL_OWN)
        return error_set(
            finder->error, STATUS_INPUT,
            "%s: a signal on a communicator is point-to-point, collective, a region or "
            "a call path",
            name);
    return signal_has_communicator(trace, choice)
               ? STATUS_OK
               : error_set(finder->error, STATUS_INPUT,
                           "%s: no communicator is named \"%s\"; expected a name, or an index from "
                           "0 to %u",
                           trace->path, choice->comm, trace->definitions->comm_count - 1);
}

static enum status open_finder(struct structure_finder *finder,
                               const struct structure_options *options)
{
    const struct trace *trace = finder->trace;
    uint64_t length = trace->end - trace->begin;
    if (length == 0)
        return error_set(finder->error, STATUS_INPUT, "%s: all events have the same time stamp",
                         trace->path);
    if (options->signal) {
        enum status status = choose_signal(finder, options->signal);
        if (status != STATUS_OK)
            return status;
    }
    double shortest = options->shortest_s * (double)trace->definitions->ticks_per_second;
    finder->shortest = shortest > 0 ? (uint64_t)shortest : length / SAMPLES + 1;
    finder->levels = options->levels > 0 ? options->levels : DEEPEST;
    finder->level = length;
    finder->sampling = (struct sample_options){options->together, options->samples, options->cuts};
    finder->by_calls = !options->signal;
    finder->period = options->period;
    finder->samples = malloc(SAMPLES * sizeof *finder->samples);
    return finder->samples ? STATUS_OK : error_memory(finder->error, "a signal");
}

enum status structure_find(const struct trace *trace, const struct structure_options *options,
                           struct stretch **whole, struct error *error)
{
    struct structure_finder finder = {.trace = trace, .error = error};
    stretch_list list = {0};
    *whole = NULL;
    enum status status = processes_agree(trace->processes, open_finder(&finder, options), error);
    if (status == STATUS_OK && options->signal && finder.choice.kind == SIGNAL_COUNTER)
        status = counter_load(trace, finder.choice.where, &finder.counter, error);
    finder.choice.counter = &finder.counter;
    progress_begin("finding iterations", "", 0);
    if (status == STATUS_OK)
        status = find_first_level(&finder, &list);
    progress_end();
    if (status == STATUS_OK) {
        *whole = calloc(1, sizeof **whole);
        status =
            processes_agree_memory(trace->processes, *whole, "the structure of a trace", error);
    }
    if (status == STATUS_OK) {
        **whole = (struct stretch){.begin = trace->begin,
                                   .end = trace->end,
                                   .iterations = 1,
                                   .path = CALLPATH_NONE,
                                   .children = list.items,
                                   .child_count = list.count};
        memset(&list, 0, sizeof list);
        status = measure_shares(&finder, *whole);
    }
    if (status != STATUS_OK) {
        clear_stretches(&list);
        structure_destroy(*whole);
        *whole = NULL;
    }
    counter_clear(&finder.counter);
    free(finder.samples);
    return status;
}
