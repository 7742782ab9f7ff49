#include "sweep/changes.h"

#include "transform/callpath_marks.h"

#include <stdlib.h>

/* Marks the regions that one hypothesis names. Returns false if it names none. */
static bool mark_named_regions(const struct hypothesis *hypothesis, const struct trace *trace,
                               bool *chosen)
{
    struct callpath_marks marks = {0};
    struct error ignored;
    bool any = false;
    if (!callpath_marks_wanted(hypothesis->section) ||
        callpath_marks_create(hypothesis->section, trace, &marks, &ignored) != STATUS_OK)
        return false;
    const struct calltree *tree = &trace->calltree;
    for (uint32_t path = 0; path < tree->paths.count; path++)
        if (marks_of(&marks, path) & CALLPATH_CHOSEN) {
            chosen[tree->paths.items[path].region] = true;
            any = true;
        }
    callpath_marks_clear(&marks);
    return any;
}

void run_result_count_changes(const struct replay_config *config, const struct trace *trace,
                              struct run_result *result)
{
    bool *chosen = calloc(trace->definitions->region_count + 1ul, sizeof *chosen);
    result->changes = config->hypothesis_count;
    result->regions = 0;
    for (size_t i = 0; i < config->hypothesis_count; i++)
        if (!chosen || !mark_named_regions(&config->hypotheses[i], trace, chosen))
            result->regions++;
    for (uint32_t region = 0; chosen && region < trace->definitions->region_count; region++)
        result->regions += chosen[region];
    free(chosen);
}
