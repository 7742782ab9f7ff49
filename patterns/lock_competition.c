/* Lock competition: an origin waits for a lock that others hold. The trace says when a rank
 * requests and releases a lock, but not when it gets it: implementations may request it only in an
 * operation, or in MPI_Win_unlock. It is certain that
 *
 *     i cannot have the lock before MPI_Win_unlock is entered by each j that had it before
 *
 * for two epochs i and j that lock the same target and are not both shared. j had it before i if
 *
 *     l_unlock(j) < e_unlock(i), or
 *     e_unlock(j) <= l_unlock(i) and l_lock(j) < l_lock(i) (equal: the lower rank, the earlier
 *     epoch)
 *
 * with e and l enter and leave of the calls that lock and unlock. The wait counts at the call of
 * i's epoch that is open when the last j unlocks, lasts beyond that and concerns the target: a
 * lower bound of the real wait. Locks with MPI_MODE_NOCHECK take no part.
 *
 * The epochs of a (window, target) are sent to one process, chosen by a hash, and compared there;
 * epochs that lock all targets are sent to every process.
 *
 * That call is an operation, or one that synchronises (MPI_Win_lock, _flush, _unlock, or MPI_Wait
 * of a request). Definition: M.-A. Hermanns, S. Krishnamoorthy, F. Wolf: A scalable infrastructure
 * for the performance analysis of passive target synchronization, Parallel Computing 39(3),
 * 2013. */
#include "patterns/epochs.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/sort.h"
#include "trace/exchange.h"

#include <assert.h>
#include <stdlib.h>

struct lock_epoch {                                 /* as sent to the process of its target */
    int64_t lock_leave, unlock_enter, unlock_leave; /* never unlocked: INT64_MAX */
    int64_t lock_enter;
    uint32_t window, target;
    uint32_t rank, epoch;
    uint32_t exclusive, unused;
};

struct lock_release { /* sent to the owner of `rank` */
    int64_t until;
    uint32_t rank, epoch, target;
    uint32_t holder; /* the rank that releases the lock */
};

struct unlock_time {
    int64_t time;
    uint32_t lock;
};

/* Locks of one target, in order of precedence; there is room for the largest such group. */
struct lock_group {
    struct lock_epoch *locks;
    uint32_t count;
    struct unlock_time *enters, *leaves; /* of the unlock calls, in order of time */
    int64_t *tree[2];                    /* [exclusive only] largest enter so far, by its place */
    int64_t *until;                      /* [lock] */
};

static struct lock_epoch make_lock(const struct search_rank *rank, uint32_t number)
{
    const struct epoch *epoch = &rank->epochs->list.items[number];
    const struct search_call *locks = &rank->calls[rank->rma_sync_call[epoch->opened]];
    struct lock_epoch lock = {.lock_enter = locks->enter,
                              .lock_leave = locks->leave,
                              .unlock_enter = INT64_MAX,
                              .unlock_leave = INT64_MAX,
                              .window = epoch->window,
                              .target = epoch->target,
                              .rank = rank->stream->rank,
                              .epoch = number,
                              .exclusive = epoch->exclusive};
    if (epoch->closed != INDEX_NONE) {
        const struct search_call *unlocks = &rank->calls[rank->rma_sync_call[epoch->closed]];
        lock.unlock_enter = unlocks->enter;
        lock.unlock_leave = unlocks->leave;
    }
    return lock;
}

static void send_locks(const struct trace *trace, const struct search_rank *rank,
                       struct exchange *exchange)
{
    const int processes = trace->processes->size;
    for (uint32_t i = 0; i < rank->epochs->list.count; i++) {
        const struct epoch *epoch = &rank->epochs->list.items[i];
        if (epoch->kind != EPOCH_LOCK || epoch->unchecked)
            continue;
        const struct lock_epoch lock = make_lock(rank, i);
        const uint64_t hash = map_mix((uint64_t)lock.window << 32 | lock.target);
        if (lock.target != INDEX_NONE)
            exchange_put(exchange, (int)(hash % (uint64_t)processes), &lock);
        for (int p = 0; lock.target == INDEX_NONE && p < processes; p++)
            exchange_put(exchange, p, &lock);
    }
}

