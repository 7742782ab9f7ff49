/* Which ranks take part in collective operations if several ranks belong to one MPI process
 * (doc/methods.md, section 3). The operations of a process on a communicator are numbered over all
 * of its threads, in the order in which they begin. Nearly always one thread of each process takes
 * part in all of them, and the communicator gets these ranks as members. Otherwise each set of
 * ranks that take part in an operation together gets a separate communicator, a part of the
 * archive's communicator. All parts keep the order of the members, so that ranks, roots and counts
 * remain valid. */
#include "base/sort.h"
#include "trace/load/split_threads_private.h"

#include <stdlib.h>
#include <string.h>

/* An operation of an MPI process, for sorting. */
struct numbered {
    uint64_t time;
    uint32_t comm, rank, index;
};

ORDER_BY(by_operation_begin, struct numbered,
         ASCENDING(comm) ?: ASCENDING(time) ?: ASCENDING(rank) ?: ASCENDING(index))

ORDER_BY(by_member, struct member_run, ASCENDING(comm) ?: ASCENDING(member) ?: ASCENDING(number))

typedef ARRAY(struct numbered) operations;

/* Lists the operations of an owned MPI process in the order of their begins. */
static bool list_operations(const struct splitting *s, uint32_t mpi_process, operations *list)
{
    const struct trace *trace = s->trace;
    list->count = 0;
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1]; rank++) {
        const struct stream *stream = trace_stream(trace, rank);
        for (uint32_t i = 0; i < stream->collective_count; i++) {
            const struct collective *c = &stream->collectives[i];
            if (c->comm == INDEX_NONE || s->d->comms[c->comm].self)
                continue;
            const uint64_t time = split_post_time(s, rank, COLLECTIVE_BIT | i, c->begin);
            struct numbered n = {time, c->comm, rank, i};
            if (!array_push(list, n))
                return false;
        }
    }
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, by_operation_begin);
    return true;
}

static bool add_run(struct splitting *s, uint32_t comm, uint32_t member, uint32_t number,
                    uint32_t rank)
{
    struct member_run run = {comm, member, number, rank};
    return array_push(&s->runs, run);
}

/* Adds runs for communicators on which an MPI process only has messages, with the first rank that
 * has some. */
static bool list_message_runs(struct splitting *s, uint32_t mpi_process, uint8_t *seen)
{
    memset(seen, 0, s->comms.count);
    for (uint32_t rank = s->threads->first_rank[mpi_process];
         rank < s->threads->first_rank[mpi_process + 1]; rank++) {
        const struct stream *stream = trace_stream(s->trace, rank);
        for (uint32_t i = 0; i < stream->message_count; i++) {
            const uint32_t comm = stream->messages[i].comm;
            if (comm == INDEX_NONE || seen[comm]++)
                continue;
            seen[comm] = 1;
            if (!add_run(s, comm, mpi_process, INDEX_NONE, rank))
                return false;
        }
    }
    return true;
}

/* Lists the runs of the MPI processes that this process owns. */
static bool list_runs(struct splitting *s)
{
    const struct trace *trace = s->trace;
    operations list = {0};
    uint8_t *seen = malloc(s->comms.count + 1);
    bool allocated = seen != NULL;
    for (uint32_t i = 0; allocated && i < trace->owned_count; i++) {
        const uint32_t mpi_process = s->threads->mpi_process[trace->first_rank + i];
        if (s->threads->first_rank[mpi_process] != trace->first_rank + i)
            continue;
        allocated = list_operations(s, mpi_process, &list);
        uint32_t number = 0;
        for (size_t k = 0; allocated && k < list.count; k++) {
            const struct numbered *n = &list.items[k], *before = n - 1;
            const bool same_comm = k > 0 && before->comm == n->comm;
            number = same_comm ? number + 1 : 0;
            if (!same_comm || before->rank != n->rank)
                allocated = add_run(s, n->comm, mpi_process, number, n->rank);
        }
        allocated = allocated && list_message_runs(s, mpi_process, seen);
    }
    free(seen);
    free(list.items);
    return allocated;
}

/* The runs of a communicator: [*from, result). */
static size_t runs_of(const struct splitting *s, uint32_t comm, size_t *from)
{
    *from = first_where(0, s->runs.count, i, s->runs.items[i].comm >= comm);
    return first_where(*from, s->runs.count, i, s->runs.items[i].comm > comm);
}

ORDER_BY(by_run_number, struct member_run, ASCENDING(number) ?: ASCENDING(member))

/* Adds a group of ranks in the order of the group `recorded`: ranks[MPI process], or all ranks if
 * `ranks` is NULL. */
