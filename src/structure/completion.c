#include "structure/candidates.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The same if the ties tell the iterations of some ranks. */
static const double TIED_IF_DERIVED = 0.8;

/* Adds the iterations of owned ranks to their loops, which free them, and sets the part of the
 * calls that the candidate explains on the rank where this is least. */
static bool add_derived(struct loop_chooser *chooser, uint32_t **derived,
                        struct candidate *candidate)
{
    for (uint32_t s = 0; s < chooser->calls->trace->owned_count; s++) {
        if (!derived[s])
            continue;
        const struct loop loop = {.iterations = (size_t)candidate->iterations,
                                  .likeness = candidate->likeness,
                                  .begin = derived[s]};
        const struct candidate own = candidate_of_loop(&chooser->calls->ranks[s], &loop);
        if (!array_push(&chooser->loops[s], loop))
            return false;
        derived[s] = NULL;
        candidate->explained = fmin(candidate->explained, own.explained);
    }
    return true;
}

/* Collective. Derives the iterations of ranks whose begin[s] is NULL, and enters them there. Sets
 * the part of the ties that agree with all. False if those of a rank cannot be derived, or after a
 * failure. The caller frees derived[owned rank]. */
static bool derive_iterations(struct loop_chooser *chooser, const uint32_t **begin, size_t count,
                              uint32_t **derived, double *agreement)
{
    bool complete = false;
    chooser->status = ties_derive(&chooser->ties, begin, chooser->takes_part, count, derived,
                                  &complete, chooser->error);
    for (uint32_t s = 0; s < chooser->calls->trace->owned_count && complete; s++)
        begin[s] = begin[s] ?: derived[s];
    if (complete)
        chooser->status = ties_agree(&chooser->ties, begin, count, agreement, chooser->error);
    return complete && chooser->status == STATUS_OK;
}

void candidate_complete(struct loop_chooser *chooser, struct candidate *candidate, bool *complete)
{
    const struct trace *trace = chooser->calls->trace;
    const size_t count = (size_t)candidate->iterations;
    uint32_t **derived = calloc((size_t)trace->owned_count + 1, sizeof *derived);
    assert(count > 0 && chooser->ties.ranks);
    const uint32_t **begin = candidate_boundaries(chooser, candidate);
    *complete = false;
    if (begin)
        chooser->status =
            processes_agree_memory(trace->processes, derived != NULL, "iterations", chooser->error);
    if (chooser->status == STATUS_OK)
        *complete = derive_iterations(chooser, begin, count, derived, &candidate->agreement);
    uint64_t differing = 0;
    if (*complete)
        chooser->status = contents_compare(chooser->calls, begin, count, CONTENT_SORTS, &differing,
                                           chooser->error);
    *complete = chooser->status == STATUS_OK && *complete &&
                candidate->agreement >= TIED_IF_DERIVED &&
                (double)differing <= (1 - ALIKE) * (double)count;
    const bool allocated = !*complete || add_derived(chooser, derived, candidate);
    if (*complete) {
        int64_t millionths = (int64_t)(1e6 * candidate->explained);
        processes_min(trace->processes, &millionths, 1);
        candidate->explained = 1e-6 * (double)millionths;
        chooser->status =
            processes_agree_memory(trace->processes, allocated, "iterations", chooser->error);
    }
    for (uint32_t s = 0; s < trace->owned_count && derived; s++)
        free(derived[s]);
    free(derived);
    free(begin);
}

/* The owned rank with the lowest number of those that take part; UINT32_MAX: another process has
 * it. */
static uint32_t lowest_rank(const struct loop_chooser *chooser)
{
    const struct trace *trace = chooser->calls->trace;
    uint32_t own = 0;
    while (own < trace->owned_count && !chooser->takes_part[own])
        own++;
    const int64_t rank = own < trace->owned_count ? trace->streams[own].rank : INT64_MAX;
    int64_t lowest = rank;
    processes_min(trace->processes, &lowest, 1);
    return rank == lowest ? own : UINT32_MAX;
}

/* Replaces the iterations of owned ranks that have the loop itself. */
static void replace_iterations(struct loop_chooser *chooser, uint32_t **derived,
                               const struct candidate *candidate)
{
    for (uint32_t s = 0; s < chooser->calls->trace->owned_count; s++) {
        loop_list *loops = &chooser->loops[s];
        const struct loop *known = candidate_loop(loops, candidate);
        if (!derived[s] || !known || known->iterations != candidate->iterations)
            continue;
        struct loop *loop = &loops->items[known - loops->items];
        free(loop->begin);
        loop->begin = derived[s];
        loop->open = 0;
        derived[s] = NULL;
    }
}

void candidate_realign(struct loop_chooser *chooser, struct candidate *candidate)
{
    const struct trace *trace = chooser->calls->trace;
    const size_t count = (size_t)candidate->iterations;
    const uint32_t lowest = lowest_rank(chooser);
    uint32_t **derived = calloc((size_t)trace->owned_count + 1, sizeof *derived);
    const uint32_t **begin = candidate_boundaries(chooser, candidate);
    double agreement = 0;
    if (begin)
        chooser->status =
            processes_agree_memory(trace->processes, derived != NULL, "iterations", chooser->error);
    for (uint32_t s = 0; s < trace->owned_count && begin; s++)
        begin[s] = s == lowest ? begin[s] : NULL;
    const bool complete = chooser->status == STATUS_OK &&
                          derive_iterations(chooser, begin, count, derived, &agreement);
    if (complete && agreement >= TIED) {
        replace_iterations(chooser, derived, candidate);
        candidate->agreement = agreement;
    }
    for (uint32_t s = 0; s < trace->owned_count && derived; s++)
        free(derived[s]);
    free(derived);
    free(begin);
}
