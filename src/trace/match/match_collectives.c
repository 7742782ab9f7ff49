/* The n-th collective operation on a communicator is one instance for all members (doc/methods.md,
 * section 3). Each member counts its own operations. The owner of an instance then checks that all
 * members take part, with the same operation and the same root. Members may start persistent
 * operations in different orders. Where they have, the n-th starts of one persistent operation are
 * one instance. */
#include "base/plural.h"
#include "base/sort.h"
#include "trace/match/match_private.h"
#include "trace/exchange.h"
#include "trace/threads.h"

#include "trace/calls/collective_operations.h"

#include <stdlib.h>
#include <string.h>

struct matched_member { /* of an instance, at its owner */
    struct member_record from;
    uint32_t root;
    uint32_t op;         /* enum collective_op */
    uint32_t persistent; /* its number, or INDEX_NONE */
};

enum fault_kind {
    FAULT_OP,
    FAULT_ROOT,
    FAULT_MISSING,
    FAULT_STRANGER,
    FAULT_LEFT_OUT, /* another member has one of the two faults before */
    FAULT_INCOMPLETE
};

struct fault { /* sent to the owner of the rank, which writes the message */
    struct instance_answer to;
    uint32_t kind;       /* enum fault_kind */
    uint32_t other_rank; /* the member with which it disagrees, or a missing member */
    uint32_t other;      /* the operation or root of `other_rank`; the members that take part;
                            FAULT_STRANGER: the ranks that take part */
};

/* A persistent operation, and how often this rank has started it so far. */
struct persistent_operation {
    uint32_t comm, number, starts;
};

typedef ARRAY(struct persistent_operation) persistent_operations;

ORDER_BY(by_persistent_number, struct persistent_operation, ASCENDING(comm) ?: ASCENDING(number))

static bool is_persistent(const struct collective *c)
{
    return c->comm != INDEX_NONE && collective_persistent(c) != INDEX_NONE;
}

/* The persistent operations of a stream, in order. False if out of memory. */
static bool list_persistent(const struct stream *s, persistent_operations *list)
{
    size_t distinct = 0;
    list->count = 0;
    for (uint32_t k = 0; k < s->collective_count; k++) {
        const struct collective *c = &s->collectives[k];
        struct persistent_operation operation = {c->comm, collective_persistent(c), 0};
        if (is_persistent(c) && !array_push(list, operation))
            return false;
    }
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, by_persistent_number);
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || by_persistent_number(&list->items[i], &list->items[distinct - 1]) != 0)
            list->items[distinct++] = list->items[i];
    list->count = distinct;
    return true;
}

/* The number of a start among those of persistent operations on the communicator. The n-th starts
 * of one operation meet. */
static uint32_t number_start(persistent_operations *list, const struct collective *c)
{
    const struct persistent_operation wanted = {c->comm, collective_persistent(c), 0};
    struct persistent_operation *items = list->items;
    const size_t first = first_where(0, list->count, i, items[i].comm >= c->comm);
    const size_t end = first_where(first, list->count, i, items[i].comm > c->comm);
    const size_t at = first_where(first, end, i, by_persistent_number(&items[i], &wanted) >= 0);
    return items[at].starts++ * (uint32_t)(end - first) + (uint32_t)(at - first);
}

/* Numbers each member's operations, communicator by communicator. Ranks may start persistent
 * operations in any order: on communicators with a `disagreement` these get odd numbers, and the
 * others even ones. NULL: on none. False if out of memory. */
static bool number_own_operations(struct trace *trace, const int64_t *disagreement)
{
    const uint32_t comms = trace->definitions->comm_count;
    uint32_t *next = malloc(((size_t)comms + 1) * sizeof *next);
    persistent_operations persistent = {0};
    bool allocated = next != NULL;
    for (uint32_t i = 0; allocated && i < trace->owned_count; i++) {
        struct stream *s = &trace->streams[i];
        memset(next, 0, comms * sizeof *next);
        allocated = !disagreement || list_persistent(s, &persistent);
        for (uint32_t k = 0; allocated && k < s->collective_count; k++) {
            struct collective *c = &s->collectives[k];
            if (c->comm == INDEX_NONE || c->flags & COLLECTIVE_LEFT_OUT)
                c->instance = INDEX_NONE;
            else if (!disagreement || disagreement[c->comm] == INT64_MAX)
                c->instance = next[c->comm]++;
            else if (!is_persistent(c))
                c->instance = 2 * next[c->comm]++;
            else
                c->instance = 2 * number_start(&persistent, c) + 1;
        }
    }
    free(next);
    free(persistent.items);
    return allocated;
}

