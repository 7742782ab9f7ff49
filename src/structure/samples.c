#include "structure/samples.h"

#include "structure/align.h"
#include "structure/medoid.h"
#include "structure/strata.h"

#include <assert.h>
#include <stdlib.h>

/* A kind with this part of the iterations may stand for all of them. */
static const double MAIN_PART = 0.25;

struct sampler {
    const struct trace *trace;
    const struct iterations *iterations;
    const struct sample_options *options;
    const struct stretch *stretch; /* its samples are chosen */
    struct error *error;
};

/* Marks the iterations from <= i < to that may represent these: those that are not perturbed, of
 * the kind with the largest product of iterations and time among the kinds that have a part of the
 * iterations; of any kind if each has few. All if all are perturbed. `kinds` has room for all
 * kinds. */
static void mark_eligible(const struct stretch *stretch, size_t from, size_t to,
                          struct kind_sum *kinds, bool *eligible)
{
    const struct kind_sum *best = NULL;
    bool any = false;
    stretch_sum_kinds(stretch, from, to, false, kinds);
    for (uint32_t k = 0; k < stretch->kind_count; k++) {
        const struct kind_sum *kind = &kinds[k];
        const double product = (double)kind->count * kind->ticks;
        if ((double)kind->count >= MAIN_PART * (double)(to - from) && product > 0 &&
            (!best || product > (double)best->count * best->ticks))
            best = kind;
    }
    for (size_t i = from; i < to; i++)
        any |= eligible[i] = !stretch->perturbed[i] && (!best || best == &kinds[stretch->kinds[i]]);
    for (size_t i = from; i < to && !any; i++)
        eligible[i] = true;
}

/* Marks the iterations that may represent those of a sample of a stratum: those that are not
 * perturbed, if there are any. */
static void mark_stratum(const struct stretch *stretch, const struct stretch_sample *sample,
                         bool *eligible)
{
    bool any = false;
    for (size_t i = sample->from; i < sample->to; i++)
        any |= eligible[i] =
            stretch_sample_represents(stretch, sample, i) && !stretch->perturbed[i];
    for (size_t i = sample->from; i < sample->to && !any; i++)
        eligible[i] = stretch_sample_represents(stretch, sample, i);
}

/* Collective. Sets `*number` to the iteration that represents those of the sample. */
static enum status find_representative(const struct sampler *sampler,
                                       const struct stretch_sample *sample, size_t *number)
{
    const struct stretch *stretch = sampler->stretch;
    bool *eligible = malloc(stretch->iterations * sizeof *eligible);
    struct kind_sum *kinds = malloc(((size_t)stretch->kind_count + 1) * sizeof *kinds);
    enum status status = processes_agree_memory(sampler->trace->processes, eligible && kinds,
                                                "the structure of a trace", sampler->error);
    if (status == STATUS_OK) {
        if (stretch->strata)
            mark_stratum(stretch, sample, eligible);
        else
            mark_eligible(stretch, sample->from, sample->to, kinds, eligible);
        status = medoid_find(sampler->trace, sampler->iterations, sample->from, sample->to,
                             eligible, number, sampler->error);
    }
    free(eligible);
    free(kinds);
    return status;
}

/* Computation of owned rank s in the iterations that the sample represents, in ticks. */
static uint64_t represented_computation(const struct sampler *sampler,
                                        const struct stretch_sample *sample, uint32_t s)
{
    const struct stream *stream = &sampler->trace->streams[s];
    const uint64_t *bounds = iterations_of(sampler->iterations, s);
    uint64_t sum = 0;
    for (size_t i = sample->from; i < sample->to; i++)
        if (stretch_sample_represents(sampler->stretch, sample, i))
            sum += stream_computation(sampler->trace, stream, bounds[i], bounds[i + 1]);
    return sum;
}

