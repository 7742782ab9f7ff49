/* Loops from whose times the costs of operations follow. Each operation has two loops, with few and
 * with many operations in the body: the difference of their times is the cost of the operations.
 *
 * Costs are those at full rate (throughput): the operations of a loop do not depend on each other,
 * as in most loops over arrays, so several are executed at a time. In the loops of chains, each
 * operation needs the result of the one before, so it takes the processor's latency, two to eight
 * times as long. Loops are not vectorised; a vector instruction counts as one operation. Loads from
 * memory, and from caches beyond the first level, are the exception: each load yields the address
 * of the next one, so their cost is the latency of an unpredictable address. Arrays that are read
 * in order are prefetched: their loads cost as much as loads from the first-level cache, and their
 * bytes, if they are in memory, as much as streamed bytes. */
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

/* The cost of `branch_miss` is without the cost of a predicted branch. */
extern const struct kernel kernels[];
extern const size_t kernel_count;

/* The time of `flop_sqrt` is with that of a multiplication, and the time of `store` with that of
 * loading the stored value. */
extern const struct kernel chain_kernels[];
extern const size_t chain_kernel_count;

#endif
