#include "structure/metrics.h"

#include "trace/calls/records.h"

#include <assert.h>
#include <string.h>

uint64_t stream_computation(const struct trace *trace, const struct stream *stream, uint64_t begin,
                            uint64_t end)
{
    assert(begin <= end);
    uint32_t row = stream_row_at(stream, begin);
    uint32_t path = stream_path_before(trace, stream, row);
    uint64_t since = begin, sum = 0;
    for (; row < stream->count && stream->time[row] < end; row++) {
        if (!callpath_communicates(trace, path))
            sum += stream->time[row] - since;
        since = stream->time[row];
        path = callpath_after(&trace->calltree, stream, row, path);
    }
    return callpath_communicates(trace, path) || since >= end ? sum : sum + (end - since);
}

static uint64_t bytes_sent(const struct stream *stream, const struct cut_range *range)
{
    uint64_t bytes = 0;
    for (uint32_t row = stream_row_at(stream, range->begin);
         row < stream->count && stream->time[row] < range->end; row++) {
        enum event_kind kind = (enum event_kind)stream->kind[row];
        struct record record = record_of(kind, stream->arg[row]);
        if (record.subject == RECORD_OF_RMA_OP)
            bytes += stream->rma_ops[record.index].sent;
        else if (!(record_properties(kind) & RECORD_POSTS))
            continue;
        else if (record.subject == RECORD_OF_COLLECTIVE)
            bytes += stream->collectives[record.index].sent;
        else if (stream->messages[record.index].flags & MESSAGE_SEND)
            bytes += stream->messages[record.index].bytes;
    }
    return bytes;
}

void part_measure(const struct trace *trace, const struct cut_range *ranges, uint64_t length,
                  struct part_metrics *metrics)
{
    int64_t sums[3] = {0}, most[2] = {0}; /* computation, communication, bytes; longest */
    memset(metrics, 0, sizeof *metrics);
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const struct stream *stream = &trace->streams[s];
        if (ranges[s].begin >= ranges[s].end)
            continue;
        int64_t own = (int64_t)(ranges[s].end - ranges[s].begin);
        int64_t computation =
            (int64_t)stream_computation(trace, stream, ranges[s].begin, ranges[s].end);
        sums[0] += computation;
        sums[1] += own - computation;
        sums[2] += (int64_t)bytes_sent(stream, &ranges[s]);
        most[0] = computation > most[0] ? computation : most[0];
        most[1] = own > most[1] ? own : most[1];
    }
    processes_sum(trace->processes, sums, 3);
    processes_max(trace->processes, most, 2);
    double ticks = length > 0 ? (double)length : (double)most[1];
    double mean = (double)sums[0] / trace->rank_count, largest = (double)most[0];
    metrics->parallel = ticks > 0 ? mean / ticks : 0;
    metrics->load_balance = largest > 0 ? mean / largest : 0;
    metrics->communication = ticks > 0 ? largest / ticks : 0;
    metrics->mpi_s = trace_seconds(trace, (double)sums[1] / trace->rank_count);
    metrics->bytes_sent = sums[2];
}
