/* The actions that SimGrid 3.32 replays (doc/schedules.md), and those of older versions: their
 * names have other capitals, messages have no tag, and waits name no message. Counts are in
 * elements of a datatype, which further arguments name; without them in doubles if `init` has an
 * argument, else in bytes. */
#include "exchange/schedules/ti_read.h"

#include "base/array.h"
#include "trace/build/trace_builder.h"
#include "exchange/schedules/ti_actions.h"
#include "exchange/schedules/ti_index.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST (1ull << 40) /* bytes of a message, elements of a buffer */

/* Bytes of SimGrid's datatypes, by their numbers; measured with SimGrid 3.32. */
static const uint8_t type_sizes[] = {8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2,  4,  8, 8, 16, 4,
                                     1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8, 8};

/* A message that has begun. */
struct ti_request {
    uint32_t from, to, tag;
    uint32_t request; /* of the builder */
};

struct ti_rank {
    struct ti_line line;
    struct trace_builder *builder;
    uint32_t rank, ranks;
    double seconds_per_operation;
    uint64_t type_size;                /* of counts without a datatype */
    ARRAY(struct ti_request) requests; /* in the order of their begin */
    uint64_t *counts;                  /* [2 * ranks] */
    bool initialised, finalised;
    bool no_memory;
};

static uint32_t read_rank(struct ti_rank *rank, const char *what)
{
    if (rank->ranks == 0)
        return 0;
    const char *before = rank->line.next;
    size_t blanks = strspn(before, " \t");
    if (before[blanks] == '-') {
        ti_line_word(&rank->line, what);
        ti_line_refuse(&rank->line,
                       "%s is negative: a trace must name the other side of each message", what);
        return 0;
    }
    return (uint32_t)ti_line_whole(&rank->line, what, rank->ranks - 1);
}

static uint64_t read_count(struct ti_rank *rank, const char *what)
{
    return ti_line_whole(&rank->line, what, LARGEST);
}

static uint64_t read_type(struct ti_rank *rank)
{
    if (!ti_line_has_more(&rank->line))
        return rank->type_size;
    uint64_t type = ti_line_whole(&rank->line, "a datatype's number", sizeof type_sizes - 1);
    return type_sizes[type];
}

static void compute(struct ti_rank *rank, double operations)
{
    double seconds = operations * rank->seconds_per_operation;
    if (seconds > 1e9)
        ti_line_refuse(&rank->line, "this computation would take more than 30 years");
    if (rank->line.status == STATUS_OK && seconds > 0)
        builder_compute(rank->builder, seconds);
}

static void do_compute(struct ti_rank *rank)
{
    compute(rank, ti_line_number(&rank->line, "a number of operations"));
}

static void do_sleep(struct ti_rank *rank)
{
    double seconds = ti_line_number(&rank->line, "a number of seconds");
    compute(rank, seconds / rank->seconds_per_operation);
}

static struct builder_end read_end(struct ti_rank *rank, const char *peer)
{
    struct builder_end end = {0};
    end.peer = read_rank(rank, peer);
    if (ti_line_words_left(&rank->line) > 1) /* older traces have no tags */
        end.tag = (uint32_t)ti_line_whole(&rank->line, "a tag", INT32_MAX);
    uint64_t count = read_count(rank, "a count");
    end.bytes = count * read_type(rank);
    return end;
}

static void do_send(struct ti_rank *rank)
{
    struct builder_end end = read_end(rank, "the receiver");
    if (rank->line.status == STATUS_OK)
        builder_send(rank->builder, MPI_CALL_SEND, BUILDER_WORLD, &end);
}

static void do_recv(struct ti_rank *rank)
{
    struct builder_end end = read_end(rank, "the sender");
    if (rank->line.status == STATUS_OK)
        builder_receive(rank->builder, BUILDER_WORLD, &end);
}

static void keep_request(struct ti_rank *rank, struct ti_request request)
{
    if (request.request != INDEX_NONE)
        rank->no_memory |= !array_push(&rank->requests, request);
}

