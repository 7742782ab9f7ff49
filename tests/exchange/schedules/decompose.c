/* Runs the algorithms of exchange/schedules/decompose.c for all numbers of members and all roots:
 * every message finds its other end with the same size, no member waits forever, and at the end
 * every member has data of all whose data it needs. */
#include "exchange/schedules/decompose.h"
#include "tests/check_tap.h"
#include "trace/calls/collective_operations.h"

#include <string.h>

enum { MEMBERS = 17, ROUNDS = 64, PARTS = 2 * MEMBERS };

struct member_round {
    struct collective_message parts[PARTS];
    size_t count;
};

struct member {
    struct member_round rounds[ROUNDS];
    size_t round_count;
    size_t at;   /* the round that it is in */
    bool posted; /* the messages of this round */
    bool received[PARTS];
    uint32_t knows; /* a bit for each member whose data it has */
};

/* Messages under way between two members, in order. */
struct queue {
    uint64_t bytes[ROUNDS * 2];
    uint32_t knows[ROUNDS * 2];
    size_t sent, received;
};

static struct member members[MEMBERS];
static struct queue queues[MEMBERS][MEMBERS];

static bool keep_round(void *context, const struct collective_message *parts, size_t count)
{
    struct member *member = context;
    ck_assert_uint_lt(member->round_count, ROUNDS);
    ck_assert_uint_le(count, PARTS);
    struct member_round *round = &member->rounds[member->round_count++];
    memcpy(round->parts, parts, count * sizeof *parts);
    round->count = count;
    return true;
}

static void post(uint32_t me)
{
    struct member *member = &members[me];
    const struct member_round *round = &member->rounds[member->at];
    memset(member->received, 0, sizeof member->received);
    for (size_t i = 0; i < round->count; i++) {
        const struct collective_message *part = &round->parts[i];
        struct queue *queue = &queues[me][part->member];
        if (!part->sends)
            continue;
        queue->bytes[queue->sent] = part->bytes;
        queue->knows[queue->sent++] = member->knows;
    }
    member->posted = true;
}

/* Receives the messages that have arrived. True if the round is complete. */
static bool receive(uint32_t me)
{
    struct member *member = &members[me];
    const struct member_round *round = &member->rounds[member->at];
    bool complete = true;
    for (size_t i = 0; i < round->count; i++) {
        const struct collective_message *part = &round->parts[i];
        if (part->sends || member->received[i])
            continue;
        struct queue *queue = &queues[part->member][me];
        if (queue->received == queue->sent) {
            complete = false;
            continue;
        }
        ck_assert_uint_eq(queue->bytes[queue->received], part->bytes);
        member->knows |= queue->knows[queue->received++];
        member->received[i] = true;
    }
    return complete;
}

static void run(uint32_t size)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t me = 0; me < size; me++) {
            struct member *member = &members[me];
            if (member->at == member->round_count)
                continue;
            if (!member->posted) {
                post(me);
                moved = true;
            }
            if (receive(me)) {
                member->at++;
                member->posted = false;
                moved = true;
            }
        }
    }
    for (uint32_t me = 0; me < size; me++)
        ck_assert_uint_eq(members[me].at, members[me].round_count);
    for (uint32_t a = 0; a < size; a++)
        for (uint32_t b = 0; b < size; b++)
            ck_assert_uint_eq(queues[a][b].sent, queues[a][b].received);
}

static void check_knowledge(enum collective_op op, uint32_t size, uint32_t root)
{
    uint32_t all = size == 32 ? UINT32_MAX : (1u << size) - 1;
    for (uint32_t me = 0; me < size; me++) {
        uint32_t needs = all;
        switch (collective_operations[op].flow) {
        case FLOW_FROM_ROOT:
            needs = 1u << root;
            break;
        case FLOW_TO_ROOT:
            needs = me == root ? all : 0;
            break;
        case FLOW_PREFIX:
            needs = (2u << me) - 1;
            break;
        default:
            break;
        }
        ck_assert_uint_eq(members[me].knows & needs, needs);
    }
}

