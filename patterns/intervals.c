/* The interval of a wait starts at the last point that has synchronised its two ranks.
 *
 * passes_from is a rule of SCOUT: where several ranks' intervals end in one collective operation,
 * it walks back over the culprit's waits and stops counting a rank one interval start too early. It
 * is kept because our values are compared with SCOUT's. With s_1 <= s_2 <= ... the starts of all
 * other members at the culprit, the costs of the member with s_k go to the culprit's waits from
 * s_(k+1) on; those with s_1 have their whole interval. */
#include "patterns/intervals.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- the last common point -------------------------------------------------------------------- */

/* The last point at which a rank was synchronised with each other rank, while its ends are passed
 * one by one. Two ranks are synchronised by a pair (sync_points.h) in which one of them waits for
 * the other; by an all-to-all collective in which each of them waits or is waited for; by a rooted
 * one in which one waits for the other.
 *
 * A pair or a rooted operation is noted for each other rank that it synchronises with. An
 * all-to-all operation is noted once, for its communicator, and its members are looked up on
 * request: noting each member for each other one would take the square of their number. */
struct last_point { /* of two ranks; ends, INDEX_NONE: none yet */
    uint32_t mine, theirs;
};

struct noted { /* for another rank */
    uint32_t place, theirs;
};

struct passed_operation {   /* an all-to-all operation in which the rank takes part */
    uint32_t place, before; /* in order; the previous one on its communicator */
};

struct comm_state {
    uint32_t comm, latest; /* into operations */
};

/* The position of each rank among the ends of a communicator's points. */
struct comm_members {
    uint32_t comm, count;
    struct keyed *by_rank; /* [count], the values are positions among the ends */
};

struct last_points {
    const struct sync_points *points;
    uint32_t rank, next; /* the next place to be passed */
    struct noted *noted; /* [rank]: for another rank if noted before this rank began */
    ARRAY(struct passed_operation) operations; /* of this rank */
    ARRAY(struct comm_state) comms;            /* of this rank, the last used first */
    ARRAY(struct comm_members) members;        /* of all ranks */
    struct map members_of;                     /* comm -> members */
};

static bool last_points_open(struct last_points *last, const struct sync_points *points)
{
    *last = (struct last_points){
        .points = points, .noted = malloc(((size_t)points->rank_count + 1) * sizeof *last->noted)};
    if (last->noted)
        memset(last->noted, 0xff, points->rank_count * sizeof *last->noted);
    return last->noted;
}

static void last_points_close(struct last_points *last)
{
    for (size_t i = 0; i < last->members.count; i++)
        free(last->members.items[i].by_rank);
    free(last->members.items);
    map_clear(&last->members_of);
    free(last->operations.items);
    free(last->comms.items);
    free(last->noted);
}

/* Goes to the first end of a rank, not lower than the previous rank. */
static void last_points_begin(struct last_points *last, uint32_t rank)
{
    assert(rank >= last->rank && rank < last->points->rank_count);
    last->rank = rank;
    last->next = last->points->first[rank];
    last->operations.count = 0;
    last->comms.count = 0;
}

static const struct sync_point *point_of(const struct sync_points *points, uint32_t end)
{
    return &points->points[points->ends[end].point];
}

static bool takes_part(const struct sync_points *points, uint32_t end)
{
    return points->ends[end].wait > 0 || point_of(points, end)->culprit == end;
}

static bool synchronises_all(const struct sync_point *point)
{
    return !sync_point_is_pair(point) &&
           (point->kind == SYNC_BARRIER || point->kind == SYNC_N_TO_N);
}

static bool synchronises(const struct sync_points *points, uint32_t a, uint32_t b)
{
    const struct sync_point *point = point_of(points, a);
    if (synchronises_all(point))
        return takes_part(points, a) && takes_part(points, b);
    return (point->culprit == a && points->ends[b].wait > 0) ||
           (point->culprit == b && points->ends[a].wait > 0);
}

