/* Formulas of Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
 * MPICH, IJHPCA 19 (2005), with a = o_s + L + o_r for a message and b for each of its bytes. n are
 * the bytes that one rank has at the end of a broadcast, an allreduce or an allgather, or sends in
 * total in an alltoall. The computation of reductions is left out: it is shorter than the transfer.
 */
#include "replay/model/collective_cost.h"

#include "base/collective_op.h"

#include <assert.h>
#include <math.h>

/* The number of rounds, if each doubles the members that have taken part: log2, rounded up. */
static uint32_t doubling_rounds(uint32_t members)
{
    uint32_t rounds = 0;
    while (rounds < 31 && 1u << rounds < members)
        rounds++;
    return rounds;
}

static bool is_power_of_two(uint32_t members)
{
    return (members & (members - 1)) == 0;
}

/* Rules by which MPICH 4 chooses an algorithm, by the table's column (base/collective_list.h). */
enum mpich_rule {
    MPICH_RECURSIVE_DOUBLING, /* also for handles */
    MPICH_BINOMIAL,
    MPICH_LINEAR,
    MPICH_BCAST,
    MPICH_REDUCE,
    MPICH_ALLREDUCE,
    MPICH_ALLGATHER,
    MPICH_ALLTOALL,
    MPICH_REDUCE_SCATTER,
};

static const enum mpich_rule mpich_rules[COLLECTIVE_OP_COUNT] = {
#define X(operation, word, messages, mpich, ...) [COLLECTIVE_##operation] = MPICH_##mpich,
    COLLECTIVE_ALGORITHMS(X)
#undef X
};

/* The algorithm that MPICH 4 chooses for a block of `block` bytes. The thresholds are those of its
 * variables MPIR_CVAR_*_MSG_SIZE. */
static enum algorithm algorithm_of_mpich(enum collective_op op, uint64_t block, uint32_t members)
{
    uint64_t all = block * members;
    switch (mpich_rules[op]) {
    case MPICH_BCAST:
        return block < 12288 || members < 8 ? ALGORITHM_BINOMIAL : ALGORITHM_SCATTER_GATHER;
    case MPICH_REDUCE:
        return block <= 2048 ? ALGORITHM_BINOMIAL : ALGORITHM_SCATTER_GATHER;
    case MPICH_ALLREDUCE:
        return block <= 2048 ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_SCATTER_GATHER;
    case MPICH_ALLGATHER:
        if (all < 81920)
            return is_power_of_two(members) ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_BRUCK;
        return all < 524288 && is_power_of_two(members) ? ALGORITHM_RECURSIVE_DOUBLING
                                                        : ALGORITHM_RING;
    case MPICH_ALLTOALL:
        if (block <= 256 && members >= 8)
            return ALGORITHM_BRUCK;
        return block <= 32768 ? ALGORITHM_LINEAR : ALGORITHM_PAIRWISE;
    case MPICH_REDUCE_SCATTER:
        return all < 524288 ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_PAIRWISE;
    case MPICH_LINEAR:
        return ALGORITHM_LINEAR;
    case MPICH_BINOMIAL:
        return ALGORITHM_BINOMIAL;
    case MPICH_RECURSIVE_DOUBLING: /* barriers by dissemination, scans */
        break;
    }
    return ALGORITHM_RECURSIVE_DOUBLING;
}

static double time_per_byte(double bytes_per_second)
{
    return bytes_per_second > 0 ? 1 / bytes_per_second : 0;
}

/* Time per byte while each node sends this many messages to other nodes. */
static double far_per_byte(const struct network_links *links, double nodes, double messages)
{
    double link = fmax(time_per_byte(links->out), time_per_byte(links->in));
    double shared = fmax(link * messages / (double)links->number,
                         nodes * messages * time_per_byte(links->switched));
    if (links->buses > 0)
        shared = fmax(shared, link * nodes * messages / (double)links->buses);
    return fmax(link, shared);
}

/* The mean time per byte of Bruck's algorithm. Its rounds send over the distances 1, 2, 4, ...
 * `grows`: the messages are as long as the distances. */
