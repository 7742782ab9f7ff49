/* Lock competition: an origin waits for a lock that others hold. The trace says when a rank
 * requests and releases a lock, but not when it gets it: implementations may request it only in an
 * operation, or in MPI_Win_unlock. What is certain is
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
 * Each (window, target) has a home process, where its epochs are compared; epochs that lock all
 * targets go to every process.
 *
 * That call is an operation, or one that synchronises (MPI_Win_lock, _flush, _unlock, or MPI_Wait
 * of a request). Definition: M.-A. Hermanns, S. Krishnamoorthy, F. Wolf: A scalable infrastructure
 * for the performance analysis of passive target synchronization, Parallel Computing 39(3),
 * 2013. */
#include "patterns/epochs.h"

#include "base/map.h"
#include "trace/tell.h"

#include <stdlib.h>
#include <string.h>

struct lock_epoch {                                 /* as sent to a home */
    int64_t lock_leave, unlock_enter, unlock_leave; /* never unlocked: INT64_MAX */
    int64_t lock_enter;
    uint32_t window, target;
    uint32_t rank, epoch;
    uint32_t exclusive, unused;
};

struct lock_release { /* sent to the owner of `rank` */
    int64_t until;
    uint32_t rank, epoch, target, unused;
};

/* Locks of one target, in order of precedence; there is room for the largest such group. */
struct group_work {
    struct lock_epoch *locks;
    uint32_t count;
    int64_t *unlocks;              /* sorted enters */
    uint32_t *by_enter, *by_leave; /* of the unlock calls: places in `locks` */
    int64_t *tree[2];              /* [exclusive only] largest enter so far, by its place */
    int64_t *until;                /* [lock] */
};

/* --- at the ranks ----------------------------------------------------------------------------- */

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

static void send_locks(const struct trace *trace, const struct search_rank *rank, struct mail *mail)
{
    const int processes = trace->processes->size;
    for (uint32_t i = 0; i < rank->epochs->list.count; i++) {
        const struct epoch *epoch = &rank->epochs->list.items[i];
        if (epoch->kind != EPOCH_LOCK || epoch->unchecked)
            continue;
        const struct lock_epoch lock = make_lock(rank, i);
        const uint64_t home = map_mix((uint64_t)lock.window << 32 | lock.target);
        if (lock.target != INDEX_NONE)
            mail_put(mail, (int)(home % (uint64_t)processes), &lock);
        for (int p = 0; lock.target == INDEX_NONE && p < processes; p++)
            mail_put(mail, p, &lock);
    }
}

/* Finds the call that is open at `release->until` and concerns the target. */
static void note_release(const struct search_rank *rank, const struct lock_release *release)
{
    const struct epochs *epochs = rank->epochs;
    const struct epoch_access *accesses = epochs->accesses.items;
    size_t from = 0, to = epochs->accesses.count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (rank->calls[accesses[middle].call].enter < release->until)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0)
        return;
    const uint32_t call = accesses[from - 1].call;
    if (rank->calls[call].leave < release->until || call_is_test(rank->calls[call].mpi_call))
        return;
    for (size_t i = from; i-- > 0 && accesses[i].call == call;)
        if (accesses[i].epoch == release->epoch &&
            (accesses[i].target == release->target || accesses[i].target == INDEX_NONE))
            epochs->lock_until[call] = later(epochs->lock_until[call], release->until);
}

