/* A pair or a rooted operation is noted for each other rank that it synchronises with. An
 * all-to-all operation is noted once, for its communicator, and its members are looked up on
 * request: noting each member for each other one would take the square of their number. */
#include "patterns/last_points.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

struct last_points *last_points_open(const struct sync_points *points)
{
    struct last_points *last = calloc(1, sizeof *last);
    if (!last)
        return NULL;
    last->points = points;
    last->noted = malloc(((size_t)points->rank_count + 1) * sizeof *last->noted);
    if (!last->noted) {
        free(last);
        return NULL;
    }
    memset(last->noted, 0xff, points->rank_count * sizeof *last->noted);
    return last;
}

void last_points_close(struct last_points *last)
{
    if (!last)
        return;
    for (size_t i = 0; i < last->members.count; i++)
        free(last->members.items[i].by_rank);
    free(last->members.items);
    map_clear(&last->members_of);
    free(last->operations.items);
    free(last->comms.items);
    free(last->noted);
    free(last);
}

void last_points_begin(struct last_points *last, uint32_t rank)
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

/* --- noting ----------------------------------------------------------------------------------- */

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

bool last_points_pass(struct last_points *last, uint32_t place)
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

/* --- finding ---------------------------------------------------------------------------------- */

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

struct last_point last_points_find(const struct last_points *last, uint32_t other)
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