/* Finds the call that is open at `release->until` and concerns the target. */
static void note_release(const struct search_rank *rank, const struct lock_release *release)
{
    const struct epochs *epochs = rank->epochs;
    const struct epoch_access *accesses = epochs->accesses.items;
    const size_t from = first_where(0, epochs->accesses.count, i,
                                    rank->calls[accesses[i].call].enter >= release->until);
    if (from == 0)
        return;
    const uint32_t call = accesses[from - 1].call;
    if (rank->calls[call].leave < release->until || call_is_test(rank->calls[call].mpi_call))
        return;
    for (size_t i = from; i-- > 0 && accesses[i].call == call;)
        if (accesses[i].epoch == release->epoch &&
            (accesses[i].target == release->target || accesses[i].target == INDEX_NONE))
            epoch_wait_extend(&epochs->lock_waits[call],
                              (struct epoch_wait){release->until, release->holder});
}

static int by_precedence(const struct lock_epoch *x, const struct lock_epoch *y)
{
    return ORDER(x->lock_leave, y->lock_leave)
               ?: ORDER(x->rank, y->rank)
               ?: ORDER(x->epoch, y->epoch);
}

/* Those of all targets come last. */
static int by_window_and_target(const void *a, const void *b)
{
    const struct lock_epoch *x = a, *y = b;
    return ORDER(x->window, y->window) ?: ORDER(x->target, y->target) ?: by_precedence(x, y);
}

ORDER_BY(by_unlock_time, struct unlock_time, ASCENDING(time) ?: ASCENDING(lock))

/* Waits for epochs whose unlock was left before that of i was entered, both in order of time. */
static void wait_for_released(struct lock_group *group)
{
    int64_t last[2] = {TIME_UNKNOWN, TIME_UNKNOWN}; /* [exclusive only] */
    for (uint32_t i = 0, gone = 0; i < group->count; i++) {
        const uint32_t lock = group->enters[i].lock;
        for (; gone < group->count && group->leaves[gone].time < group->enters[i].time; gone++) {
            const struct lock_epoch *other = &group->locks[group->leaves[gone].lock];
            last[0] = int64_max(last[0], other->unlock_enter);
            if (other->exclusive)
                last[1] = int64_max(last[1], other->unlock_enter);
        }
        group->until[lock] = last[!group->locks[lock].exclusive];
    }
}

/* The number of unlocks entered up to `time`. */
static uint32_t places_until(const struct lock_group *group, int64_t time)
{
    return first_where(0, group->count, i, group->enters[i].time > time);
}

/* Waits for epochs that locked first and whose unlock was entered before that of i was left. The
 * trees hold prefix maxima (P. Fenwick: A new data structure for cumulative frequency tables,
 * 1994). */
static void wait_for_preceding(struct lock_group *group)
{
    for (uint32_t i = 0; i <= group->count; i++)
        group->tree[0][i] = group->tree[1][i] = TIME_UNKNOWN;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct lock_epoch *lock = &group->locks[i];
        const int64_t *tree = group->tree[!lock->exclusive];
        for (uint32_t at = places_until(group, lock->unlock_leave); at > 0; at &= at - 1)
            group->until[i] = int64_max(group->until[i], tree[at]);
        if (lock->unlock_enter == INT64_MAX) /* no other epoch has it later */
            continue;
        for (uint32_t at = places_until(group, lock->unlock_enter); at <= group->count;
             at += at & -at) {
            group->tree[0][at] = int64_max(group->tree[0][at], lock->unlock_enter);
            if (lock->exclusive)
                group->tree[1][at] = int64_max(group->tree[1][at], lock->unlock_enter);
        }
    }
}

/* The rank that releases the lock at that moment, for which `lock` waits. */
static uint32_t holder_until(const struct lock_group *group, uint32_t lock, int64_t moment)
{
    uint32_t i = first_where(0, group->count, k, group->enters[k].time >= moment);
    for (; i < group->count && group->enters[i].time == moment; i++) {
        const struct lock_epoch *other = &group->locks[group->enters[i].lock];
        if (group->enters[i].lock != lock && (other->exclusive || group->locks[lock].exclusive))
            return other->rank;
    }
    return INDEX_NONE;
}

static void answer_group(const struct trace *trace, struct lock_group *group, uint32_t target,
                         struct exchange *answers)
{
    for (uint32_t i = 0; i < group->count; i++) {
        group->enters[i] = (struct unlock_time){group->locks[i].unlock_enter, i};
        group->leaves[i] = (struct unlock_time){group->locks[i].unlock_leave, i};
    }
    qsort(group->enters, group->count, sizeof *group->enters, by_unlock_time);
    qsort(group->leaves, group->count, sizeof *group->leaves, by_unlock_time);
    wait_for_released(group);
    wait_for_preceding(group);
    for (uint32_t i = 0; i < group->count; i++) {
        const struct lock_epoch *lock = &group->locks[i];
        const int64_t until = group->until[i];
        const struct lock_release release = {.until = until,
                                             .rank = lock->rank,
                                             .epoch = lock->epoch,
                                             .target = target,
                                             .holder = holder_until(group, i, until)};
        if (until > lock->lock_enter && until <= lock->unlock_leave)
            exchange_put_owner(answers, trace, lock->rank, &release);
    }
}

