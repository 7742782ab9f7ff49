#include "job/slow_ranks.h"

#include "base/names.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Collective. computation[rank] of all ranks, which is zero before. */
static void sum_computation(const struct trace *trace, int64_t *computation)
{
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        uint32_t path = CALLPATH_NONE;
        for (uint32_t row = 0; row < stream->count; row++) {
            if (row > 0 && path != CALLPATH_NONE && !callpath_communicates(trace, path))
                computation[stream->rank] += (int64_t)(stream->time[row] - stream->time[row - 1]);
            path = callpath_after(&trace->calltree, stream, row, path);
        }
    }
    processes_sum(trace->processes, computation, trace->rank_count);
}

/* Keeps the parts with the largest excess, largest first. */
static void keep_part(struct slow_part *parts, size_t *count, struct slow_part part)
{
    size_t at = *count;
    while (at > 0 && parts[at - 1].excess < part.excess)
        at--;
    if (at == SLOW_RANKS_MOST || part.excess <= 0)
        return;
    *count += *count < SLOW_RANKS_MOST;
    memmove(&parts[at + 1], &parts[at], (*count - at - 1) * sizeof *parts);
    parts[at] = part;
}

/* The computation of the ranks of a host. */
struct host_ranks {
    uint32_t first;
    int64_t ticks, count;
};

/* Chooses the hosts whose ranks compute most, if there are several hosts. False if out of memory.
 */
static bool choose_hosts(const struct trace *trace, const int64_t *computation, int64_t mean,
                         struct slow_ranks *parts)
{
    uint32_t *numbers = malloc((trace->rank_count + 1ul) * sizeof *numbers);
    struct host_ranks *hosts = calloc(trace->rank_count + 1ul, sizeof *hosts);
    const bool found = numbers && hosts && environment_number_hosts(trace, numbers);
    for (uint32_t rank = 0; rank < trace->rank_count && found; rank++) {
        struct host_ranks *host = &hosts[numbers[rank]];
        host->first = host->count++ == 0 ? rank : host->first;
        host->ticks += computation[rank];
    }
    for (uint32_t h = 0; found && hosts[1].count > 0 && hosts[h].count > 0; h++)
        keep_part(parts->hosts, &parts->host_count,
                  (struct slow_part){hosts[h].first, hosts[h].ticks / hosts[h].count - mean});
    free(hosts);
    free(numbers);
    return found;
}

enum status slow_ranks_find(const struct trace *trace, struct slow_ranks *parts,
                            struct error *error)
{
    assert(trace->rank_count > 0);
    int64_t *computation = calloc(trace->rank_count + 1ul, sizeof *computation), sum = 0;
    *parts = (struct slow_ranks){.rank_count = 0};
    enum status status =
        processes_agree_memory(trace->processes, computation != NULL, "the ranks", error);
    if (status != STATUS_OK) {
        free(computation);
        return status;
    }
    sum_computation(trace, computation);
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        sum += computation[rank];
    const int64_t mean = sum / trace->rank_count;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        keep_part(parts->ranks, &parts->rank_count,
                  (struct slow_part){rank, computation[rank] - mean});
    const bool complete = choose_hosts(trace, computation, mean, parts);
    free(computation);
    return processes_agree_memory(trace->processes, complete, "the hosts", error);
}

char *slow_part_sections(const struct trace *trace, const struct slow_part *part, bool is_host)
{
    char *text = NULL, *pattern = NULL;
    int length = -1;
    if (!is_host)
        length = asprintf(&text, "[variation slow]\nremove = ranks\nrank = %u\n", part->rank);
    else if ((pattern = name_to_pattern(environment_host(trace, part->rank))))
        length = asprintf(&text, "[variation slow]\nremove = ranks\nnode = %s\n", pattern);
    free(pattern);
    return length < 0 ? NULL : text;
}
