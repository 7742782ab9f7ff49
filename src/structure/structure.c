#include "structure/structure.h"

#include "base/names.h"
#include "base/progress.h"
#include "base/sort.h"
#include "structure/align.h"
#include "structure/iterations.h"
#include "structure/medoid.h"
#include "structure/periods.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 1 << 15, /* of a signal, and of coarser ones, down to */
    FEWEST_SAMPLES = 1 << 7,
    CALLS = 1 << 14,   /* of rank 0 whose sequence is searched for its period */
    FEW_EVENTS = 16,   /* of a rank: too few to search */
    USEFUL_PART = 100, /* stretches shorter than 1 / USEFUL_PART of the period around them are not
                          searched */
    DEEPEST = 16,      /* levels, if the user sets no limit */
};

struct structure_finder {
    const struct trace *trace;
    struct signal_choice choices[3]; /* tried one after the other */
    size_t choice_count;
    uint64_t shortest; /* ticks */
    uint64_t level;    /* length of the period or trace that is being searched, ticks */
    int levels;
    size_t together, parts; /* iterations of a cut; cuts of a stretch */
    bool by_calls;          /* before signals are tried */
    float *samples;         /* [SAMPLES] */
    uint32_t *calls;        /* [CALLS] */
    struct error *error;
};

typedef ARRAY(struct stretch) stretch_list;

static void clear_stretch(struct stretch *stretch)
{
    for (size_t i = 0; i < stretch->child_count; i++)
        clear_stretch(&stretch->children[i]);
    free(stretch->children);
    free(stretch->bounds);
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

void stretch_set_lengths(struct stretch *stretch, uint64_t *lengths)
{
    size_t n = stretch->iterations;
    assert(n > 0);
    qsort(lengths, n, sizeof *lengths, order_uint64);
    stretch->period =
        n % 2 ? (double)lengths[n / 2] : ((double)lengths[n / 2 - 1] + (double)lengths[n / 2]) / 2;
    stretch->shortest = (double)lengths[0];
    stretch->longest = (double)lengths[n - 1];
    stretch->lower_quartile = (double)lengths[(n - 1) / 4];
    stretch->upper_quartile = (double)lengths[(3 * n - 2) / 4];
}

static void clear_stretches(stretch_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        clear_stretch(&list->items[i]);
    free(list->items);
    memset(list, 0, sizeof *list);
}

/* Collective: whether some rank has more than a few events there. */
static bool is_worth_searching(const struct structure_finder *finder, uint64_t begin, uint64_t end)
{
    int64_t most = 0;
    for (uint32_t s = 0; s < finder->trace->owned_count; s++) {
        const struct stream *stream = &finder->trace->streams[s];
        int64_t count = (int64_t)stream_row_at(stream, end) - (int64_t)stream_row_at(stream, begin);
        most = count > most ? count : most;
    }
    processes_max(finder->trace->processes, &most, 1);
    return most >= FEW_EVENTS && end - begin >= 2 * finder->shortest &&
           (end - begin) * USEFUL_PART >= finder->level;
}

static double iterations_length(const struct iterations *iterations)
{
    return iterations->count == 0
               ? 0
               : (double)(iterations->begin[iterations->count] - iterations->begin[0]);
}

/* Keeps in `best` the iterations that last longer by a factor of at least `factor`, and clears the
 * others. */
static const double MORE = 1.1;

static void keep_longer(struct iterations *best, struct iterations *other)
{
    if (iterations_length(other) > MORE * iterations_length(best)) {
        struct iterations shorter = *best;
        *best = *other;
        *other = shorter;
    }
    iterations_clear(other);
}

/* Collective. Searches for periods of the calls of rank 0. Keeps the longest iterations in `best`.
 */
static enum status find_by_calls(struct structure_finder *finder, const struct calls *calls,
                                 bool sizes, struct iterations *best)
{
    struct first_call *first = NULL;
    struct signal_period periods[2];
    size_t count, found = 0;
    enum status status = calls_of_first_rank(calls, sizes, CALLS, &first, &count, finder->error);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < count; i++)
            finder->calls[i] = first[i].which;
        found = sequence_find_periods(finder->calls, count, periods);
    }
    for (size_t i = 0; i < found && status == STATUS_OK; i++) {
        const struct signal_period *period = &periods[i];
        struct iterations other;
        uint64_t from = first[period->begin].time;
        uint64_t to = period->end < count ? first[period->end].time : calls->end;
        double ticks = (double)(to - from) * period->length / (double)(period->end - period->begin);
        if (from >= to || ticks < (double)finder->shortest)
            continue;
        status = iterations_find(calls, from, to, ticks, period->length, &other, finder->error);
        keep_longer(best, &other);
    }
    free(first);
    return status;
}

