/* [insert LABEL]: new computation, or a new message, after visits of a region.
 *
 * Computation takes `duration` on the chosen ranks; all later events of the rank move by it. A
 * message goes from the rank `sender` to the rank `receiver` by MPI_Send and MPI_Recv: the k-th
 * chosen visit of one rank is followed by the send, that of the other by the receive. The two calls
 * take no time in the changed trace; the engine determines their times. Visits are
 * counted where they end, call path by call path. */
#include "trace/grow.h"
#include "transform/choose.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1 };

struct insertion {
    const struct ini_section *section;
    double duration; /* seconds; negative: none */
    uint64_t bytes;
    int64_t sender, receiver, tag; /* NOBODY; tag: -1: a free one */
    struct ranges rank, visit;
    const char *receive_after; /* list of name patterns; NULL: as the sender */
};

static const struct insertion nothing_inserted = {
    .duration = -1, .sender = NOBODY, .receiver = NOBODY, .tag = -1};

static const struct ini_key insert_keys[] = {
    WHERE_KEYS,
    INI_KEY(insertion, rank, RANGES),
    INI_KEY(insertion, visit, RANGES),
    INI_KEY(insertion, duration, DURATION),
    INI_KEY(insertion, sender, INTEGER, .most = INT32_MAX),
    INI_KEY(insertion, receiver, INTEGER, .most = INT32_MAX),
    INI_KEY(insertion, bytes, BYTES),
    INI_KEY(insertion, tag, INTEGER, .most = INT32_MAX),
    INI_KEY(insertion, receive_after, STRING),
    INI_KEYS_END,
};

/* Larger messages do not exist (trace/load). */
static const uint64_t LARGEST_MESSAGE = (uint64_t)1 << 47;

static enum status insert_check(void *state, struct error *error)
{
    static const char *const of_messages[] = {"sender", "receiver", "bytes", "tag",
                                              "receive_after"};
    const struct insertion *insertion = state;
    const struct ini_section *section = insertion->section;
    const bool computes = insertion->duration >= 0;
    for (size_t i = 0; computes && i < sizeof of_messages / sizeof *of_messages; i++)
        if (ini_value(section, of_messages[i]))
            return section_error(error, section, of_messages[i],
                                 "\"duration\" inserts computation, \"%s\" belongs to a message: "
                                 "use a section for each",
                                 of_messages[i]);
    if (computes)
        return STATUS_OK;
    if (insertion->sender == NOBODY || insertion->receiver == NOBODY ||
        !ini_value(section, "bytes"))
        return section_error(error, section, NULL,
                             "expected \"duration\" for computation, or \"sender\", \"receiver\" "
                             "and \"bytes\" for a message");
    if (insertion->sender == insertion->receiver)
        return section_error(error, section, "receiver",
                             "rank %lld is both sender and receiver: a rank that sends to itself "
                             "by MPI_Send may wait forever",
                             (long long)insertion->sender);
    if (insertion->rank.items)
        return section_error(error, section, "rank",
                             "\"rank\" chooses who computes; a message has \"sender\" and "
                             "\"receiver\"");
    if (insertion->bytes > LARGEST_MESSAGE)
        return section_error(error, section, "bytes", "bytes = %llu: a message has at most %llu",
                             (unsigned long long)insertion->bytes,
                             (unsigned long long)LARGEST_MESSAGE);
    return STATUS_OK;
}

struct inserter {
    const struct insertion *wanted;
    struct trace *trace;
    struct callpath_marks marks;
    bool *received_after; /* [region]; NULL: as the sender */
    uint32_t *visits;     /* [call path]: those of the stream so far */
    size_t path_count;    /* before calls were added */
    int64_t chosen[2];    /* visits of the sender (or of all who compute), and of the receiver */
    int64_t tag;
    uint32_t comm;
};

/* Whether visits of a call path are chosen for the sender, or for the receiver. New events are not
 * put into MPI calls. */
static bool is_chosen_path(const struct inserter *inserter, uint32_t path, bool receives)
{
    const struct calltree *calltree = &inserter->trace->calltree;
    const uint32_t parent = calltree->paths.items[path].parent;
    if (parent != CALLPATH_NONE && callpath_communicates(inserter->trace, parent))
        return false;
    if (receives && inserter->received_after)
        return inserter->received_after[calltree->paths.items[path].region];
    return marks_of(&inserter->marks, path) & CALLPATH_CHOSEN;
}

/* Counts the visit that row `row` ends, if it ends one. Returns whether it is chosen. */
static bool ends_chosen_visit(struct inserter *inserter, const struct stream *stream, uint32_t row,
                              bool receives)
{
    if (stream->kind[row] != EVENT_LEAVE)
        return false;
    const uint32_t path = stream->arg[stream->arg[row]];
    return is_chosen_path(inserter, path, receives) &&
           ranges_contain(&inserter->wanted->visit, ++inserter->visits[path]);
}

