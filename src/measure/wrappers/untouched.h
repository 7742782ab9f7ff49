/* Memory that a call receives into, and that nobody has touched before: the call pays for its pages
 * once, which a replay cannot guess. Each place is looked at once. */
#ifndef MEASURE_UNTOUCHED_H
#define MEASURE_UNTOUCHED_H

#include "measure/wrappers/call.h"
#include "measure/wrappers/point_to_point.h"

enum { UNTOUCHED_SLOTS = 1024 };

/* Pages whose places have been looked at, by their low bits. Threads may overwrite each other's
 * entries; then a place is looked at once more. */
extern uintptr_t untouched_known[UNTOUCHED_SLOTS] __attribute__((visibility("hidden")));

/* Whether `bytes` from `memory` on are several pages that nobody has touched. */
bool untouched_look(const void *memory, uint64_t bytes);

/* Before a call that receives up to `count` elements: RECORD_UNTOUCHED or 0. */
static inline unsigned untouched_flag(const struct call *call, const void *memory, int64_t count,
                                      MPI_Datatype type)
{
    const uintptr_t page = (uintptr_t)memory >> 12;
    uintptr_t *known = &untouched_known[page % UNTOUCHED_SLOTS];
    if (!call->recorder || __builtin_expect(__atomic_load_n(known, __ATOMIC_RELAXED) == page, 1) ||
        memory == MPI_IN_PLACE)
        return 0;
    __atomic_store_n(known, page, __ATOMIC_RELAXED);
    return untouched_look(memory, (uint64_t)count * type_size(type)) ? RECORD_UNTOUCHED : 0;
}

#endif
