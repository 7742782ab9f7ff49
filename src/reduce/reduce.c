#include "reduce/reduce.h"

#include "reduce/rows.h"
#include "trace/match/match.h"
#include "transform/hypothesis.h"
#include "transform/rewrite.h"

#include <assert.h>
#include <stdlib.h>

/* Writes the rows of a stream that stay. False if out of memory. */
static bool reduce_stream(const struct trace *trace, uint32_t s, const struct folding *folding,
                          const bool *changed_paths, struct trace *reduced)
{
    struct stream *stream = &reduced->streams[s];
    bool *drop = calloc((size_t)stream->count + 1, 1);
    struct row_writer writer;
    bool room = drop && reduction_drop_rows(trace, s, folding, changed_paths, drop);
    if (room) {
        row_writer_open(&writer, reduced, stream, folding->messages[s], folding->collectives[s]);
        for (uint32_t row = 0; row < trace->streams[s].count; row++)
            if (drop[row])
                row_writer_skip(&writer, trace->streams[s].time[row]);
            else
                row_writer_copy(&writer, trace->streams[s].time[row]);
        room = row_writer_close(&writer);
    }
    free(drop);
    for (uint32_t m = 0; m < stream->message_count && room; m++)
        stream->messages[m].recorded = m;
    for (uint32_t c = 0; c < stream->collective_count && room; c++)
        stream->collectives[c].recorded = c;
    return room;
}

/* Collective. */
static void count_trace(const struct trace *trace, int64_t counts[3])
{
    counts[0] = counts[1] = counts[2] = 0;
    for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++)
        counts[0] += trace_any_stream(trace, i)->count;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        counts[1] += trace->streams[s].message_count;
        counts[2] += trace->streams[s].collective_count;
    }
    processes_sum(trace->processes, counts, 3);
}

enum status reduction_make(const struct trace *trace, const struct folding_input *input,
                           struct trace **result, struct machine *machine,
                           struct reduction_counts *counts, struct error *error)
{
    assert(trace->matched);
    struct folding folding;
    struct trace *reduced = NULL;
    int64_t before[3], after[3];
    bool room = true;
    enum status status = folding_find(trace, input, &folding, error);
    if (status != STATUS_OK)
        return status;
    *machine = folding.machine;
    status = hypotheses_apply(NULL, 0, trace, &reduced, NULL, error);
    for (uint32_t s = 0; s < trace->owned_count && room && status == STATUS_OK; s++)
        room = reduce_stream(trace, s, &folding, input->changed.paths, reduced);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, room, "the reduced trace", error);
    folding_clear(&folding);
    if (status == STATUS_OK) {
        reduced->matched = false;
        reduced->recording = NULL;
        status = trace_match(reduced, error);
    }
    if (status != STATUS_OK) {
        trace_destroy(reduced);
        return status;
    }
    count_trace(trace, before);
    count_trace(reduced, after);
    *counts = (struct reduction_counts){before[0],    after[0],  before[1] / 2,
                                        after[1] / 2, before[2], after[2]};
    *result = reduced;
    return STATUS_OK;
}