/* Collective. Looks for a period of a signal in `count` samples. */
static enum status find_by_signal(struct structure_finder *finder, const struct calls *calls,
                                  const struct signal_choice *choice, size_t count,
                                  struct iterations *iterations)
{
    const struct trace *trace = finder->trace;
    uint64_t begin = calls->begin, end = calls->end;
    struct signal_period period = {0};
    double width = (double)(end - begin) / (double)count;
    enum status status =
        signal_sample(trace, choice, begin, end, finder->samples, count, finder->error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes,
                                 signal_find_period(finder->samples, count, &period, finder->error),
                                 finder->error);
    if (status != STATUS_OK || period.length <= 0 ||
        period.length * width < (double)finder->shortest)
        return status;
    return iterations_find(calls, begin + (uint64_t)(width * (double)period.begin),
                           begin + (uint64_t)(width * (double)period.end), width * period.length, 0,
                           iterations, finder->error);
}

/* Collective. Searches for iterations between begin and end. `iterations->count` is 0 if there are
 * none. */
static enum status find_iterations(struct structure_finder *finder, uint64_t begin, uint64_t end,
                                   struct iterations *iterations, const char **signal)
{
    struct calls calls;
    memset(iterations, 0, sizeof *iterations);
    enum status status = calls_list(finder->trace, begin, end, &calls, finder->error);
    *signal = "calls";
    for (int sizes = 1; sizes >= 0 && finder->by_calls && status == STATUS_OK; sizes--)
        status = find_by_calls(finder, &calls, sizes, iterations);
    for (size_t i = 0; i < finder->choice_count; i++)
        for (size_t samples = SAMPLES; samples >= FEWEST_SAMPLES; samples /= 4) {
            if (status != STATUS_OK || iterations->count > 0)
                break;
            iterations_clear(iterations);
            *signal = signal_name(&finder->choices[i]);
            status =
                find_by_signal(finder, &calls, &finder->choices[i],
                               end - begin < samples ? (size_t)(end - begin) : samples, iterations);
        }
    calls_clear(&calls);
    return status;
}

static enum status find_level(struct structure_finder *finder, uint64_t begin, uint64_t end,
                              int level, stretch_list *list);

static bool add_plain(stretch_list *list, uint64_t begin, uint64_t end, bool flushing)
{
    struct stretch plain = {
        .begin = begin, .end = end, .iterations = 1, .path = CALLPATH_NONE, .flushing = flushing};
    return begin >= end || array_push(list, plain);
}

/* Collective. Chooses the representative iterations of one sample and finds their times. */
static enum status choose_sample(const struct structure_finder *finder,
                                 const struct iterations *iterations, struct stretch_sample *sample)
{
    const struct trace *trace = finder->trace;
    assert(sample->from < sample->to && finder->together > 0);
    size_t n = sample->to - sample->from;
    size_t together = finder->together < n ? finder->together : n;
    sample->own = malloc(((size_t)trace->owned_count + 1) * sizeof *sample->own);
    enum status status = processes_agree_memory(trace->processes, sample->own != NULL,
                                                "the structure of a trace", finder->error);
    if (status == STATUS_OK)
        status =
            medoid_find(trace, iterations, sample->from, sample->to, &sample->first, finder->error);
    if (status != STATUS_OK)
        return status;
    if (sample->first > sample->to - together)
        sample->first = sample->to - together;
    sample->count = together;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint64_t *bounds = iterations_of(iterations, s);
        sample->own[s] =
            (struct stretch_part){{bounds[sample->first], bounds[sample->first + together]},
                                  {bounds[sample->from], bounds[sample->to]}};
    }
    return trace->matched ? sample_align(trace, iterations, sample, finder->error) : STATUS_OK;
}

