#include "exchange/schedules/decompose.h"

#include "base/array.h"

#include <assert.h>
#include <stdlib.h>

struct decomposition_round {
    const struct decomposition *of;
    take_round *take;
    void *context;
    ARRAY(struct collective_message) parts;
    bool failed;
};

static void add(struct decomposition_round *round, bool sends, uint32_t member, uint64_t bytes)
{
    round->failed |=
        !array_push(&round->parts, ((struct collective_message){sends, member, bytes}));
}

static void end_round(struct decomposition_round *round)
{
    if (!round->failed && round->parts.count > 0)
        round->failed = !round->take(round->context, round->parts.items, round->parts.count);
    round->parts.count = 0;
}

/* Bytes that the member sends to, or receives from, another. */
static uint64_t bytes_of(const struct decomposition_round *round, bool sends, uint32_t member)
{
    const uint64_t *counts = sends ? round->of->sends : round->of->receives;
    return counts ? counts[member] : round->of->block;
}

/* Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988. */
static void disseminate(struct decomposition_round *round, uint64_t bytes)
{
    uint32_t size = round->of->members, me = round->of->me;
    for (uint64_t distance = 1; distance < size; distance *= 2) {
        add(round, true, (uint32_t)((me + distance) % size), bytes);
        add(round, false, (uint32_t)((me + size - distance) % size), bytes);
        end_round(round);
    }
}

/* Recursive doubling. If the number of members is not a power of two, some of the first members
 * give their data to a neighbour before, which returns the result at the end. */
static void double_recursively(struct decomposition_round *round)
{
    uint32_t size = round->of->members, me = round->of->me, power = 1;
    uint64_t bytes = round->of->block;
    while (power <= size / 2)
        power *= 2;
    uint32_t spare = size - power, place = me - spare;
    bool paired = me < 2 * spare;
    if (paired) {
        add(round, me % 2 == 0, me ^ 1, bytes);
        end_round(round);
        place = me / 2;
    }
    for (uint32_t bit = 1; bit < power && !(paired && me % 2 == 0); bit *= 2) {
        uint32_t other = place ^ bit;
        uint32_t member = other < spare ? 2 * other + 1 : other + spare;
        add(round, true, member, bytes);
        add(round, false, member, bytes);
        end_round(round);
    }
    if (paired) {
        add(round, me % 2 == 1, me ^ 1, bytes);
        end_round(round);
    }
}

/* Hillis, Steele: Data parallel algorithms, 1986. */
static void scan(struct decomposition_round *round)
{
    uint32_t size = round->of->members, me = round->of->me;
    for (uint64_t distance = 1; distance < size; distance *= 2) {
        if (me + distance < size)
            add(round, true, (uint32_t)(me + distance), round->of->block);
        if (me >= distance)
            add(round, false, (uint32_t)(me - distance), round->of->block);
        end_round(round);
    }
}

/* A binomial tree, seen from its root: member v has the children v + bit for all bits below its
 * lowest one; their subtrees have at most `bit` members. Downwards data go from the parent to the
 * children. `blocks`: one block for each member of a subtree. */
static void climb(struct decomposition_round *round, bool down, bool blocks)
{
    assert(round->of->root < round->of->members);
    uint32_t size = round->of->members, root = round->of->root;
    uint32_t place = (round->of->me + size - root) % size;
    uint64_t lowest = 1;
    while (lowest < size && !(place & lowest))
        lowest *= 2;
    for (int step = 0; step < 2; step++) {
        bool with_parent = (step == 0) == down;
        if (with_parent && place > 0) {
            uint64_t below = place + lowest < size ? lowest : size - place;
            add(round, !down, (uint32_t)((place - lowest + root) % size),
                round->of->block * (blocks ? below : 1));
            end_round(round);
        }
        if (with_parent)
            continue;
        /* the largest subtree is served first, and gathered last */
        for (uint64_t i = 1; i < lowest; i *= 2) {
            uint64_t bit = down ? lowest / 2 / i : i;
            if (place + bit >= size)
                continue;
            uint64_t below = place + 2 * bit < size ? bit : size - place - bit;
            add(round, down, (uint32_t)((place + bit + root) % size),
                round->of->block * (blocks ? below : 1));
            end_round(round);
        }
    }
}

static void go_round(struct decomposition_round *round)
{
    uint32_t size = round->of->members, me = round->of->me;
    const uint64_t *counts = round->of->receives;
    for (uint32_t step = 0; step + 1 < size; step++) {
        uint32_t mine = (me + size - step) % size, next = (mine + size - 1) % size;
        add(round, true, (me + 1) % size, counts ? counts[mine] : round->of->block);
        add(round, false, (me + size - 1) % size, counts ? counts[next] : round->of->block);
        end_round(round);
    }
}

/* Of a reduce_scatter `block` is the whole vector, of a reduce_scatter_block one part. */
static void exchange_pairwise(struct decomposition_round *round)
{
    uint32_t size = round->of->members, me = round->of->me;
    const uint64_t *counts = round->of->receives;
    bool whole = collective_op_scatters_vector(round->of->op);
    uint64_t part = whole ? round->of->block / size : round->of->block;
    for (uint32_t step = 1; step < size; step++) {
        uint32_t to = (me + step) % size, from = (me + size - step) % size;
        add(round, true, to, counts ? counts[to] : part);
        add(round, false, from, counts ? counts[me] : part);
        end_round(round);
    }
}

