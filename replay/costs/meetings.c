#include "replay/costs/meetings.h"

#include "base/mpi/mail.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* All meetings that the calls mention, in order of their posts and waits. */
struct mentioned {
    ARRAY(struct meeting) list;
    bool no_memory;
};

static void mention(struct mentioned *mentioned, const struct trace *trace, struct place place)
{
    uint64_t flag = place.kind == PLACE_SCAN ? MEETING_SCAN : 0;
    struct meeting meeting = {flag | place.number, place.home,
                              (uint32_t)trace_owner(trace, place.home)};
    if (!array_push(&mentioned->list, meeting))
        mentioned->no_memory = true;
}

/* The posts or waits of one stream; of_post and first_of_wait get places in the list of mentioned
 * meetings. False when memory is out. */
static bool mention_stream(struct mentioned *mentioned, const struct layout *layout, uint32_t s,
                           const struct call_list *list, bool posts, struct meetings *meetings)
{
    const struct listed_call *first = &list->calls.items[list->first[s]];
    const struct listed_call *end = &list->calls.items[list->first[s + 1]];
    struct places places;
    bool room = places_open(&places, layout, &layout->trace->streams[s]);
    for (size_t p = first->first_post; p < end->first_post && room && posts; p++) {
        struct place place = place_of_post(&places, &list->posts.items[p]);
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
static bool number_all(struct mentioned *mentioned, size_t posts, struct meetings *meetings)
{
    size_t count = mentioned->list.count;
    meetings->list = malloc((count + 1) * sizeof *meetings->list);
    meetings->of_wait = malloc((count + 1) * sizeof *meetings->of_wait);
    meetings->values = malloc((count + 1) * sizeof *meetings->values);
    meetings->told = calloc((size_t)meetings->processes->size + 1, sizeof *meetings->told);
    struct keyed *order = malloc((count + 1) * sizeof *order); /* by home and id */
    if (!meetings->list || !meetings->of_wait || !meetings->values || !meetings->told || !order) {
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
        meetings->told[meetings->list[i].process + 1]++;
    for (int p = 0; p < meetings->processes->size; p++)
        meetings->told[p + 1] += meetings->told[p];
    for (size_t p = 0; p < posts; p++)
        if (meetings->of_post[p] != MEETING_NONE)
            meetings->of_post[p] = meetings->of_wait[meetings->of_post[p]];
    return true;
}

static bool find_own(const struct trace *trace, const struct layout *layout,
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
    room = room && number_all(&mentioned, list->posts.count, meetings);
    free(mentioned.list.items);
    return room;
}

/* What a process tells a meeting's home when it takes part. */
struct meeting_question {
    uint64_t id;
    uint32_t process;
};

/* Lists who asks, and for which of the meetings at this home. */
static bool list_at_home(struct meetings *meetings, const struct meeting_question *askings)
{
    size_t count = meetings->asked_count;
    meetings->asked = malloc((count + 1) * sizeof *meetings->asked);
    meetings->asked_by = calloc((size_t)meetings->processes->size + 1, sizeof *meetings->asked_by);
    meetings->at_home = malloc((count + 1) * sizeof *meetings->at_home);
    meetings->home_values = malloc((count + 1) * sizeof *meetings->home_values);
    struct keyed *order = malloc((count + 1) * sizeof *order);
    bool room = meetings->asked && meetings->asked_by && meetings->at_home &&
                meetings->home_values && order;
    for (size_t i = 0; i < count && room; i++) {
        order[i] = (struct keyed){askings[i].id, (uint32_t)i};
        meetings->asked_by[askings[i].process + 1]++;
    }
    for (int p = 0; p < meetings->processes->size && room; p++)
        meetings->asked_by[p + 1] += meetings->asked_by[p];
    room = room && keyed_sort(order, count);
    for (size_t i = 0; i < count && room; i++) {
        if (i == 0 || order[i].key != meetings->at_home[meetings->home_count - 1])
            meetings->at_home[meetings->home_count++] = order[i].key;
        meetings->asked[order[i].value] = (uint32_t)meetings->home_count - 1;
    }
    free(order);
    return room;
}

/* Collective: tells the homes which meetings this process takes part in. */
static enum status ask_homes(struct meetings *meetings, struct error *error)
{
    const struct processes *processes = meetings->processes;
    struct mail mail = mail_open(processes, sizeof(struct meeting_question), "meetings");
    struct delivery received;
    for (int p = 0; p < processes->size; p++)
        for (size_t i = meetings->told[p]; i < meetings->told[p + 1]; i++) {
            struct meeting_question asking = {meetings->list[i].id, (uint32_t)processes->rank};
            mail_put(&mail, p, &asking);
        }
    enum status status = mail_exchange(&mail, &received, error);
    if (status != STATUS_OK)
        return status;
    meetings->asked_count = received.count;
    bool room = list_at_home(meetings, received.items);
    free(received.items);
    return processes_agree_memory(processes, room, "meetings", error);
}

enum status meetings_make(const struct trace *trace, const struct layout *layout,
                          const struct call_list *list, struct meetings *meetings,
                          struct error *error)
{
    memset(meetings, 0, sizeof *meetings);
    meetings->processes = trace->processes;
    bool room = find_own(trace, layout, list, meetings);
    enum status status = processes_agree_memory(trace->processes, room, "meetings", error);
    if (status == STATUS_OK)
        status = ask_homes(meetings, error);
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
    free(meetings->told);
    free(meetings->asked);
    free(meetings->asked_by);
    free(meetings->at_home);
    free(meetings->home_values);
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
 * waits for those of the lower ranks. */
static void join_at_home(struct meetings *meetings, const int64_t *told)
{
    int64_t *values = meetings->home_values;
    set_none(values, meetings->home_count);
    for (size_t i = 0; i < meetings->asked_count; i++)
        if (values[meetings->asked[i]] < told[i])
            values[meetings->asked[i]] = told[i];
    for (size_t i = 1; i < meetings->home_count; i++)
        if (meetings->at_home[i] & MEETING_SCAN &&
            meetings->at_home[i] - meetings->at_home[i - 1] == 2 && values[i] < values[i - 1])
            values[i] = values[i - 1];
}

/* Collective. Sends values[order[i]], for `first[p]` <= i < first[p + 1], to each process p;
 * without `order` values[i]. */
static enum status send_values(const struct processes *processes, const int64_t *values,
                               const uint32_t *order, const size_t *first,
                               struct delivery *received, struct error *error)
{
    struct mail mail = mail_open(processes, sizeof *values, "meetings");
    for (int p = 0; p < processes->size; p++)
        for (size_t i = first[p]; i < first[p + 1]; i++)
            mail_put(&mail, p, &values[order ? order[i] : i]);
    return mail_exchange(&mail, received, error);
}

enum status meetings_share(struct meetings *meetings, struct error *error)
{
    struct delivery told, answers;
    enum status status =
        send_values(meetings->processes, meetings->values, NULL, meetings->told, &told, error);
    if (status != STATUS_OK)
        return status;
    assert(told.count == meetings->asked_count);
    join_at_home(meetings, told.items);
    free(told.items);
    status = send_values(meetings->processes, meetings->home_values, meetings->asked,
                         meetings->asked_by, &answers, error);
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
