#include "exchange/exports/perfetto_packets.h"

#include "base/sort.h"
#include "exchange/exports/locations.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

size_t packet_open(struct protobuf *packets, uint32_t sequence, unsigned flags)
{
    assert(sequence > 0);
    const size_t packet = protobuf_open(packets, TRACE_PACKET);
    protobuf_varint(packets, PACKET_SEQUENCE, sequence);
    if (flags)
        protobuf_varint(packets, PACKET_FLAGS, flags);
    return packet;
}

void packet_text(struct protobuf *packets, unsigned field, const char *text)
{
    char *clean = export_name(text);
    if (clean)
        protobuf_text(packets, field, clean);
    else
        packets->out_of_memory = true;
    free(clean);
}

void packet_intern(struct protobuf *packets, unsigned field, uint64_t iid, const char *text)
{
    assert(iid > 0);
    const size_t entry = protobuf_open(packets, field);
    protobuf_varint(packets, STRING_IID, iid);
    packet_text(packets, STRING_TEXT, text);
    protobuf_close(packets, entry);
}

void packet_label(struct protobuf *packets, unsigned field, const char *name,
                  const struct packet_numbers *numbers)
{
    char *text = NULL;
    if (!numbers->label)
        packet_text(packets, field, name);
    else if (asprintf(&text, "%s, %s", name, numbers->label) < 0)
        packets->out_of_memory = true;
    else
        packet_text(packets, field, text);
    if (numbers->label)
        free(text);
}

/* Track 0 stands for the whole file; only the first trace describes it. */
void packet_begin(struct protobuf *packets, const struct packet_numbers *numbers,
                  const struct trace *trace)
{
    const size_t packet = packet_open(packets, common_sequence(numbers, trace), CLEARED);
    if (numbers->sequences == 0) {
        const size_t track = protobuf_open(packets, PACKET_TRACK);
        protobuf_varint(packets, TRACK_UUID, 0);
        protobuf_varint(packets, TRACK_PROCESS_ORDERING, ORDER_EXPLICIT);
        protobuf_close(packets, track);
    }
    protobuf_close(packets, packet);
}

/* By how much the number of waiting ranks changes, at a time in nanoseconds. */
struct waiting_step {
    int64_t time, change;
};

struct waiting_counter {
    const struct trace *trace;
    const struct packet_numbers *numbers;
    uint64_t track;
    struct waiting_step *steps; /* in order of time */
    size_t count;
};

ORDER_BY(by_time, struct waiting_step, ASCENDING(time) ?: ASCENDING(change))

/* Two steps for each wait of the owned ranks. NULL when memory is out. */
static struct waiting_step *list_steps(const struct trace *trace, const struct metric_waits *waits)
{
    struct waiting_step *steps = malloc((2 * waits->all.count + 1) * sizeof *steps);
    for (size_t i = 0; steps && i < waits->all.count; i++) {
        const struct metric_wait *wait = &waits->all.items[i];
        const uint64_t begin = trace_stream(trace, wait->rank)->time[wait->enter_row];
        steps[2 * i] = (struct waiting_step){(int64_t)export_time(trace, begin), 1};
        steps[2 * i + 1] =
            (struct waiting_step){(int64_t)export_time(trace, begin + (uint64_t)wait->ticks), -1};
    }
    return steps;
}

enum status waiting_counter_find(const struct trace *trace, const struct metric_waits *waits,
                                 const struct packet_numbers *numbers,
                                 struct waiting_counter **result, struct error *error)
{
    const struct processes *processes = trace->processes;
    const bool first = processes->rank == 0;
    struct waiting_counter *counter = first ? calloc(1, sizeof *counter) : NULL;
    struct waiting_step *steps = list_steps(trace, waits);
    char *all = NULL;
    size_t size = 0;
    *result = counter;
    enum status status =
        processes_agree_memory(processes, steps && (counter || !first), "the counter", error);
    if (status == STATUS_OK)
        status = exchange_gather(processes, steps, 2 * waits->all.count * sizeof *steps, &all,
                                 &size, NULL, error);
    free(steps);
    if (counter) {
        counter->trace = trace;
        counter->numbers = numbers;
        counter->track = numbers->tracks + (2ull << 32); /* above those of ranks and locations */
        counter->steps = (struct waiting_step *)(void *)all;
        counter->count = size / sizeof *counter->steps;
        if (counter->count > 0)
            qsort(counter->steps, counter->count, sizeof *counter->steps, by_time);
    }
    return status;
}

void waiting_counter_destroy(struct waiting_counter *counter)
{
    if (counter)
        free(counter->steps);
    free(counter);
}

static void write_track(const struct waiting_counter *counter, struct protobuf *packets)
{
    const size_t packet =
        packet_open(packets, common_sequence(counter->numbers, counter->trace), 0);
    const size_t track = protobuf_open(packets, PACKET_TRACK);
    protobuf_varint(packets, TRACK_UUID, counter->track);
    packet_label(packets, TRACK_NAME, "waiting ranks", counter->numbers);
    const size_t about = protobuf_open(packets, TRACK_COUNTER);
    protobuf_varint(packets, COUNTER_UNIT, UNIT_COUNT_OF);
    protobuf_close(packets, about);
    protobuf_close(packets, track);
    protobuf_close(packets, packet);
}

static void write_value(const struct waiting_counter *counter, struct protobuf *packets,
                        int64_t time, int64_t value)
{
    const size_t packet =
        packet_open(packets, common_sequence(counter->numbers, counter->trace), 0);
    protobuf_varint(packets, PACKET_TIMESTAMP, (uint64_t)time);
    const size_t event = protobuf_open(packets, PACKET_EVENT);
    protobuf_varint(packets, EVENT_TYPE, COUNTER);
    protobuf_varint(packets, EVENT_TRACK, counter->track);
    protobuf_varint(packets, EVENT_COUNTER_VALUE, (uint64_t)value);
    protobuf_close(packets, event);
    protobuf_close(packets, packet);
}

bool waiting_counter_write(const struct waiting_counter *counter, struct protobuf *packets,
                           FILE *stream)
{
    const struct waiting_step *steps = counter->steps;
    int64_t value = 0;
    bool written = true;
    write_track(counter, packets);
    write_value(counter, packets, 0, 0);
    for (size_t i = 0; i < counter->count && written; i++) {
        value += steps[i].change;
        if (i + 1 < counter->count && steps[i + 1].time == steps[i].time)
            continue;
        write_value(counter, packets, steps[i].time, value);
        written = protobuf_flush(packets, stream) && !(stream && ferror(stream));
    }
    return protobuf_flush(packets, stream) && written;
}