/* --- at a home -------------------------------------------------------------------------------- */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_precedence(const struct lock_epoch *x, const struct lock_epoch *y)
{
    if (x->lock_leave != y->lock_leave)
        return compare(x->lock_leave, y->lock_leave);
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

static int by_target(const void *a, const void *b)
{
    const struct lock_epoch *x = a, *y = b;
    if (x->window != y->window)
        return x->window < y->window ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1; /* those of all targets come last */
    return by_precedence(x, y);
}

static int by_unlock_enter(const void *a, const void *b, void *context)
{
    const struct lock_epoch *locks = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = compare(locks[x].unlock_enter, locks[y].unlock_enter);
    return order ? order : (x > y) - (x < y);
}

static int by_unlock_leave(const void *a, const void *b, void *context)
{
    const struct lock_epoch *locks = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = compare(locks[x].unlock_leave, locks[y].unlock_leave);
    return order ? order : (x > y) - (x < y);
}

/* Waits for epochs whose unlock was left before that of i was entered, both in order of time. */
static void wait_for_earlier(struct group_work *work)
{
    int64_t last[2] = {TIME_UNKNOWN, TIME_UNKNOWN}; /* [exclusive only] */
    for (uint32_t i = 0, gone = 0; i < work->count; i++) {
        const struct lock_epoch *lock = &work->locks[work->by_enter[i]];
        for (; gone < work->count; gone++) {
            const struct lock_epoch *other = &work->locks[work->by_leave[gone]];
            if (other->unlock_leave >= lock->unlock_enter)
                break;
            last[0] = later(last[0], other->unlock_enter);
            if (other->exclusive)
                last[1] = later(last[1], other->unlock_enter);
        }
        work->until[work->by_enter[i]] = last[!lock->exclusive];
    }
}

/* The number of unlocks entered up to `time`. */
static uint32_t places_until(const struct group_work *work, int64_t time)
{
    uint32_t from = 0, to = work->count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (work->unlocks[middle] <= time)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Waits for epochs that locked first and whose unlock was entered before that of i was left. The
 * trees hold prefix maxima (P. Fenwick: A new data structure for cumulative frequency tables,
 * 1994). */
static void wait_for_preceding(struct group_work *work)
{
    for (uint32_t i = 0; i <= work->count; i++)
        work->tree[0][i] = work->tree[1][i] = TIME_UNKNOWN;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct lock_epoch *lock = &work->locks[i];
        const int64_t *tree = work->tree[!lock->exclusive];
        for (uint32_t at = places_until(work, lock->unlock_leave); at > 0; at &= at - 1)
            work->until[i] = later(work->until[i], tree[at]);
        if (lock->unlock_enter == INT64_MAX) /* no other epoch has it later */
            continue;
        for (uint32_t at = places_until(work, lock->unlock_enter); at <= work->count;
             at += at & -at) {
            work->tree[0][at] = later(work->tree[0][at], lock->unlock_enter);
            if (lock->exclusive)
                work->tree[1][at] = later(work->tree[1][at], lock->unlock_enter);
        }
    }
}

static void answer_group(const struct trace *trace, struct group_work *work, uint32_t target,
                         struct mail *answers)
{
    for (uint32_t i = 0; i < work->count; i++)
        work->by_enter[i] = work->by_leave[i] = i;
    qsort_r(work->by_enter, work->count, sizeof *work->by_enter, by_unlock_enter, work->locks);
    qsort_r(work->by_leave, work->count, sizeof *work->by_leave, by_unlock_leave, work->locks);
    for (uint32_t i = 0; i < work->count; i++)
        work->unlocks[i] = work->locks[work->by_enter[i]].unlock_enter;
    wait_for_earlier(work);
    wait_for_preceding(work);
    for (uint32_t i = 0; i < work->count; i++) {
        const struct lock_epoch *lock = &work->locks[i];
        const struct lock_release release = {
            .until = work->until[i], .rank = lock->rank, .epoch = lock->epoch, .target = target};
        if (release.until > lock->lock_enter && release.until <= lock->unlock_leave)
            mail_put_owner(answers, trace, lock->rank, &release);
    }
}

/* Merges a target's own locks and those of all targets of its window, in order of precedence. */
static void merge(struct group_work *work, const struct lock_epoch *own, size_t own_count,
                  const struct lock_epoch *all, size_t all_count)
{
    work->count = 0;
    while (own_count || all_count) {
        const bool take = !all_count || (own_count && by_precedence(own, all) < 0);
        work->locks[work->count++] = take ? *own++ : *all++;
        own_count -= take;
        all_count -= !take;
    }
}

static size_t group_end(const struct lock_epoch *locks, size_t count, size_t from)
{
    size_t to = from + 1;
    while (to < count && locks[to].window == locks[from].window &&
           locks[to].target == locks[from].target)
        to++;
    return to;
}

static size_t window_end(const struct lock_epoch *locks, size_t count, size_t from)
{
    size_t to = from;
    while (to < count && locks[to].window == locks[from].window)
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

static void answer_window(const struct trace *trace, struct group_work *work,
                          const struct lock_epoch *locks, size_t count, struct mail *answers)
{
    size_t own = count;
    while (own > 0 && locks[own - 1].target == INDEX_NONE)
        own--;
    for (size_t from = 0, to; from < own; from = to) {
        to = group_end(locks, own, from);
        if (!has_exclusive(locks + from, to - from))
            continue;
        merge(work, locks + from, to - from, locks + own, count - own);
        answer_group(trace, work, locks[from].target, answers);
    }
}

static bool answer_all(const struct trace *trace, struct lock_epoch *locks, size_t count,
                       struct mail *answers)
{
    const size_t room = count + 1;
    struct group_work work = {
        .locks = malloc(room * sizeof *work.locks),
        .unlocks = malloc(room * sizeof *work.unlocks),
        .by_enter = malloc(room * sizeof *work.by_enter),
        .by_leave = malloc(room * sizeof *work.by_leave),
        .tree = {malloc(room * sizeof(int64_t)), malloc(room * sizeof(int64_t))},
        .until = malloc(room * sizeof *work.until)};
    bool fits = work.locks && work.unlocks && work.by_enter && work.by_leave && work.tree[0] &&
                work.tree[1] && work.until;
    if (fits && count > 0)
        qsort(locks, count, sizeof *locks, by_target);
    for (size_t from = 0, to; from < count && fits; from = to) {
        to = window_end(locks, count, from);
        answer_window(trace, &work, locks + from, to - from, answers);
    }
    free(work.locks);
    free(work.unlocks);
    free(work.by_enter);
    free(work.by_leave);
    free(work.tree[0]);
    free(work.tree[1]);
    free(work.until);
    return fits;
}

enum status epochs_find_lock_waits(const struct trace *trace, const struct search_rank *ranks,
                                   struct error *error)
{
    struct mail mail = mail_open(trace->processes, sizeof(struct lock_epoch), "the pattern search");
    struct delivery locks, releases;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        send_locks(trace, &ranks[i], &mail);
    enum status status = mail_exchange(&mail, &locks, error);
    if (status != STATUS_OK)
        return status;
    mail = mail_open(trace->processes, sizeof(struct lock_release), "the pattern search");
    mail_check(&mail, answer_all(trace, locks.items, locks.count, &mail));
    free(locks.items);
    status = mail_exchange(&mail, &releases, error);
    const struct lock_release *release = releases.items;
    for (size_t i = 0; i < releases.count; i++)
        note_release(&ranks[release[i].rank - trace->first_rank], &release[i]);
    free(releases.items);
    return status;
}

/* --- the pattern ------------------------------------------------------------------------------ */

static void search_rank(const struct search_rank *rank)
{
    if (!rank->epochs || !rank->epochs->lock_until)
        return;
    for (uint32_t i = 0; i < rank->call_count; i++) {
        const struct search_call *call = &rank->calls[i];
        if (rank->epochs->lock_until[i] == TIME_UNKNOWN)
            continue;
        const bool operation = mpi_call_infos[call->mpi_call].class == MPI_CLASS_RMA;
        search_rank_add(rank,
                        operation ? METRIC_MPI_RMA_COMM_LOCK_COMPETITION
                                  : METRIC_MPI_RMA_SYNC_LOCK_COMPETITION,
                        call, rank->epochs->lock_until[i] - call->enter);
    }
}

const struct pattern lock_competition_pattern = {
    .name = "lock competition",
    .description = "an origin waits for a lock that others hold",
    .search_rank = search_rank,
};
