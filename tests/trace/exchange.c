/* The exchanges between owners of ranks, on any number of processes: between partners of messages,
 * and between members and owners of instances. The trace has five ranks; its communicators reverse
 * their order. */
#include "../mpi_check.h"

#include "base/mpi/handles.h"
#include "trace/exchange.h"

#include <string.h>

enum { RANKS = 5, INSTANCES = 40, UNSENT = 7, GROUP_MESSAGES = 4 };

/* Of each rank: a message to the next rank, one from the previous rank, and the same for messages
 * that are cut. */
static struct message messages[RANKS][GROUP_MESSAGES];
static struct collective collectives[RANKS][INSTANCES];
static struct stream streams[RANKS];

static struct trace make_trace(struct processes *processes, struct definitions *definitions)
{
    struct trace trace = {.processes = processes, .definitions = definitions, .rank_count = RANKS};
    trace.first_rank = trace_first_rank(RANKS, processes->size, processes->rank);
    trace.owned_count =
        trace_first_rank(RANKS, processes->size, processes->rank + 1) - trace.first_rank;
    trace.streams = &streams[trace.first_rank];
    for (uint32_t r = 0; r < RANKS; r++) {
        const uint32_t next = (r + 1) % RANKS, before = (r + RANKS - 1) % RANKS;
        for (uint32_t m = 0; m < GROUP_MESSAGES; m++)
            messages[r][m] = (struct message){
                .partner_rank = m % 2 ? before : next,
                .partner = m ^ 1,
                .flags = (uint16_t)((m % 2 ? 0 : MESSAGE_SEND) | (m > 1 ? MESSAGE_CUT : 0))};
        for (uint32_t c = 0; c < INSTANCES; c++)
            collectives[r][c] = (struct collective){.comm = c % 2, .instance = c / 2};
        collectives[r][INSTANCES - 1].instance = INDEX_NONE; /* takes no part */
        streams[r] = (struct stream){.rank = r,
                                     .messages = messages[r],
                                     .message_count = GROUP_MESSAGES,
                                     .collectives = collectives[r],
                                     .collective_count = INSTANCES};
    }
    return trace;
}

struct partners {
    const struct trace *trace;
    uint64_t received[RANKS][GROUP_MESSAGES];
    bool only_sends;
};

static bool send_name(void *data, uint32_t stream, uint32_t message, void *value)
{
    const struct partners *partners = data;
    const struct stream *s = &partners->trace->streams[stream];
    const uint64_t name = 100 * s->rank + message + 1;
    memcpy(value, &name, sizeof name);
    return !partners->only_sends || s->messages[message].flags & MESSAGE_SEND;
}

static void receive_name(void *data, uint32_t stream, uint32_t message, const void *value)
{
    struct partners *partners = data;
    memcpy(&partners->received[stream][message], value, sizeof(uint64_t));
}

static const struct partner_exchange names = {
    .purpose = "the test", .size = sizeof(uint64_t), .send = send_name, .receive = receive_name};

static void check_partners(const struct trace *trace, bool only_sends, const char *what)
{
    struct partners partners = {.trace = trace, .only_sends = only_sends};
    struct error error;
    int right = partners_exchange(trace, true, &names, &partners, &error) == STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t m = 0; m < GROUP_MESSAGES; m++) {
            const uint32_t rank = trace->first_rank + s;
            const uint32_t partner = m % 2 ? (rank + RANKS - 1) % RANKS : (rank + 1) % RANKS;
            const bool sent = m < 2 && (!only_sends || m % 2);
            right &= partners.received[s][m] == (sent ? 100 * partner + (m ^ 1) + 1 : 0);
        }
    mpi_check(right, what);
}

static void check_failure(const struct trace *trace)
{
    struct partners partners = {.trace = trace};
    struct error error = {0};
    bool ready = trace->processes->rank < trace->processes->size - 1;
    mpi_check(partners_exchange(trace, ready, &names, &partners, &error) == STATUS_ENVIRONMENT &&
                  strstr(error.text, "the test"),
              "if one process is not ready, all fail");
}

struct named_member {
    struct member_record from;
    uint64_t name;
};

