/* The literal twin of the one-sided families (doc/metrics.md): one visit at a time, every look-up
 * searches from the start. It does not read the trace, only the list of the random program's calls.
 */
#include "random_windows.h"

#include <stdlib.h>
#include <string.h>

#define NEVER INT64_MAX

static const struct random_program *program;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t positive(int64_t a)
{
    return most(a, 0);
}

/* Index of the visit among those of its kind on its window; for groups, among those that name
 * `member`. */
static int number_of(int rank, const struct visit *visit, unsigned member)
{
    int number = 0;
    for (int i = 0; i < visit->id; i++) {
        const struct visit *v = &program->visits[rank][i];
        number +=
            v->kind == visit->kind && v->window == visit->window && (!member || v->group & member);
    }
    return number;
}

static const struct visit *find(int rank, enum visit_kind kind, int window, unsigned member,
                                int number)
{
    for (int i = 0; i < program->count[rank]; i++) {
        const struct visit *v = &program->visits[rank][i];
        if (v->kind == kind && v->window == window && (!member || v->group & member) &&
            number-- == 0)
            return v;
    }
    return NULL;
}

/* The visit that opens the epoch an operation, or a visit that ends one, belongs to; NULL: fences.
 */
static const struct visit *opener(int rank, const struct visit *visit)
{
    for (int i = visit->id; i-- > 0;) {
        const struct visit *v = &program->visits[rank][i];
        if (v->window != visit->window)
            continue;
        if (v->kind == VISIT_UNLOCK || v->kind == VISIT_COMPLETE || v->kind == VISIT_FENCE)
            return NULL;
        if (v->kind == VISIT_LOCK || v->kind == VISIT_START)
            return v;
    }
    return NULL;
}

static const struct visit *closer(int rank, const struct visit *opened)
{
    const enum visit_kind kind = opened->kind == VISIT_LOCK ? VISIT_UNLOCK : VISIT_COMPLETE;
    for (int i = opened->id; i < program->count[rank]; i++) {
        const struct visit *v = &program->visits[rank][i];
        if (v->kind == kind && v->window == opened->window)
            return v;
    }
    return NULL;
}

static int64_t wait_for_last(int rank, const struct visit *visit)
{
    const int number = number_of(rank, visit, 0);
    int64_t last = INT64_MIN, first_end = INT64_MAX;
    for (int r = 0; r < program->ranks; r++) {
        const struct visit *v = find(r, visit->kind, visit->window, 0, number);
        last = most(last, v->begin);
        first_end = least(first_end, v->end);
    }
    if (visit->noprecede && first_end < last)
        return 0;
    return positive(least(last, visit->end) - visit->begin);
}

static bool is_before_fence(int rank, const struct visit *operation, const struct visit *fence)
{
    if (!visit_is_operation(operation) || operation->window != fence->window ||
        operation->id > fence->id || opener(rank, operation))
        return false;
    for (int i = operation->id; i < fence->id; i++)
        if (program->visits[rank][i].kind == VISIT_FENCE &&
            program->visits[rank][i].window == fence->window)
            return false;
    return true;
}

static int64_t early_fence(int rank, const struct visit *visit)
{
    const int number = number_of(rank, visit, 0);
    int64_t last = INT64_MIN;
    for (int r = 0; r < program->ranks && !visit->noprecede; r++) {
        const struct visit *fence = find(r, VISIT_FENCE, visit->window, 0, number);
        for (int i = 0; i < program->count[r]; i++) {
            const struct visit *v = &program->visits[r][i];
            if (is_before_fence(r, v, fence) && v->target == rank)
                last = most(last, v->leave);
        }
    }
    return last == INT64_MIN ? 0 : positive(least(last, visit->end) - visit->begin);
}

static int64_t late_post(int rank, const struct visit *visit)
{
    const struct visit *start = visit->kind == VISIT_START ? visit : opener(rank, visit);
    int64_t until = visit->enter;
    for (int t = 0; start && start->kind == VISIT_START && t < program->ranks; t++) {
        if (!(start->group >> t & 1) || (visit_is_operation(visit) && visit->target != t))
            continue;
        const struct visit *post =
            find(t, VISIT_POST, visit->window, 1u << rank, number_of(rank, start, 1u << t));
        if (post->enter > visit->enter && post->enter <= visit->leave)
            until = most(until, post->enter);
    }
    return until - visit->enter;
}