static void do_isend(struct ti_rank *rank)
{
    struct builder_end end = read_end(rank, "the receiver");
    if (rank->line.status == STATUS_OK)
        keep_request(rank, (struct ti_request){
                               rank->rank, end.peer, end.tag,
                               builder_isend(rank->builder, MPI_CALL_ISEND, BUILDER_WORLD, &end)});
}

static void do_irecv(struct ti_rank *rank)
{
    struct builder_end end = read_end(rank, "the sender");
    if (rank->line.status == STATUS_OK)
        keep_request(rank,
                     (struct ti_request){end.peer, rank->rank, end.tag,
                                         builder_ireceive(rank->builder, BUILDER_WORLD, &end)});
}

/* sendRecv COUNT RECEIVER COUNT SENDER [TYPE TYPE] */
static void do_sendrecv(struct ti_rank *rank)
{
    struct builder_end send = {0}, receive = {0};
    send.bytes = read_count(rank, "the count sent");
    send.peer = read_rank(rank, "the receiver");
    receive.bytes = read_count(rank, "the count received");
    receive.peer = read_rank(rank, "the sender");
    send.bytes *= read_type(rank);
    receive.bytes *= read_type(rank);
    if (rank->line.status == STATUS_OK)
        builder_sendrecv(rank->builder, BUILDER_WORLD, &send, &receive);
}

static void wait_for(struct ti_rank *rank, size_t i)
{
    struct ti_request *request = &rank->requests.items[i];
    builder_wait(rank->builder, MPI_CALL_WAIT, &request->request, 1);
    memmove(request, request + 1, (rank->requests.count - i - 1) * sizeof *request);
    rank->requests.count--;
}

/* The oldest request of this message, as the replay finds it. One that does not exist is complete
 * already: a test has seen it. Older traces name no message: the latest request. */
static void do_wait(struct ti_rank *rank)
{
    if (!ti_line_has_more(&rank->line)) {
        if (rank->requests.count > 0)
            wait_for(rank, rank->requests.count - 1);
        return;
    }
    uint32_t from = read_rank(rank, "the sender"), to = read_rank(rank, "the receiver");
    uint32_t tag = (uint32_t)ti_line_whole(&rank->line, "a tag", INT32_MAX);
    if (rank->line.status != STATUS_OK)
        return;
    for (size_t i = 0; i < rank->requests.count; i++) {
        const struct ti_request *request = &rank->requests.items[i];
        if (request->from == from && request->to == to && request->tag == tag) {
            wait_for(rank, i);
            return;
        }
    }
}

static void do_waitall(struct ti_rank *rank)
{
    uint32_t *open = malloc((rank->requests.count + 1) * sizeof *open);
    size_t count = rank->requests.count;
    rank->no_memory |= !open;
    for (size_t i = 0; open && i < count; i++)
        open[i] = rank->requests.items[i].request;
    if (open && count > 0)
        builder_wait(rank->builder, MPI_CALL_WAITALL, open, (uint32_t)count);
    rank->requests.count = 0;
    free(open);
}

static void operate(struct ti_rank *rank, const struct ti_action *action, uint32_t root,
                    uint64_t bytes, const uint64_t *sends, const uint64_t *receives)
{
    const struct builder_collective collective = {.call = action->call,
                                                  .comm = BUILDER_WORLD,
                                                  .made = INDEX_NONE,
                                                  .root = root,
                                                  .bytes = bytes,
                                                  .send_counts = sends,
                                                  .receive_counts = receives};
    if (rank->line.status == STATUS_OK)
        builder_collective(rank->builder, &collective);
}

static uint32_t read_root(struct ti_rank *rank, const struct ti_action *action)
{
    if (!collective_op_is_rooted(action->op))
        return ROOT_NONE;
    return ti_line_has_more(&rank->line) ? read_rank(rank, "the root") : 0;
}

static double read_operations(struct ti_rank *rank)
{
    return ti_line_has_more(&rank->line) ? ti_line_number(&rank->line, "a number of operations")
                                         : 0;
}

static uint64_t *read_counts(struct ti_rank *rank, uint64_t *counts)
{
    for (uint32_t i = 0; i < rank->ranks && rank->line.status == STATUS_OK; i++)
        counts[i] = read_count(rank, "a count for each rank");
    return counts;
}