static void try_operation(enum collective_op op, uint32_t size, uint32_t root, bool with_counts,
                          bool flat)
{
    static uint64_t counts[MEMBERS][MEMBERS], turned[MEMBERS][MEMBERS];
    memset(members, 0, sizeof members);
    memset(queues, 0, sizeof queues);
    for (uint32_t a = 0; a < size; a++)
        for (uint32_t b = 0; b < size; b++) { /* from a to b, or the part of b in a vector */
            bool same_at_all = op == COLLECTIVE_ALLGATHERV || op == COLLECTIVE_REDUCE_SCATTER;
            counts[a][b] = same_at_all ? 10 + b : 100 + 10 * a + b;
            turned[b][a] = counts[a][b];
        }
    bool rooted = collective_op_is_rooted(op);
    for (uint32_t me = 0; me < size; me++) {
        struct decomposition of = {
            .op = op, .members = size, .me = me, .root = rooted ? root : ROOT_NONE, .block = 1000};
        const struct collective_operation *operation = &collective_operations[op];
        if (with_counts && (!rooted || me == root)) {
            if (operation->send_counts)
                of.sends = counts[me];
            if (operation->receive_counts)
                of.receives = rooted || op == COLLECTIVE_ALLTOALLV || op == COLLECTIVE_ALLTOALLW
                                  ? turned[me]
                                  : counts[me];
        } else if (with_counts) {
            of.block = op == COLLECTIVE_GATHERV ? counts[me][root] : counts[root][me];
        }
        members[me].knows = 1u << me;
        ck_assert((flat ? decompose_flat : decompose)(&of, keep_round, &members[me]));
        ck_assert(!flat || members[me].round_count <= 1);
    }
    run(size);
    check_knowledge(op, size, root);
}

START_TEST(all_operations)
{
    for (enum collective_op op = 0; op <= COLLECTIVE_REDUCE_SCATTER_BLOCK; op++)
        for (uint32_t size = 1; size <= MEMBERS; size++)
            for (uint32_t root = 0; root < (collective_op_is_rooted(op) ? size : 1); root++)
                for (int way = 0; way < 4; way++)
                    if (way % 2 == 0 || collective_op_has_counts(op))
                        try_operation(op, size, root, way % 2, way / 2);
}
END_TEST

/* The tree of a scatter carries each block once a level, and p - 1 blocks leave the root. */
START_TEST(blocks_of_trees)
{
    for (uint32_t size = 1; size <= MEMBERS; size++) {
        struct member root = {0};
        struct decomposition of = {.op = COLLECTIVE_SCATTER,
                                   .members = size,
                                   .me = 2 % size,
                                   .root = 2 % size,
                                   .block = 8};
        uint64_t sent = 0;
        ck_assert(decompose(&of, keep_round, &root));
        for (size_t r = 0; r < root.round_count; r++)
            sent += root.rounds[r].parts[0].bytes;
        ck_assert_uint_eq(sent, 8 * (uint64_t)(size - 1));
    }
}
END_TEST

/* Between two groups of 2 and 3: the root of a broadcast is in one, the receivers are the other. */
START_TEST(between_groups)
{
    struct member member = {0};
    struct decomposition of = {.op = COLLECTIVE_BCAST,
                               .members = 3,
                               .me = 1,
                               .root = ROOT_SELF,
                               .block = 8,
                               .between_groups = true};
    ck_assert(decompose(&of, keep_round, &member));
    ck_assert_uint_eq(member.rounds[0].count, 3);
    of.root = ROOT_THIS_GROUP;
    member.round_count = 0;
    ck_assert(decompose(&of, keep_round, &member));
    ck_assert_uint_eq(member.round_count, 0);
    of.members = 2;
    of.root = 1; /* of the other group */
    ck_assert(decompose(&of, keep_round, &member));
    ck_assert_uint_eq(member.rounds[0].count, 1);
    ck_assert(!member.rounds[0].parts[0].sends);
    ck_assert_uint_eq(member.rounds[0].parts[0].member, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decompose");
    TCase *cases = tcase_create("decompose");
    tcase_add_test(cases, all_operations);
    tcase_add_test(cases, blocks_of_trees);
    tcase_add_test(cases, between_groups);
    suite_add_tcase(suite, cases);
    return check_tap(suite);
}
