/* The lines about windows and one-sided communication. */
#include "case_reader_private.h"

#include <stdlib.h>
#include <string.h>

void case_add_window(struct reader *reader, const char *name, const char *comm)
{
    const uint32_t on = case_find_comm(reader, comm), own = (uint32_t)reader->comms.count;
    struct rma_window window = {
        .name = arena_strdup(reader->trace->definitions->arena, name), .comm = on, .own = own};
    if (!array_push(&reader->comms, reader->comms.items[on]) ||
        !array_push(&reader->windows, window))
        case_fail(reader, "out of memory");
    reader->comms.items[own].name = window.name;
}

static uint32_t find_window(const struct reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->windows.count; i++)
        if (strcmp(reader->windows.items[i].name, name) == 0)
            return i;
    case_fail(reader, "no window %s", name);
}

static void add_rma_op(struct reader *reader, struct rank_events *rank, uint64_t time,
                       enum rma_kind kind, char **words)
{
    const uint64_t first = strtoull(words[2], NULL, 10), second = strtoull(words[3], NULL, 10);
    struct rma_op op = {.kind = (uint8_t)kind,
                        .window = find_window(reader, words[0]),
                        .target = (uint32_t)atoi(words[1]),
                        .sent = kind == RMA_GET ? 0 : first,
                        .received = kind == RMA_PUT   ? 0
                                    : kind == RMA_GET ? first
                                                      : second,
                        .matching = kind == RMA_ATOMIC ? strtoull(words[4], NULL, 10) : second};
    if (!array_push(&rank->rma_ops, op))
        case_fail(reader, "out of memory");
    case_add_event(reader, rank, time, EVENT_RMA_OP, (uint32_t)rank->rma_ops.count - 1);
}

/* What a group synchronisation is for is in the call around it. */
static enum rma_sync_kind group_kind(const struct reader *reader, const struct rank_events *rank)
{
    const uint32_t region = reader->trace->calltree.paths.items[rank->path].region;
    switch (reader->regions.items[region].mpi_call) {
    case MPI_CALL_WIN_POST:
        return RMA_SYNC_POST;
    case MPI_CALL_WIN_START:
        return RMA_SYNC_START;
    case MPI_CALL_WIN_COMPLETE:
        return RMA_SYNC_COMPLETE;
    default:
        return RMA_SYNC_WAIT;
    }
}

static void add_rma_sync(struct reader *reader, struct rank_events *rank, uint64_t time,
                         struct rma_sync sync)
{
    sync.row = (uint32_t)rank->time.count;
    sync.partners = INDEX_NONE;
    if (!array_push(&rank->rma_syncs, sync))
        case_fail(reader, "out of memory");
    case_add_event(reader, rank, time, EVENT_RMA_SYNC, (uint32_t)rank->rma_syncs.count - 1);
}

static void add_lock(struct reader *reader, struct rank_events *rank, uint64_t time,
                     enum rma_sync_kind kind, char **words, int count)
{
    const bool all = strcmp(words[1], "all") == 0;
    struct rma_sync sync = {.kind = (uint8_t)kind,
                            .window = find_window(reader, words[0]),
                            .peer = all ? INDEX_NONE : (uint32_t)atoi(words[1]),
                            .group = INDEX_NONE,
                            .mode = RMA_LOCK_EXCLUSIVE};
    if (count > 2 && strcmp(words[2], "shared") == 0)
        sync.mode = RMA_LOCK_SHARED;
    if (count > 3 && strcmp(words[3], "nocheck") == 0)
        sync.assertion = SILAS_ASSERTION_NOCHECK;
    add_rma_sync(reader, rank, time, sync);
}

static void end_on_window(struct reader *reader, struct rank_events *rank, uint64_t time,
                          char **words, int count)
{
    const uint32_t index = (uint32_t)rank->collectives.count - 1;
    struct collective *collective = &rank->collectives.items[index];
    collective->end = case_add_event(reader, rank, time, EVENT_COLLECTIVE_END, index);
    collective->op = case_find_operation(reader, words[0]);
    collective->window = find_window(reader, words[1]);
    collective->comm = reader->windows.items[collective->window].own;
    collective->root = ROOT_NONE;
    collective->flags = COLLECTIVE_WINDOW;
    if (count > 2 && strcmp(words[2], "noprecede") == 0)
        collective->type_size = SILAS_ASSERTION_NOPRECEDE;
}

bool case_add_window_line(struct reader *reader, struct rank_events *rank, uint64_t time,
                          char **words, int count)
{
    static const char *const operations[] = {"put", "get", "atomic"};
    static const char *const locks[] = {"request", "lock", "unlock"};
    static const enum rma_sync_kind kinds[] = {RMA_SYNC_REQUEST_LOCK, RMA_SYNC_ACQUIRE_LOCK,
                                               RMA_SYNC_RELEASE_LOCK};
    for (int i = 0; i < 3; i++) {
        if (strcmp(words[0], operations[i]) == 0 && count == (i == RMA_ATOMIC ? 6 : 5)) {
            add_rma_op(reader, rank, time, (enum rma_kind)i, words + 1);
            return true;
        }
        if (strcmp(words[0], locks[i]) == 0 && count >= (i == 2 ? 3 : 4)) {
            add_lock(reader, rank, time, kinds[i], words + 1, count - 1);
            return true;
        }
    }
    if (strcmp(words[0], "group") == 0 && count > 1 && rank->open.count > 0) {
        struct rma_sync sync = {.kind = (uint8_t)group_kind(reader, rank),
                                .window = find_window(reader, words[1]),
                                .peer = INDEX_NONE,
                                .group =
                                    case_add_group(reader, words + 2, count - 2, GROUP_COMM_GROUP)};
        add_rma_sync(reader, rank, time, sync);
    } else if (strcmp(words[0], "done") == 0 && count == 3) {
        struct rma_sync sync = {.kind = RMA_SYNC_DONE_REMOTE,
                                .window = find_window(reader, words[1]),
                                .matching = strtoull(words[2], NULL, 10),
                                .peer = INDEX_NONE,
                                .group = INDEX_NONE};
        add_rma_sync(reader, rank, time, sync);
    } else if (strcmp(words[0], "end") == 0 && (count == 3 || count == 4)) {
        end_on_window(reader, rank, time, words + 1, count - 1);
    } else {
        return false;
    }
    return true;
}