static uint32_t add_group_of_ranks(struct splitting *s, uint32_t recorded, const uint32_t *ranks)
{
    const struct group *from = &s->groups.items[recorded];
    const uint32_t *first = s->threads->first_rank;
    struct group made = {.name = from->name,
                         .type = GROUP_COMM_GROUP,
                         .paradigm = from->paradigm,
                         .flags = from->flags};
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t p = group_rank(from, i);
        made.count += ranks ? 1 : first[p + 1] - first[p];
    }
    made.members = arena_alloc_array(s->d->arena, (size_t)made.count + 1, sizeof *made.members);
    if (!made.members)
        return INDEX_NONE;
    uint32_t next = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t p = group_rank(from, i);
        for (uint32_t r = ranks ? ranks[p] : first[p]; r < (ranks ? ranks[p] + 1 : first[p + 1]);
             r++)
            made.members[next++] = r;
    }
    if (!group_order(&made, s->d->arena) || !array_push(&s->groups, made) ||
        !array_push(&s->recorded, (uint32_t)INDEX_NONE))
        return INDEX_NONE;
    return (uint32_t)s->groups.count - 1;
}

/* Adds a group with all ranks of all MPI processes, for the recorded group of MPI_COMM_SELF. */
static uint32_t add_group_of_all_ranks(struct splitting *s, uint32_t recorded)
{
    struct group made = {.name = "",
                         .type = GROUP_COMM_GROUP,
                         .paradigm = s->groups.items[recorded].paradigm,
                         .count = s->d->rank_count};
    made.members = arena_alloc_array(s->d->arena, (size_t)made.count + 1, sizeof *made.members);
    for (uint32_t i = 0; made.members && i < made.count; i++)
        made.members[i] = i;
    if (!made.members || !group_order(&made, s->d->arena) || !array_push(&s->groups, made) ||
        !array_push(&s->recorded, (uint32_t)INDEX_NONE))
        return INDEX_NONE;
    return (uint32_t)s->groups.count - 1;
}

/* The communicator with ranks as members instead of MPI processes. Its groups in the definitions
 * are still those of the archive. */
static struct communicator with_ranks(struct splitting *s, uint32_t comm, const uint32_t *ranks)
{
    struct communicator made = s->d->comms[comm];
    if (made.self && !ranks) {
        made.self = false;
        made.group = add_group_of_all_ranks(s, made.group);
        return made;
    }
    made.group = add_group_of_ranks(s, made.group, ranks);
    if (made.remote_group != INDEX_NONE && made.group != INDEX_NONE) {
        made.remote_group = add_group_of_ranks(s, made.remote_group, ranks);
        if (made.remote_group == INDEX_NONE)
            made.group = INDEX_NONE;
    }
    return made;
}

uint32_t split_add_part(struct splitting *s, uint32_t comm, const uint32_t *ranks)
{
    struct communicator made = with_ranks(s, comm, ranks);
    if (made.group == INDEX_NONE || !array_push(&s->comms, made) || !array_push(&s->comm_of, comm))
        return INDEX_NONE;
    return (uint32_t)s->comms.count - 1;
}

/* The sets of ranks that take part in operations together on one communicator. */
struct meeting_ranks {
    uint32_t *now;         /* [MPI process]: the rank that takes part in the next operation */
    ARRAY(uint32_t) known; /* for each part: its number, then its ranks as in `now` */
};

/* The number of the part with the set `now`, added if it is new. */
static uint32_t part_of_ranks(struct splitting *s, uint32_t comm, struct meeting_ranks *m)
{
    const uint32_t count = s->threads->mpi_process_count;
    for (size_t i = 0; i < m->known.count; i += (size_t)count + 1)
        if (memcmp(m->known.items + i + 1, m->now, count * sizeof *m->now) == 0)
            return m->known.items[i];
    uint32_t part = comm;
    if (m->known.count > 0) {
        part = split_add_part(s, comm, m->now);
    } else {
        struct communicator made = with_ranks(s, comm, m->now);
        if (made.group == INDEX_NONE)
            return INDEX_NONE;
        s->comms.items[comm] = made;
    }
    if (part == INDEX_NONE || !array_push(&m->known, part))
        return INDEX_NONE;
    for (uint32_t p = 0; p < count; p++)
        if (!array_push(&m->known, m->now[p]))
            return INDEX_NONE;
    return part;
}

/* Sets `now` to the ranks of the first operations; for processes without operations to those with
 * messages. */
static void first_ranks(const struct splitting *s, size_t from, size_t to, uint32_t *now)
{
    for (uint32_t p = 0; p < s->threads->mpi_process_count; p++)
        now[p] = s->threads->first_rank[p];
    for (size_t i = from; i < to; i++) { /* sorted by members, then by numbers */
        const struct member_run *run = &s->runs.items[i];
        if (i == from || run->member != run[-1].member)
            now[run->member] = run->rank;
    }
}

