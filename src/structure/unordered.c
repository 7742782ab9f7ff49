#include "structure/unordered.h"

#include "base/array.h"
#include "structure/sequence.h"

#include <stdlib.h>

/* If this part of the occurrences of a call have the same successor, the successor belongs to it.
 */
static const double FOLLOWS = 0.8;

/* Calls are united if this part of the calls that may come in any order does so. */
static const double VARY = 0.5;

#define UNITED UINT64_C(0xA24BAED4963EE407) /* distinguishes the keys of united calls */

/* Calls from <= i < to that may come in any order. */
struct turn {
    uint32_t from, to;
    uint32_t group; /* of turns that make the same calls */
};

/* Turns that make the same calls, in whatever order. */
struct turn_group {
    uint64_t order; /* a hash of the first one's calls in their order */
    bool varies;    /* another one has another order */
};

struct turn_search {
    struct rank_calls *rank;
    const uint8_t *marks;
    uint32_t *times; /* [number]: occurrences of a call, ALIKE_IN_PARTNER, that others follow, */
    uint32_t *most;  /* how often its most frequent successor follows it, */
    uint32_t *next;  /* and which this is */
    ARRAY(struct turn) turns;
    ARRAY(struct turn_group) groups;
};

bool call_only_polls(const struct trace *trace, uint32_t path)
{
    const enum mpi_class class = mpi_call_infos[callpath_call(trace, path)].class;
    return mpi_class_tests(class) || class == MPI_CLASS_IPROBE || class == MPI_CLASS_IMPROBE ||
           class == MPI_CLASS_WAITANY || class == MPI_CLASS_WAITSOME;
}

/* The call, and whether polling comes before it. */
static uint32_t successor(const struct turn_search *search, size_t call)
{
    return 2 * search->rank->which[ALIKE_IN_PARTNER][call] + (search->marks[call] & CALL_REACTS);
}

static bool count_successors(struct turn_search *search)
{
    const uint32_t *what = search->rank->which[ALIKE_IN_PARTNER];
    struct map pairs = {0};
    bool allocated = true;
    for (size_t i = 1; i < search->rank->count && allocated; i++) {
        const uint32_t call = what[i - 1], next = successor(search, i);
        uint32_t *times = map_at(&pairs, (uint64_t)call << 32 | next, 0);
        allocated = times != NULL;
        if (!allocated)
            break;
        search->times[call]++;
        if (++*times > search->most[call]) {
            search->most[call] = *times;
            search->next[call] = next;
        }
    }
    map_clear(&pairs);
    return allocated;
}

/* Whether a call continues the turn of the call before it. */
static bool continues(const struct turn_search *search, size_t call)
{
    const uint32_t before = search->rank->which[ALIKE_IN_PARTNER][call - 1];
    if (search->marks[call] & CALL_AGREES)
        return false;
    return search->marks[call] & CALL_REACTS ||
           (search->next[before] == successor(search, call) &&
            search->most[before] >= FOLLOWS * search->times[before]);
}

/* Adds a turn, and its group. */
static bool add_turn(struct turn_search *search, struct map *groups, struct turn turn)
{
    const uint32_t *what = search->rank->which[ALIKE_IN_PARTNER];
    const uint64_t order = sequence_hash(what + turn.from, turn.to - turn.from);
    uint64_t calls = 0;
    for (uint32_t i = turn.from; i < turn.to; i++)
        calls += map_mix(what[i] + UINT64_C(1));
    const uint32_t *group = map_at(groups, calls, (uint32_t)groups->count);
    if (!group)
        return false;
    turn.group = *group;
    if (turn.group == search->groups.count &&
        !array_push(&search->groups, ((struct turn_group){order, false})))
        return false;
    search->groups.items[turn.group].varies |= search->groups.items[turn.group].order != order;
    return array_push(&search->turns, turn);
}

/* Lists the turns of at least two calls. */
static bool list_turns(struct turn_search *search)
{
    const size_t count = search->rank->count;
    struct map groups = {0};
    bool allocated = true;
    for (size_t i = 0; i < count && allocated;) {
        const size_t from = i++;
        if ((search->marks[from] & (CALL_REACTS | CALL_AGREES)) != CALL_REACTS)
            continue;
        while (i < count && continues(search, i))
            i++;
        if (i - from > 1)
            allocated = add_turn(search, &groups, (struct turn){(uint32_t)from, (uint32_t)i, 0});
    }
    map_clear(&groups);
    return allocated;
}

