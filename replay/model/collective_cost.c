/* Formulas of Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
 * MPICH, IJHPCA 19 (2005), with a = o_s + L + o_r for a message and b for each of its bytes. n are
 * the bytes that one rank has at the end of a broadcast, an allreduce or an allgather, or sends in
 * total in an alltoall. The computation of reductions is left out: it is shorter than the transfer.
 */
#include "replay/model/collective_cost.h"

#include "base/collective_op.h"

#include <assert.h>

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

double collective_cost(const struct loggps *loggps, enum collective_op op, enum algorithm algorithm,
                       uint64_t block, uint32_t members)
{
    assert((unsigned)op < COLLECTIVE_OP_COUNT);
    if (members < 2)
        return 0;
    if (algorithm == ALGORITHM_AUTOMATIC)
        algorithm = algorithm_of_mpich(op, block, members);
    double a = loggps->send_overhead + loggps->latency + loggps->receive_overhead;
    double b = loggps->per_byte + loggps->send_per_byte + loggps->receive_per_byte;
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