static void restart_visits(struct inserter *inserter)
{
    memset(inserter->visits, 0, inserter->path_count * sizeof *inserter->visits);
}

/* Delays all events after the chosen visits. */
static enum status write_with_computation(void *data, const struct stream *stream, uint64_t *times,
                                          struct error *error)
{
    struct inserter *inserter = data;
    const long double ticks = (long double)inserter->wanted->duration *
                              (long double)inserter->trace->definitions->ticks_per_second;
    const int64_t before = inserter->chosen[0];
    restart_visits(inserter);
    for (uint32_t row = 0; row < stream->count; row++) {
        const long double delay = ticks * (long double)(inserter->chosen[0] - before);
        if (delay > (long double)(UINT64_MAX / 4))
            return section_error(error, inserter->wanted->section, "duration",
                                 "rank %u would run longer than its clock can count", stream->rank);
        times[row] = stream->time[row] + (uint64_t)llroundl(delay);
        inserter->chosen[0] += ends_chosen_visit(inserter, stream, row, false);
    }
    return STATUS_OK;
}

static enum status insert_computation(struct inserter *inserter, struct error *error)
{
    struct trace *trace = inserter->trace;
    enum status status = STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (ranges_contain(&inserter->wanted->rank, trace->streams[s].rank))
            status =
                rewrite_stream(trace, &trace->streams[s], write_with_computation, inserter, error);
    return status;
}

/* The number of chosen visits of a stream. */
static uint32_t count_chosen_visits(struct inserter *inserter, const struct stream *stream,
                                    bool receives)
{
    uint32_t count = 0;
    restart_visits(inserter);
    for (uint32_t row = 0; row < stream->count; row++)
        count += ends_chosen_visit(inserter, stream, row, receives);
    return count;
}

/* Appends `count` messages to the stream's table. False if out of memory. */
static bool add_messages(const struct inserter *inserter, struct stream *stream, bool receives,
                         uint32_t count)
{
    const struct insertion *wanted = inserter->wanted;
    const uint32_t peer = (uint32_t)(receives ? wanted->sender : wanted->receiver);
    const uint32_t before = stream->message_count;
    const struct message fresh = {
        .bytes = wanted->bytes,
        .comm = inserter->comm,
        .peer = comm_rank_of(inserter->trace->definitions, inserter->comm, peer),
        .tag = (uint32_t)inserter->tag,
        .post = INDEX_NONE,
        .completion = INDEX_NONE,
        .partner_rank = peer,
        .partner = INDEX_NONE,
        .flags = receives ? 0 : MESSAGE_SEND,
        .type_size = 1,
        .recorded = INDEX_NONE};
    struct message *messages =
        arena_alloc_array(inserter->trace->arena, (size_t)before + count + 1, sizeof *messages);
    if (!messages)
        return false;
    if (before > 0)
        memcpy(messages, stream->messages, before * sizeof *messages);
    for (uint32_t i = 0; i < count; i++)
        messages[before + i] = fresh;
    stream->messages = messages;
    stream->message_count = before + count;
    return true;
}

/* Adds one end of the messages to a stream. False if out of memory. */
static bool insert_ends(struct inserter *inserter, struct stream *stream, bool receives)
{
    struct row_writer writer;
    uint32_t next = stream->message_count;
    const uint32_t count = count_chosen_visits(inserter, stream, receives);
    if (!add_messages(inserter, stream, receives, count))
        return false;
    inserter->chosen[receives] += count;
    restart_visits(inserter);
    row_writer_open(&writer, inserter->trace, stream, NULL, NULL);
    while (!writer.out_of_memory && writer.next < stream->count) {
        const uint32_t row = writer.next;
        const uint64_t time = stream->time[row];
        row_writer_copy(&writer, time);
        if (ends_chosen_visit(inserter, stream, row, receives))
            row_writer_add_call(&writer, receives ? MPI_CALL_RECV : MPI_CALL_SEND, time, time,
                                receives ? EVENT_RECV : EVENT_SEND, next++, time);
    }
    return row_writer_close(&writer);
}

/* Adds the call paths of the new calls: the same on all processes. False if out of memory. */
static bool add_end_paths(struct inserter *inserter)
{
    struct trace *trace = inserter->trace;
    for (uint32_t path = 0; path < inserter->path_count; path++)
        for (int receives = 0; receives < 2; receives++)
            if (is_chosen_path(inserter, path, receives) &&
                trace_mpi_path(trace, trace->calltree.paths.items[path].parent,
                               receives ? MPI_CALL_RECV : MPI_CALL_SEND) == CALLPATH_NONE)
                return false;
    return true;
}