/* Collective. */
static enum status choose_samples(const struct structure_finder *finder,
                                  const struct iterations *iterations, struct stretch *stretch)
{
    size_t n = stretch->iterations, count = finder->parts < n ? finder->parts : n;
    stretch->samples = calloc(count, sizeof *stretch->samples);
    enum status status = processes_agree_memory(finder->trace->processes, stretch->samples != NULL,
                                                "the structure of a trace", finder->error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct stretch_sample *sample = &stretch->samples[stretch->sample_count++];
        sample->from = i * n / count;
        sample->to = (i + 1) * n / count;
        status = choose_sample(finder, iterations, sample);
    }
    return status;
}

/* Collective. Makes a stretch of iterations, with the structure of one of them. Takes the
 * boundaries over. */
static enum status add_periodic(struct structure_finder *finder, struct iterations *iterations,
                                const char *signal, int level, stretch_list *list)
{
    const struct trace *trace = finder->trace;
    size_t n = iterations->count;
    struct stretch stretch = {.begin = iterations->begin[0],
                              .end = iterations->begin[n],
                              .iterations = n,
                              .bounds = iterations->begin,
                              .path = iterations->path,
                              .calls = iterations->calls,
                              .signal = signal};
    uint64_t *lengths = malloc(n * sizeof *lengths);
    iterations->begin = NULL;
    enum status status = processes_agree_memory(trace->processes, lengths != NULL,
                                                "the structure of a trace", finder->error);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < n; i++)
            lengths[i] = stretch.bounds[i + 1] - stretch.bounds[i];
        stretch_set_lengths(&stretch, lengths);
        status = medoid_find(trace, iterations, 0, n, &stretch.representative, finder->error);
    }
    if (status == STATUS_OK)
        status = choose_samples(finder, iterations, &stretch);
    if (status == STATUS_OK) {
        size_t k = stretch.representative;
        stretch_list children = {0};
        uint64_t outer = finder->level;
        finder->level = stretch.bounds[k + 1] - stretch.bounds[k];
        if (level + 1 < finder->levels)
            status =
                find_level(finder, stretch.bounds[k], stretch.bounds[k + 1], level + 1, &children);
        finder->level = outer;
        if (status == STATUS_OK && children.count > 1) {
            stretch.children = children.items;
            stretch.child_count = children.count;
        } else if (status == STATUS_OK && children.count == 1 && children.items[0].iterations > 1) {
            stretch.children = children.items;
            stretch.child_count = 1;
        } else {
            clear_stretches(&children);
        }
    }
    free(lengths);
    iterations_clear(iterations);
    bool allocated = status != STATUS_OK || array_push(list, stretch);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, allocated, "the structure of a trace",
                                        finder->error);
    else
        allocated = false;
    if (!allocated)
        clear_stretch(&stretch);
    return status;
}

/* Collective. Appends the stretches between begin and end. */
static enum status find_level(struct structure_finder *finder, uint64_t begin, uint64_t end,
                              int level, stretch_list *list)
{
    struct iterations iterations = {0};
    const char *signal = NULL;
    enum status status = STATUS_OK;
    if (is_worth_searching(finder, begin, end))
        status = find_iterations(finder, begin, end, &iterations, &signal);
    if (status != STATUS_OK ||
        iterations_length(&iterations) * USEFUL_PART < (double)finder->level) {
        iterations_clear(&iterations);
        if (status == STATUS_OK)
            status =
                processes_agree_memory(finder->trace->processes, add_plain(list, begin, end, false),
                                       "the structure of a trace", finder->error);
        return status;
    }
    uint64_t from = iterations.begin[0], to = iterations.begin[iterations.count];
    status = find_level(finder, begin, from, level, list);
    if (status == STATUS_OK)
        status = add_periodic(finder, &iterations, signal, level, list);
    else
        iterations_clear(&iterations);
    if (status == STATUS_OK)
        status = find_level(finder, to, end, level, list);
    return status;
}

