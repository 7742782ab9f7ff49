/* Causes and effects of waits for messages (doc/methods.md, section 8; scale: causes.c):
 *
 *     indirect    = scale x the culprit's own waits,          direct   = wait - indirect
 *     propagating = the part that makes others wait,          terminal = wait - propagating
 *
 * A wait w makes others wait by the largest w x scale over the waits for messages that it
 * causes. */
#include "base/prefetch.h"
#include "patterns/causes.h"

#include <assert.h>
#include <stdlib.h>

static const struct {
    enum metric direct, indirect, propagating, terminal;
} metrics[SYNC_KIND_COUNT] = {
    [SYNC_LATE_SENDER] = {METRIC_MPI_WAIT_DIRECT_LATESENDER, METRIC_MPI_WAIT_INDIRECT_LATESENDER,
                          METRIC_MPI_WAIT_PROPAGATING_LS, METRIC_MPI_WAIT_TERMINAL_LS},
    [SYNC_LATE_RECEIVER] = {METRIC_MPI_WAIT_DIRECT_LATERECEIVER,
                            METRIC_MPI_WAIT_INDIRECT_LATERECEIVER, METRIC_MPI_WAIT_PROPAGATING_LR,
                            METRIC_MPI_WAIT_TERMINAL_LR},
};

static const char purpose[] = "causes of waits for messages"; /* of memory */

/* Ticks of each own wait. */
struct message_waits {
    double *indirect;    /* [wait] */
    double *propagating; /* [wait]: makes others wait for a message */
};

/* Sent to the owner of a wait. */
struct indirect_wait {
    double ticks;
    uint32_t rank, enter_row, event_row;
};

/* The own waits that the culprit of a caused wait passes on. */
static void note_propagating(const struct causes *causes, uint32_t caused,
                             struct message_waits *waits)
{
    const struct caused_wait *wait = &causes->caused.all[caused];
    const double scale = caused_scale(causes, caused);
    for (uint32_t i = 0; i < wait->cause_count; i++) {
        const uint32_t number = wait->first_cause + i;
        const struct sync_end *cause = sync_wait_end(&causes->points, number);
        const double ticks = (double)cause->wait * scale;
        if (cause->event_row >= wait->passes_from && ticks > waits->propagating[number])
            waits->propagating[number] = ticks;
    }
}

static double indirect_ticks(const struct causes *causes, uint32_t caused)
{
    return caused_scale(causes, caused) * (double)caused_by_waits(causes, caused);
}

/* Notes the waits for owned ranks, and sends each other process those of its ranks. */
static void note_caused(const struct causes *causes, struct message_waits *waits,
                        struct exchange *exchange)
{
    for (uint32_t caused = 0; caused < causes->caused.count; caused++) {
        caused_prefetch(causes, caused);
        const struct sync_end *end = caused_end(causes, caused);
        if (!sync_kind_is_message(caused_kind(causes, caused)))
            continue;
        note_propagating(causes, caused, waits);
        if (sync_owns(&causes->points, end->rank))
            continue;
        const struct indirect_wait wait = {indirect_ticks(causes, caused), end->rank,
                                           end->enter_row, end->event_row};
        exchange_put_owner(exchange, causes->trace, end->rank, &wait);
    }
}

/* Collective. `ready` is false if this process is out of memory. */
static enum status find_message_waits(const struct causes *causes, bool ready,
                                      struct message_waits *waits, struct error *error)
{
    const struct sync_points *points = &causes->points;
    struct exchange exchange =
        exchange_open(causes->trace->processes, sizeof(struct indirect_wait), purpose);
    struct received found;
    exchange_check(&exchange, ready);
    if (ready)
        note_caused(causes, waits, &exchange);
    enum status status = exchange_run(&exchange, &found, error);
    for (size_t i = 0; i < found.count; i++) {
        const struct indirect_wait *wait = (const struct indirect_wait *)found.items + i;
        const uint32_t number =
            sync_find_wait(points, wait->rank, wait->enter_row, wait->event_row);
        assert(number != INDEX_NONE);
        waits->indirect[number] = wait->ticks;
    }
    for (uint32_t wait = 0; status == STATUS_OK && wait < points->wait_count; wait++)
        if (sync_owns(points, sync_waits_for(points, wait)))
            waits->indirect[wait] = indirect_ticks(causes, causes->culprits[wait]);
    free(found.items);
    return status;
}

/* Prefetches what add_propagation reads of the streams for this wait and the next ones. */
static void prefetch_waits(const struct search_rank *ranks, const struct sync_points *points,
                           uint32_t wait)
{
    const uint32_t last = wait + prefetch_batch(wait, points->wait_count);
    for (uint32_t i = wait; i < last; i++) {
        const struct sync_end *end = sync_wait_end(points, i);
        const struct stream *stream = ranks[end->rank - points->first_rank].stream;
        prefetch(&stream->kind[end->enter_row]);
        prefetch(&stream->arg[end->enter_row]);
    }
}

static void add_propagation(const struct search_rank *rank, const struct sync_points *points,
                            uint32_t number, double indirect, double propagating)
{
    const struct sync_end *end = sync_wait_end(points, number);
    const enum sync_kind kind = sync_kind_of(points, end);
    if (!sync_kind_is_message(kind))
        return;
    uint32_t path = sync_end_path(rank->stream, end);
    double wait = (double)end->wait;
    if (propagating > wait)
        propagating = wait;
    findings_add_share(rank->findings, metrics[kind].indirect, rank->index, path, indirect);
    findings_add_share(rank->findings, metrics[kind].direct, rank->index, path, wait - indirect);
    findings_add_share(rank->findings, metrics[kind].propagating, rank->index, path, propagating);
    findings_add_share(rank->findings, metrics[kind].terminal, rank->index, path,
                       wait - propagating);
}

static enum status search_propagation(const struct search_rank *ranks, const struct causes *causes,
                                      struct error *error)
{
    const struct sync_points *points = &causes->points;
    const size_t room = (size_t)points->wait_count + 1;
    struct message_waits waits = {calloc(room, sizeof(double)), calloc(room, sizeof(double))};
    enum status status =
        find_message_waits(causes, waits.indirect && waits.propagating, &waits, error);
    for (uint32_t rank = 0; status == STATUS_OK && rank < points->rank_count; rank++) {
        findings_prefetch(ranks[rank].findings, rank + 1);
        for (uint32_t i = points->first_wait[rank]; i < points->first_wait[rank + 1]; i++) {
            prefetch_waits(ranks, points, i);
            add_propagation(&ranks[rank], points, i, waits.indirect[i], waits.propagating[i]);
        }
    }
    free(waits.indirect);
    free(waits.propagating);
    return status;
}

const struct pattern propagation_pattern = {
    .name = "propagation",
    .description = "causes and effects of waits for messages",
    .search_causes = search_propagation,
};