/* Collective. A tag that no message of the trace has; above 2^31 - 1: there is none. */
static int64_t free_tag(const struct trace *trace)
{
    int64_t largest = -1;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t m = 0; m < trace->streams[s].message_count; m++) {
            const struct message *message = &trace->streams[s].messages[m];
            if (message->tag <= INT32_MAX && (int64_t)message->tag > largest)
                largest = message->tag;
        }
    processes_max(trace->processes, &largest, 1);
    return largest + 1;
}

static enum status check_ends(const struct inserter *inserter, struct error *error)
{
    const struct insertion *wanted = inserter->wanted;
    const int64_t ranks = inserter->trace->rank_count;
    const int64_t ends[] = {wanted->sender, wanted->receiver};
    static const char *const keys[] = {"sender", "receiver"};
    for (int i = 0; i < 2; i++)
        if (ends[i] >= ranks)
            return section_error(error, wanted->section, keys[i],
                                 "%s = %lld: the trace has the ranks 0 to %lld", keys[i],
                                 (long long)ends[i], (long long)ranks - 1);
    if (inserter->comm == INDEX_NONE)
        return section_error(error, wanted->section, NULL,
                             "the trace has no communicator of all ranks for the message");
    if (inserter->tag > INT32_MAX)
        return section_error(error, wanted->section, NULL,
                             "messages of the trace have the largest tag that MPI allows: name a "
                             "tag that none of them has, \"tag = N\"");
    return STATUS_OK;
}

static enum status insert_messages(struct inserter *inserter, struct error *error)
{
    const struct insertion *wanted = inserter->wanted;
    struct trace *trace = inserter->trace;
    inserter->comm = definitions_world(trace->definitions);
    inserter->tag = wanted->tag >= 0 ? wanted->tag : free_tag(trace);
    enum status status = check_ends(inserter, error);
    if (status == STATUS_OK && wanted->receive_after)
        status = regions_choose(wanted->section, "receive_after", trace, &inserter->received_after,
                                error);
    if (status == STATUS_OK)
        status = trace_own_definitions(trace, error);
    if (status == STATUS_OK && !add_end_paths(inserter))
        status = error_memory(error, "the call tree");
    inserter->marks.calltree = &trace->calltree;
    for (int receives = 0; receives < 2 && status == STATUS_OK; receives++) {
        const int64_t rank = receives ? wanted->receiver : wanted->sender;
        struct stream *stream = trace_stream(trace, (uint32_t)rank);
        if (stream && !insert_ends(inserter, stream, receives))
            status = error_memory(error, "the events with new messages");
    }
    return status;
}

/* Collective: the counts of all ranks. */
static enum status check_inserted(struct inserter *inserter, struct hypothesis_outcome *outcome,
                                  struct error *error)
{
    const struct insertion *wanted = inserter->wanted;
    const int64_t *chosen = inserter->chosen;
    processes_sum(inserter->trace->processes, inserter->chosen, 2);
    outcome->operations_changed = wanted->duration < 0;
    if (wanted->duration < 0 && chosen[0] != chosen[1])
        return section_error(error, wanted->section, NULL,
                             "the sender, rank %lld, ends %lld chosen visits, and the receiver, "
                             "rank %lld, ends %lld: each message needs one visit of each",
                             (long long)wanted->sender, (long long)chosen[0],
                             (long long)wanted->receiver, (long long)chosen[1]);
    if (chosen[0] == 0)
        return section_error(error, wanted->section, NULL,
                             "no visit of the chosen ranks meets all conditions");
    return STATUS_OK;
}

static enum status insert_apply(const void *state, struct trace *trace,
                                struct hypothesis_outcome *outcome, struct error *error)
{
    struct inserter inserter = {
        .wanted = state, .trace = trace, .path_count = trace->calltree.paths.count};
    const struct insertion *wanted = state;
    enum status status =
        callpath_marks_create(wanted->section, trace, &inserter.marks, error)
            ?: conditions_check_ranks(wanted->section, "rank", &wanted->rank, trace, error);
    inserter.visits = malloc((inserter.path_count + 1) * sizeof *inserter.visits);
    if (status == STATUS_OK && !inserter.visits)
        status = error_memory(error, "the visits of regions");
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = wanted->duration >= 0 ? insert_computation(&inserter, error)
                                       : insert_messages(&inserter, error);
    callpath_marks_clear(&inserter.marks);
    free(inserter.received_after);
    free(inserter.visits);
    status = processes_agree(trace->processes, status, error);
    return status == STATUS_OK ? check_inserted(&inserter, outcome, error) : status;
}

const struct hypothesis_kind hypothesis_insert = {
    .name = "insert",
    .description = "add computation or a message after visits of a region",
    .state_size = sizeof(struct insertion),
    .initial = &nothing_inserted,
    .keys = insert_keys,
    .needs_where = true,
    .check = insert_check,
    .apply = insert_apply,
};