/* Learns the members of a communicator from one of its points. */
static bool learn_members(struct last_points *last, const struct sync_point *point)
{
    uint32_t count = point[1].first_end - point[0].first_end;
    uint32_t *place = map_at(&last->members_of, point->comm, (uint32_t)last->members.count);
    if (!place)
        return false;
    if (*place < last->members.count)
        return true;
    struct keyed *by_rank = malloc(((size_t)count + 1) * sizeof *by_rank);
    struct comm_members members = {point->comm, count, by_rank};
    if (!by_rank || !array_push(&last->members, members)) {
        free(by_rank);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        by_rank[i] = (struct keyed){last->points->ends[point->first_end + i].rank, i};
    return keyed_sort(by_rank, count);
}

/* Notes an all-to-all operation; its communicator moves to the front of the rank's list. */
static bool note_operation(struct last_points *last, const struct sync_point *point, uint32_t place)
{
    struct passed_operation operation = {place, INDEX_NONE};
    size_t found = 0;
    while (found < last->comms.count && last->comms.items[found].comm != point->comm)
        found++;
    if (found < last->comms.count)
        operation.before = last->comms.items[found].latest;
    else if (!learn_members(last, point) ||
             !array_push(&last->comms, ((struct comm_state){point->comm, INDEX_NONE})))
        return false;
    memmove(last->comms.items + 1, last->comms.items, found * sizeof *last->comms.items);
    last->comms.items[0] = (struct comm_state){point->comm, (uint32_t)last->operations.count};
    return array_push(&last->operations, operation);
}

static void note(struct last_points *last, uint32_t place, uint32_t theirs)
{
    last->noted[last->points->ends[theirs].rank] = (struct noted){place, theirs};
}

/* Passes the rank's next end, which must be the one at `place` of points->order. False when memory
 * is out. */
static bool last_points_pass(struct last_points *last, uint32_t place)
{
    const struct sync_points *points = last->points;
    assert(place == last->next && place < points->first[last->rank + 1]);
    uint32_t mine = points->order[place];
    const struct sync_point *point = point_of(points, mine);
    last->next = place + 1;
    if (!takes_part(points, mine))
        return true;
    if (synchronises_all(point))
        return note_operation(last, point, place);
    if (point->culprit != mine) {
        note(last, place, point->culprit);
        return true;
    }
    for (uint32_t i = point[0].first_end; i < point[1].first_end; i++)
        if (i != mine && points->ends[i].wait > 0)
            note(last, place, i);
    return true;
}

/* The rank's position among the members; INDEX_NONE if it is not a member. */
static uint32_t find_member(const struct comm_members *members, uint32_t rank)
{
    if (rank < members->count && members->by_rank[rank].key == rank)
        return members->by_rank[rank].value;
    uint32_t low = 0, high = members->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (members->by_rank[middle].key < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < members->count && members->by_rank[low].key == rank ? members->by_rank[low].value
                                                                     : INDEX_NONE;
}

/* Sets `found` to the last operation on the communicator that synchronises with `rank`, if it comes
 * after the point already in `found` (`place` INDEX_NONE: none). */
static void find_operation(const struct last_points *last, const struct comm_state *state,
                           uint32_t rank, struct noted *found)
{
    const struct sync_points *points = last->points;
    uint32_t index = map_get(&last->members_of, state->comm);
    uint32_t member = find_member(&last->members.items[index], rank);
    if (member == INDEX_NONE)
        return;
    for (uint32_t i = state->latest; i != INDEX_NONE; i = last->operations.items[i].before) {
        uint32_t place = last->operations.items[i].place;
        if (found->place != INDEX_NONE && found->place > place)
            return;
        uint32_t theirs = point_of(points, points->order[place])->first_end + member;
        if (takes_part(points, theirs)) {
            *found = (struct noted){place, theirs};
            return;
        }
    }
}

/* Searches the rank's list backwards: needed if the last known point is too late for the other
 * rank, which happens only where messages overtake each other. */
static struct last_point search_back(const struct last_points *last, const struct sync_end *other)
{
    const struct sync_points *points = last->points;
    for (uint32_t place = last->next; place-- > points->first[last->rank];) {
        uint32_t mine = points->order[place];
        const struct sync_point *point = point_of(points, mine);
        for (uint32_t i = point[0].first_end; i < point[1].first_end; i++)
            if (i != mine && points->ends[i].rank == other->rank &&
                points->ends[i].enter_row <= other->enter_row && synchronises(points, mine, i))
                return (struct last_point){mine, i};
    }
    return (struct last_point){INDEX_NONE, INDEX_NONE};
}

/* The last passed point at which the rank was synchronised with the rank of the end `other`, before
 * the call of `other`. */
static struct last_point last_points_find(const struct last_points *last, uint32_t other)
{
    const struct sync_points *points = last->points;
    const struct sync_end *end = &points->ends[other];
    struct noted found = last->noted[end->rank];
    if (found.place != INDEX_NONE && found.place < points->first[last->rank])
        found = (struct noted){INDEX_NONE, INDEX_NONE}; /* it belongs to another rank */
    for (size_t i = 0; i < last->comms.count && end->rank != last->rank; i++) {
        const struct comm_state *state = &last->comms.items[i];
        if (found.place != INDEX_NONE && found.place > last->operations.items[state->latest].place)
            break;
        find_operation(last, state, end->rank, &found);
    }
    if (found.place == INDEX_NONE)
        return (struct last_point){INDEX_NONE, INDEX_NONE};
    if (points->ends[found.theirs].enter_row > end->enter_row)
        return search_back(last, end);
    return (struct last_point){points->order[found.place], found.theirs};
}

/* --- intervals -------------------------------------------------------------------------------- */

struct interval_finder {
    const struct sync_points *points;
    struct interval *intervals;
    uint32_t *wait_of; /* [end], the number of its wait + 1; 0: does not wait */
    struct last_points last;
    uint32_t *starts; /* room for all ranks */
};

static uint32_t start_row(const struct sync_points *points, uint32_t start)
{
    return start == INDEX_NONE ? 0 : points->ends[start].event_row + 1;
}

/* How many of the starts are not after `start`. */
static uint32_t starts_until(const uint32_t *starts, uint32_t count, uint32_t start)
{
    uint32_t low = 0;
    while (low < count) {
        uint32_t middle = low + (count - low) / 2;
        if (starts[middle] <= start)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Rows are shifted by one, so that 0 is before the first. */
static void limit_passing(const struct interval_finder *finder, const struct sync_point *point,
                          uint32_t count)
{
    const struct sync_points *points = finder->points;
    qsort(finder->starts, count, sizeof *finder->starts, order_uint32);
    for (uint32_t i = point[0].first_end; i < point[1].first_end; i++) {
        if (finder->wait_of[i] == 0)
            continue;
        struct interval *interval = &finder->intervals[finder->wait_of[i] - 1];
        uint32_t start = start_row(points, interval->culprit_start);
        uint32_t next = starts_until(finder->starts, count, start);
        if (start == finder->starts[0])
            interval->passes_from = 0;
        else
            interval->passes_from = next < count ? finder->starts[next] - 1 : UINT32_MAX;
    }
}

/* Finds the intervals of all ends that wait for the rank at `place`. */
static void find_starts(const struct interval_finder *finder, uint32_t place)
{
    const struct sync_points *points = finder->points;
    uint32_t culprit = points->order[place], count = 0, rank = points->ends[culprit].rank;
    uint32_t last_wait = interval_last_wait(points, rank, points->ends[culprit].enter_row);
    const struct sync_point *point = &points->points[points->ends[culprit].point];
    for (uint32_t i = point[0].first_end; i < point[1].first_end; i++) {
        if (i == culprit)
            continue;
        struct last_point last = last_points_find(&finder->last, i);
        finder->starts[count++] = start_row(points, last.mine);
        if (finder->wait_of[i] == 0)
            continue;
        struct interval *interval = &finder->intervals[finder->wait_of[i] - 1];
        *interval = (struct interval){.culprit_start = last.mine, .victim_start = last.theirs};
        interval->first_cause = interval_first_wait(points, last.mine, rank, last_wait);
        interval->cause_count = last_wait - interval->first_cause;
    }
    if (!sync_point_is_pair(point))
        limit_passing(finder, point, count);
}

static bool find_of_rank(struct interval_finder *finder, uint32_t rank)
{
    const struct sync_points *points = finder->points;
    bool complete = true;
    last_points_begin(&finder->last, rank);
    for (uint32_t place = points->first[rank]; place < points->first[rank + 1] && complete;
         place++) {
        uint32_t end = points->order[place];
        if (points->points[points->ends[end].point].culprit == end)
            find_starts(finder, place);
        complete = last_points_pass(&finder->last, place);
    }
    return complete;
}

/* The rank at which a process begins, if the processes of the host find intervals of equal numbers
 * of ends. */
static uint32_t first_rank_of(const struct sync_points *points, int index)
{
    const size_t end = host_group_slice(&points->group, index, points->end_count);
    uint32_t low = 0, high = points->rank_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (points->first[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return index == points->group.size ? points->rank_count : low;
}

/* Numbers this process's share of the waits. */
static void number_waits(struct interval_finder *finder)
{
    const struct sync_points *points = finder->points;
    const struct host_group *group = &points->group;
    const size_t last = host_group_slice(group, group->index + 1, points->wait_count);
    for (size_t i = host_group_slice(group, group->index, points->wait_count); i < last; i++)
        finder->wait_of[points->waits[i]] = (uint32_t)i + 1;
}

/* Finds this process's share of the intervals: those of the waits for some of the ranks. False when
 * memory is out. */
static bool find_share(struct interval_finder *finder)
{
    const struct sync_points *points = finder->points;
    const uint32_t last = first_rank_of(points, points->group.index + 1);
    finder->starts = malloc(((size_t)points->rank_count + 1) * sizeof *finder->starts);
    bool complete = last_points_open(&finder->last, points) && finder->starts;
    for (uint32_t rank = first_rank_of(points, points->group.index); rank < last && complete;
         rank++)
        complete = find_of_rank(finder, rank);
    last_points_close(&finder->last);
    free(finder->starts);
    return complete;
}

enum status intervals_find(const struct sync_points *points, struct host_memory *intervals,
                           struct error *error)
{
    static const char purpose[] = "causes of waits"; /* of memory */
    const struct host_group *group = &points->group;
    struct interval_finder finder = {.points = points};
    struct host_memory waits_of_ends = {0};
    enum status status =
        host_memory_open(group, ((size_t)points->wait_count + 1) * sizeof *finder.intervals,
                         purpose, intervals, error);
    if (status == STATUS_OK)
        status = host_memory_open(group, ((size_t)points->end_count + 1) * sizeof *finder.wait_of,
                                  purpose, &waits_of_ends, error);
    finder.intervals = intervals->data;
    finder.wait_of = waits_of_ends.data;
    if (status == STATUS_OK) {
        number_waits(&finder);
        status = host_group_agree(group, true, purpose, error);
    }
    if (status == STATUS_OK)
        status = host_group_agree(group, find_share(&finder), purpose, error);
    host_memory_close(&waits_of_ends);
    return status;
}

uint32_t interval_last_wait(const struct sync_points *points, uint32_t rank, uint32_t row)
{
    assert(rank < points->rank_count);
    uint32_t low = points->first_wait[rank], high = points->first_wait[rank + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sync_wait_end(points, middle)->enter_row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t interval_first_wait(const struct sync_points *points, uint32_t start, uint32_t rank,
                             uint32_t last)
{
    uint32_t first = last;
    if (start == INDEX_NONE)
        return points->first_wait[rank];
    const struct sync_end *from = &points->ends[start];
    bool pair = sync_point_is_pair(&points->points[from->point]);
    for (; first > points->first_wait[rank]; first--) {
        const struct sync_end *wait = sync_wait_end(points, first - 1);
        /* A call that both sends and receives may wait for a third rank; that wait is inside. */
        if (wait->enter_row < from->enter_row ||
            (wait->enter_row == from->enter_row && (!pair || wait->point == from->point)))
            break;
    }
    return first;
}

void interval_start_times(const struct sync_points *points, const struct interval *interval,
                          int64_t *culprit, int64_t *victim)
{
    assert(interval->culprit_start != INDEX_NONE && interval->victim_start != INDEX_NONE);
    const struct sync_end *c = &points->ends[interval->culprit_start],
                          *v = &points->ends[interval->victim_start];
    const struct sync_point *point = &points->points[c->point];
    int64_t released = earlier(c->until, v->until);
    if (!sync_point_is_pair(point) && point->kind != SYNC_N_TO_ONE)
        released = sync_released(points, point);
    *culprit = later(0, c->until - released);
    *victim = later(0, v->until - released);
    if (point->kind != SYNC_LATE_RECEIVER)
        return;
    /* SCOUT's rule: the sender's time counts up to the end of the receive. */
    if (c->wait > 0)
        *culprit = earlier(0, c->until - v->until);
    if (v->wait > 0)
        *victim = earlier(0, v->until - c->until);
}
