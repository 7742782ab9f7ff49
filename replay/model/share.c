#include "replay/model/share.h"

#include "base/mpi/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool find_pieces(const struct trace *trace, const struct sharing *sharing,
                        struct shared_pieces *result)
{
    struct pieces found = {0};
    result->first = calloc((size_t)trace->owned_count + 1, sizeof *result->first);
    if (!result->first)
        return false;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        if (!pieces_find(trace, &trace->streams[s], sharing, &found)) {
            free(found.list.items);
            return false;
        }
        result->first[s + 1] = found.list.count;
    }
    double *threads = malloc((found.list.count + 1) * sizeof *threads);
    result->pieces = malloc((found.list.count + 1) * sizeof *result->pieces);
    bool allocated = threads && result->pieces;
    for (uint32_t s = 0; allocated && s < trace->owned_count; s++) {
        const size_t first = result->first[s], count = result->first[s + 1] - first;
        const uint64_t *time = trace->streams[s].time;
        allocated =
            pieces_find_threads(trace, s, sharing, found.list.items + first, count, threads);
        for (size_t p = 0; p < count && allocated; p++) {
            const struct piece *piece = &found.list.items[first + p];
            const double share = threads[p] * sharing->shares[piece->class];
            const int64_t length = (int64_t)(time[piece->last] - time[piece->first]);
            result->pieces[first + p] =
                (struct fluid_piece){.begin = (int64_t)(time[piece->first] - trace->begin),
                                     .length = length,
                                     .work = (double)length,
                                     .share = share < 1 ? share : 1};
        }
    }
    free(threads);
    free(found.list.items);
    return allocated;
}

enum status shared_pieces_make(const struct trace *trace, const struct sharing *sharing,
                               struct shared_pieces *pieces, struct error *error)
{
    assert(sharing->class_of && sharing->domains);
    memset(pieces, 0, sizeof *pieces);
    enum status status = processes_agree_memory(
        trace->processes, find_pieces(trace, sharing, pieces), "the shares of bandwidth", error);
    if (status != STATUS_OK)
        shared_pieces_clear(pieces);
    return status;
}

void shared_pieces_clear(struct shared_pieces *pieces)
{
    free(pieces->pieces);
    free(pieces->first);
    memset(pieces, 0, sizeof *pieces);
}

static void clear_gathered(struct fluid *all)
{
    free((void *)all->pieces);
    free((void *)all->first);
}

/* Collective. Gathers the pieces of all ranks on process 0; on all others `all` has none.
 * clear_gathered frees them. */
static enum status gather_all_pieces(const struct trace *trace, const struct sharing *sharing,
                                     const struct shared_pieces *own, struct fluid *all,
                                     struct error *error)
{
    uint32_t ranks = trace->rank_count;
    int64_t *counts = calloc((size_t)ranks + 1, sizeof *counts);
    size_t *first = calloc((size_t)ranks + 1, sizeof *first), size;
    char *received = NULL;
    *all = (struct fluid){.first = first,
                          .domains = sharing->domains,
                          .rank_count = ranks,
                          .domain_count = sharing->domain_count};
    enum status status =
        processes_agree_memory(trace->processes, counts && first, "the shares of bandwidth", error);
    if (status == STATUS_OK) {
        for (uint32_t s = 0; s < trace->owned_count; s++)
            counts[trace->first_rank + s] = (int64_t)(own->first[s + 1] - own->first[s]);
        processes_sum(trace->processes, counts, ranks);
        for (uint32_t rank = 0; rank < ranks; rank++)
            first[rank + 1] = first[rank] + (size_t)counts[rank];
        status = exchange_gather(trace->processes, own->pieces,
                                 own->first[trace->owned_count] * sizeof *own->pieces, &received,
                                 &size, NULL, error);
    }
    all->pieces = (const struct fluid_piece *)(void *)received;
    free(counts);
    if (status != STATUS_OK)
        clear_gathered(all);
    return status;
}