/* MPI_Win_test ends epochs as MPI_Win_wait does: both count. */
static int exposure_number(int rank, const struct visit *visit, unsigned member)
{
    struct visit other = *visit;
    other.kind = visit->kind == VISIT_WAIT ? VISIT_TEST : VISIT_WAIT;
    return number_of(rank, visit, member) + number_of(rank, &other, member);
}

static int64_t early_wait(int rank, const struct visit *visit, bool late_complete)
{
    int64_t complete = INT64_MIN, access = INT64_MIN;
    for (int o = 0; o < program->ranks; o++) {
        if (!(visit->group >> o & 1))
            continue;
        const int number = exposure_number(rank, visit, 1u << o);
        const struct visit *start = find(o, VISIT_START, visit->window, 1u << rank, number);
        const struct visit *end = find(o, VISIT_COMPLETE, visit->window, 1u << rank, number);
        complete = most(complete, end->enter);
        for (int i = start->id; i < end->id; i++) /* all that it does in the epoch */
            if (program->visits[o][i].window == visit->window)
                access = most(access, program->visits[o][i].leave);
    }
    const int64_t from = late_complete ? most(visit->enter, access) : visit->enter;
    return positive(least(complete, visit->leave) - from);
}

/* The call concerns that target of its epoch. */
static bool concerns(int rank, const struct visit *visit, int target)
{
    bool does =
        (visit_is_operation(visit) || visit->kind == VISIT_LOCK || visit->kind == VISIT_UNLOCK) &&
        (visit->target == ALL || visit->target == target);
    for (int i = 0; i < visit->done_count; i++)
        does |= program->visits[rank][visit->done[i]].target == target;
    return does;
}

static bool had_it_before(int j_rank, const struct visit *j, int i_rank, const struct visit *i)
{
    const struct visit *j_unlock = closer(j_rank, j), *i_unlock = closer(i_rank, i);
    if (j_unlock->leave < i_unlock->enter)
        return true;
    if (j_unlock->enter > i_unlock->leave)
        return false;
    return j->leave < i->leave || (j->leave == i->leave && j_rank < i_rank);
}

/* When the last of those that held the target's lock before has released it. */
static int64_t given_back(int rank, const struct visit *lock, int target)
{
    int64_t last = INT64_MIN;
    for (int r = 0; r < program->ranks; r++) {
        for (int i = 0; i < program->count[r]; i++) {
            const struct visit *other = &program->visits[r][i];
            if (r != rank && other->kind == VISIT_LOCK && !other->nocheck &&
                other->window == lock->window &&
                (other->target == ALL || other->target == target) &&
                (other->exclusive || lock->exclusive) && had_it_before(r, other, rank, lock))
                last = most(last, closer(r, other)->enter);
        }
    }
    return last;
}

static bool is_locked_for(int rank, const struct visit *visit, const struct visit **lock)
{
    *lock = visit->kind == VISIT_LOCK ? visit : opener(rank, visit);
    return *lock && (*lock)->kind == VISIT_LOCK &&
           (visit->kind == VISIT_LOCK || visit->kind == VISIT_UNLOCK || visit->kind == VISIT_DONE ||
            visit_is_operation(visit));
}

static int64_t lock_competition(int rank, const struct visit *visit)
{
    const struct visit *lock;
    int64_t until = visit->enter;
    if (!is_locked_for(rank, visit, &lock) || lock->nocheck)
        return 0;
    for (int t = 0; t < program->ranks; t++) {
        if (!concerns(rank, visit, t))
            continue;
        const int64_t time = given_back(rank, lock, t);
        if (time > visit->enter && time <= visit->leave)
            until = most(until, time);
    }
    return until - visit->enter;
}

/* The next enter of MPI at the target, NEVER if it is inside. */
static int64_t next_enter(int target, int64_t from)
{
    int64_t next = NEVER;
    for (int i = 0; i < program->count[target]; i++) {
        const struct visit *v = &program->visits[target][i];
        if (v->local)
            continue;
        if (v->enter <= from && v->leave > from)
            return NEVER;
        if (v->enter > from)
            next = least(next, v->enter);
    }
    return next;
}

