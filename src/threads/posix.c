#include "threads/posix.h"

#include "base/log.h"
#include "base/plural.h"
#include "trace/otf2_records.h"

#include <assert.h>
#include <otf2/OTF2_Definitions.h>

bool region_manages_threads(const struct region *region)
{
    return region->role == OTF2_REGION_ROLE_THREAD_CREATE ||
           region->role == OTF2_REGION_ROLE_THREAD_WAIT;
}

void posix_threads_check(const struct trace *trace)
{
    enum { CREATED, WAITED_FOR, COUNTS };
    int64_t counts[COUNTS] = {0};
    assert(trace->processes);
    for (uint32_t s = 0; s < trace->owned_count + trace->carried_count; s++) {
        const struct stream *stream = trace_any_stream(trace, s);
        for (uint32_t i = 0; i < stream->other_count; i++) {
            counts[CREATED] += stream->others[i].type == OTHER_THREAD_CREATE;
            counts[WAITED_FOR] += stream->others[i].type == OTHER_THREAD_WAIT;
        }
    }
    processes_sum(trace->processes, counts, COUNTS);
    const int64_t left = counts[CREATED] - counts[WAITED_FOR];
    if (left > 0 && trace->processes->rank == 0)
        log_warning("%lld of %lld thread%s of pthread_create %s not ended with pthread_join: "
                    "detached, joined in another way, or running until the program ended. The "
                    "recording does not show what waits for %s",
                    (long long)left, (long long)counts[CREATED], plural((uint64_t)counts[CREATED]),
                    left == 1 ? "has" : "have", left == 1 ? "it" : "them");
}