static uint64_t scale(const struct ti_rank *rank, uint64_t *counts, uint64_t type)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rank->ranks; i++)
        sum += counts[i] *= type;
    return sum;
}

static void do_broadcast(struct ti_rank *rank, const struct ti_action *action)
{
    uint64_t count = read_count(rank, "a count");
    uint32_t root = read_root(rank, action);
    operate(rank, action, root, count * read_type(rank), NULL, NULL);
}

static void do_reduction(struct ti_rank *rank, const struct ti_action *action)
{
    uint64_t count = read_count(rank, "a count");
    double operations = read_operations(rank);
    uint32_t root = read_root(rank, action);
    operate(rank, action, root, count * read_type(rank), NULL, NULL);
    compute(rank, operations);
}

static void do_blocks(struct ti_rank *rank, const struct ti_action *action)
{
    uint64_t sent = read_count(rank, "the count sent");
    uint64_t received = read_count(rank, "the count received");
    uint32_t root = read_root(rank, action);
    uint64_t sent_type = read_type(rank), received_type = read_type(rank);
    bool scatters = collective_operations[action->op].flow == FLOW_FROM_ROOT;
    operate(rank, action, root, scatters ? received * received_type : sent * sent_type, NULL, NULL);
}

/* Offsets, which may follow the counts of allgatherv, say nothing that a trace has. */
static void do_receive_vector(struct ti_rank *rank, const struct ti_action *action)
{
    uint64_t sent = read_count(rank, "the count sent");
    uint64_t *counts = read_counts(rank, rank->counts);
    uint32_t root = read_root(rank, action);
    uint64_t type = read_type(rank);
    scale(rank, counts, root == ROOT_NONE ? type : read_type(rank));
    operate(rank, action, root, sent * type, NULL,
            root == ROOT_NONE || root == rank->rank ? counts : NULL);
}

static void do_send_vector(struct ti_rank *rank, const struct ti_action *action)
{
    uint64_t *counts = read_counts(rank, rank->counts);
    uint64_t received = read_count(rank, "the count received");
    uint32_t root = read_root(rank, action);
    scale(rank, counts, read_type(rank));
    received *= read_type(rank);
    operate(rank, action, root, received, root == rank->rank ? counts : NULL, NULL);
}

static void do_both_vectors(struct ti_rank *rank, const struct ti_action *action)
{
    read_count(rank, "the size of the buffer");
    uint64_t *sends = read_counts(rank, rank->counts);
    read_count(rank, "the size of the buffer");
    uint64_t *receives = read_counts(rank, rank->counts + rank->ranks);
    scale(rank, sends, read_type(rank));
    scale(rank, receives, read_type(rank));
    operate(rank, action, ROOT_NONE, 0, sends, receives);
}

static void do_parts(struct ti_rank *rank, const struct ti_action *action)
{
    uint64_t *counts = read_counts(rank, rank->counts);
    double operations = read_operations(rank);
    uint64_t whole = scale(rank, counts, read_type(rank));
    operate(rank, action, ROOT_NONE, whole, NULL, counts);
    compute(rank, operations);
}

static void do_collective(struct ti_rank *rank, const struct ti_action *action)
{
    switch (ti_action_arguments(action->op)) {
    case TI_NOTHING:
        operate(rank, action, ROOT_NONE, 0, NULL, NULL);
        break;
    case TI_SIZE:
        do_broadcast(rank, action);
        break;
    case TI_REDUCTION:
        do_reduction(rank, action);
        break;
    case TI_BLOCKS:
        do_blocks(rank, action);
        break;
    case TI_RECEIVE_VECTOR:
        do_receive_vector(rank, action);
        break;
    case TI_SEND_VECTOR:
        do_send_vector(rank, action);
        break;
    case TI_BOTH_VECTORS:
        do_both_vectors(rank, action);
        break;
    case TI_PARTS:
        do_parts(rank, action);
        break;
    }
}

static void do_init(struct ti_rank *rank)
{
    if (rank->initialised)
        ti_line_refuse(&rank->line, "this rank has been initialised already");
    rank->initialised = true;
    rank->type_size = ti_line_has_more(&rank->line) ? sizeof(double) : 1;
}

