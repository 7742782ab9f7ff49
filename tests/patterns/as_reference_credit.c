/* The reference credits the wrong-order waits of all instances that one receive resolves to the
 * call path, and to the kind (same or different source), of the oldest of them; and it compares
 * ranks in the communicator of the message. Their count it puts there, too, as the product does. */
#include "as_reference.h"

#include "patterns/message_waits.h"

#include <string.h>

enum { REMEMBERED = 100 };

struct instance {
    uint32_t path, sender; /* rank in the communicator */
    int64_t wait, sent;
};

/* Oldest first; more than REMEMBERED are never there. */
struct memory {
    struct instance instances[REMEMBERED + 1];
    uint32_t count;
};

static void forget(struct memory *memory, uint32_t index)
{
    memory->count--;
    memmove(&memory->instances[index], &memory->instances[index + 1],
            (memory->count - index) * sizeof *memory->instances);
}

static void resolve(const struct search_rank *rank, struct memory *memory, int64_t sent,
                    uint32_t sender)
{
    struct instance oldest = {.path = CALLPATH_NONE};
    int64_t wait = 0;
    for (uint32_t i = 0; i < memory->count;) {
        if (memory->instances[i].sent <= sent) {
            i++;
            continue;
        }
        if (wait == 0)
            oldest = memory->instances[i];
        wait += memory->instances[i].wait;
        forget(memory, i);
    }
    findings_add(rank->findings,
                 oldest.sender == sender ? METRIC_MPI_LSWO_SAME : METRIC_MPI_LSWO_DIFFERENT,
                 rank->index, oldest.path, wait);
}

static void search_rank(const struct search_rank *rank)
{
    static const enum metric kinds[] = {METRIC_MPI_LSWO_SAME, METRIC_MPI_LSWO_DIFFERENT};
    for (int i = 0; i < 2; i++) {
        for (uint32_t path = 0; path < rank->findings->path_count; path++)
            findings_add(rank->findings, kinds[i], rank->index, path,
                         -findings_get(rank->findings, kinds[i], rank->index, path));
    }
    const struct message *messages = rank->stream->messages;
    struct memory memory = {.count = 0};
    for (uint32_t n = 0; n < rank->call_count; n++) {
        const struct search_call *call = &rank->calls[n];
        for (uint32_t i = call->first_completed; i != INDEX_NONE; i = rank->next_completed[i])
            if (!(messages[i].flags & MESSAGE_SEND) && message_takes_part(&messages[i]))
                resolve(rank, &memory, rank->other[i].time, messages[i].peer);
        uint32_t message;
        int64_t wait = late_sender_wait(rank, call, &message);
        if (wait == 0)
            continue;
        memory.instances[memory.count++] =
            (struct instance){call->path, messages[message].peer, wait, rank->other[message].time};
        if (memory.count > REMEMBERED)
            forget(&memory, 0);
    }
}

const struct pattern credited_to_oldest_pattern = {
    .name = "wrong order",
    .description = "wrong-order waits at the call path of the oldest instance",
    .search_rank = search_rank,
};
