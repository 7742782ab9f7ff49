#include "replay/costs/meetings.h"

#include "base/mpi/exchange.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* All meetings that the calls mention, in order of their posts and waits. */
struct mentioned {
    ARRAY(struct meeting) list;
    bool no_memory;
};

static void mention(struct mentioned *mentioned, const struct trace *trace, struct wait_place place)
{
    uint64_t flag = place.kind == PLACE_SCAN ? MEETING_SCAN : 0;
    struct meeting meeting = {flag | place.number, place.owner,
                              (uint32_t)trace_owner(trace, place.owner)};
    if (!array_push(&mentioned->list, meeting))
        mentioned->no_memory = true;
}

/* The posts or waits of one stream; of_post and first_of_wait get places in the list of mentioned
 * meetings. False if out of memory. */
static bool mention_stream(struct mentioned *mentioned, const struct layout *layout, uint32_t s,
                           const struct call_list *list, bool posts, struct meetings *meetings)
{
    const struct listed_call *first = &list->calls.items[list->first[s]];
    const struct listed_call *end = &list->calls.items[list->first[s + 1]];
    struct places places;
    bool room = places_open(&places, layout, &layout->trace->streams[s]);
    for (size_t p = first->first_post; p < end->first_post && room && posts; p++) {
        struct wait_place place = place_of_post(&places, &list->posts.items[p]);
        bool arrives = place.kind != PLACE_NONE;
        meetings->of_post[p] = arrives ? (uint32_t)mentioned->list.count : MEETING_NONE;
        if (arrives)
            mention(mentioned, layout->trace, place);
    }
    for (size_t w = first->first_wait; w < end->first_wait && room && !posts; w++) {
        struct wait wait = list->waits.items[w];
        meetings->first_of_wait[w] = mentioned->list.count;
        for (uint32_t k = 0, count = places_of_wait(&places, wait); k < count; k++)
            mention(mentioned, layout->trace, place_of_wait(&places, wait, k));
        meetings->first_of_wait[w + 1] = mentioned->list.count;
    }
    places_close(&places);
    return room && !mentioned->no_memory && mentioned->list.count < MEETING_NONE;
}

/* Lists each meeting once, and replaces places in the list of mentioned meetings by numbers. The
 * places of each wait are consecutive, so `first_of_wait` holds for the numbers as well. */
