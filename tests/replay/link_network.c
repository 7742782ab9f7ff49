/* Rates and ends of flows that share links, against values computed by hand, and against a naive
 * simulation of random flows. */
#include "replay/model/link_network.h"

#include "tests/check_tap.h"

#include <math.h>
#include <stdlib.h>

enum { FLOWS_MOST = 160, NODES = 16 };

struct planned_flow {
    struct link_path path;
    double bytes, begin, end;
};

/* Sets the ends of flows, which begin in order of time. */
static void run(const struct network_links *links, struct planned_flow *flows, uint32_t count)
{
    struct link_network *network;
    struct error error;
    ck_assert_int_eq(link_network_create(links, 1, NODES, &network, &error), STATUS_OK);
    for (uint32_t next = 0;;) {
        double end;
        ck_assert(link_network_next_end(network, &end));
        if (next < count && flows[next].begin <= end) {
            ck_assert(link_network_begin(network, next, &flows[next].path, flows[next].bytes,
                                         flows[next].begin));
            next++;
        } else if (isinf(end)) {
            break;
        } else {
            uint32_t flow;
            ck_assert(link_network_end(network, &flow));
            flows[flow].end = link_network_time(network);
            ck_assert_double_eq(flows[flow].end, end);
        }
    }
    link_network_destroy(network);
}

static struct planned_flow flow(uint32_t from, uint32_t to, double bytes, double begin)
{
    return (struct planned_flow){{from, to, 0, INFINITY}, bytes, begin, 0};
}

#define ENDS(flow, expected) ck_assert_double_eq_tol((flow).end, (expected), 1e-9)

START_TEST(two_flows_take_twice_as_long)
{
    const struct network_links links = {.number = 1, .out = 1};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(0, 2, 10, 0)};
    run(&links, flows, 2);
    ENDS(flows[0], 20);
    ENDS(flows[1], 20);
}
END_TEST

START_TEST(a_later_flow_shares_what_is_left)
{
    const struct network_links links = {.number = 1, .in = 1};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(2, 1, 10, 5)};
    run(&links, flows, 2);
    ENDS(flows[0], 15);
    ENDS(flows[1], 20);
}
END_TEST

/* Three flows leave node 0, each at 1/3; the one from node 4 gets the rest of node 3's link.
 */
START_TEST(rates_are_max_min_fair)
{
    const struct network_links links = {.number = 1, .out = 1, .in = 1};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(0, 2, 10, 0), flow(0, 3, 10, 0),
                                   flow(4, 3, 10, 0)};
    run(&links, flows, 4);
    ENDS(flows[0], 30);
    ENDS(flows[1], 30);
    ENDS(flows[2], 30);
    ENDS(flows[3], 15);
}
END_TEST

/* Flow i of 1 .. k has i bytes; k - i + 1 flows share the link while it moves its last byte. */
START_TEST(lengths_may_differ)
{
    enum { COUNT = 20 };
    const struct network_links links = {.number = 1, .out = 1};
    struct planned_flow flows[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        flows[i] = flow(0, 1 + i % 3, i + 1, 0);
    run(&links, flows, COUNT);
    for (uint32_t i = 1; i <= COUNT; i++)
        ENDS(flows[i - 1], i * COUNT - i * (i - 1) / 2.0);
}
END_TEST

START_TEST(a_flow_has_a_rate_of_its_own)
{
    const struct network_links links = {.number = 1, .out = 1};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(0, 1, 10, 0), flow(0, 1, 10, 100),
                                   flow(0, 1, 10, 100), flow(0, 1, 10, 100)};
    for (int i = 0; i < 5; i++)
        flows[i].path.rate = 0.4;
    run(&links, flows, 5);
    ENDS(flows[0], 25); /* two of them fit in the link */
    ENDS(flows[1], 25);
    for (int i = 2; i < 5; i++)
        ENDS(flows[i], 130); /* three do not */
}
END_TEST

START_TEST(a_slow_flow_leaves_more_to_others)
{
    const struct network_links links = {.number = 1, .out = 1};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(0, 1, 10, 0)};
    flows[0].path = (struct link_path){0, 1, 1, 0.2};
    run(&links, flows, 2);
    ENDS(flows[0], 50);
    ENDS(flows[1], 12.5);
}
END_TEST

START_TEST(all_capacities_count)
{
    const struct network_links two = {.number = 2, .out = 1},
                               crossbar = {.number = 1, .switched = 1},
                               memory = {.number = 1, .out = 9, .memory = 1};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(0, 1, 10, 0)};
    run(&two, flows, 2);
    ENDS(flows[0], 10);
    flows[1] = flow(2, 3, 10, 0);
    run(&crossbar, flows, 2);
    ENDS(flows[0], 20);
    ENDS(flows[1], 20);
    flows[0] = flow(2, 2, 10, 0);
    flows[1] = flow(2, 2, 10, 0);
    run(&memory, flows, 2);
    ENDS(flows[0], 20);
    flows[1] = flow(3, 3, 10, 0);
    run(&memory, flows, 2);
    ENDS(flows[0], 10);
}
END_TEST

