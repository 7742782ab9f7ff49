#include "replay/costs/meetings.h"

#include "base/mpi/mail.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- which there are -------------------------------------------------------------------------- */

/* All meetings that the calls mention, in order of their posts and waits. */
struct mentioned {
    const struct layout *layout;
    const struct stream *stream; /* the current one */
    uint32_t *numbers;           /* [collective] of the current stream: layout_number */
    ARRAY(struct meeting) list;
    bool no_memory;
};

static void mention(struct mentioned *mentioned, uint64_t id, uint32_t home)
{
    struct meeting meeting = {id, home};
    if (!array_push(&mentioned->list, meeting))
        mentioned->no_memory = true;
}

/* World rank of a member of a communicator, modulo its size; 0 if the group is damaged. */
static uint32_t member_of(const struct trace *trace, uint32_t comm, uint32_t member)
{
    const struct group *group = &trace->definitions->groups[trace->definitions->comms[comm].group];
    uint32_t rank = group->count > 0 ? group_rank(group, member % group->count) : 0;
    return rank < trace->rank_count ? rank : 0;
}

/* Adds the meeting of all members. Their homes rotate, so that no process has all of them. */
static void mention_instance(struct mentioned *mentioned, const struct collective *collective)
{
    mention(mentioned, layout_instance(mentioned->layout, collective),
            member_of(mentioned->layout->trace, collective->comm, collective->instance));
}

static void mention_scan(struct mentioned *mentioned, uint32_t index)
{
    const struct trace *trace = mentioned->layout->trace;
    const struct collective *collective = &mentioned->stream->collectives[index];
    uint32_t n = mentioned->numbers[index];
    uint32_t member = comm_rank_of(trace->definitions, collective->comm, mentioned->stream->rank);
    mention(mentioned,
            MEETING_SCAN | layout_scan_slot(mentioned->layout, collective->comm, n, member),
            member_of(trace, collective->comm, n));
}

static void mention_neighbour(struct mentioned *mentioned, uint32_t comm, uint32_t n,
                              uint32_t member)
{
    mention(mentioned, layout_neighbour(mentioned->layout, comm, n, member),
            member_of(mentioned->layout->trace, comm, member));
}

/* Adds the meeting at which a post arrives, if any. */
static void mention_post(struct mentioned *mentioned, const struct post *post)
{
    const struct trace *trace = mentioned->layout->trace;
    const struct stream *stream = mentioned->stream;
    switch (post->kind) {
    case POST_SEND:
    case POST_RECEIVE:
        break;
    case POST_COLLECTIVE: {
        const struct collective *collective = &stream->collectives[post->index];
        struct role role = collective_role(trace, stream->rank, collective);
        if (role.neighbours)
            mention_neighbour(mentioned, collective->comm, mentioned->numbers[post->index],
                              comm_rank_of(trace->definitions, collective->comm, stream->rank));
        else if (role.scans)
            mention_scan(mentioned, post->index);
        else if (role.arrives)
            mention_instance(mentioned, collective);
        break;
    }
    case POST_SYNC:
        mention(mentioned, mentioned->layout->first_sync[stream->rank] + post->index, stream->rank);
        break;
    case POST_FINALIZE:
        mention(mentioned, mentioned->layout->finalize, 0);
        break;
    }
}

/* Adds the meetings that a wait waits for. */
static void mention_wait(struct mentioned *mentioned, struct wait wait)
{
    const struct layout *layout = mentioned->layout;
    const struct stream *stream = mentioned->stream;
    switch (wait.kind) {
    case WAIT_SEND:
    case WAIT_RECEIVE:
        break;
    case WAIT_COLLECTIVE: {
        const struct collective *collective = &stream->collectives[wait.index];
        struct role role = collective_role(layout->trace, stream->rank, collective);
        uint32_t sources =
            role.neighbours ? layout_source_count(layout, stream->rank, collective) : 0;
        for (uint32_t k = 0; k < sources; k++)
            mention_neighbour(mentioned, collective->comm, mentioned->numbers[wait.index],
                              layout_source_member(layout, collective, k));
        if (role.scans)
            mention_scan(mentioned, wait.index);
        else if (role.waits && !role.neighbours)
            mention_instance(mentioned, collective);
        break;
    }
    case WAIT_SYNC: {
        const struct rma_sync *sync = sync_awaited(stream, wait.index);
        const struct group *group = &layout->trace->definitions->groups[sync->group];
        for (uint32_t k = 0; k < layout_partner_count(layout, sync); k++)
            mention(mentioned, layout_partner(layout, stream, sync, k), group_rank(group, k));
        break;
    }
    case WAIT_FINALIZE:
        mention(mentioned, layout->finalize, 0);
        break;
    }
}