static void do_finalize(struct ti_rank *rank)
{
    do_waitall(rank);
    rank->finalised = true;
}

static void do_nothing(struct ti_rank *rank)
{
    (void)rank;
}

static const struct {
    const char *name;
    void (*act)(struct ti_rank *rank);
} actions[] = {
    {"compute", do_compute},   {"send", do_send},         {"recv", do_recv},
    {"isend", do_isend},       {"irecv", do_irecv},       {"wait", do_wait},
    {"waitall", do_waitall},   {"test", do_nothing}, /* the wait that follows completes the request
                                                      */
    {"sendRecv", do_sendrecv}, {"sleep", do_sleep},       {"init", do_init},
    {"finalize", do_finalize}, {"comm_size", do_nothing}, {"comm_split", do_nothing},
    {"comm_dup", do_nothing},  {"location", do_nothing},
};

static void act(struct ti_rank *rank)
{
    uint64_t number = ti_line_whole(&rank->line, "the number of a rank", UINT32_MAX);
    if (rank->line.status == STATUS_OK && number != rank->rank)
        ti_line_refuse(&rank->line, "expected an action of rank %u, whose file this is",
                       rank->rank);
    const char *name = ti_line_word(&rank->line, "an action");
    if (!name)
        return;
    if (rank->finalised)
        ti_line_refuse(&rank->line, "there are actions after finalize");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcasecmp(actions[i].name, name) == 0) {
            actions[i].act(rank);
            return;
        }
    const struct ti_action collective = ti_action_named(name);
    if (collective.name)
        do_collective(rank, &collective);
    else
        ti_line_refuse(&rank->line, "unknown action \"%.40s\"", name);
}

/* "# flops per second: 1000000000", as silas-export writes it in the first line. */
static double find_rate(struct ti_line *line)
{
    double rate = 1e9;
    char text[128];
    if (fgets(text, sizeof text, line->file) &&
        sscanf(text, "# flops per second: %lf", &rate) == 1 && !(rate >= 1 && rate <= 1e18)) {
        line->number = 1;
        line->word = NULL;
        ti_line_refuse(line, "flops per second are from 1 to 1e18");
    }
    rewind(line->file);
    return rate;
}

static enum status read_actions(struct ti_rank *rank, const struct ti_index *index,
                                struct error *error)
{
    enum status status = ti_index_open(index, rank->rank, &rank->line, error);
    if (status == STATUS_OK) {
        rank->seconds_per_operation = 1 / find_rate(&rank->line);
        while (!rank->no_memory && ti_line_next(&rank->line))
            act(rank);
        if (!rank->finalised)
            do_finalize(rank);
        status = rank->line.status;
    }
    ti_line_close(&rank->line);
    if (status == STATUS_OK && rank->no_memory)
        status = error_memory(error, "the trace");
    return status;
}

static enum status build_rank(struct trace_builder *builder, uint32_t number,
                              const struct ti_index *index, struct error *error)
{
    struct ti_rank rank = {
        .builder = builder, .rank = number, .ranks = index->ranks, .type_size = 1};
    rank.counts = malloc(2 * ((size_t)index->ranks + 1) * sizeof *rank.counts);
    if (!rank.counts)
        return error_memory(error, "the trace");
    builder_begin_rank(builder, 0);
    enum status status = read_actions(&rank, index, error);
    if (status == STATUS_OK)
        builder_end_rank(builder, 0);
    free(rank.counts);
    free(rank.requests.items);
    return status;
}

enum status ti_read(const char *path, struct processes *processes, const struct hardware *hardware,
                    struct trace **trace, struct error *error)
{
    struct ti_index index;
    struct trace_builder *builder = NULL;
    enum status status = processes_agree(processes, ti_index_read(path, &index, error), error);
    if (status == STATUS_OK)
        status = builder_create(processes, "simgrid", index.ranks, hardware->ranks_per_node, NULL,
                                0, &builder, error);
    if (status == STATUS_OK) {
        uint32_t first = builder_first_rank(builder), count = builder_owned_ranks(builder);
        for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
            status = build_rank(builder, first + i, &index, error);
        status = builder_finish(builder, status, trace, error);
    }
    builder_destroy(builder);
    ti_index_clear(&index);
    return status;
}