static bool divide(struct splitting *s, uint32_t comm, struct meeting_ranks *m)
{
    size_t from, to = runs_of(s, comm, &from), count = to - from;
    struct member_run *runs = malloc((count + 1) * sizeof *runs);
    bool allocated = runs != NULL;
    m->known.count = 0;
    first_ranks(s, from, to, m->now);
    if (allocated && count > 0) {
        memcpy(runs, s->runs.items + from, count * sizeof *runs);
        qsort(runs, count, sizeof *runs, by_run_number);
    }
    allocated = allocated && part_of_ranks(s, comm, m) != INDEX_NONE;
    for (size_t i = 0; allocated && i < count && runs[i].number != INDEX_NONE;) {
        const uint32_t number = runs[i].number;
        for (; i < count && runs[i].number == number; i++)
            m->now[runs[i].member] = runs[i].rank;
        struct comm_division part = {comm, number, part_of_ranks(s, comm, m)};
        allocated = part.part != INDEX_NONE && array_push(&s->parts, part);
    }
    free(runs);
    return allocated;
}

/* A window gets the ranks that its communicator has, by which members address each other. */
static bool place_windows(struct splitting *s, uint32_t *ranks)
{
    for (uint32_t w = 0; w < s->d->window_count; w++) {
        struct rma_window *window = &s->d->windows[w];
        if (!window_takes_part(s->d, w) || s->d->comms[window->own].self)
            continue;
        for (uint32_t p = 0; p < s->threads->mpi_process_count; p++)
            ranks[p] = split_default_rank(s, window->own, p);
        const uint32_t part = split_add_part(s, s->threads->window_comms[w], ranks);
        if (part == INDEX_NONE)
            return false;
        window->comm = part;
    }
    return true;
}

static bool is_divided(const struct splitting *s, uint32_t comm)
{
    return s->d->comms[comm].mpi && !s->d->comms[comm].self;
}

static bool divide_all(struct splitting *s)
{
    const uint32_t processes = s->threads->mpi_process_count, comms = (uint32_t)s->comms.count;
    struct meeting_ranks m = {.now = malloc(((size_t)processes + 1) * sizeof *m.now)};
    bool allocated = m.now != NULL;
    for (uint32_t comm = 0; allocated && comm < comms; comm++)
        if (is_divided(s, comm))
            allocated = divide(s, comm, &m);
    allocated = allocated && place_windows(s, m.now);
    free(m.now);
    free(m.known.items);
    return allocated;
}

uint32_t split_default_rank(const struct splitting *s, uint32_t comm, uint32_t mpi_process)
{
    assert(mpi_process < s->threads->mpi_process_count);
    const struct member_run *runs = s->runs.items;
    const size_t first =
        first_where(0, s->runs.count, i,
                    runs[i].comm > comm || (runs[i].comm == comm && runs[i].member >= mpi_process));
    if (first < s->runs.count && runs[first].comm == comm && runs[first].member == mpi_process)
        return runs[first].rank;
    return s->threads->first_rank[mpi_process];
}

static uint32_t part_at_number(const struct splitting *s, uint32_t comm, uint32_t number)
{
    const struct comm_division *parts = s->parts.items;
    const size_t after =
        first_where(0, s->parts.count, i,
                    parts[i].comm > comm || (parts[i].comm == comm && parts[i].number > number));
    return parts[after - 1].part;
}

/* Assigns the operations of the owned MPI processes to the parts of their communicators. */
static bool move_operations(struct splitting *s)
{
    const struct trace *trace = s->trace;
    operations list = {0};
    bool allocated = true;
    for (uint32_t i = 0; allocated && i < trace->owned_count; i++) {
        const uint32_t mpi_process = s->threads->mpi_process[trace->first_rank + i];
        if (s->threads->first_rank[mpi_process] != trace->first_rank + i)
            continue;
        allocated = list_operations(s, mpi_process, &list);
        uint32_t number = 0;
        for (size_t k = 0; allocated && k < list.count; k++) {
            const struct numbered *n = &list.items[k];
            number = k > 0 && n[-1].comm == n->comm ? number + 1 : 0;
            if (is_divided(s, n->comm))
                trace_stream(trace, n->rank)->collectives[n->index].comm =
                    part_at_number(s, n->comm, number);
        }
    }
    free(list.items);
    return allocated;
}

enum status split_members(struct splitting *s, struct error *error)
{
    const struct processes *processes = s->trace->processes;
    enum status status = processes_agree_memory(processes, list_runs(s), "communicators", error);
    if (status == STATUS_OK)
        status = processes_share(processes, &s->runs, "communicators", error);
    if (status != STATUS_OK)
        return status;
    if (s->runs.count > 1)
        qsort(s->runs.items, s->runs.count, sizeof *s->runs.items, by_member);
    return processes_agree_memory(processes, divide_all(s) && move_operations(s), "communicators",
                                  error);
}