struct sum_answer {
    struct instance_answer to;
    uint64_t sum;
};

struct instances_test {
    const struct trace *trace;
    enum member_order order;
    bool right;
    uint64_t received[RANKS][INSTANCES];
};

/* Rank 2 sends no record for one instance, and no rank does for another one. */
static bool sends_record(uint32_t rank, uint32_t c)
{
    return c < INSTANCES - 1 && c != UNSENT && !(c == UNSENT + 1 && rank == 2);
}

static bool send_member(void *data, uint32_t stream, uint32_t collective, void *record)
{
    const struct instances_test *test = data;
    const uint32_t rank = test->trace->streams[stream].rank;
    ((struct named_member *)record)->name = 1 + rank * rank;
    return sends_record(rank, collective);
}

static bool answer_sum(void *data, const struct owned_instances *instances, uint32_t instance,
                       struct exchange *answers)
{
    struct instances_test *test = data;
    uint64_t sum = 0;
    const struct named_member *before = NULL;
    for (uint32_t i = 0; i < instance_member_count(instances, instance); i++) {
        const struct named_member *member = instance_record(instances, instance, i);
        if (before)
            test->right &= member->from.comm == before->from.comm &&
                           member->from.instance == before->from.instance &&
                           (test->order == MEMBERS_BY_RANK ? member->from.rank > before->from.rank
                                                           : member->from.rank < before->from.rank);
        if (test->order == MEMBERS_BY_COMM_RANK)
            test->right &= member->from.comm_rank == RANKS - 1 - member->from.rank;
        sum += member->name;
        before = member;
    }
    for (uint32_t i = 0; i < instance_member_count(instances, instance); i++) {
        const struct named_member *member = instance_record(instances, instance, i);
        const struct sum_answer sent = {{member->from.rank, member->from.collective}, sum};
        exchange_put_owner(answers, test->trace, member->from.rank, &sent);
    }
    return true;
}

static void receive_sum(void *data, uint32_t stream, uint32_t collective, const void *value)
{
    ((struct instances_test *)data)->received[stream][collective] =
        ((const struct sum_answer *)value)->sum;
}

static void check_instances(const struct trace *trace, enum member_order order, const char *what)
{
    const struct instance_exchange exchange = {.purpose = "the test",
                                               .record_size = sizeof(struct named_member),
                                               .answer_size = sizeof(struct sum_answer),
                                               .order = order,
                                               .send = send_member,
                                               .answer = answer_sum,
                                               .receive = receive_sum};
    struct instances_test test = {.trace = trace, .order = order, .right = true};
    struct error error;
    int right = instances_exchange(trace, &exchange, &test, &error) == STATUS_OK && test.right;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < INSTANCES; c++) {
            uint64_t sum = 0;
            for (uint32_t rank = 0; rank < RANKS; rank++)
                sum += sends_record(rank, c) ? 1 + rank * rank : 0;
            right &= test.received[s][c] == (sends_record(trace->first_rank + s, c) ? sum : 0);
        }
    mpi_check(right, what);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    uint64_t members[] = {4, 3, 2, 1, 0};
    struct group group = {.members = members, .count = RANKS};
    struct communicator comms[] = {{.remote_group = INDEX_NONE}, {.remote_group = INDEX_NONE}};
    struct definitions definitions = {
        .rank_count = RANKS, .groups = &group, .group_count = 1, .comms = comms, .comm_count = 2};
    mpi_check_begin(&argc, &argv);
    mpi_check(processes_open(&processes, MPI_COMM_WORLD, &error) == STATUS_OK, "opened");
    const struct trace trace = make_trace(&processes, &definitions);
    check_partners(
        &trace, false,
        "each end of a message receives the value of its partner, cut ones receive none");
    check_partners(&trace, true, "who sends_record nothing is not received");
    check_failure(&trace);
    check_instances(&trace, MEMBERS_BY_RANK,
                    "owners get the members in the order of ranks, and answer all");
    check_instances(&trace, MEMBERS_BY_COMM_RANK,
                    "owners get the members in the order of the communicator");
    processes_close(&processes);
    return mpi_check_end();
}