/* Naive: after each event the rates of all flows, by progressive filling flow by flow. */
struct naive_flow {
    bool runs, fixed;
    double left, rate;
};

static double naive_capacity(const struct network_links *links, int resource)
{
    double capacity = resource < NODES        ? links->out
                      : resource < 2 * NODES  ? links->in
                      : resource == 2 * NODES ? links->switched
                                              : links->memory;
    return capacity > 0 ? capacity : INFINITY;
}

static bool naive_uses(const struct planned_flow *flow, int resource)
{
    int from = (int)flow->path.from, to = (int)flow->path.to;
    if (from == to)
        return resource == 2 * NODES + 1 + from;
    return resource == from || resource == NODES + to || resource == 2 * NODES;
}

static void naive_rates(const struct network_links *links, const struct planned_flow *flows,
                        struct naive_flow *state, uint32_t count)
{
    enum { RESOURCES = 3 * NODES + 1 };
    for (uint32_t f = 0; f < count; f++)
        state[f].fixed = !state[f].runs;
    for (;;) {
        double common = INFINITY;
        uint32_t first = count;
        for (int r = 0; r < RESOURCES; r++) {
            double left = naive_capacity(links, r), unfixed = 0;
            for (uint32_t f = 0; f < count; f++)
                if (state[f].runs && naive_uses(&flows[f], r)) {
                    left -= state[f].fixed ? state[f].rate : 0;
                    unfixed += !state[f].fixed;
                }
            if (unfixed == 0 || left / unfixed >= common)
                continue;
            common = left / unfixed;
            first = 0;
            while (state[first].fixed || !naive_uses(&flows[first], r))
                first++;
        }
        for (uint32_t f = 0; f < count; f++)
            if (!state[f].fixed && flows[f].path.rate <= common) {
                common = flows[f].path.rate;
                first = f;
            }
        if (first == count)
            return;
        state[first].fixed = true;
        state[first].rate = common;
    }
}

static void naive_run(const struct network_links *links, const struct planned_flow *flows,
                      uint32_t count, double *ends)
{
    static struct naive_flow state[FLOWS_MOST];
    double time = 0;
    for (uint32_t f = 0; f < count; f++)
        state[f] = (struct naive_flow){.left = flows[f].bytes};
    for (uint32_t next = 0, ended = 0; ended < count;) {
        double until = next < count ? flows[next].begin : INFINITY;
        uint32_t first = count;
        naive_rates(links, flows, state, next);
        for (uint32_t f = 0; f < next; f++)
            if (state[f].runs && time + state[f].left / state[f].rate < until) {
                until = time + state[f].left / state[f].rate;
                first = f;
            }
        for (uint32_t f = 0; f < next; f++)
            if (state[f].runs)
                state[f].left -= state[f].rate * (until - time);
        time = until;
        if (first < count) {
            ends[first] = time;
            state[first].runs = false;
            ended++;
        } else {
            state[next++].runs = true;
        }
    }
}

START_TEST(random_flows_agree_with_a_naive_simulation)
{
    static struct planned_flow flows[FLOWS_MOST];
    static double ends[FLOWS_MOST];
    const struct network_links links = {
        .number = 1, .out = 1 + 0.1 * _i, .in = 1.5, .memory = 2, .switched = _i % 2 ? 3 : 0};
    uint64_t random = (uint64_t)_i + 1;
    double begin = 0;
    for (uint32_t f = 0; f < FLOWS_MOST; f++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(random >> 33);
        begin += bits % 5 == 0 ? (bits >> 3) % 3 : 0;
        flows[f] = flow(bits / 5 % NODES, bits / 31 % NODES, 1 + bits / 191 % 20, begin);
        flows[f].path.kind = bits / 1117 % 2;
        flows[f].path.rate = flows[f].path.kind ? 0.3 : INFINITY;
    }
    run(&links, flows, FLOWS_MOST);
    naive_run(&links, flows, FLOWS_MOST, ends);
    for (uint32_t f = 0; f < FLOWS_MOST; f++)
        ck_assert_double_eq_tol(flows[f].end, ends[f], 1e-6 * ends[f]);
}
END_TEST

START_TEST(a_message_takes_a_link_whole)
{
    const struct network_links links = {.whole = 1, .number = 1, .out = 1, .in = 1};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(0, 2, 10, 1), flow(3, 1, 10, 2),
                                   flow(3, 4, 5, 3)};
    run(&links, flows, 4);
    ENDS(flows[0], 10);
    ENDS(flows[1], 20); /* waits for the link out of 0, */
    ENDS(flows[2], 20); /* and this one for the link into 1, */
    ENDS(flows[3], 8);  /* which does not hold up the next */
}
END_TEST

