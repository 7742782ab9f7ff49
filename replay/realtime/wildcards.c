#include "replay/realtime/wildcards.h"

#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint8_t sort_of(const struct message *receive)
{
    return (uint8_t)((receive->flags & MESSAGE_ANY_SOURCE ? 1 : 0) |
                     (receive->flags & MESSAGE_ANY_TAG ? 2 : 0));
}

static bool is_wildcard_receive(const struct message *message)
{
    return !(message->flags & MESSAGE_SEND) && message_takes_part(message) && sort_of(message) != 0;
}

struct sorting {
    const struct stream *stream;
    struct wildcards *wildcards;
};

/* Sorts this rank's receives, and sends each one's sort to the sender of its message. */
static bool send_sort(void *data, uint32_t stream, uint32_t index, void *value)
{
    const struct sorting *sorting = data;
    struct wildcards *wildcards = sorting->wildcards;
    const struct message *message = &sorting->stream->messages[index];
    (void)stream;
    if (!is_wildcard_receive(message))
        return false;
    const uint8_t sort = sort_of(message);
    const size_t place = (size_t)message->comm * WILDCARD_SORTS + sort;
    wildcards->sorts[index] = sort;
    if (message->bytes > wildcards->longest[place])
        wildcards->longest[place] = message->bytes;
    *(uint8_t *)value = sort;
    return true;
}

static void take_sort(void *data, uint32_t stream, uint32_t index, const void *value)
{
    (void)stream;
    ((const struct sorting *)data)->wildcards->sorts[index] = *(const uint8_t *)value;
}

/* Collective. Sorts the messages, and finds which sorts any rank needs: `needs` is 1 for each. */
static enum status exchange_sorts(const struct trace *trace, const struct stream *stream,
                                  struct wildcards *wildcards, int64_t *needs, struct error *error)
{
    static const struct partner_exchange exchange = {.purpose = "wildcard receives",
                                                     .size = sizeof(uint8_t),
                                                     .send = send_sort,
                                                     .receive = take_sort};
    struct sorting sorting = {stream, wildcards};
    const bool ready = wildcards->sorts && wildcards->comms && wildcards->longest && needs;
    enum status status = partners_exchange(trace, ready, &exchange, &sorting, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < stream->message_count; i++)
        if (wildcards->sorts[i] != 0)
            needs[(size_t)stream->messages[i].comm * WILDCARD_SORTS + wildcards->sorts[i]] = 1;
    processes_max(trace->processes, needs, wildcards->comm_count * WILDCARD_SORTS);
    return STATUS_OK;
}

/* All ranks make them in order of definition, so the creations cannot block each other. After a
 * failed one the loop continues, because other ranks may wait in a further one. */
static enum status duplicate_comms(const struct communicators *communicators, const int64_t *needs,
                                   struct wildcards *wildcards, struct error *error)
{
    size_t failed = 0;
    for (size_t i = 0; i < wildcards->comm_count * WILDCARD_SORTS; i++) {
        MPI_Comm real = communicators->real[i / WILDCARD_SORTS];
        MPI_Errhandler handler;
        if (!needs[i] || real == MPI_COMM_NULL)
            continue;
        MPI_Comm_get_errhandler(real, &handler);
        MPI_Comm_set_errhandler(real, MPI_ERRORS_RETURN);
        if (MPI_Comm_dup(real, &wildcards->comms[i]) != MPI_SUCCESS) {
            wildcards->comms[i] = MPI_COMM_NULL;
            failed++;
        } else {
            MPI_Comm_set_errhandler(wildcards->comms[i], handler);
        }
        MPI_Comm_set_errhandler(real, handler);
        MPI_Errhandler_free(&handler);
    }
    if (failed > 0)
        return error_set(error, STATUS_ENVIRONMENT,
                         "wildcards = free needs %zu more communicators than MPI can create; "
                         "wildcards = recorded needs none",
                         failed);
    return STATUS_OK;
}

enum status wildcards_open(const struct trace *trace, const struct communicators *communicators,
                           struct wildcards *wildcards, struct error *error)
{
    const struct stream *stream = trace_stream(trace, (uint32_t)trace->processes->rank);
    size_t count = (size_t)trace->definitions->comm_count * WILDCARD_SORTS + 1;
    *wildcards = (struct wildcards){
        .sorts = calloc(stream->message_count + 1, 1),
        .comms = malloc(count * sizeof *wildcards->comms),
        .longest = calloc(count, sizeof *wildcards->longest),
        .comm_count = trace->definitions->comm_count,
        .first = stream->messages,
    };
    for (size_t i = 0; wildcards->comms && i < count; i++)
        wildcards->comms[i] = MPI_COMM_NULL;
    int64_t *needs = calloc(count, sizeof *needs);
    enum status status = exchange_sorts(trace, stream, wildcards, needs, error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes,
                                 duplicate_comms(communicators, needs, wildcards, error), error);
    free(needs);
    if (status != STATUS_OK)
        wildcards_close(wildcards);
    return status;
}

void wildcards_close(struct wildcards *wildcards)
{
    for (size_t i = 0; wildcards->comms && i < wildcards->comm_count * WILDCARD_SORTS; i++)
        if (wildcards->comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&wildcards->comms[i]);
    free(wildcards->sorts);
    free(wildcards->comms);
    free(wildcards->longest);
    memset(wildcards, 0, sizeof *wildcards);
}

static size_t sort_place(const struct wildcards *wildcards, const struct message *message)
{
    return (size_t)message->comm * WILDCARD_SORTS + wildcards->sorts[message - wildcards->first];
}

bool wildcards_concern(const struct wildcards *wildcards, const struct message *message)
{
    return wildcards->sorts && wildcards->sorts[message - wildcards->first] != 0;
}

void wildcards_address(const struct wildcards *wildcards, const struct message *message,
                       MPI_Comm *comm, int *peer, int *tag)
{
    assert(wildcards_concern(wildcards, message));
    *comm = wildcards->comms[sort_place(wildcards, message)];
    if (message->flags & MESSAGE_SEND)
        return;
    if (message->flags & MESSAGE_ANY_SOURCE)
        *peer = MPI_ANY_SOURCE;
    if (message->flags & MESSAGE_ANY_TAG)
        *tag = MPI_ANY_TAG;
}

uint64_t wildcards_bytes(const struct wildcards *wildcards, const struct message *message)
{
    return message->flags & MESSAGE_SEND ? message->bytes
                                         : wildcards->longest[sort_place(wildcards, message)];
}

enum status wildcard_log_open(struct wildcard_log *log, const struct replay_program *program,
                              struct error *error)
{
    memset(log, 0, sizeof *log);
    if (program->wildcards.count == 0)
        return STATUS_OK;
    log->recorded = program->wildcards.items;
    log->slots = calloc(program->slot_count + 1, sizeof *log->slots);
    return log->slots ? STATUS_OK : error_memory(error, "wildcard receives");
}

void wildcard_log_close(struct wildcard_log *log)
{
    free(log->slots);
    memset(log, 0, sizeof *log);
}

void wildcard_log_restart(struct wildcard_log *log, const struct replay_program *program)
{
    log->received = log->reordered = 0;
    if (log->slots)
        memset(log->slots, 0, program->slot_count * sizeof *log->slots);
}
