/* A pair or a rooted operation is noted for each other rank that it synchronises with. An
 * all-to-all operation is noted once, for its communicator, and its members are looked up on
 * request: noting each member for each other one would take the square of their number. */
#include "patterns/last_points.h"

#include "base/mpi/exchange.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char purpose[] = "causes of waits"; /* of memory */

bool last_points_open(struct last_points *last, const struct trace *trace,
                      const struct sync_points *points, last_point_taker *take, void *data)
{
    last->trace = trace;
    last->points = points;
    last->take = take;
    last->data = data;
    last->rank = points->first_rank;
    last->noted = malloc(((size_t)trace->rank_count + 1) * sizeof *last->noted);
    if (last->noted)
        memset(last->noted, 0xff, trace->rank_count * sizeof *last->noted);
    return last->noted;
}

void last_points_close(struct last_points *last)
{
    for (size_t i = 0; i < last->members.count; i++)
        free(last->members.items[i].by_rank);
    free(last->members.items);
    map_clear(&last->members_of);
    free(last->comms.items);
    free(last->open.items);
    free(last->noted);
    memset(last, 0, sizeof *last);
}

static uint32_t first_place(const struct sync_points *points, uint32_t rank)
{
    return points->first[rank - points->first_rank];
}

void last_points_begin(struct last_points *last, uint32_t rank)
{
    assert(rank >= last->rank && sync_owns(last->points, rank));
    last->rank = rank;
    last->next = first_place(last->points, rank);
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

static bool is_comm_member(const struct last_points *last, uint32_t comm, uint32_t rank)
{
    return comm_rank_of(last->trace->definitions, comm, rank) != INDEX_NONE;
}

/* The number of ends at a point that are in the same order in all points of its communicator. */
static uint32_t ordered_ends(const struct sync_point *point)
{
    return point[1].first_end - point[0].first_end - !point->whole;
}

/* The members of a communicator, learned from one of its points; NULL if out of memory. */
static const struct comm_members *point_members(struct last_points *last,
                                                const struct sync_point *point)
{
    uint32_t *place = map_at(&last->members_of, 2 * (uint64_t)point->comm + point->whole,
                             (uint32_t)last->members.count);
    if (!place)
        return NULL;
    if (*place < last->members.count)
        return &last->members.items[*place];
    const uint32_t count = ordered_ends(point);
    struct comm_members members = {count, malloc(((size_t)count + 1) * sizeof *members.by_rank)};
    for (uint32_t i = 0; members.by_rank && i < count; i++)
        members.by_rank[i] = (struct keyed){last->points->ends[point->first_end + i].rank, i};
    if (members.by_rank && keyed_sort(members.by_rank, count) &&
        array_push(&last->members, members))
        return &last->members.items[last->members.count - 1];
    free(members.by_rank);
    map_take(&last->members_of, 2 * (uint64_t)point->comm + point->whole);
    return NULL;
}

/* The rank's position; `count` if it is none of the members. */
static uint32_t position_of(const struct comm_members *members, uint32_t rank)
{
    const struct keyed *by_rank = members->by_rank;
    const uint32_t count = members->count;
    if (count > 0 && rank >= by_rank[0].key && rank - by_rank[0].key < count &&
        by_rank[rank - by_rank[0].key].key == rank)
        return by_rank[rank - by_rank[0].key].value;
    const uint32_t place = first_where(0, count, i, by_rank[i].key >= rank);
    return place < count && by_rank[place].key == rank ? by_rank[place].value : count;
}

/* The rank's end at a collective operation; INDEX_NONE if this process does not have it. */
static uint32_t find_rank_end(struct last_points *last, const struct sync_point *point,
                              uint32_t rank)
{
    const struct sync_end *ends = last->points->ends;
    if (ends[point->culprit].rank == rank)
        return point->culprit;
    if (!point->whole && !sync_owns(last->points, rank))
        return INDEX_NONE;
    const struct comm_members *members = point_members(last, point);
    const uint32_t count = ordered_ends(point);
    const uint32_t position = members ? position_of(members, rank) : count;
    if (position < count && ends[point->first_end + position].rank == rank)
        return point->first_end + position;
    if (members && members->count == count)
        return INDEX_NONE;
    for (uint32_t i = point->first_end; i < point->first_end + count; i++)
        if (ends[i].rank == rank) /* the point lacks members, or we are out of memory */
            return i;
    return INDEX_NONE;
}

enum participation { TAKES_NO_PART, TAKES_PART, MUST_ASK };

/* Whether the point at `place` synchronises its rank with another one, whose end `*theirs` is
 * then. */
static enum participation find_participation(struct last_points *last, uint32_t place,
                                             uint32_t rank, uint32_t *theirs)
{
    const struct sync_points *points = last->points;
    const uint32_t mine = points->order[place];
    const struct sync_point *point = point_of(points, mine);
    if (sync_point_is_pair(point)) {
        *theirs = point->first_end + (mine == point->first_end);
        return points->ends[*theirs].rank == rank ? TAKES_PART : TAKES_NO_PART;
    }
    *theirs = find_rank_end(last, point, rank);
    if (*theirs != INDEX_NONE)
        return *theirs != mine && synchronises(points, mine, *theirs) ? TAKES_PART : TAKES_NO_PART;
    return !point->whole && !sync_owns(points, rank) && synchronises_all(point) &&
                   takes_part(points, mine) && is_comm_member(last, point->comm, rank)
               ? MUST_ASK
               : TAKES_NO_PART;
}

/* Notes an all-to-all operation; its communicator moves to the front of the rank's list. */
static bool note_operation(struct last_points *last, uint32_t comm, uint32_t place)
{
    size_t found = 0;
    while (found < last->comms.count && last->comms.items[found].comm != comm)
        found++;
    if (found == last->comms.count &&
        !array_push(&last->comms, ((struct comm_state){comm, INDEX_NONE})))
        return false;
    memmove(last->comms.items + 1, last->comms.items, found * sizeof *last->comms.items);
    last->comms.items[0] = (struct comm_state){comm, place};
    return true;
}

static void note_pair(struct last_points *last, uint32_t place, uint32_t theirs)
{
    last->noted[last->points->ends[theirs].rank] = (struct noted){place, theirs};
}

bool last_points_pass(struct last_points *last, uint32_t place)
{
    const struct sync_points *points = last->points;
    assert(place == last->next);
    uint32_t mine = points->order[place];
    const struct sync_point *point = point_of(points, mine);
    last->next = place + 1;
    if (!takes_part(points, mine))
        return true;
    if (synchronises_all(point))
        return note_operation(last, point->comm, place);
    if (point->culprit != mine) {
        note_pair(last, place, point->culprit);
        return true;
    }
    for (uint32_t i = point[0].first_end; i < point[1].first_end; i++)
        if (i != mine && points->ends[i].wait > 0)
            note_pair(last, place, i);
    return true;
}

/* The next functions return true if the search is over, false if the owner of the other rank must
 * be asked. */

static bool report_found(struct last_points *last, const struct last_search *search, uint32_t mine,
                         const struct sync_end *theirs)
{
    last->take(last->data, search, mine, theirs);
    return true;
}

static const struct sync_end *other_end(const struct last_points *last,
                                        const struct last_search *search)
{
    return &last->points->ends[search->end];
}

static uint32_t begin_of(const struct last_points *last, const struct last_search *search)
{
    return first_place(last->points, last->points->ends[last->points->order[search->place]].rank);
}

/* Searches all places before `place`. This is needed only where messages overtake each other: then
 * the last known point is too late for the other rank. */
static bool search_overtaken(struct last_points *last, struct last_search *search, uint32_t place)
{
    const struct sync_end *other = other_end(last, search);
    const uint32_t begin = begin_of(last, search);
    search->overtaken = true;
    while (place-- > begin) {
        uint32_t theirs;
        const enum participation part = find_participation(last, place, other->rank, &theirs);
        search->asked = place;
        if (part == MUST_ASK)
            return false;
        if (part == TAKES_PART && last->points->ends[theirs].enter_row <= other->enter_row)
            return report_found(last, search, last->points->order[place],
                                &last->points->ends[theirs]);
    }
    return report_found(last, search, INDEX_NONE, NULL);
}

static bool report_or_retry(struct last_points *last, struct last_search *search, uint32_t place,
                            const struct sync_end *theirs)
{
    if (theirs->enter_row > other_end(last, search)->enter_row)
        return search_overtaken(last, search, search->place);
    return report_found(last, search, last->points->order[place], theirs);
}

/* The last all-to-all operation before `place` that may synchronise the two ranks; INDEX_NONE if
 * there is none. */
static uint32_t operation_before(const struct last_points *last, const struct last_search *search,
                                 uint32_t place)
{
    const struct sync_points *points = last->points;
    const uint32_t begin = begin_of(last, search), rank = other_end(last, search)->rank;
    while (place-- > begin) {
        const uint32_t mine = points->order[place];
        const struct sync_point *point = point_of(points, mine);
        if (synchronises_all(point) && takes_part(points, mine) &&
            is_comm_member(last, point->comm, rank))
            return place;
    }
    return INDEX_NONE;
}

/* Goes back from the operation at `place` (INDEX_NONE: none), at most to the noted pair. */
static bool search_operations(struct last_points *last, struct last_search *search, uint32_t place)
{
    const struct sync_points *points = last->points;
    const struct noted noted = search->noted;
    for (; place != INDEX_NONE && (noted.place == INDEX_NONE || place > noted.place);
         place = operation_before(last, search, place)) {
        uint32_t theirs;
        const enum participation part =
            find_participation(last, place, other_end(last, search)->rank, &theirs);
        search->asked = place;
        if (part == MUST_ASK)
            return false;
        if (part == TAKES_PART)
            return report_or_retry(last, search, place, &points->ends[theirs]);
    }
    if (noted.place == INDEX_NONE)
        return report_found(last, search, INDEX_NONE, NULL);
    return report_or_retry(last, search, noted.place, &points->ends[noted.theirs]);
}

bool last_points_search(struct last_points *last, uint32_t place, uint32_t end,
                        const uint32_t tags[2])
{
    const struct sync_points *points = last->points;
    const uint32_t rank = points->ends[end].rank;
    struct last_search search = {.place = place,
                                 .end = end,
                                 .tags = {tags[0], tags[1]},
                                 .noted = last->noted[rank],
                                 .asked = INDEX_NONE};
    uint32_t latest = INDEX_NONE;
    assert(place == last->next);
    if (search.noted.place != INDEX_NONE && search.noted.place < first_place(points, last->rank))
        search.noted.place = INDEX_NONE; /* it belongs to another rank */
    for (size_t i = 0; i < last->comms.count && rank != last->rank && latest == INDEX_NONE; i++)
        if (is_comm_member(last, last->comms.items[i].comm, rank))
            latest = last->comms.items[i].latest;
    return search_operations(last, &search, latest) || array_push(&last->open, search);
}

struct end_question {
    uint32_t comm, instance, rank;
    uint32_t search;
    int asker;
};

struct end_answer {
    struct sync_end end;
    uint32_t search;
    bool takes_part;
};

static void ask_all(const struct last_points *last, struct exchange *exchange)
{
    const struct sync_points *points = last->points;
    for (size_t i = 0; i < last->open.count; i++) {
        const struct last_search *search = &last->open.items[i];
        const struct sync_point *point = point_of(points, points->order[search->asked]);
        const struct end_question question = {.comm = point->comm,
                                              .instance = point->instance,
                                              .rank = other_end(last, search)->rank,
                                              .search = (uint32_t)i,
                                              .asker = last->trace->processes->rank};
        exchange_put_owner(exchange, last->trace, question.rank, &question);
    }
}

static void answer_question(struct last_points *last, const struct end_question *question,
                            struct exchange *exchange)
{
    const struct sync_points *points = last->points;
    struct end_answer answer = {.search = question->search};
    const uint32_t place = sync_find_operation(points, question->comm, question->instance);
    const uint32_t end = place == INDEX_NONE
                             ? INDEX_NONE
                             : find_rank_end(last, &points->points[place], question->rank);
    if (end != INDEX_NONE) {
        answer.end = points->ends[end];
        answer.takes_part = takes_part(points, end);
    }
    exchange_put(exchange, question->asker, &answer);
}

/* Continues a search with the answer. True if the search is over. */
static bool continue_search(struct last_points *last, struct last_search *search,
                            const struct end_answer *answer)
{
    const struct sync_end *other = other_end(last, search);
    if (!search->overtaken)
        return answer->takes_part
                   ? report_or_retry(last, search, search->asked, &answer->end)
                   : search_operations(last, search, operation_before(last, search, search->asked));
    return answer->takes_part && answer->end.enter_row <= other->enter_row
               ? report_found(last, search, last->points->order[search->asked], &answer->end)
               : search_overtaken(last, search, search->asked);
}

/* Collective. Sends one question for each open search. */
static enum status ask_once(struct last_points *last, struct error *error)
{
    struct exchange exchange =
        exchange_open(last->trace->processes, sizeof(struct end_question), purpose);
    struct received questions, answers = {0};
    ask_all(last, &exchange);
    enum status status = exchange_run(&exchange, &questions, error);
    if (status != STATUS_OK)
        return status;
    exchange = exchange_open(last->trace->processes, sizeof(struct end_answer), purpose);
    for (size_t i = 0; i < questions.count; i++)
        answer_question(last, (const struct end_question *)questions.items + i, &exchange);
    free(questions.items);
    bool *over = calloc(last->open.count + 1, sizeof *over);
    exchange_check(&exchange, over);
    status = exchange_run(&exchange, &answers, error);
    for (size_t i = 0; status == STATUS_OK && i < answers.count; i++) {
        const struct end_answer *answer = (const struct end_answer *)answers.items + i;
        assert(answer->search < last->open.count);
        over[answer->search] = continue_search(last, &last->open.items[answer->search], answer);
    }
    size_t kept = 0;
    for (size_t i = 0; status == STATUS_OK && i < last->open.count; i++)
        if (!over[i])
            last->open.items[kept++] = last->open.items[i];
    last->open.count = kept;
    free(over);
    free(answers.items);
    return status;
}

enum status last_points_ask(struct last_points *last, bool found, struct error *error)
{
    const struct processes *processes = last->trace->processes;
    enum status status = processes_agree_memory(processes, found, purpose, error);
    for (;;) {
        int64_t open = (int64_t)last->open.count;
        processes_max(processes, &open, 1);
        if (status != STATUS_OK || open == 0)
            return status;
        status = ask_once(last, error);
    }
}