static bool number_meetings(struct mentioned *mentioned, size_t posts, struct meetings *meetings)
{
    size_t count = mentioned->list.count;
    meetings->list = malloc((count + 1) * sizeof *meetings->list);
    meetings->of_wait = malloc((count + 1) * sizeof *meetings->of_wait);
    meetings->values = malloc((count + 1) * sizeof *meetings->values);
    meetings->first_sent =
        calloc((size_t)meetings->processes->size + 1, sizeof *meetings->first_sent);
    struct keyed *order = malloc((count + 1) * sizeof *order); /* by owner and id */
    if (!meetings->list || !meetings->of_wait || !meetings->values || !meetings->first_sent ||
        !order) {
        free(order);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (struct keyed){mentioned->list.items[i].id, (uint32_t)i};
    bool room = keyed_sort(order, count);
    for (size_t i = 0; i < count && meetings->processes->size > 1; i++)
        order[i].key = mentioned->list.items[order[i].value].process;
    room = room && keyed_sort(order, count);
    for (size_t i = 0; i < count && room; i++) {
        const struct meeting *meeting = &mentioned->list.items[order[i].value];
        if (i == 0 || meeting->id != meetings->list[meetings->count - 1].id)
            meetings->list[meetings->count++] = *meeting;
        meetings->of_wait[order[i].value] = meetings->count - 1;
    }
    free(order);
    if (!room)
        return false;
    for (uint32_t i = 0; i < meetings->count; i++)
        meetings->first_sent[meetings->list[i].process + 1]++;
    for (int p = 0; p < meetings->processes->size; p++)
        meetings->first_sent[p + 1] += meetings->first_sent[p];
    for (size_t p = 0; p < posts; p++)
        if (meetings->of_post[p] != MEETING_NONE)
            meetings->of_post[p] = meetings->of_wait[meetings->of_post[p]];
    return true;
}

static bool find_own_meetings(const struct trace *trace, const struct layout *layout,
                              const struct call_list *list, struct meetings *meetings)
{
    struct mentioned mentioned = {0};
    meetings->of_post = malloc((list->posts.count + 1) * sizeof *meetings->of_post);
    meetings->first_of_wait = calloc(list->waits.count + 1, sizeof *meetings->first_of_wait);
    bool room = meetings->of_post && meetings->first_of_wait;
    for (uint32_t s = 0; s < trace->owned_count && room; s++)
        room = mention_stream(&mentioned, layout, s, list, true, meetings);
    for (uint32_t s = 0; s < trace->owned_count && room; s++)
        room = mention_stream(&mentioned, layout, s, list, false, meetings);
    room = room && number_meetings(&mentioned, list->posts.count, meetings);
    free(mentioned.list.items);
    return room;
}

/* What a process sends to a meeting's owner because its ranks take part. */
struct meeting_request {
    uint64_t id;
    uint32_t process;
};

/* Lists which processes request which of the meetings that this process combines. */
static bool list_requested(struct meetings *meetings, const struct meeting_request *requests)
{
    size_t count = meetings->requested_count;
    meetings->requested = malloc((count + 1) * sizeof *meetings->requested);
    meetings->first_requested =
        calloc((size_t)meetings->processes->size + 1, sizeof *meetings->first_requested);
    meetings->combined_ids = malloc((count + 1) * sizeof *meetings->combined_ids);
    meetings->combined = malloc((count + 1) * sizeof *meetings->combined);
    struct keyed *order = malloc((count + 1) * sizeof *order);
    bool room = meetings->requested && meetings->first_requested && meetings->combined_ids &&
                meetings->combined && order;
    for (size_t i = 0; i < count && room; i++) {
        order[i] = (struct keyed){requests[i].id, (uint32_t)i};
        meetings->first_requested[requests[i].process + 1]++;
    }
    for (int p = 0; p < meetings->processes->size && room; p++)
        meetings->first_requested[p + 1] += meetings->first_requested[p];
    room = room && keyed_sort(order, count);
    for (size_t i = 0; i < count && room; i++) {
        if (i == 0 || order[i].key != meetings->combined_ids[meetings->combined_count - 1])
            meetings->combined_ids[meetings->combined_count++] = order[i].key;
        meetings->requested[order[i].value] = (uint32_t)meetings->combined_count - 1;
    }
    free(order);
    return room;
}

/* Collective: sends the owners' processes the meetings in which this process takes part. */
static enum status request_values(struct meetings *meetings, struct error *error)
{
    const struct processes *processes = meetings->processes;
    struct exchange exchange = exchange_open(processes, sizeof(struct meeting_request), "meetings");
    struct received received;
    for (int p = 0; p < processes->size; p++)
        for (size_t i = meetings->first_sent[p]; i < meetings->first_sent[p + 1]; i++) {
            struct meeting_request request = {meetings->list[i].id, (uint32_t)processes->rank};
            exchange_put(&exchange, p, &request);
        }
    enum status status = exchange_run(&exchange, &received, error);
    if (status != STATUS_OK)
        return status;
    meetings->requested_count = received.count;
    bool room = list_requested(meetings, received.items);
    free(received.items);
    return processes_agree_memory(processes, room, "meetings", error);
}

enum status meetings_make(const struct trace *trace, const struct layout *layout,
                          const struct call_list *list, struct meetings *meetings,
                          struct error *error)
{
    memset(meetings, 0, sizeof *meetings);
    meetings->processes = trace->processes;
    bool room = find_own_meetings(trace, layout, list, meetings);
    enum status status = processes_agree_memory(trace->processes, room, "meetings", error);
    if (status == STATUS_OK)
        status = request_values(meetings, error);
    if (status != STATUS_OK)
        meetings_clear(meetings);
    return status;
}

void meetings_clear(struct meetings *meetings)
{
    free(meetings->list);
    free(meetings->of_post);
    free(meetings->first_of_wait);
    free(meetings->of_wait);
    free(meetings->values);
    free(meetings->first_sent);
    free(meetings->requested);
    free(meetings->first_requested);
    free(meetings->combined_ids);
    free(meetings->combined);
    memset(meetings, 0, sizeof *meetings);
}

static void set_none(int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = -1;
}

void meetings_reset(struct meetings *meetings)
{
    set_none(meetings->values, meetings->count);
}

void meetings_arrive(struct meetings *meetings, size_t post, int64_t time)
{
    assert(time >= 0);
    if (meetings->of_post[post] == MEETING_NONE)
        return;
    int64_t *value = &meetings->values[meetings->of_post[post]];
    if (*value < time)
        *value = time;
}

/* Takes the latest of the times that the processes have sent. A member of a prefix reduction also
 * waits for the lower ranks. */
static void combine_arrivals(struct meetings *meetings, const int64_t *sent)
{
    int64_t *values = meetings->combined;
    set_none(values, meetings->combined_count);
    for (size_t i = 0; i < meetings->requested_count; i++)
        if (values[meetings->requested[i]] < sent[i])
            values[meetings->requested[i]] = sent[i];
    for (size_t i = 1; i < meetings->combined_count; i++)
        if (meetings->combined_ids[i] & MEETING_SCAN &&
            meetings->combined_ids[i] - meetings->combined_ids[i - 1] == 2 &&
            values[i] < values[i - 1])
            values[i] = values[i - 1];
}

/* Collective. Sends values[order[i]], for `first[p]` <= i < first[p + 1], to each process p;
 * without `order` values[i]. */
static enum status send_arrivals(const struct processes *processes, const int64_t *values,
                                 const uint32_t *order, const size_t *first,
                                 struct received *received, struct error *error)
{
    struct exchange exchange = exchange_open(processes, sizeof *values, "meetings");
    for (int p = 0; p < processes->size; p++)
        for (size_t i = first[p]; i < first[p + 1]; i++)
            exchange_put(&exchange, p, &values[order ? order[i] : i]);
    return exchange_run(&exchange, received, error);
}

enum status meetings_share(struct meetings *meetings, struct error *error)
{
    struct received sent, answers;
    enum status status = send_arrivals(meetings->processes, meetings->values, NULL,
                                       meetings->first_sent, &sent, error);
    if (status != STATUS_OK)
        return status;
    assert(sent.count == meetings->requested_count);
    combine_arrivals(meetings, sent.items);
    free(sent.items);
    status = send_arrivals(meetings->processes, meetings->combined, meetings->requested,
                           meetings->first_requested, &answers, error);
    if (status != STATUS_OK)
        return status;
    assert(answers.count == meetings->count);
    if (answers.count > 0)
        memcpy(meetings->values, answers.items, answers.count * sizeof *meetings->values);
    free(answers.items);
    return STATUS_OK;
}

int64_t meetings_last(const struct meetings *meetings, size_t wait)
{
    int64_t last = -1;
    for (size_t i = meetings->first_of_wait[wait]; i < meetings->first_of_wait[wait + 1]; i++) {
        int64_t value = meetings->values[meetings->of_wait[i]];
        last = value > last ? value : last;
    }
    return last;
}