static bool turns_vary(const struct turn_search *search)
{
    double all = 0, vary = 0;
    for (size_t t = 0; t < search->turns.count; t++) {
        const struct turn *turn = &search->turns.items[t];
        all += turn->to - turn->from;
        if (search->groups.items[turn->group].varies)
            vary += turn->to - turn->from;
    }
    return vary > 0 && vary >= VARY * all;
}

static void move_call(struct rank_calls *rank, size_t to, size_t from)
{
    rank->rows[to] = rank->rows[from];
    rank->shown[to] = rank->shown[from];
    rank->bytes[to] = rank->bytes[from];
    rank->tags[to] = rank->tags[from];
    for (int l = 0; l < LIKENESSES; l++)
        rank->which[l][to] = rank->which[l][from];
}

/* A hash of the calls of a turn, with their sizes, in whatever order. */
static uint64_t turn_key_in_size(const struct rank_calls *rank, const struct turn *turn)
{
    uint64_t key = 0;
    for (uint32_t i = turn->from; i < turn->to; i++)
        key += map_mix(rank->which[ALIKE_IN_SIZE][i] + UNITED);
    return key;
}

/* Sets a hash of the call paths of a turn, however often it makes each. Without the sizes, the
 * turns of all iterations look the same, also if there are fewer tasks in some of them. False if
 * out of memory. */
static bool turn_key_in_path(const struct rank_calls *rank, const struct turn *turn, uint64_t *key)
{
    struct map seen = {0};
    bool allocated = true;
    *key = 0;
    for (uint32_t i = turn->from; i < turn->to && allocated; i++) {
        const size_t before = seen.count;
        const uint32_t path = rank->which[ALIKE_IN_PATH][i];
        allocated = map_at(&seen, path, 1) != NULL;
        if (seen.count > before)
            *key += map_mix(path + UNITED);
    }
    map_clear(&seen);
    return allocated;
}

/* Moves the calls of a turn to `at`, as one call that has the time of the first one. It is shown as
 * the same call in all turns with the same calls. */
static bool unite_turn(struct rank_calls *rank, size_t at, const struct turn *turn,
                       struct map numbers[LIKENESSES])
{
    const uint32_t *sizes = rank->which[ALIKE_IN_SIZE];
    const uint32_t first = rank->rows[turn->from];
    uint32_t shown = turn->from;
    uint64_t keys[LIKENESSES], in_path;
    for (uint32_t i = turn->from; i < turn->to; i++)
        shown = sizes[i] < sizes[shown] ? i : shown;
    if (!turn_key_in_path(rank, turn, &in_path))
        return false;
    for (int l = 0; l < LIKENESSES; l++)
        keys[l] = l == ALIKE_IN_SIZE ? turn_key_in_size(rank, turn) : in_path;
    move_call(rank, at, shown);
    rank->rows[at] = first;
    rank->bytes[at] = rank->tags[at] = CALL_NO_VALUE;
    for (int l = 0; l < LIKENESSES; l++) {
        const uint32_t *number = map_at(&numbers[l], keys[l], (uint32_t)numbers[l].count);
        if (!number)
            return false;
        rank->which[l][at] = *number;
    }
    return true;
}

static bool unite_turns(const struct turn_search *search, struct map numbers[LIKENESSES])
{
    struct rank_calls *rank = search->rank;
    size_t to = 0, from = 0;
    bool allocated = true;
    for (size_t t = 0; t < search->turns.count && allocated; t++) {
        const struct turn *turn = &search->turns.items[t];
        while (from < turn->from)
            move_call(rank, to++, from++);
        allocated = unite_turn(rank, to++, turn, numbers);
        from = turn->to;
    }
    while (from < rank->count && allocated)
        move_call(rank, to++, from++);
    rank->count = to;
    return allocated;
}

bool unordered_calls_unite(struct rank_calls *rank, const uint8_t *marks,
                           struct map numbers[LIKENESSES])
{
    const size_t size = numbers[ALIKE_IN_PARTNER].count + 1;
    size_t reacting = 0;
    for (size_t i = 0; i < rank->count; i++)
        reacting += marks[i] & CALL_REACTS;
    if (reacting == 0)
        return true;
    struct turn_search search = {.rank = rank,
                                 .marks = marks,
                                 .times = calloc(size, sizeof *search.times),
                                 .most = calloc(size, sizeof *search.most),
                                 .next = calloc(size, sizeof *search.next)};
    bool allocated = search.times && search.most && search.next && count_successors(&search) &&
                     list_turns(&search);
    if (allocated && turns_vary(&search))
        allocated = unite_turns(&search, numbers);
    free(search.times);
    free(search.most);
    free(search.next);
    free(search.turns.items);
    free(search.groups.items);
    return allocated;
}
