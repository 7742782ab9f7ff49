#include "trace/warp.h"

#include <assert.h>

void warp_times(const uint64_t *before, const uint64_t *after, size_t points, uint64_t *times,
                size_t count)
{
    if (points == 0)
        return;
    assert(before && after && (times || count == 0));
    size_t next = 0; /* the first point not before the current time */
    for (size_t i = 0; i < count; i++) {
        uint64_t t = times[i];
        while (next < points && before[next] < t)
            next++;
        if (next == 0) {
            uint64_t ahead = before[0] - t;
            times[i] = after[0] > ahead ? after[0] - ahead : 0;
        } else if (next == points) {
            times[i] = after[points - 1] + (t - before[points - 1]);
        } else {
            uint64_t from = before[next - 1], to = before[next];
            double share = (double)(t - from) / (double)(to - from);
            times[i] =
                after[next - 1] + (uint64_t)(share * (double)(after[next] - after[next - 1]) + 0.5);
        }
    }
}
