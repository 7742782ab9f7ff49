/* Marks receives into memory that was never touched before. Such a call pays once for its page
 * faults, which a replay could not predict otherwise. Each page is checked once. */
#ifndef MEASURE_UNTOUCHED_H
#define MEASURE_UNTOUCHED_H

#include "measure/wrappers/call.h"
#include "measure/wrappers/point_to_point.h"

enum { UNTOUCHED_SLOTS = 1024 };

/* Pages that have been checked, by their low bits. Threads may overwrite each other's entries; then
 * a page is checked again. */
extern uintptr_t untouched_known[UNTOUCHED_SLOTS] __attribute__((visibility("hidden")));

/* Whether `bytes` from `memory` on span several pages that were never touched. */
bool untouched_look(const void *memory, uint64_t bytes);

/* Called before a call that receives up to `count` elements. Returns RECORD_UNTOUCHED or 0. */
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