static double bruck_per_byte(const struct collective_crowd *crowd, uint32_t members, bool grows)
{
    double on_node = crowd->on_node, nodes = ceil(members / on_node), sum = 0, weights = 0;
    for (double distance = 1; distance < members; distance *= 2) {
        double leaving = fmin(distance, on_node), weight = grows ? distance : 1;
        sum += weight * fmax(far_per_byte(crowd->links, nodes, leaving),
                             (on_node - leaving) * time_per_byte(crowd->links->memory));
        weights += weight;
    }
    return sum / weights;
}

/* The mean time per byte of an algorithm in which all members send in each round, as far as it
 * comes from links. */
static double shared_per_byte(const struct collective_crowd *crowd, enum collective_op op,
                              enum algorithm algorithm, uint32_t members)
{
    double on_node = crowd->on_node, p = members, nodes = ceil(p / on_node);
    double near = on_node * time_per_byte(crowd->links->memory);
    bool grows = collective_op_has_blocks(op) || collective_op_scatters_vector(op) ||
                 algorithm == ALGORITHM_SCATTER_GATHER;
    if (crowd->on_node >= members)
        return near;
    double leaving, far_part;
    switch (algorithm) {
    case ALGORITHM_RING: /* one member of a node sends to the next node */
        return fmax(far_per_byte(crowd->links, nodes, 1),
                    (on_node - 1) * time_per_byte(crowd->links->memory));
    case ALGORITHM_LINEAR:
    case ALGORITHM_PAIRWISE:
        leaving = on_node * (p - on_node) / (p - 1);
        return fmax(far_per_byte(crowd->links, nodes, leaving),
                    (on_node - leaving) * time_per_byte(crowd->links->memory));
    case ALGORITHM_BRUCK:
        return bruck_per_byte(crowd, members,
                              !collective_operations[op].sends_each ||
                                  !collective_operations[op].receives_each);
    default: /* rounds within nodes, then rounds in which all members send to other nodes */
        far_part = grows ? (p - on_node) / (p - 1) : log2(p / on_node) / log2(p);
        return far_part * far_per_byte(crowd->links, nodes, on_node) + (1 - far_part) * near;
    }
}

double collective_cost(const struct loggps *loggps, enum collective_op op, enum algorithm algorithm,
                       uint64_t block, uint32_t members, const struct collective_crowd *crowd)
{
    assert((unsigned)op < COLLECTIVE_OP_COUNT);
    if (members < 2)
        return 0;
    if (algorithm == ALGORITHM_AUTOMATIC)
        algorithm = algorithm_of_mpich(op, block, members);
    double a = loggps->send_overhead + loggps->latency + loggps->receive_overhead;
    double per_byte = loggps->per_byte;
    if (crowd && !collective_op_is_rooted(op))
        per_byte = fmax(per_byte, shared_per_byte(crowd, op, algorithm, members));
    double b = per_byte + loggps->send_per_byte + loggps->receive_per_byte;
    double p = members, rounds = doubling_rounds(members);
    const struct collective_operation *operation = &collective_operations[op];
    /* whether each member gets or gives a separate block: members * block bytes move in total */
    bool has_blocks = collective_op_has_blocks(op);
    double n = has_blocks ? p * (double)block : (double)block;
    double others = (p - 1) / p * n; /* without the rank's own part */
    double step = loggps->gap > loggps->send_overhead ? loggps->gap : loggps->send_overhead;
    switch (algorithm) {
    case ALGORITHM_LINEAR: /* all messages at once: one latency, then one after the other */
        return a + (p - 2) * step + (has_blocks ? others : (p - 1) * n) * b;
    case ALGORITHM_BINOMIAL: /* blocks halve or double from round to round */
        return rounds * a + (has_blocks ? others : rounds * n) * b;
    case ALGORITHM_RECURSIVE_DOUBLING:
        return rounds * a +
               (has_blocks || collective_op_scatters_vector(op) ? others : rounds * n) * b;
    case ALGORITHM_BRUCK: /* an alltoall sends half of the data in every round */
        return rounds * a +
               (operation->sends_each && operation->receives_each ? rounds * n / 2 : others) * b;
    case ALGORITHM_RING: /* reductions need two rounds of the ring */
        return operation->reduces ? 2 * (p - 1) * a + 2 * others * b : (p - 1) * a + others * b;
    case ALGORITHM_PAIRWISE:
        return (p - 1) * a + others * b;
    case ALGORITHM_SCATTER_GATHER: /* a part to each member, then all parts to all */
        return 2 * rounds * a + 2 * others * b;
    default:
        return 0;
    }
}
