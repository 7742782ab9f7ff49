/* The folded part is added after all other families, so that values which these derive from each
 * other do not depend on it. */
#include "patterns/folded.h"

#include "base/log.h"
#include "patterns/causes.h"

#include <stdio.h>

/* Writes the metrics of the lists in order; METRIC_NONE where this version does not know one. */
static uint32_t read_metric_names(const char *names, enum metric metrics[METRIC_COUNT])
{
    uint32_t count = 0;
    char name[80];
    int length = 0;
    for (; count < METRIC_COUNT && sscanf(names, "%79s%n", name, &length) == 1; names += length) {
        metrics[count] = metric_from_name(name);
        if (metrics[count++] == METRIC_NONE)
            log_warning("the folded part of metric \"%s\" is left out: it is unknown", name);
    }
    return count;
}

enum status folded_each(const struct trace *trace, folded_visitor *visit, void *data,
                        struct error *error)
{
    const struct definitions *d = trace->definitions;
    const char *names = definitions_property(d, SILAS_PROPERTY_FOLDED);
    enum metric metrics[METRIC_COUNT];
    uint32_t count = names ? read_metric_names(names, metrics) : 0, group = INDEX_NONE;
    /* Threads of a rank are at most as many as locations, and one if each location is a rank. */
    const uint64_t numbers =
        (uint64_t)count * (d->location_count > d->rank_count ? d->location_count : 1);
    for (uint32_t i = 0; names && i < d->rank_count; i++) {
        if ((group = definitions_group(d, SILAS_FOLDED_GROUP_NAME, group + 1)) == INDEX_NONE)
            break;
        const uint64_t *member = d->groups[group].members, *end = member + d->groups[group].count;
        for (; end - member >= 3; member += 3) { /* the same on all processes */
            if (member[0] >= numbers || member[1] >= trace->calltree.paths.count)
                return error_set(error, STATUS_INPUT,
                                 "%s: the folded profile of rank %u names a metric, a thread or a "
                                 "call path that is not there",
                                 trace->path, i);
            visit(data, &(struct folded_entry){.rank = i,
                                               .thread = (uint32_t)(member[0] / count),
                                               .path = (uint32_t)member[1],
                                               .metric = metrics[member[0] % count],
                                               .value = (int64_t)member[2]});
        }
    }
    return STATUS_OK;
}

struct folded_sink {
    const struct search_rank *ranks;
    const struct trace *trace;
};

static void add_folded_value(void *data, const struct folded_entry *value)
{
    const struct folded_sink *sink = data;
    const struct search_rank *rank = search_rank_owned(sink->ranks, sink->trace, value->rank);
    const uint32_t place =
        rank ? findings_place(rank->findings, rank->index, value->thread) : INDEX_NONE;
    if (place != INDEX_NONE)
        findings_add(rank->findings, value->metric, place, value->path, value->value);
}

static enum status add_folded_profile(const struct search_rank *ranks, const struct causes *causes,
                                      struct error *error)
{
    struct folded_sink sink = {ranks, causes->trace};
    return folded_each(causes->trace, add_folded_value, &sink, error);
}

const struct pattern folded_pattern = {
    .name = "folded",
    .description = "values of events that a reduced archive no longer contains",
    .search_causes = add_folded_profile,
};
