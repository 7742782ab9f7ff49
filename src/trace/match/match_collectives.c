/* The n-th collective operation on a communicator is one instance for all members (METHODS 3). Each
 * member counts its own; then every instance is checked at a home process: all members there, same
 * operation, same root. */
#include "trace/match/match_private.h"

#include "trace/calls/collective_operations.h"

#include <stdlib.h>
#include <string.h>

struct part { /* one member's part in an instance */
    uint32_t comm, instance;
    uint32_t rank, index; /* whose, and where in its collectives */
    uint32_t root;
    uint8_t op, flags;
    uint16_t unused;
};

enum fault_kind { FAULT_OP, FAULT_ROOT, FAULT_MISSING, FAULT_STRANGER, FAULT_CUT_SHORT };

struct fault { /* told to the owner of `rank`, which words it */
    uint32_t rank, index;
    uint32_t kind;
    uint32_t other_rank; /* the member it disagrees with, or one that is missing */
    uint32_t other; /* that one's operation or root; members that came; FAULT_STRANGER: ranks that
                       came */
};

/* --- counting ------------------------------------------------------------------------------- */

/* Members of the communicator on both sides. */
static uint32_t participants(const struct definitions *d, uint32_t comm)
{
    const struct communicator *c = &d->comms[comm];
    uint32_t count = d->groups[c->group].count;
    return c->remote_group == INDEX_NONE ? count : count + d->groups[c->remote_group].count;
}

/* Where an instance is checked. */
static int home(const struct trace *trace, uint32_t comm, uint32_t instance)
{
    return (int)(map_mix((uint64_t)comm << 32 | instance) % (uint64_t)trace->processes->size);
}

static bool post_stream(struct trace *trace, struct stream *s, uint32_t *next,
                        struct outbox *outbox, struct dropped *dropped)
{
    for (uint32_t k = 0; k < s->collective_count; k++) {
        struct collective *c = &s->collectives[k];
        c->instance = INDEX_NONE;
        if (c->comm == INDEX_NONE) { /* nonblocking and never completed: unknown where */
            dropped->unfinished++;
            continue;
        }
        c->instance = next[c->comm]++;
        if (trace->definitions->comms[c->comm].self)
            continue;
        struct part part = {c->comm, c->instance, s->rank, k, c->root, c->op, c->flags, 0};
        if (!outbox_put(&outbox[home(trace, c->comm, c->instance)], &part, sizeof part))
            return false;
    }
    return true;
}

static bool post_parts(struct trace *trace, struct outbox *outbox, struct dropped *dropped)
{
    uint32_t comms = trace->definitions->comm_count;
    uint32_t *next = malloc((comms + 1) * sizeof *next);
    bool fits = next != NULL;
    for (uint32_t i = 0; fits && i < trace->owned_count; i++) {
        memset(next, 0, comms * sizeof *next);
        fits = post_stream(trace, &trace->streams[i], next, outbox, dropped);
    }
    free(next);
    return fits;
}

/* --- checking an instance at its home ------------------------------------------------------- */

static int by_instance(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->comm != y->comm)
        return x->comm < y->comm ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* `likely` is where the rank stands if all members have come and the group is in order of ranks. */