static void mention_posts(struct mentioned *mentioned, const struct call_list *list, size_t from,
                          size_t to, struct meetings *meetings)
{
    for (size_t p = from; p < to; p++) {
        size_t before = mentioned->list.count;
        mention_post(mentioned, &list->posts.items[p]);
        meetings->of_post[p] = mentioned->list.count > before ? (uint32_t)before : MEETING_NONE;
    }
}

static void mention_waits(struct mentioned *mentioned, const struct call_list *list, size_t from,
                          size_t to, struct meetings *meetings)
{
    for (size_t w = from; w < to; w++) {
        meetings->first_of_wait[w] = mentioned->list.count;
        mention_wait(mentioned, list->waits.items[w]);
        meetings->first_of_wait[w + 1] = mentioned->list.count;
    }
}

/* The posts or waits of one stream; of_post and first_of_wait get places in the list of mentioned
 * meetings. False when memory is out. */
static bool mention_stream(struct mentioned *mentioned, uint32_t s, const struct call_list *list,
                           bool posts, struct meetings *meetings)
{
    const struct layout *layout = mentioned->layout;
    const struct listed_call *first = &list->calls.items[list->first[s]];
    const struct listed_call *end = &list->calls.items[list->first[s + 1]];
    mentioned->stream = &layout->trace->streams[s];
    mentioned->numbers = calloc((size_t)mentioned->stream->collective_count + 1, sizeof(uint32_t));
    bool room =
        mentioned->numbers && (!layout_has_numbers(layout) ||
                               layout_number(layout, mentioned->stream, mentioned->numbers));
    if (room && posts)
        mention_posts(mentioned, list, first->first_post, end->first_post, meetings);
    else if (room)
        mention_waits(mentioned, list, first->first_wait, end->first_wait, meetings);
    free(mentioned->numbers);
    return room && !mentioned->no_memory && mentioned->list.count < MEETING_NONE;
}

