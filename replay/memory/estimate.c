#include "replay/memory/estimate.h"

#include "base/mpi/exchange.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct observed_list {
    ARRAY(struct observed_piece) list;
};

/* Walks through the visits of all classes up to a row. */
struct visit_walk {
    const struct stream *stream;
    const struct memory_sharing *sharing;
    uint32_t row;
    uint32_t *visits, *paths; /* [class]: number and call path of the last visit */
};

static void visit_walk_to(struct visit_walk *walk, uint32_t row)
{
    const struct stream *stream = walk->stream;
    for (; walk->row <= row; walk->row++) {
        if (!event_opens(stream->kind[walk->row]))
            continue;
        uint32_t path = stream->arg[walk->row];
        for (size_t c = 0; c < walk->sharing->section_count; c++)
            if (marks_of(&walk->sharing->marks[c], path) & CALLPATH_VISIT) {
                walk->visits[c]++;
                walk->paths[c] = path;
            }
    }
}

/* False if out of memory. */
static bool observe_rank(const struct trace *trace, uint32_t s,
                         const struct memory_sharing *sharing, struct observed_list *observed)
{
    const struct stream *stream = &trace->streams[s];
    struct pieces found = {0};
    uint32_t *numbers = calloc(2 * sharing->section_count + 1, sizeof *numbers);
    struct visit_walk walk = {.stream = stream,
                              .sharing = sharing,
                              .visits = numbers,
                              .paths = numbers + sharing->section_count};
    bool stored = numbers && pieces_find(trace, stream, &sharing->sharing, &found);
    double *threads = malloc((found.list.count + 1) * sizeof *threads);
    stored = stored && threads &&
             pieces_find_threads(trace, s, &sharing->sharing, found.list.items, found.list.count,
                                 threads);
    for (size_t p = 0; stored && p < found.list.count; p++) {
        const struct piece *piece = &found.list.items[p];
        visit_walk_to(&walk, piece->first);
        const struct observed_piece one = {
            .begin = (int64_t)(stream->time[piece->first] - trace->begin),
            .length = (int64_t)(stream->time[piece->last] - stream->time[piece->first]),
            .rank = stream->rank,
            .class = piece->class,
            .visit = walk.visits[piece->class],
            .path = walk.paths[piece->class],
            .threads = threads[p]};
        stored = array_push(&observed->list, one);
    }
    free(numbers);
    free(threads);
    free(found.list.items);
    return stored;
}

static enum status share_not_shown(const struct memory_config *config,
                                   const struct share_verdict *verdict, struct error *error)
{
    char reason[200] = "";
    switch (verdict->obstacle) {
    case SHARE_FOUND:
        return STATUS_OK;
    case SHARE_FEW_VISITS:
        snprintf(reason, sizeof reason,
                 "only %.0f of its visits can be compared with others of the same call path and "
                 "rank",
                 verdict->value);
        break;
    case SHARE_NO_CONTRAST:
        snprintf(reason, sizeof reason,
                 "during all comparable visits, other ranks compute for about the same part of "
                 "the time (durations would differ by at most %.1f %%)",
                 100 * verdict->value);
        break;
    case SHARE_UNCERTAIN:
        snprintf(reason, sizeof reason, "the interval of its share is %.2f wide", verdict->value);
        break;
    }
    return section_error(error, config->sections[verdict->class].section, "share",
                         "the recording does not show how much bandwidth this computation needs: "
                         "%s. State the share (share = 0.9), or name a recording that shows it "
                         "(recording = PATH): one in which other ranks compute during some of the "
                         "visits, but not during others",
                         reason);
}

/* On process 0: estimates from the pieces of all ranks. */
static enum status estimate_from_all(const struct memory_config *config, const struct trace *trace,
                                     const struct observed_piece *pieces, size_t count,
                                     const bool *wanted, struct memory_sharing *sharing,
                                     struct share_estimate *estimates, struct error *error)
{
    const struct observed_pieces observed = {.pieces = pieces,
                                             .count = count,
                                             .domains = sharing->domains,
                                             .rank_count = trace->rank_count,
                                             .domain_count = sharing->sharing.domain_count};
    struct share_verdict verdict;
    enum status status = shares_estimate(&observed, config->count, wanted, sharing->shares,
                                         estimates, &verdict, error);
    return status == STATUS_OK ? share_not_shown(config, &verdict, error) : status;
}

enum status memory_estimate(const struct memory_config *config, const struct trace *trace,
                            const bool *wanted, struct memory_sharing *sharing,
                            struct share_estimate *estimates, struct error *error)
{
    assert(config->count > 0);
    struct processes *processes = trace->processes;
    struct observed_list own = {0};
    char *all = NULL;
    size_t size = 0;
    bool stored = true;
    for (uint32_t s = 0; s < trace->owned_count && stored; s++)
        stored = observe_rank(trace, s, sharing, &own);
    enum status status =
        processes_agree_memory(processes, stored, "the shares of bandwidth", error);
    if (status == STATUS_OK)
        status = exchange_gather(processes, own.list.items, own.list.count * sizeof *own.list.items,
                                 &all, &size, NULL, error);
    if (status == STATUS_OK) {
        if (processes->rank == 0)
            status = estimate_from_all(config, trace, (const struct observed_piece *)(void *)all,
                                       size / sizeof(struct observed_piece), wanted, sharing,
                                       estimates, error);
        status = processes_agree(processes, status, error);
    }
    for (size_t c = 0; status == STATUS_OK && c < config->count; c++)
        if (wanted[c]) {
            processes_broadcast(processes, &estimates[c], sizeof estimates[c]);
            sharing->shares[c] = estimates[c].share;
        }
    free(own.list.items);
    free(all);
    return status;
}
