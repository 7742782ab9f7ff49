/* The loops whose time tells what an operation costs. Each exists twice: with few and with many
 * operations in its body, so that the difference of their times is the operations alone.
 *
 * Costs are those at full rate (throughput): the operations of a loop do not depend on each other,
 * as in most loops over arrays, and several are under way at a time. A chain of operations that
 * wait for each other takes a processor's latency instead, two to eight times as long. Loops
 * are not vectorised; of vectors, one instruction counts as one operation. Loads from the caches
 * behind the first, and from memory, are the exception: each finds the address of the next one, so
 * that their cost is the latency of an address that nobody could foresee. Arrays that are walked in
 * order are fetched ahead: their loads cost what loads from the first-level cache cost, and their
 * bytes, if they come from memory, what streamed bytes cost. */
#ifndef REPLAY_CALIBRATE_KERNELS_H
#define REPLAY_CALIBRATE_KERNELS_H

#include "base/status.h"
#include "replay/costs/operation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs its body `iterations` times. `buffer`: KERNEL_BUFFER bytes, which stay in the first-level
 * cache. */
typedef void kernel_loop(uint64_t iterations, void *buffer);

enum { KERNEL_BUFFER = 8192 + 256 };

struct kernel {
    enum operation operation;
    kernel_loop *few, *many;
    double more;             /* operations in an iteration of `many` that `few` has not */
    bool (*available)(void); /* whether this processor has the operation; NULL: each has */
};

/* `branch_miss` is the part of its cost that a branch that is predicted has not. */
extern const struct kernel kernels[];
extern const size_t kernel_count;

#endif