static bool is_root(const struct decomposition *of, uint32_t member)
{
    return of->root == member && !of->between_groups;
}

/* Whether one member needs another's data. */
static bool depends(const struct decomposition *of, bool giver_is_root, bool taker_is_root,
                    uint32_t giver, uint32_t taker)
{
    switch (collective_operations[of->op].flow) {
    case FLOW_FROM_ROOT:
        return giver_is_root;
    case FLOW_TO_ROOT:
        return taker_is_root;
    case FLOW_PREFIX:
        return giver < taker;
    default:
        return true;
    }
}

/* Bytes of the message between two members if each pair has one. Where all members pass the same
 * vector, it has what each of them gives, or gets if the operation scatters a vector. */
static uint64_t flat_bytes(const struct decomposition_round *round, bool sends, uint32_t member)
{
    const struct decomposition *of = round->of;
    enum collective_flow flow = collective_operations[of->op].flow;
    bool scatters = collective_op_scatters_vector(of->op);
    if (flow <= FLOW_BARRIER)
        return 1;
    if (flow != FLOW_ALL || !collective_op_has_counts(of->op))
        return bytes_of(round, sends, member);
    if (of->receives)
        return of->receives[sends == scatters ? member : of->me];
    return of->block / (scatters ? of->members : 1);
}

static void all_at_once(struct decomposition_round *round)
{
    const struct decomposition *of = round->of;
    bool between = of->between_groups;
    bool self = between ? of->root == ROOT_SELF : of->root == of->me;
    for (uint32_t i = between ? 0 : 1; i < of->members; i++) {
        uint32_t to = between ? i : (of->me + i) % of->members;
        uint32_t from = between ? i : (of->me + of->members - i) % of->members;
        bool rooted = between && of->root < of->members; /* the root is in the other group */
        if (between && of->root == ROOT_THIS_GROUP)
            continue;
        if (depends(of, self, rooted ? of->root == to : is_root(of, to), of->me, to))
            add(round, true, to, flat_bytes(round, true, to));
        if (depends(of, rooted ? of->root == from : is_root(of, from), self, from, of->me))
            add(round, false, from, flat_bytes(round, false, from));
    }
    end_round(round);
}

static void with_neighbours(struct decomposition_round *round)
{
    const struct decomposition *of = round->of;
    for (uint32_t i = 0; i < of->destination_count; i++)
        add(round, true, (uint32_t)of->destinations[i], bytes_of(round, true, i));
    for (uint32_t i = 0; i < of->source_count; i++)
        add(round, false, (uint32_t)of->sources[i], bytes_of(round, false, i));
    end_round(round);
}

/* The algorithms, by the table's column (base/collective_list.h). */
enum message_algorithm {
    MESSAGES_BY_DISSEMINATION, /* barriers; communicators and windows that are made or freed */
    MESSAGES_BY_TREE,
    MESSAGES_BY_RECURSIVE_DOUBLING,
    MESSAGES_BY_RING,
    MESSAGES_BY_DISTANCES,
    MESSAGES_BY_PAIRWISE,
    MESSAGES_BY_LINEAR,
};

static const enum message_algorithm message_algorithms[COLLECTIVE_OP_COUNT] = {
#define X(operation, word, messages, ...) [COLLECTIVE_##operation] = MESSAGES_BY_##messages,
    COLLECTIVE_ALGORITHMS(X)
#undef X
};

static void decompose_rounds(struct decomposition_round *round)
{
    enum collective_op op = round->of->op;
    switch (message_algorithms[op]) {
    case MESSAGES_BY_DISSEMINATION:
        disseminate(round, 1);
        break;
    case MESSAGES_BY_TREE:
        climb(round, collective_operations[op].flow == FLOW_FROM_ROOT,
              collective_op_has_blocks(op));
        break;
    case MESSAGES_BY_RECURSIVE_DOUBLING:
        double_recursively(round);
        break;
    case MESSAGES_BY_RING:
        go_round(round);
        break;
    case MESSAGES_BY_DISTANCES:
        scan(round);
        break;
    case MESSAGES_BY_PAIRWISE:
        exchange_pairwise(round);
        break;
    case MESSAGES_BY_LINEAR:
        all_at_once(round);
        break;
    }
}

bool decompose(const struct decomposition *decomposition, take_round *take, void *context)
{
    assert(decomposition->between_groups || decomposition->me < decomposition->members);
    struct decomposition_round round = {.of = decomposition, .take = take, .context = context};
    if (decomposition->neighbours)
        with_neighbours(&round);
    else if (decomposition->between_groups)
        all_at_once(&round);
    else
        decompose_rounds(&round);
    free(round.parts.items);
    return !round.failed;
}

bool decompose_flat(const struct decomposition *decomposition, take_round *take, void *context)
{
    assert(decomposition->between_groups || decomposition->me < decomposition->members);
    struct decomposition_round round = {.of = decomposition, .take = take, .context = context};
    if (decomposition->neighbours)
        with_neighbours(&round);
    else
        all_at_once(&round);
    free(round.parts.items);
    return !round.failed;
}
