/* What the owners of ranks tell each other, on any number of processes: partners of messages, homes
 * of collective operations, on a trace of five ranks whose communicators turn their order around.
 */
#include "../mpi_check.h"

#include "trace/tell.h"

#include <string.h>

enum { RANKS = 5, INSTANCES = 40, SILENT = 7, GROUP_MESSAGES = 4 };

/* Each rank: to the next one, from the one before, and the same two of a message that is cut. */
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
    uint64_t heard[RANKS][GROUP_MESSAGES];
    bool only_sends;
};

static bool tell_name(void *data, uint32_t stream, uint32_t message, void *value)
{
    const struct partners *partners = data;
    const struct stream *s = &partners->trace->streams[stream];
    const uint64_t name = 100 * s->rank + message + 1;
    memcpy(value, &name, sizeof name);
    return !partners->only_sends || s->messages[message].flags & MESSAGE_SEND;
}

static void hear_name(void *data, uint32_t stream, uint32_t message, const void *value)
{
    struct partners *partners = data;
    memcpy(&partners->heard[stream][message], value, sizeof(uint64_t));
}

static const struct partner_talk names = {
    .purpose = "the test", .size = sizeof(uint64_t), .tell = tell_name, .hear = hear_name};

static void check_partners(const struct trace *trace, bool only_sends, const char *what)
{
    struct partners partners = {.trace = trace, .only_sends = only_sends};
    struct error error;
    int right = tell_partners(trace, true, &names, &partners, &error) == STATUS_OK;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t m = 0; m < GROUP_MESSAGES; m++) {
            const uint32_t rank = trace->first_rank + s;
            const uint32_t partner = m % 2 ? (rank + RANKS - 1) % RANKS : (rank + 1) % RANKS;
            const bool told = m < 2 && (!only_sends || m % 2);
            right &= partners.heard[s][m] == (told ? 100 * partner + (m ^ 1) + 1 : 0);
        }
    mpi_check(right, what);
}

static void check_failure(const struct trace *trace)
{
    struct partners partners = {.trace = trace};
    struct error error = {0};
    bool ready = trace->processes->rank < trace->processes->size - 1;
    mpi_check(tell_partners(trace, ready, &names, &partners, &error) == STATUS_ENVIRONMENT &&
                  strstr(error.text, "the test"),
              "where one process is not ready, all fail");
}

struct part {
    struct home_part from;
    uint64_t name;
};

struct answer {
    struct home_answer to;
    uint64_t sum;
};

struct homes_test {
    const struct trace *trace;
    enum home_order order;
    bool right;
    uint64_t heard[RANKS][INSTANCES];
};

/* Rank 2 is not told of in one instance, nobody in another one. */
static bool tells(uint32_t rank, uint32_t c)
{
    return c < INSTANCES - 1 && c != SILENT && !(c == SILENT + 1 && rank == 2);
}

static bool tell_part(void *data, uint32_t stream, uint32_t collective, void *part)
{
    const struct homes_test *test = data;
    const uint32_t rank = test->trace->streams[stream].rank;
    ((struct part *)part)->name = 1 + rank * rank;
    return tells(rank, collective);
}

static bool answer(void *data, const struct homes *homes, uint32_t instance,
                   struct exchange *answers)
{
    struct homes_test *test = data;
    uint64_t sum = 0;
    const struct part *before = NULL;
    for (uint32_t i = 0; i < homes_members(homes, instance); i++) {
        const struct part *part = homes_part(homes, instance, i);
        if (before)
            test->right &= part->from.comm == before->from.comm &&
                           part->from.instance == before->from.instance &&
                           (test->order == HOME_BY_RANK ? part->from.rank > before->from.rank
                                                        : part->from.rank < before->from.rank);
        if (test->order == HOME_BY_COMM_RANK)
            test->right &= part->from.comm_rank == RANKS - 1 - part->from.rank;
        sum += part->name;
        before = part;
    }
    for (uint32_t i = 0; i < homes_members(homes, instance); i++) {
        const struct part *part = homes_part(homes, instance, i);
        const struct answer sent = {{part->from.rank, part->from.collective}, sum};
        exchange_put_owner(answers, test->trace, part->from.rank, &sent);
    }
    return true;
}

static void hear_answer(void *data, uint32_t stream, uint32_t collective, const void *value)
{
    ((struct homes_test *)data)->heard[stream][collective] = ((const struct answer *)value)->sum;
}

static void check_homes(const struct trace *trace, enum home_order order, const char *what)
{
    const struct home_talk talk = {.purpose = "the test",
                                   .part_size = sizeof(struct part),
                                   .answer_size = sizeof(struct answer),
                                   .order = order,
                                   .tell = tell_part,
                                   .answer = answer,
                                   .hear = hear_answer};
    struct homes_test test = {.trace = trace, .order = order, .right = true};
    struct error error;
    int right = tell_homes(trace, &talk, &test, &error) == STATUS_OK && test.right;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < INSTANCES; c++) {
            uint64_t sum = 0;
            for (uint32_t rank = 0; rank < RANKS; rank++)
                sum += tells(rank, c) ? 1 + rank * rank : 0;
            right &= test.heard[s][c] == (tells(trace->first_rank + s, c) ? sum : 0);
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
    check_partners(&trace, false, "each end of a message hears its partner, cut ones hear nothing");
    check_partners(&trace, true, "who tells nothing is not heard");
    check_failure(&trace);
    check_homes(&trace, HOME_BY_RANK, "homes know the members in order of ranks, and answer all");
    check_homes(&trace, HOME_BY_COMM_RANK, "the same in order of the communicator");
    processes_close(&processes);
    return mpi_check_end();
}
