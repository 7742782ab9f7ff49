#include "trace/forks.h"

#include "trace/otf2_records.h"

#include <assert.h>
#include <otf2/OTF2_GeneralDefinitions.h>

int stream_fork_at(const struct stream *stream, uint32_t row)
{
    if (stream->kind[row] != EVENT_OTHER)
        return 0;
    switch ((enum other_type)stream->others[stream->arg[row]].type) {
    case OTHER_OMP_FORK:
    case OTHER_THREAD_FORK:
        return 1;
    case OTHER_OMP_JOIN:
    case OTHER_THREAD_JOIN:
        return -1;
    default:
        return 0;
    }
}

uint64_t *stream_fork_threads(const struct stream *stream, uint32_t row)
{
    assert(stream_fork_at(stream, row) > 0);
    struct other_event *fork = &stream->others[stream->arg[row]];
    return &fork->fields[fork->type == OTHER_THREAD_FORK];
}

bool region_is_openmp(const struct region *region)
{
    return region->paradigm == OTF2_PARADIGM_OPENMP;
}
