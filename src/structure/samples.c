#include "structure/samples.h"

#include "structure/align.h"
#include "structure/medoid.h"

#include <assert.h>
#include <stdlib.h>

/* A kind with this part of the iterations may stand for them. */
static const double MAIN_PART = 0.25;

struct sampler {
    const struct trace *trace;
    const struct iterations *iterations;
    const struct sample_options *options;
    const struct stretch *stretch;
    struct error *error;
};

/* Iterations of a kind that are not perturbed. */
struct kind_part {
    size_t count;
    double time; /* ticks */
};

/* Marks the iterations from <= i < to that may represent these: those that are not perturbed, of
 * the kind with the largest product of iterations and time among the kinds that have a part of the
 * iterations; of any kind if each has few. All if all are perturbed. `kinds` is all 0. */
static void mark_eligible(const struct stretch *stretch, size_t from, size_t to,
                          struct kind_part *kinds, bool *eligible)
{
    const struct kind_part *best = NULL;
    bool any = false;
    for (size_t i = from; i < to; i++) {
        struct kind_part *kind = &kinds[stretch->kinds[i]];
        kind->count += !stretch->perturbed[i];
        kind->time +=
            stretch->perturbed[i] ? 0 : (double)(stretch->bounds[i + 1] - stretch->bounds[i]);
    }
    for (uint32_t k = 0; k < stretch->kind_count; k++) {
        const struct kind_part *kind = &kinds[k];
        const double product = (double)kind->count * kind->time;
        if ((double)kind->count >= MAIN_PART * (double)(to - from) && product > 0 &&
            (!best || product > (double)best->count * best->time))
            best = kind;
    }
    for (size_t i = from; i < to; i++)
        any |= eligible[i] = !stretch->perturbed[i] && (!best || best == &kinds[stretch->kinds[i]]);
    for (size_t i = from; i < to && !any; i++)
        eligible[i] = true;
}

/* Collective. Sets `*number` to the iteration that represents those from <= i < to. */
static enum status find_representative(const struct sampler *sampler, size_t from, size_t to,
                                       size_t *number)
{
    const struct stretch *stretch = sampler->stretch;
    bool *eligible = malloc(stretch->iterations * sizeof *eligible);
    struct kind_part *kinds = calloc((size_t)stretch->kind_count + 1, sizeof *kinds);
    enum status status = processes_agree_memory(sampler->trace->processes, eligible && kinds,
                                                "the structure of a trace", sampler->error);
    if (status == STATUS_OK) {
        mark_eligible(stretch, from, to, kinds, eligible);
        status = medoid_find(sampler->trace, sampler->iterations, from, to, eligible, number,
                             sampler->error);
    }
    free(eligible);
    free(kinds);
    return status;
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
    if (status == STATUS_OK && n == stretch->iterations)
        sample->first = stretch->representative;
    else if (status == STATUS_OK)
        status = find_representative(sampler, sample->from, sample->to, &sample->first);
    if (status != STATUS_OK)
        return status;
    if (sample->first > sample->to - together)
        sample->first = sample->to - together;
    sample->count = together;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint64_t *bounds = iterations_of(sampler->iterations, s);
        sample->own[s] =
            (struct stretch_part){{bounds[sample->first], bounds[sample->first + together]},
                                  {bounds[sample->from], bounds[sample->to]}};
    }
    return trace->matched ? sample_align(trace, sampler->iterations, sample, sampler->error)
                          : STATUS_OK;
}

enum status samples_choose(const struct trace *trace, const struct iterations *iterations,
                           const struct sample_options *options, struct stretch *stretch,
                           struct error *error)
{
    const struct sampler sampler = {trace, iterations, options, stretch, error};
    size_t n = stretch->iterations, count = options->parts < n ? options->parts : n;
    stretch->samples = calloc(count, sizeof *stretch->samples);
    enum status status = processes_agree_memory(trace->processes, stretch->samples != NULL,
                                                "the structure of a trace", error);
    if (status == STATUS_OK)
        status = find_representative(&sampler, 0, n, &stretch->representative);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct stretch_sample *sample = &stretch->samples[stretch->sample_count++];
        sample->from = i * n / count;
        sample->to = (i + 1) * n / count;
        status = choose_sample(&sampler, sample);
    }
    return status;
}