/* Whether the representative iteration of the stretch is that of the sample. */
static bool is_of_stretch(const struct stretch *stretch, const struct stretch_sample *sample)
{
    return sample->to - sample->from == stretch->iterations && sample->stratum == 0;
}

/* Collective. Chooses the representative iterations of one sample and finds their times. */
static enum status choose_sample(const struct sampler *sampler, struct stretch_sample *sample)
{
    const struct trace *trace = sampler->trace;
    const struct stretch *stretch = sampler->stretch;
    assert(sample->from < sample->to && sampler->options->together > 0);
    size_t n = sample->to - sample->from;
    size_t together = sampler->options->together < n ? sampler->options->together : n;
    sample->own = malloc(((size_t)trace->owned_count + 1) * sizeof *sample->own);
    enum status status = processes_agree_memory(trace->processes, sample->own != NULL,
                                                "the structure of a trace", sampler->error);
    if (status == STATUS_OK && is_of_stretch(stretch, sample))
        sample->first = stretch->representative;
    else if (status == STATUS_OK)
        status = find_representative(sampler, sample, &sample->first);
    if (status != STATUS_OK)
        return status;
    if (sample->first > sample->to - together)
        sample->first = sample->to - together;
    sample->count = together;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint64_t *bounds = iterations_of(sampler->iterations, s);
        sample->own[s] = (struct stretch_part){
            .cut = {bounds[sample->first], bounds[sample->first + together]},
            .all = {bounds[sample->from], bounds[sample->to]},
            .computation =
                sampler->options->cuts ? represented_computation(sampler, sample, s) : 0};
    }
    return trace->matched ? sample_align(trace, sampler->iterations, sample, sampler->error)
                          : STATUS_OK;
}

/* Collective. Chooses the sample of a part of the stretch, or one for each stratum. `part`: what
 * all of them have in common. */
static enum status choose_part_samples(const struct sampler *sampler, uint32_t strata,
                                       struct stretch_sample part, struct stretch *stretch)
{
    enum status status = STATUS_OK;
    for (uint32_t k = 0; k < strata && status == STATUS_OK; k++) {
        bool any = false;
        part.stratum = k;
        for (size_t i = part.from; i < part.to && !any; i++)
            any = stretch_sample_represents(stretch, &part, i);
        if (!any)
            continue;
        struct stretch_sample *sample = &stretch->samples[stretch->sample_count++];
        *sample = part;
        status = choose_sample(sampler, sample);
    }
    return status;
}

/* Divides the stretch into strata if its samples are to represent them. Returns how many there are;
 * 0 if out of memory. */
static uint32_t choose_strata(const struct sample_options *options, struct stretch *stretch)
{
    if (!options->cuts || options->together > 1)
        return 1;
    uint32_t *strata = malloc(stretch->iterations * sizeof *strata);
    const uint32_t count = strata ? strata_find(stretch, strata) : 0;
    if (count > 1)
        stretch->strata = strata;
    else
        free(strata);
    return count;
}

enum status samples_choose(const struct trace *trace, const struct iterations *iterations,
                           const struct sample_options *options, struct stretch *stretch,
                           struct error *error)
{
    const struct sampler sampler = {trace, iterations, options, stretch, error};
    const size_t n = stretch->iterations, parts = options->parts < n ? options->parts : n;
    const struct stretch_sample all = {.from = 0, .to = n};
    enum status status = find_representative(&sampler, &all, &stretch->representative);
    if (status != STATUS_OK)
        return status;
    const uint32_t strata = choose_strata(options, stretch);
    stretch->samples = calloc(parts * strata + 1, sizeof *stretch->samples);
    status = processes_agree_memory(trace->processes, strata > 0 && stretch->samples,
                                    "the structure of a trace", error);
    for (size_t i = 0; i < parts && status == STATUS_OK; i++)
        status = choose_part_samples(
            &sampler, strata,
            (struct stretch_sample){.from = i * n / parts, .to = (i + 1) * n / parts}, stretch);
    return status;
}