/* Collective. Sends values of 8 bytes, one for each piece of all ranks, from process 0 to the
 * owners of the ranks. */
static enum status scatter_values(const struct trace *trace, const struct fluid *all,
                                  const void *values, size_t own_count, void *own,
                                  struct error *error)
{
    enum { SIZE = sizeof(int64_t) };
    struct exchange exchange = exchange_open(trace->processes, SIZE, "the shares of bandwidth");
    struct received received;
    for (uint32_t rank = 0; rank < trace->rank_count && trace->processes->rank == 0; rank++)
        exchange_check(&exchange, bytes_put(exchange_buffer(&exchange, trace_owner(trace, rank)),
                                            (const char *)values + all->first[rank] * SIZE,
                                            (all->first[rank + 1] - all->first[rank]) * SIZE));
    enum status status = exchange_run(&exchange, &received, error);
    if (status == STATUS_OK && own_count > 0)
        memcpy(own, received.items, own_count * SIZE);
    free(received.items);
    return status;
}

/* The caller frees `*works`. */
static enum status find_works(const struct fluid *all, double **works, struct error *error)
{
    struct fluid_history *history = NULL;
    enum status status = fluid_history_create(all, &history, error);
    if (status != STATUS_OK)
        return status;
    *works = malloc((all->first[all->rank_count] + 1) * sizeof **works);
    if (*works)
        fluid_history_works(history, *works);
    else
        status = error_memory(error, "the shares of bandwidth");
    fluid_history_destroy(history);
    return status;
}

enum status shared_pieces_find_work(const struct trace *trace, const struct sharing *sharing,
                                    struct shared_pieces *pieces, struct error *error)
{
    size_t own_count = pieces->first[trace->owned_count];
    struct fluid all;
    double *works = NULL, *own;
    enum status status = gather_all_pieces(trace, sharing, pieces, &all, error);
    if (status != STATUS_OK)
        return status;
    own = malloc((own_count + 1) * sizeof *own);
    if (!own)
        status = error_memory(error, "the shares of bandwidth");
    if (trace->processes->rank == 0 && own)
        status = find_works(&all, &works, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = scatter_values(trace, &all, works, own_count, own, error);
    for (size_t p = 0; status == STATUS_OK && p < own_count; p++)
        pieces->pieces[p].work = own[p];
    clear_gathered(&all);
    free(works);
    free(own);
    return status;
}

enum status model_share(const struct model *model, const struct shared_pieces *pieces,
                        int64_t *lengths, double *time_s, struct error *error)
{
    const struct trace *trace = model->trace;
    const struct processes *processes = trace->processes;
    struct {
        int64_t last_time;
        uint32_t stuck;
    } outcome = {0, trace->rank_count};
    struct fluid all;
    assert(model->options.sharing);
    int64_t *all_lengths = NULL;
    enum status status = gather_all_pieces(trace, model->options.sharing, pieces, &all, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0) {
        all_lengths = calloc(all.first[all.rank_count] + 1, sizeof *all_lengths);
        status = all_lengths ? fluid_solve(&all, &model->equations, all_lengths, &outcome.stuck,
                                           &outcome.last_time, error)
                             : error_memory(error, "the shares of bandwidth");
        if (status == STATUS_OK && outcome.stuck < trace->rank_count)
            status = error_set(error, STATUS_INPUT,
                               "with shared bandwidth, rank %u waits forever in the model. "
                               "Does the program rely on buffering of messages as large as S?",
                               outcome.stuck);
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        status = scatter_values(trace, &all, all_lengths, pieces->first[trace->owned_count],
                                lengths, error);
    if (status == STATUS_OK) {
        processes_broadcast(processes, &outcome, sizeof outcome);
        *time_s = trace_seconds(trace, (double)outcome.last_time);
    }
    clear_gathered(&all);
    free(all_lengths);
    return status;
}