/* Nonblocking operations that never complete. */
static int64_t count_unfinished(const struct trace *trace)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        for (uint32_t k = 0; k < trace->streams[i].collective_count; k++)
            count += trace->streams[i].collectives[k].comm == INDEX_NONE;
    return count;
}

struct received_fault {
    uint32_t stream, collective;
    struct fault fault;
};

struct matching {
    struct trace *trace;
    struct mismatches *mismatches;
    struct dropped *dropped;
    int64_t *disagreement; /* [comm]: first instance about which members disagree */
    ARRAY(struct received_fault) faults;
    bool out_of_memory;
};

static bool send_matched_member(void *data, uint32_t stream, uint32_t collective, void *record)
{
    const struct trace *trace = ((const struct matching *)data)->trace;
    const struct collective *c = &trace->streams[stream].collectives[collective];
    struct matched_member *member = record;
    member->root = c->root;
    member->op = c->op;
    member->persistent = collective_persistent(c);
    return !trace->definitions->comms[c->comm].self;
}

/* The members of one instance, in order of world ranks. */
struct checked_instance {
    const struct owned_instances *owned;
    uint32_t number, count;
};

static const struct matched_member *checked_member(const struct checked_instance *instance,
                                                   uint32_t n)
{
    return instance_record(instance->owned, instance->number, n);
}

/* `likely` is the rank's index if all members are present and the group is in order of ranks. */
static bool is_present(const struct checked_instance *instance, uint32_t rank, uint32_t likely)
{
    if (likely < instance->count && checked_member(instance, likely)->from.rank == rank)
        return true;
    const uint32_t place =
        first_where(0u, instance->count, i, checked_member(instance, i)->from.rank >= rank);
    return place < instance->count && checked_member(instance, place)->from.rank == rank;
}

/* The first member of the communicator that does not take part, INDEX_NONE if all do; and the
 * number of those that do. */
static uint32_t missing_member(const struct definitions *d, const struct checked_instance *instance,
                               uint32_t *present)
{
    uint32_t missing = INDEX_NONE;
    const uint32_t comm = checked_member(instance, 0)->from.comm;
    const uint32_t count = comm_member_count(d, comm),
                   first = d->groups[d->comms[comm].group].count;
    *present = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = comm_member(d, comm, i);
        if (is_present(instance, rank, i < first ? i : i - first))
            ++*present;
        else if (missing == INDEX_NONE)
            missing = rank;
    }
    return missing;
}

static void send_fault(const struct trace *trace, struct exchange *answers,
                       const struct matched_member *member, enum fault_kind kind,
                       uint32_t other_rank, uint32_t other)
{
    struct fault fault = {{member->from.rank, member->from.collective}, kind, other_rank, other};
    exchange_put_owner(answers, trace, member->from.rank, &fault);
}

static bool check_instance(void *data, const struct owned_instances *owned, uint32_t number,
                           struct exchange *answers)
{
    const struct trace *trace = ((const struct matching *)data)->trace;
    const struct checked_instance instance = {owned, number, instance_member_count(owned, number)};
    const struct matched_member *first = checked_member(&instance, 0);
    const bool inter = trace->definitions->comms[first->from.comm].remote_group != INDEX_NONE;
    const bool paused = definitions_paused(trace->definitions);
    bool differ = false;
    for (uint32_t i = 1; i < instance.count && paused; i++)
        differ = differ || checked_member(&instance, i)->op != first->op;
    for (uint32_t i = 1; i < instance.count && !differ; i++) {
        const struct matched_member *member = checked_member(&instance, i);
        if (member->op != first->op || member->persistent != first->persistent)
            send_fault(trace, answers, member, FAULT_OP, first->from.rank, first->op);
        else if (!inter && member->root != first->root)
            send_fault(trace, answers, member, FAULT_ROOT, first->from.rank, first->root);
    }
    uint32_t present;
    const uint32_t missing = missing_member(trace->definitions, &instance, &present);
    if (differ || (missing != INDEX_NONE && (paused || definitions_cut_short(trace->definitions))))
        for (uint32_t i = 0; i < instance.count; i++)
            send_fault(trace, answers, checked_member(&instance, i), FAULT_INCOMPLETE, missing,
                       present);
    else if (missing != INDEX_NONE ||
             instance.count != comm_member_count(trace->definitions, first->from.comm))
        for (uint32_t i = 0; i < instance.count; i++)
            send_fault(trace, answers, checked_member(&instance, i),
                       i > 0                   ? FAULT_LEFT_OUT
                       : missing == INDEX_NONE ? FAULT_STRANGER
                                               : FAULT_MISSING,
                       missing, missing == INDEX_NONE ? instance.count : present);
    return true;
}