static bool is_present(const struct part *parts, size_t count, uint32_t rank, size_t likely)
{
    if (likely < count && parts[likely].rank == rank)
        return true;
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (parts[middle].rank == rank)
            return true;
        if (parts[middle].rank < rank)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* The first member that is not among the parts, INDEX_NONE if all are; and how many are. */
static uint32_t missing_member(const struct definitions *d, const struct part *parts, size_t count,
                               uint32_t *present)
{
    uint32_t missing = INDEX_NONE;
    *present = 0;
    const struct communicator *c = &d->comms[parts[0].comm];
    const uint32_t groups[] = {c->group, c->remote_group};
    for (int g = 0; g < 2; g++) {
        if (groups[g] == INDEX_NONE)
            continue;
        const struct group *group = &d->groups[groups[g]];
        for (uint32_t i = 0; i < group->count; i++) {
            uint32_t rank = group->type == GROUP_COMM_LOCATIONS ? i : (uint32_t)group->members[i];
            if (is_present(parts, count, rank, i))
                ++*present;
            else if (missing == INDEX_NONE)
                missing = rank;
        }
    }
    return missing;
}

static bool report(const struct trace *trace, struct outbox *outbox, const struct part *part,
                   enum fault_kind kind, uint32_t other_rank, uint32_t other)
{
    struct fault fault = {part->rank, part->index, kind, other_rank, other};
    return outbox_put(&outbox[trace_owner(trace, part->rank)], &fault, sizeof fault);
}

/* `parts` are the members of one instance, in order of ranks. */
static bool check_instance(const struct trace *trace, const struct part *parts, size_t count,
                           struct outbox *outbox)
{
    const struct part *first = &parts[0];
    bool inter = trace->definitions->comms[first->comm].remote_group != INDEX_NONE;
    bool fits = true;
    for (size_t i = 1; fits && i < count; i++) {
        if (parts[i].op != first->op)
            fits = report(trace, outbox, &parts[i], FAULT_OP, first->rank, first->op);
        else if (!inter && parts[i].root != first->root)
            fits = report(trace, outbox, &parts[i], FAULT_ROOT, first->rank, first->root);
    }
    if (!fits)
        return false;
    uint32_t present;
    uint32_t missing = missing_member(trace->definitions, parts, count, &present);
    if (missing != INDEX_NONE && definitions_cut_short(trace->definitions)) {
        for (size_t i = 0; fits && i < count; i++)
            fits = report(trace, outbox, &parts[i], FAULT_CUT_SHORT, missing, present);
        return fits;
    }
    if (missing != INDEX_NONE)
        return report(trace, outbox, first, FAULT_MISSING, missing, present);
    if (count != participants(trace->definitions, first->comm))
        return report(trace, outbox, first, FAULT_STRANGER, INDEX_NONE, (uint32_t)count);
    return true;
}

static bool check_parts(const struct trace *trace, struct part *parts, size_t count,
                        struct outbox *outbox)
{
    if (count)
        qsort(parts, count, sizeof *parts, by_instance);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && parts[to].comm == parts[from].comm &&
                            parts[to].instance == parts[from].instance;
             to++)
            ;
        if (!check_instance(trace, &parts[from], to - from, outbox))
            return false;
    }
    return true;
}

/* --- at their owner: wording the faults, leaving out what was cut short --------------------- */

static bool settle(const struct trace *trace, struct mismatches *mismatches,
                   struct dropped *dropped, const struct fault *fault)
{
    const struct definitions *d = trace->definitions;
    const struct stream *s = trace_stream(trace, fault->rank);
    struct collective *c = &s->collectives[fault->index];
    const char *op = collective_op_name(c->op), *on = comm_name(d, c->comm);
    switch ((enum fault_kind)fault->kind) {
    case FAULT_OP:
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s is collective operation %u on %s, but rank %u does %s there", op,
                            c->instance + 1, on, fault->other_rank,
                            collective_op_name(fault->other));
    case FAULT_ROOT:
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s with root %u is collective operation %u on %s, but rank %u does it "
                            "with root %u",
                            op, c->root, c->instance + 1, on, fault->other_rank, fault->other);
    case FAULT_MISSING:
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s is collective operation %u on %s: %u of %u members take part, rank "
                            "%u does not",
                            op, c->instance + 1, on, fault->other, participants(d, c->comm),
                            fault->other_rank);
    case FAULT_STRANGER:
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s is collective operation %u on %s: %u ranks take part, but it has "
                            "%u members",
                            op, c->instance + 1, on, fault->other, participants(d, c->comm));
    case FAULT_CUT_SHORT:
        c->instance = INDEX_NONE;
        dropped->unpaired++;
        break;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- */

enum status match_collectives(struct trace *trace, struct mismatches *mismatches,
                              struct dropped *dropped, struct error *error)
{
    char *parts = NULL, *faults = NULL;
    size_t size = 0;
    struct outbox *outbox = calloc((size_t)trace->processes->size, sizeof *outbox);
    enum status status = match_exchange(trace, outbox, outbox && post_parts(trace, outbox, dropped),
                                        &parts, &size, error);
    if (status == STATUS_OK) {
        bool checked = check_parts(trace, (struct part *)parts, size / sizeof(struct part), outbox);
        status = match_exchange(trace, outbox, checked, &faults, &size, error);
    }
    if (status == STATUS_OK) {
        const struct fault *fault = (const struct fault *)faults;
        for (size_t i = 0; i < size / sizeof *fault && status == STATUS_OK; i++)
            if (!settle(trace, mismatches, dropped, &fault[i]))
                status = error_memory(error, "the list of mismatches");
        status = processes_agree(trace->processes, status, error);
    }
    free(parts);
    free(faults);
    free(outbox);
    return status;
}
