#include "job/clocks.h"

#include "base/log.h"
#include "base/plural.h"
#include "reduce/assumptions.h"
#include "trace/clocks/correct_clocks.h"

enum status clocks_correct(struct trace *trace, struct error *error)
{
    struct clock_correction c;
    enum status status = assumptions_check_request(trace, "correcting clocks", error)
                             ?: trace_correct_clocks(trace, &c, error);
    if (status != STATUS_OK)
        return status;
    if (c.messages + c.collectives == 0) {
        log_note(
            "%s: no message arrives before it is sent, and no rank leaves a collective operation "
            "too early; the clocks need no correction",
            trace->path);
        return STATUS_OK;
    }
    log_note(
        "%s: clocks corrected: %lld message%s arrived before being sent; %lld time%s a rank left a "
        "collective operation before a rank whose data it needs entered it; %lld event%s on "
        "%lld of %u rank%s moved, by %.3g s on average and %.3g s at most",
        trace->path, (long long)c.messages, plural((uint64_t)c.messages), (long long)c.collectives,
        plural((uint64_t)c.collectives), (long long)c.events, plural((uint64_t)c.events),
        (long long)c.ranks, trace->rank_count, plural(trace->rank_count),
        trace_seconds(trace, (double)c.sum / (double)(c.events ? c.events : 1)),
        trace_seconds(trace, (double)c.largest));
    return STATUS_OK;
}