static void leave_out(struct collective *c)
{
    c->instance = INDEX_NONE;
    c->flags |= COLLECTIVE_LEFT_OUT;
}

/* What to add to a message: the reason why a persistent operation may meet another one. */
static const char *unnumbered_start(const struct trace *trace, const struct stream *s,
                                    const struct collective *c)
{
    const uint32_t path = stream_callpath_at(s, c->begin);
    const uint32_t region =
        path == CALLPATH_NONE ? INDEX_NONE : trace->calltree.paths.items[path].region;
    const enum mpi_call call =
        region == INDEX_NONE ? MPI_CALL_NONE : trace->definitions->regions[region].mpi_call;
    return call != MPI_CALL_NONE && mpi_call_infos[call].class == MPI_CLASS_START &&
                   collective_persistent(c) == INDEX_NONE
               ? " (the archive does not number persistent operations: record it again)"
               : "";
}

static bool settle_fault(const struct matching *matching, const struct stream *s,
                         struct collective *c, const struct fault *fault)
{
    const struct trace *trace = matching->trace;
    struct mismatches *mismatches = matching->mismatches;
    const struct definitions *d = trace->definitions;
    const uint32_t number = c->instance + 1;
    const char *op = collective_op_name(c->op), *on = comm_name(d, c->comm);
    char name[RANK_NAME_SIZE];
    const char *other = rank_name(d, fault->other_rank, name);
    switch ((enum fault_kind)fault->kind) {
    case FAULT_OP:
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s is collective operation %u on %s, but %s does %s there%s", op,
                            number, on, other, collective_op_name(fault->other),
                            unnumbered_start(trace, s, c));
    case FAULT_ROOT:
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s with root %u is collective operation %u on %s, but %s does it "
                            "with root %u%s",
                            op, c->root, number, on, other, fault->other,
                            unnumbered_start(trace, s, c));
    case FAULT_MISSING:
        leave_out(c);
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s is collective operation %u on %s: %u of %u members take part, "
                            "%s does not",
                            op, number, on, fault->other, comm_member_count(d, c->comm), other);
    case FAULT_STRANGER:
        leave_out(c);
        return mismatch_add(
            mismatches, trace, s, c->begin,
            "%s is collective operation %u on %s: %u rank%s take%s part, but it has "
            "%u members",
            op, number, on, fault->other, plural(fault->other), fault->other == 1 ? "s" : "",
            comm_member_count(d, c->comm));
    case FAULT_LEFT_OUT:
        leave_out(c);
        break;
    case FAULT_INCOMPLETE:
        leave_out(c);
        matching->dropped->unpaired++;
        break;
    }
    return true;
}

static void receive_fault(void *data, uint32_t stream, uint32_t collective, const void *answer)
{
    struct matching *matching = data;
    struct received_fault received = {stream, collective, *(const struct fault *)answer};
    const struct collective *c = &matching->trace->streams[stream].collectives[collective];
    int64_t *disagreement = &matching->disagreement[c->comm];
    if ((received.fault.kind == FAULT_OP || received.fault.kind == FAULT_ROOT) &&
        c->instance < *disagreement)
        *disagreement = c->instance;
    if (!array_push(&matching->faults, received))
        matching->out_of_memory = true;
}

