/* Formulas of Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
 * MPICH, IJHPCA 19 (2005), with a = o_s + L + o_r for a message and b for each of its bytes. n is
 * what one rank holds at the end of a broadcast, an allreduce or an allgather, or sends in total in
 * an alltoall. Computation of reductions is left out: it is shorter than the transfer. */
#include "replay/model/collective_cost.h"

#include "trace/calls/collective_operations.h"

/* Rounds in which the number of members that have taken part doubles until it reaches `members`. */
static uint32_t rounds_of(uint32_t members)
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

/* MPICH 4's choice for a block of so many bytes; its thresholds are MPIR_CVAR_*_MSG_SIZE. */
static enum algorithm algorithm_of_mpich(enum collective_op op, uint64_t block, uint32_t members)
{
    uint64_t all = block * members;
    switch (op) {
    case COLLECTIVE_BCAST:
        return block < 12288 || members < 8 ? ALGORITHM_BINOMIAL : ALGORITHM_SCATTER_GATHER;
    case COLLECTIVE_REDUCE:
        return block <= 2048 ? ALGORITHM_BINOMIAL : ALGORITHM_SCATTER_GATHER;
    case COLLECTIVE_ALLREDUCE:
        return block <= 2048 ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_SCATTER_GATHER;
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_ALLGATHERV:
        if (all < 81920)
            return is_power_of_two(members) ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_BRUCK;
        return all < 524288 && is_power_of_two(members) ? ALGORITHM_RECURSIVE_DOUBLING
                                                        : ALGORITHM_RING;
    case COLLECTIVE_ALLTOALL:
        if (block <= 256 && members >= 8)
            return ALGORITHM_BRUCK;
        return block <= 32768 ? ALGORITHM_LINEAR : ALGORITHM_PAIRWISE;
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVE_ALLTOALLW:
    case COLLECTIVE_GATHERV:
    case COLLECTIVE_SCATTERV:
        return ALGORITHM_LINEAR;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_SCATTER:
        return ALGORITHM_BINOMIAL;
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        return all < 524288 ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_PAIRWISE;
    default: /* barriers by dissemination, scans */
        return ALGORITHM_RECURSIVE_DOUBLING;
    }
}

/* Every member gets or gives a block of its own: members * block bytes move in total. */
static bool has_blocks(enum collective_op op)
{
    return collective_operations[op].sends_each || collective_operations[op].receives_each;
}

double collective_cost(const struct loggps *loggps, enum collective_op op, enum algorithm algorithm,
                       uint64_t block, uint32_t members)
{
    if (members < 2)
        return 0;
    if (algorithm == ALGORITHM_AUTOMATIC)
        algorithm = algorithm_of_mpich(op, block, members);
    double a = loggps->send_overhead + loggps->latency + loggps->receive_overhead;
    double b = loggps->per_byte + loggps->send_per_byte + loggps->receive_per_byte;
    double p = members, rounds = rounds_of(members);
    double n = has_blocks(op) ? p * (double)block : (double)block;
    double others = (p - 1) / p * n; /* without the own part */
    double step = loggps->gap > loggps->send_overhead ? loggps->gap : loggps->send_overhead;
    switch (algorithm) {
    case ALGORITHM_LINEAR: /* all messages at once: one latency, then one after the other */
        return a + (p - 2) * step + (has_blocks(op) ? others : (p - 1) * n) * b;
    case ALGORITHM_BINOMIAL: /* blocks halve or double from round to round */
        return rounds * a + (has_blocks(op) ? others : rounds * n) * b;
    case ALGORITHM_RECURSIVE_DOUBLING:
        return rounds * a +
               (has_blocks(op) || op == COLLECTIVE_REDUCE_SCATTER ? others : rounds * n) * b;
    case ALGORITHM_BRUCK: /* an alltoall sends half of the data in every round */
        return rounds * a + (op == COLLECTIVE_ALLTOALL ? rounds * n / 2 : others) * b;
    case ALGORITHM_RING: /* reductions go round twice */
        return op == COLLECTIVE_ALLREDUCE ? 2 * (p - 1) * a + 2 * others * b
                                          : (p - 1) * a + others * b;
    case ALGORITHM_PAIRWISE:
        return (p - 1) * a + others * b;
    case ALGORITHM_SCATTER_GATHER: /* a part to each member, then all parts to all */
        return 2 * rounds * a + 2 * others * b;
    default:
        return 0;
    }
}