static int64_t wait_for_progress(int rank, const struct visit *visit)
{
    const struct visit *lock;
    if (!is_locked_for(rank, visit, &lock))
        return 0;
    const int64_t from = visit->enter + lock_competition(rank, visit);
    int64_t until = from;
    for (int t = 0; t < program->ranks; t++) {
        struct visit one = *visit; /* who locks all targets names none */
        if (one.target == ALL)
            one.target = program->ranks;
        const int64_t time = next_enter(t, from);
        if (t != rank && concerns(rank, &one, t) && time <= visit->leave)
            until = most(until, time);
    }
    return until - from;
}

static int bits(unsigned mask)
{
    return mask ? (int)(mask & 1) + bits(mask >> 1) : 0;
}

static int64_t pairs(int rank, const struct visit *visit, bool unneeded)
{
    const unsigned all = (1u << program->ranks) - 1;
    unsigned group = visit->kind == VISIT_FENCE ? all & ~(1u << rank) : visit->group;
    if ((visit->kind != VISIT_COMPLETE && visit->kind != VISIT_FENCE) || visit->noprecede)
        return 0;
    for (int i = 0; unneeded && i < visit->id; i++) {
        const struct visit *v = &program->visits[rank][i];
        const bool belongs = visit->kind == VISIT_FENCE
                                 ? is_before_fence(rank, v, visit)
                                 : visit_is_operation(v) && v->window == visit->window &&
                                       opener(rank, v) == opener(rank, visit);
        if (belongs)
            group &= ~(1u << v->target);
    }
    return bits(group);
}

int64_t naive_severity(const struct random_program *of, int rank, const struct visit *visit,
                       const char *metric)
{
    const bool operation = visit_is_operation(visit);
    program = of;
    if (strcmp(metric, "mpi_rma_wait_at_create") == 0)
        return visit->kind == VISIT_CREATE ? wait_for_last(rank, visit) : 0;
    if (strcmp(metric, "mpi_rma_wait_at_free") == 0)
        return visit->kind == VISIT_FREE ? wait_for_last(rank, visit) : 0;
    if (strcmp(metric, "mpi_rma_wait_at_fence") == 0)
        return visit->kind == VISIT_FENCE ? wait_for_last(rank, visit) : 0;
    if (strcmp(metric, "mpi_rma_early_fence") == 0)
        return visit->kind == VISIT_FENCE ? early_fence(rank, visit) : 0;
    if (strcmp(metric, "mpi_rma_sync_late_post") == 0)
        return visit->kind == VISIT_START || visit->kind == VISIT_COMPLETE ? late_post(rank, visit)
                                                                           : 0;
    if (strcmp(metric, "mpi_rma_comm_late_post") == 0)
        return operation ? late_post(rank, visit) : 0;
    if (strcmp(metric, "mpi_rma_early_wait") == 0)
        return visit->kind == VISIT_WAIT ? early_wait(rank, visit, false) : 0;
    if (strcmp(metric, "mpi_rma_late_complete") == 0)
        return visit->kind == VISIT_WAIT ? early_wait(rank, visit, true) : 0;
    if (strcmp(metric, "mpi_rma_sync_lock_competition") == 0)
        return operation ? 0 : lock_competition(rank, visit);
    if (strcmp(metric, "mpi_rma_comm_lock_competition") == 0)
        return operation ? lock_competition(rank, visit) : 0;
    if (strcmp(metric, "mpi_rma_sync_wait_for_progress") == 0)
        return operation ? 0 : wait_for_progress(rank, visit);
    if (strcmp(metric, "mpi_rma_comm_wait_for_progress") == 0)
        return operation ? wait_for_progress(rank, visit) : 0;
    if (strcmp(metric, "mpi_rma_pairsync_count") == 0)
        return pairs(rank, visit, false);
    if (strcmp(metric, "mpi_rma_pairsync_unneeded_count") == 0)
        return pairs(rank, visit, true);
    if (strcmp(metric, "comms_put") == 0)
        return visit->kind == VISIT_PUT;
    if (strcmp(metric, "comms_get") == 0)
        return visit->kind == VISIT_GET;
    if (strcmp(metric, "comms_atomic") == 0)
        return visit->kind == VISIT_ATOMIC;
    if (strcmp(metric, "bytes_put") == 0)
        return visit->sent;
    return strcmp(metric, "bytes_get") == 0 ? visit->received : 0;
}