START_TEST(messages_take_links_and_buses)
{
    const struct network_links one = {.whole = 1, .number = 1, .buses = 1},
                               two = {.whole = 1, .number = 2, .out = 0.5, .buses = 3};
    struct planned_flow flows[] = {flow(0, 1, 10, 0), flow(2, 3, 10, 0), flow(0, 4, 10, 0),
                                   flow(5, 5, 10, 0)};
    for (int f = 0; f < 4; f++)
        flows[f].path.rate = 1;
    run(&one, flows, 4);
    ENDS(flows[0], 10);
    ENDS(flows[1], 20);
    ENDS(flows[2], 30);
    ENDS(flows[3], 10); /* within a node: no bus */
    run(&two, flows, 4);
    for (int f = 0; f < 3; f++)
        ENDS(flows[f], 20);
}
END_TEST

START_TEST(messages_take_the_memory_of_their_node)
{
    const struct network_links links = {.whole = 1, .number = 1, .memory = 2};
    struct planned_flow flows[] = {flow(1, 1, 10, 0), flow(1, 1, 10, 0), flow(2, 2, 10, 0)};
    run(&links, flows, 3);
    ENDS(flows[0], 5);
    ENDS(flows[1], 10);
    ENDS(flows[2], 5);
}
END_TEST

/* All messages are looked at in the order in which they came, whenever one ends. */
static void naive_queue(const struct network_links *links, const struct planned_flow *flows,
                        uint32_t count, double *ends)
{
    int64_t taken[3 * NODES + 1] = {0};
    bool begun[FLOWS_MOST] = {false}, ended[FLOWS_MOST] = {false};
    double time = 0;
    for (uint32_t next = 0, left = count; left > 0;) {
        uint32_t first = count;
        for (uint32_t f = 0; f < next; f++) {
            bool unused = !begun[f];
            for (int r = 0; r <= 2 * NODES; r++)
                if (naive_uses(&flows[f], r))
                    unused &= taken[r] < (r < 2 * NODES ? links->number : links->buses);
            if (unused) {
                begun[f] = true;
                ends[f] = time + flows[f].bytes / fmin(flows[f].path.rate, 1);
                for (int r = 0; r <= 2 * NODES; r++)
                    taken[r] += naive_uses(&flows[f], r);
            }
            if (begun[f] && !ended[f] && (first == count || ends[f] < ends[first]))
                first = f;
        }
        if (next < count && (first == count || flows[next].begin <= ends[first])) {
            time = flows[next++].begin;
            continue;
        }
        time = ends[first];
        ended[first] = true;
        left--;
        for (int r = 0; r <= 2 * NODES; r++)
            taken[r] -= naive_uses(&flows[first], r);
    }
}

START_TEST(random_queues_agree_with_a_naive_simulation)
{
    static struct planned_flow flows[FLOWS_MOST];
    static double ends[FLOWS_MOST];
    const struct network_links links = {
        .whole = 1, .number = 1 + _i % 2, .out = 1, .in = 1, .buses = 3 + _i};
    uint64_t random = (uint64_t)_i + 1;
    double begin = 0;
    for (uint32_t f = 0; f < FLOWS_MOST; f++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(random >> 33);
        begin += bits % 7919 / 1e3;
        flows[f] = flow(bits / 5 % NODES, 0, 1 + bits / 191 % 1000003 / 1e5, begin);
        flows[f].path.to = (flows[f].path.from + 1 + bits / 31 % (NODES - 1)) % NODES;
        flows[f].path.rate = bits / 1117 % 2 ? 0.3 : INFINITY;
    }
    run(&links, flows, FLOWS_MOST);
    naive_queue(&links, flows, FLOWS_MOST, ends);
    for (uint32_t f = 0; f < FLOWS_MOST; f++)
        ck_assert_double_eq_tol(flows[f].end, ends[f], 1e-9 * ends[f]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link_network");
    TCase *flows = tcase_create("flows");
    tcase_add_test(flows, two_flows_take_twice_as_long);
    tcase_add_test(flows, a_later_flow_shares_what_is_left);
    tcase_add_test(flows, rates_are_max_min_fair);
    tcase_add_test(flows, lengths_may_differ);
    tcase_add_test(flows, a_flow_has_a_rate_of_its_own);
    tcase_add_test(flows, a_slow_flow_leaves_more_to_others);
    tcase_add_test(flows, all_capacities_count);
    tcase_add_loop_test(flows, random_flows_agree_with_a_naive_simulation, 0, 6);
    tcase_add_test(flows, a_message_takes_a_link_whole);
    tcase_add_test(flows, messages_take_links_and_buses);
    tcase_add_test(flows, messages_take_the_memory_of_their_node);
    tcase_add_loop_test(flows, random_queues_agree_with_a_naive_simulation, 0, 6);
    tcase_set_timeout(flows, 60);
    suite_add_tcase(suite, flows);
    return check_tap(suite);
}
