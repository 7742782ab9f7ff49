/* Late sender, messages in the wrong order (doc/methods.md, section 8): a rank waits for a late
 * sender although another message, received only afterwards, was sent earlier. Receiving that one
 * first would have avoided the wait.
 *
 * The rank's last 100 late sender instances are remembered. A receive whose message was sent before
 * that of a remembered instance resolves the instance: its whole wait counts, once. The wait counts
 * at the instance's own call path, split by whether both messages have the same sender. The *count*
 * of all instances that one receive resolves is at the call path of the oldest, as in SCOUT (whose
 * split waits are there too and do not add up along the metric tree; ours do). */
#include "patterns/message_waits.h"

#include <string.h>

enum { REMEMBERED = 100 };

struct late_instance {
    const struct search_call *call;
    int64_t wait, sent;
    uint32_t sender;
    bool payload;
};

struct late_memory {
    struct late_instance instances[2 * REMEMBERED]; /* oldest first */
    uint32_t first, count;
    int64_t latest; /* the latest send among them */
};

static void remember_instance(struct late_memory *memory, struct late_instance instance)
{
    if (memory->count == REMEMBERED) {
        memory->count--;
        memory->first++;
    }
    if (memory->first + memory->count == 2 * REMEMBERED) {
        memmove(memory->instances, memory->instances + memory->first,
                memory->count * sizeof *memory->instances);
        memory->first = 0;
    }
    memory->instances[memory->first + memory->count++] = instance;
    memory->latest = int64_max(memory->latest, instance.sent);
}

static void add_instance(const struct search_rank *rank, const struct late_instance *instance,
                         const struct late_instance *oldest, uint32_t sender)
{
    bool same = instance->sender == sender;
    search_rank_add(rank, METRIC_MPI_LATESENDER_WO, instance->call, instance->wait);
    search_rank_add(rank, same ? METRIC_MPI_LSWO_SAME : METRIC_MPI_LSWO_DIFFERENT, instance->call,
                    instance->wait);
    search_rank_add(rank, oldest->payload ? METRIC_MPI_CLSWO_COUNT : METRIC_MPI_SLSWO_COUNT,
                    oldest->call, 1);
}

/* Counts and forgets the instances that the receive of a message sent at `sent` resolves. */
static void resolve_instances(const struct search_rank *rank, struct late_memory *memory,
                              int64_t sent, uint32_t sender)
{
    struct late_instance oldest = {0}, *instances = memory->instances + memory->first;
    uint32_t kept = 0;
    if (memory->latest <= sent)
        return;
    memory->latest = INT64_MIN;
    for (uint32_t i = 0; i < memory->count; i++) {
        struct late_instance instance = instances[i];
        if (instance.sent <= sent) {
            instances[kept++] = instance;
            memory->latest = int64_max(memory->latest, instance.sent);
            continue;
        }
        if (!oldest.call)
            oldest = instance;
        add_instance(rank, &instance, &oldest, sender);
    }
    memory->count = kept;
}

static void search_wrong_order(const struct search_rank *rank)
{
    const struct message *messages = rank->stream->messages;
    struct late_memory memory = {.latest = INT64_MIN};
    for (uint32_t n = 0; n < rank->call_count; n++) {
        const struct search_call *call = &rank->calls[n];
        for (uint32_t i = call->first_completed; i != INDEX_NONE; i = rank->next_completed[i])
            if (!(messages[i].flags & MESSAGE_SEND) && message_takes_part(&messages[i]))
                resolve_instances(rank, &memory, rank->other[i].time, messages[i].partner_rank);
        uint32_t message;
        int64_t wait = late_sender_wait(rank, call, &message);
        if (wait > 0)
            remember_instance(&memory,
                              (struct late_instance){.call = call,
                                                     .wait = wait,
                                                     .sent = rank->other[message].time,
                                                     .sender = messages[message].partner_rank,
                                                     .payload = messages[message].bytes > 0});
    }
}

const struct pattern wrong_order_pattern = {
    .name = "wrong order",
    .description = "late sender waits that receiving in another order would have avoided",
    .search_rank = search_wrong_order,
};