static int by_id(const void *a, const void *b)
{
    const struct meeting *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static uint32_t number_of(const struct meetings *meetings, const struct meeting *meeting)
{
    const struct meeting *found =
        bsearch(meeting, meetings->list, meetings->count, sizeof *meetings->list, by_id);
    return (uint32_t)(found - meetings->list);
}

/* Lists each meeting once, and replaces places in the list of mentioned meetings by numbers. The
 * places of each wait are consecutive, so `first_of_wait` holds for the numbers as well. */
static bool number_all(struct mentioned *mentioned, size_t posts, struct meetings *meetings)
{
    size_t count = mentioned->list.count;
    meetings->list = malloc((count + 1) * sizeof *meetings->list);
    meetings->of_wait = malloc((count + 1) * sizeof *meetings->of_wait);
    meetings->values = malloc((count + 1) * sizeof *meetings->values);
    if (!meetings->list || !meetings->of_wait || !meetings->values)
        return false;
    if (count > 0) {
        memcpy(meetings->list, mentioned->list.items, count * sizeof *meetings->list);
        qsort(meetings->list, count, sizeof *meetings->list, by_id);
    }
    for (size_t i = 0; i < count; i++)
        if (i == 0 || meetings->list[i].id != meetings->list[i - 1].id)
            meetings->list[meetings->count++] = meetings->list[i];
    for (size_t i = 0; i < count; i++)
        meetings->of_wait[i] = number_of(meetings, &mentioned->list.items[i]);
    for (size_t p = 0; p < posts; p++)
        if (meetings->of_post[p] != MEETING_NONE)
            meetings->of_post[p] = meetings->of_wait[meetings->of_post[p]];
    return true;
}

static bool find_own(const struct trace *trace, const struct layout *layout,
                     const struct call_list *list, struct meetings *meetings)
{
    struct mentioned mentioned = {.layout = layout};
    meetings->of_post = malloc((list->posts.count + 1) * sizeof *meetings->of_post);
    meetings->first_of_wait = calloc(list->waits.count + 1, sizeof *meetings->first_of_wait);
    bool room = meetings->of_post && meetings->first_of_wait;
    for (uint32_t s = 0; s < trace->owned_count && room; s++)
        room = mention_stream(&mentioned, s, list, true, meetings);
    for (uint32_t s = 0; s < trace->owned_count && room; s++)
        room = mention_stream(&mentioned, s, list, false, meetings);
    room = room && number_all(&mentioned, list->posts.count, meetings);
    free(mentioned.list.items);
    return room;
}

/* --- their homes ------------------------------------------------------------------------------ */

/* Sorts the numbers of the own meetings by the process of their home, ascending within each. */
static bool sort_by_home(const struct trace *trace, struct meetings *meetings)
{
    size_t processes = (size_t)trace->processes->size;
    meetings->by_home = malloc(((size_t)meetings->count + 1) * sizeof *meetings->by_home);
    meetings->told = calloc(processes + 2, sizeof *meetings->told);
    if (!meetings->by_home || !meetings->told)
        return false;
    size_t *next = meetings->told + 1; /* becomes the end of each process's part */
    for (uint32_t i = 0; i < meetings->count; i++)
        next[trace_owner(trace, meetings->list[i].home) + 1]++;
    for (size_t p = 1; p <= processes; p++)
        next[p] += next[p - 1];
    for (uint32_t i = 0; i < meetings->count; i++)
        meetings->by_home[next[trace_owner(trace, meetings->list[i].home)]++] = i;
    return true;
}

/* What a process tells a meeting's home when it takes part. */
struct asking {
    uint64_t id;
    uint32_t process;
};

/* Lists who asks, and for which of the meetings at this home. */
static bool list_at_home(struct meetings *meetings, const struct asking *askings)
{
    size_t count = meetings->asked_count;
    meetings->asked = malloc((count + 1) * sizeof *meetings->asked);
    meetings->asked_by = calloc((size_t)meetings->processes->size + 1, sizeof *meetings->asked_by);
    meetings->at_home = malloc((count + 1) * sizeof *meetings->at_home);
    meetings->home_values = malloc((count + 1) * sizeof *meetings->home_values);
    if (!meetings->asked || !meetings->asked_by || !meetings->at_home || !meetings->home_values)
        return false;
    for (size_t i = 0; i < count; i++) {
        meetings->at_home[i] = askings[i].id;
        meetings->asked_by[askings[i].process + 1]++;
    }
    for (int p = 0; p < meetings->processes->size; p++)
        meetings->asked_by[p + 1] += meetings->asked_by[p];
    qsort(meetings->at_home, count, sizeof *meetings->at_home, order_uint64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || meetings->at_home[i] != meetings->at_home[i - 1])
            meetings->at_home[meetings->home_count++] = meetings->at_home[i];
    for (size_t i = 0; i < count; i++) {
        const uint64_t *found = bsearch(&askings[i].id, meetings->at_home, meetings->home_count,
                                        sizeof *meetings->at_home, order_uint64);
        meetings->asked[i] = (uint32_t)(found - meetings->at_home);
    }
    return true;
}

/* Collective: tells the homes which meetings this process takes part in. */
static enum status ask_homes(struct meetings *meetings, struct error *error)
{
    const struct processes *processes = meetings->processes;
    struct mail mail = mail_open(processes, sizeof(struct asking), "meetings");
    struct delivery received;
    for (int p = 0; p < processes->size; p++)
        for (size_t i = meetings->told[p]; i < meetings->told[p + 1]; i++) {
            struct asking asking = {meetings->list[meetings->by_home[i]].id,
                                    (uint32_t)processes->rank};
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

/* --- the interface ---------------------------------------------------------------------------- */

enum status meetings_make(const struct trace *trace, const struct layout *layout,
                          const struct call_list *list, struct meetings *meetings,
                          struct error *error)
{
    memset(meetings, 0, sizeof *meetings);
    meetings->processes = trace->processes;
    bool room = find_own(trace, layout, list, meetings) && sort_by_home(trace, meetings);
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
    free(meetings->by_home);
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

/* Collective. Sends values[order[i]], for `first[p]` <= i < first[p + 1], to each process p. */
static enum status send_values(const struct processes *processes, const int64_t *values,
                               const uint32_t *order, const size_t *first,
                               struct delivery *received, struct error *error)
{
    struct mail mail = mail_open(processes, sizeof *values, "meetings");
    for (int p = 0; p < processes->size; p++)
        for (size_t i = first[p]; i < first[p + 1]; i++)
            mail_put(&mail, p, &values[order[i]]);
    return mail_exchange(&mail, received, error);
}

enum status meetings_share(struct meetings *meetings, struct error *error)
{
    struct delivery told, answers;
    enum status status = send_values(meetings->processes, meetings->values, meetings->by_home,
                                     meetings->told, &told, error);
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
    for (size_t i = 0; i < meetings->count; i++)
        meetings->values[meetings->by_home[i]] = ((const int64_t *)answers.items)[i];
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