static void settle_faults(struct matching *matching)
{
    for (size_t i = 0; i < matching->faults.count && !matching->out_of_memory; i++) {
        const struct received_fault *received = &matching->faults.items[i];
        const struct stream *s = &matching->trace->streams[received->stream];
        if (!settle_fault(matching, s, &s->collectives[received->collective], &received->fault))
            matching->out_of_memory = true;
    }
}

/* Collective. Leaves out the operations on each communicator from the first disagreement on: later
 * ones may belong to other operations than their numbers say. */
static void leave_out_disagreement(struct matching *matching)
{
    const struct trace *trace = matching->trace;
    for (uint32_t i = 0; i < trace->owned_count; i++)
        for (uint32_t k = 0; k < trace->streams[i].collective_count; k++) {
            struct collective *c = &trace->streams[i].collectives[k];
            if (c->instance == INDEX_NONE || c->instance < matching->disagreement[c->comm])
                continue;
            leave_out(c);
            matching->dropped->after_disagreement++;
        }
}

/* Collective. Numbers the operations and collects the faults. */
static enum status exchange_members(struct matching *matching, const int64_t *disagreement,
                                    struct error *error)
{
    static const struct instance_exchange exchange = {.purpose = "matching",
                                                      .record_size = sizeof(struct matched_member),
                                                      .answer_size = sizeof(struct fault),
                                                      .order = MEMBERS_BY_RANK,
                                                      .send = send_matched_member,
                                                      .answer = check_instance,
                                                      .receive = receive_fault};
    const struct processes *processes = matching->trace->processes;
    enum status status = processes_agree_memory(
        processes, number_own_operations(matching->trace, disagreement), exchange.purpose, error);
    matching->faults.count = 0;
    for (uint32_t c = 0; c < matching->trace->definitions->comm_count; c++)
        matching->disagreement[c] = INT64_MAX;
    if (status == STATUS_OK)
        status = instances_exchange(matching->trace, &exchange, matching, error);
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, !matching->out_of_memory,
                                        "the list of mismatches", error);
    if (status == STATUS_OK)
        processes_min(processes, matching->disagreement, matching->trace->definitions->comm_count);
    return status;
}

/* Collective. True if members disagree about operations on a communicator with persistent ones. */
static bool persistent_disagree(const struct matching *matching)
{
    const struct trace *trace = matching->trace;
    int64_t any = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        const struct stream *s = &trace->streams[i];
        for (uint32_t k = 0; k < s->collective_count && !any; k++)
            any = s->collectives[k].comm != INDEX_NONE &&
                  matching->disagreement[s->collectives[k].comm] != INT64_MAX &&
                  is_persistent(&s->collectives[k]);
    }
    processes_max(trace->processes, &any, 1);
    return any != 0;
}

/* Collective. Matches again, by the numbers of persistent operations on communicators where members
 * disagree. */
static enum status match_persistent(struct matching *matching, struct error *error)
{
    const size_t size = (size_t)matching->trace->definitions->comm_count * sizeof(int64_t);
    int64_t *disagreement = malloc(size + 1);
    enum status status =
        processes_agree_memory(matching->trace->processes, disagreement != NULL, "matching", error);
    if (status == STATUS_OK) {
        memcpy(disagreement, matching->disagreement, size);
        status = exchange_members(matching, disagreement, error);
    }
    free(disagreement);
    return status;
}

enum status match_collectives(struct trace *trace, struct mismatches *mismatches,
                              struct dropped *dropped, struct error *error)
{
    struct matching matching = {.trace = trace, .mismatches = mismatches, .dropped = dropped};
    const size_t comms = (size_t)trace->definitions->comm_count + 1;
    matching.disagreement = malloc(comms * sizeof *matching.disagreement);
    dropped->unfinished += count_unfinished(trace);
    enum status status =
        processes_agree_memory(trace->processes, matching.disagreement != NULL, "matching", error);
    if (status == STATUS_OK)
        status = exchange_members(&matching, NULL, error);
    if (status == STATUS_OK && persistent_disagree(&matching))
        status = match_persistent(&matching, error);
    if (status == STATUS_OK) {
        settle_faults(&matching);
        status = processes_agree_memory(trace->processes, !matching.out_of_memory,
                                        "the list of mismatches", error);
    }
    if (status == STATUS_OK)
        leave_out_disagreement(&matching);
    free(matching.faults.items);
    free(matching.disagreement);
    return status;
}
