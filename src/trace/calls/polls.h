/* Polling loops of which the tracer has recorded the first and the last round (doc/methods.md,
 * section 1): each Enter of the last round is followed by the rows POLLS and POLLS_SHARE, which say
 * how many calls like it were left out in the pause before that round, and which part of the pause
 * they spent in MPI. A part, because the pause has another length in a changed trace. */
#ifndef TRACE_CALLS_POLLS_H
#define TRACE_CALLS_POLLS_H

#include "trace/trace.h"

/* Whether calls were left out before the one with this Enter. */
static inline bool polls_precede(const uint8_t *kind, uint32_t count, uint32_t enter)
{
    return enter + 1 < count && kind[enter + 1] == EVENT_POLLS;
}

/* Ticks from the row before the loop's last round to the first Enter of that round, in which there
 * may be several calls with nothing between them. `kind`, `time` and `arg` have `enter` rows at
 * least, and `now` is the time of the Enter. */
static inline uint64_t polls_pause(const uint8_t *kind, const uint64_t *time, const uint32_t *arg,
                                   uint32_t enter, uint64_t now)
{
    while (enter > 0 && kind[enter - 1] == EVENT_LEAVE &&
           polls_precede(kind, enter, arg[enter - 1])) {
        enter = arg[enter - 1];
        now = time[enter];
    }
    return enter > 0 ? now - time[enter - 1] : 0;
}

static inline uint32_t polls_share(uint64_t ticks, uint64_t pause)
{
    return ticks >= pause ? UINT32_MAX : (uint32_t)(((unsigned __int128)ticks << 32) / pause);
}

/* Of a row POLLS_SHARE: ticks that the calls left out have spent in MPI. */
static inline uint64_t polls_ticks(const struct stream *stream, uint32_t row)
{
    const uint32_t enter = row - 2;
    const uint64_t pause =
        polls_pause(stream->kind, stream->time, stream->arg, enter, stream->time[enter]);
    return stream->arg[row] == UINT32_MAX
               ? pause
               : (uint64_t)(((unsigned __int128)pause * stream->arg[row] + (1u << 31)) >> 32);
}

#endif
