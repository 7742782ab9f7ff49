#include "results/efficiency/recording.h"

#include "base/log.h"
#include "base/names.h"
#include "report/json/pop.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The useful time of all threads, seconds. */
static double useful_of(const struct pop *pop)
{
    const struct pop_factors *run = &pop->rows[0].factors;
    return run->parallel * run->time_s * pop->thread_count;
}

static int compare_with_reference(const void *a, const void *b)
{
    const struct pop_recording *one = a, *other = b;
    const uint32_t threads = one->pop->thread_count, others = other->pop->thread_count;
    if (threads != others)
        return threads < others ? -1 : 1;
    return (one->place > other->place) - (one->place < other->place);
}

/* With strong scaling the computation stays the same from the first to the last recording; with
 * weak scaling it grows as the number of threads does. */
static void doubt_scaling(const struct pop_recordings *recordings, bool chosen)
{
    const struct pop *first = recordings->items[0].pop,
                     *last = recordings->items[recordings->count - 1].pop;
    const double growth = useful_of(last) / useful_of(first),
                 threads = (double)last->thread_count / first->thread_count;
    const bool looks_weak = growth > sqrt(threads),
               only_ranks = first->thread_count == first->rank_count &&
                            last->thread_count == last->rank_count;
    if (!isfinite(growth) || looks_weak == (recordings->scaling == SCALING_WEAK))
        return;
    log_warning("%s scaling is %s, but the computation of all ranks together grows by a factor of "
                "%.3g with %.3g times as many %s: try --scaling %s",
                recordings->scaling == SCALING_WEAK ? "weak" : "strong",
                chosen ? "asked for" : "the default", growth, threads,
                only_ranks ? "ranks" : "threads", looks_weak ? "weak" : "strong");
}

static struct pop_scaling scaled_to(const struct pop_recording *recording,
                                    const struct pop_recording *reference, enum scaling scaling)
{
    const struct pop_factors *run = &recording->pop->rows[0].factors;
    const double more = (double)recording->pop->thread_count / reference->pop->thread_count;
    struct pop_scaling scaled = {
        .computation = useful_of(reference->pop) / useful_of(recording->pop) *
                       (scaling == SCALING_WEAK ? more : 1),
        .speedup = reference->pop->rows[0].factors.time_s / run->time_s,
    };
    scaled.global = run->parallel * scaled.computation;
    return scaled;
}

void recordings_scale(struct pop_recordings *recordings, enum scaling wanted)
{
    assert(recordings->count >= 1);
    struct pop_recording *items = recordings->items;
    for (size_t i = 0; i < recordings->count; i++)
        items[i].place = i;
    qsort(items, recordings->count, sizeof *items, compare_with_reference);
    const bool same = items[0].pop->thread_count == items[recordings->count - 1].pop->thread_count;
    recordings->scaling = same                     ? SCALING_NONE
                          : wanted == SCALING_WEAK ? SCALING_WEAK
                                                   : SCALING_STRONG;
    for (size_t i = 0; i < recordings->count; i++)
        items[i].scaled = same ? (struct pop_scaling){NAN, NAN, NAN}
                               : scaled_to(&items[i], &items[0], recordings->scaling);
    if (!same)
        doubt_scaling(recordings, wanted != SCALING_NONE);
}

bool recording_is_file(const char *path, char *file)
{
    struct stat about;
    if (snprintf(file, PATH_MAX, "%s/report.json", path) < PATH_MAX && stat(file, &about) == 0)
        return true;
    snprintf(file, PATH_MAX, "%s", path);
    return name_ends_with(path, ".json");
}

/* The efficiencies in a document; NULL if it has none. `*count`: of silas-pop's recordings. */
static json_t *pop_in_document(json_t *root, size_t *count)
{
    json_t *pop = json_object_get(root, "pop"), *recordings = json_object_get(root, "recordings");
    *count = 1;
    if (json_is_array(recordings)) {
        *count = json_array_size(recordings);
        return json_object_get(json_array_get(recordings, 0), "pop");
    }
    json_t *after = json_object_get(pop, "after");
    return after ? after : pop;
}

enum status recording_read(const char *file, struct arena *arena, const struct pop **pop,
                           struct error *error)
{
    json_t *root;
    size_t count;
    *pop = NULL;
    enum status status = json_read_file(file, "a JSON file of SILAS", &root, error);
    if (status != STATUS_OK)
        return status;
    json_t *object = pop_in_document(root, &count);
    enum json_pop_outcome outcome = JSON_POP_BAD;
    if (count != 1)
        status =
            error_set(error, STATUS_INPUT,
                      "%s has %zu recordings; name files with one, or the traces", file, count);
    else
        outcome = json_pop_read(object, arena, pop);
    if (status == STATUS_OK && outcome == JSON_POP_NO_MEMORY)
        status = error_memory(error, file);
    else if (status == STATUS_OK && outcome == JSON_POP_BAD)
        status = error_set(error, STATUS_INPUT,
                           "%s has no POP efficiencies (\"pop\" with time_s, parallel_efficiency, "
                           "ranks, threads): name a trace, report.json of silas-replay or "
                           "silas-model, or what -f json of silas-analyze or silas-pop writes",
                           file);
    json_decref(root);
    return status;
}
