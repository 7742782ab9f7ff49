/* The n-th collective operation on a communicator is one instance for all members (doc/methods.md,
 * section 3). Each member counts its own operations. The owner of an instance then checks that all
 * members take part, with the same operation and the same root. */
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
    uint32_t op; /* enum collective_op */
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

/* Numbers each member's operations, communicator by communicator. False when memory is out. */
static bool number_own_operations(struct trace *trace, struct dropped *dropped)
{
    const uint32_t comms = trace->definitions->comm_count;
    uint32_t *next = malloc(((size_t)comms + 1) * sizeof *next);
    for (uint32_t i = 0; next && i < trace->owned_count; i++) {
        struct stream *s = &trace->streams[i];
        memset(next, 0, comms * sizeof *next);
        for (uint32_t k = 0; k < s->collective_count; k++) {
            struct collective *c = &s->collectives[k];
            c->instance = c->comm == INDEX_NONE || c->flags & COLLECTIVE_LEFT_OUT ? INDEX_NONE
                                                                                  : next[c->comm]++;
            dropped->unfinished += c->comm == INDEX_NONE; /* nonblocking and never completed */
        }
    }
    free(next);
    return next != NULL;
}

struct matching {
    struct trace *trace;
    struct mismatches *mismatches;
    struct dropped *dropped;
    int64_t *disagreement; /* [comm]: first instance about which members disagree */
    bool out_of_memory;
};

static bool send_matched_member(void *data, uint32_t stream, uint32_t collective, void *record)
{
    const struct trace *trace = ((const struct matching *)data)->trace;
    const struct collective *c = &trace->streams[stream].collectives[collective];
    struct matched_member *member = record;
    member->root = c->root;
    member->op = c->op;
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
        if (member->op != first->op)
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
    int64_t *disagreement = &matching->disagreement[c->comm];
    switch ((enum fault_kind)fault->kind) {
    case FAULT_OP:
        *disagreement = c->instance < *disagreement ? c->instance : *disagreement;
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s is collective operation %u on %s, but %s does %s there", op, number,
                            on, other, collective_op_name(fault->other));
    case FAULT_ROOT:
        *disagreement = c->instance < *disagreement ? c->instance : *disagreement;
        return mismatch_add(mismatches, trace, s, c->begin,
                            "%s with root %u is collective operation %u on %s, but %s does it "
                            "with root %u",
                            op, c->root, number, on, other, fault->other);
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
    const struct stream *s = &matching->trace->streams[stream];
    if (!settle_fault(matching, s, &s->collectives[collective], answer))
        matching->out_of_memory = true;
}

/* Collective. Leaves out the operations on each communicator from the first disagreement on: later
 * ones may belong to other operations than their numbers say. */
static void leave_out_disagreement(struct matching *matching)
{
    const struct trace *trace = matching->trace;
    processes_min(trace->processes, matching->disagreement, trace->definitions->comm_count);
    for (uint32_t i = 0; i < trace->owned_count; i++)
        for (uint32_t k = 0; k < trace->streams[i].collective_count; k++) {
            struct collective *c = &trace->streams[i].collectives[k];
            if (c->instance == INDEX_NONE || c->instance < matching->disagreement[c->comm])
                continue;
            leave_out(c);
            matching->dropped->after_disagreement++;
        }
}

enum status match_collectives(struct trace *trace, struct mismatches *mismatches,
                              struct dropped *dropped, struct error *error)
{
    static const struct instance_exchange exchange = {.purpose = "matching",
                                                      .record_size = sizeof(struct matched_member),
                                                      .answer_size = sizeof(struct fault),
                                                      .order = MEMBERS_BY_RANK,
                                                      .send = send_matched_member,
                                                      .answer = check_instance,
                                                      .receive = receive_fault};
    const uint32_t comms = trace->definitions->comm_count;
    struct matching matching = {trace, mismatches, dropped, NULL, false};
    matching.disagreement = malloc(((size_t)comms + 1) * sizeof *matching.disagreement);
    for (uint32_t c = 0; matching.disagreement && c < comms; c++)
        matching.disagreement[c] = INT64_MAX;
    enum status status = processes_agree_memory(
        trace->processes, matching.disagreement && number_own_operations(trace, dropped),
        exchange.purpose, error);
    if (status == STATUS_OK)
        status = instances_exchange(trace, &exchange, &matching, error);
    if (status == STATUS_OK)
        status = processes_agree_memory(trace->processes, !matching.out_of_memory,
                                        "the list of mismatches", error);
    if (status == STATUS_OK)
        leave_out_disagreement(&matching);
    free(matching.disagreement);
    return status;
}