/* Collective. The first level: perturbed parts are left out (section 2.1 of the paper). */
static enum status find_unperturbed(struct structure_finder *finder, stretch_list *list)
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
    if (status == STATUS_OK)
        status = processes_agree_memory(
            trace->processes,
            signal_close(signal, count, (size_t)((double)finder->shortest / width / 2)), "a signal",
            finder->error);
    for (size_t i = 0; i < count && status == STATUS_OK;) {
        bool perturbed = signal[i] > 0;
        while (i < count && (signal[i] > 0) == perturbed)
            i++;
        uint64_t end = i == count ? trace->end : trace->begin + (uint64_t)(width * (double)i);
        if (perturbed)
            status = processes_agree_memory(trace->processes, add_plain(list, begin, end, true),
                                            "the structure of a trace", finder->error);
        else
            status = find_level(finder, begin, end, 0, list);
        begin = end;
    }
    free(signal);
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
    const enum signal_kind kinds[] = {SIGNAL_POINT_TO_POINT, SIGNAL_COLLECTIVE};
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
        names[count] = signal_name(&(struct signal_choice){.kind = (enum signal_kind)count});
    for (uint32_t r = 0; r < d->region_count; r++)
        names[count++] = d->regions[r].name;
    names_nearest(wanted, names, count, nearest, sizeof nearest);
    free(names);
    return error_set(error, STATUS_INPUT,
                     "%s: no region is named %s; a signal is point-to-point, collective, "
                     "computation, a region, or a call path with '/'; the nearest names are %s",
                     trace->path, wanted, nearest);
}

/* The signal that the user names. */
static enum status choose_signal(struct structure_finder *finder, const char *name)
{
    const struct trace *trace = finder->trace;
    struct signal_choice *choice = &finder->choices[finder->choice_count++];
    signal_choose(name, choice);
    if (!signal_has_region(trace, choice))
        return no_such_signal(trace, choice->where, finder->error);
    if (!choice->comm)
        return STATUS_OK;
    if (choice->kind == SIGNAL_COMPUTATION || choice->kind == SIGNAL_FLUSHING)
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
    } else {
        const enum signal_kind kinds[] = {SIGNAL_POINT_TO_POINT, SIGNAL_COLLECTIVE,
                                          SIGNAL_COMPUTATION};
        for (; finder->choice_count < 3; finder->choice_count++)
            finder->choices[finder->choice_count].kind = kinds[finder->choice_count];
    }
    double shortest = options->shortest_s * (double)trace->definitions->ticks_per_second;
    finder->shortest = shortest > 0 ? (uint64_t)shortest : length / SAMPLES + 1;
    finder->levels = options->levels > 0 ? options->levels : DEEPEST;
    finder->level = length;
    finder->together = options->together;
    finder->parts = options->samples;
    finder->by_calls = !options->signal;
    finder->samples = malloc(SAMPLES * sizeof *finder->samples);
    finder->calls = malloc(CALLS * sizeof *finder->calls);
    return finder->samples && finder->calls ? STATUS_OK : error_memory(finder->error, "a signal");
}

enum status structure_find(const struct trace *trace, const struct structure_options *options,
                           struct stretch **whole, struct error *error)
{
    struct structure_finder finder = {.trace = trace, .error = error};
    stretch_list list = {0};
    *whole = NULL;
    enum status status = processes_agree(trace->processes, open_finder(&finder, options), error);
    progress_begin("finding iterations", "", 0);
    if (status == STATUS_OK)
        status = find_unperturbed(&finder, &list);
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
    free(finder.samples);
    free(finder.calls);
    return status;
}