/* Merges a target's own locks and those of all targets of its window, in order of precedence. */
static void merge_locks(struct lock_group *group, const struct lock_epoch *own, size_t own_count,
                        const struct lock_epoch *all, size_t all_count)
{
    group->count = 0;
    while (own_count || all_count) {
        const bool take = !all_count || (own_count && by_precedence(own, all) < 0);
        group->locks[group->count++] = take ? *own++ : *all++;
        own_count -= take;
        all_count -= !take;
    }
}

/* The end of the locks of one window, or of one target. */
static size_t equal_until(const struct lock_epoch *locks, size_t count, size_t from,
                          bool same_target)
{
    assert(from < count);
    size_t to = from;
    while (to < count && locks[to].window == locks[from].window &&
           (!same_target || locks[to].target == locks[from].target))
        to++;
    return to;
}

/* Shared locks alone do not wait for each other. */
static bool has_exclusive(const struct lock_epoch *locks, size_t count)
{
    while (count > 0 && !locks[count - 1].exclusive)
        count--;
    return count > 0;
}

static void answer_window(const struct trace *trace, struct lock_group *group,
                          const struct lock_epoch *locks, size_t count, struct exchange *answers)
{
    size_t own = count;
    while (own > 0 && locks[own - 1].target == INDEX_NONE)
        own--;
    for (size_t from = 0, to; from < own; from = to) {
        to = equal_until(locks, own, from, true);
        if (!has_exclusive(locks + from, to - from))
            continue;
        merge_locks(group, locks + from, to - from, locks + own, count - own);
        answer_group(trace, group, locks[from].target, answers);
    }
}

static bool answer_all_windows(const struct trace *trace, struct lock_epoch *locks, size_t count,
                               struct exchange *answers)
{
    const size_t room = count + 1;
    struct arena *arena = arena_create();
    if (!arena)
        return false;
    struct lock_group group = {.locks = arena_alloc_array(arena, room, sizeof *group.locks),
                               .enters = arena_alloc_array(arena, room, sizeof *group.enters),
                               .leaves = arena_alloc_array(arena, room, sizeof *group.leaves),
                               .tree = {arena_alloc_array(arena, room, sizeof(int64_t)),
                                        arena_alloc_array(arena, room, sizeof(int64_t))},
                               .until = arena_alloc_array(arena, room, sizeof *group.until)};
    const bool allocated = group.locks && group.enters && group.leaves && group.tree[0] &&
                           group.tree[1] && group.until;
    if (allocated && count > 0)
        qsort(locks, count, sizeof *locks, by_window_and_target);
    for (size_t from = 0, to; from < count && allocated; from = to) {
        to = equal_until(locks, count, from, false);
        answer_window(trace, &group, locks + from, to - from, answers);
    }
    arena_destroy(arena);
    return allocated;
}

enum status epochs_find_lock_waits(const struct trace *trace, const struct search_rank *ranks,
                                   struct error *error)
{
    struct exchange exchange =
        exchange_open(trace->processes, sizeof(struct lock_epoch), "the pattern search");
    struct received locks, releases;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        send_locks(trace, &ranks[i], &exchange);
    enum status status = exchange_run(&exchange, &locks, error);
    if (status != STATUS_OK)
        return status;
    exchange = exchange_open(trace->processes, sizeof(struct lock_release), "the pattern search");
    exchange_check(&exchange, answer_all_windows(trace, locks.items, locks.count, &exchange));
    free(locks.items);
    status = exchange_run(&exchange, &releases, error);
    const struct lock_release *release = releases.items;
    for (size_t i = 0; i < releases.count; i++)
        note_release(&ranks[release[i].rank - trace->first_rank], &release[i]);
    free(releases.items);
    return status;
}

static void search_lock_competition(const struct search_rank *rank)
{
    for (uint32_t i = 0; epochs_have_locks(rank) && i < rank->call_count; i++)
        epochs_add_wait(rank, i, rank->calls[i].enter, rank->epochs->lock_waits[i],
                        METRIC_MPI_RMA_COMM_LOCK_COMPETITION, METRIC_MPI_RMA_SYNC_LOCK_COMPETITION);
}

const struct pattern lock_competition_pattern = {
    .name = "lock competition",
    .description = "an origin waits for a lock that others hold",
    .search_rank = search_lock_competition,
};
