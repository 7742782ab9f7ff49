#include "replay/realtime/agreement.h"

#include "replay/realtime/rebuilt_types.h"
#include "trace/calls/collective_operations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The values that are reduced with MPI_MAX for each instance. Minima are negated. */
enum {
    BYTES,
    SHORTEST_NEGATED,
    TYPE_MAX,
    TYPE_MIN_NEGATED,
    REDUCTION_MAX,
    REDUCTION_MIN_NEGATED,
    USER_OP_MAX,
    USER_OP_MIN_NEGATED,
    MEASURED,
    LACKS,
    NO_WAIT,
    WAITS,
    FIELDS
};

/* A communicator and this member's records of its instances. The trace is matched, so all members
 * have the same instances. */
struct member_view {
    const struct stream *stream; /* of this member */
    uint32_t comm, size, me, count;
    bool between_groups;
    const struct collective **own; /* [count], by instance */
    int64_t *fields;               /* [count][FIELDS] */
};

/* Whether the record lacks counts that this member's call needs. On intercommunicators `root` is a
 * rank of the other group. */
static bool counts_are_missing(const struct collective *collective, const struct member_view *view)
{
    bool is_root =
        view->between_groups ? collective->root == ROOT_SELF : collective->root == view->me;
    const struct collective_operation *operation = &collective_operations[collective->op];
    if (collective_op_is_rooted(collective->op) && !is_root)
        return false;
    return (operation->send_counts && collective->send_counts == INDEX_NONE) ||
           (operation->receive_counts && collective->receive_counts == INDEX_NONE);
}

static void fill_own_fields(const struct trace *trace, struct member_view *view, int64_t *any_lacks)
{
    const struct stream *stream = view->stream;
    for (uint32_t i = 0; i < view->count; i++) {
        const struct collective *collective = view->own[i];
        int64_t *fields = view->fields + (size_t)i * FIELDS;
        if (!collective)
            continue;
        if (collective->end != INDEX_NONE)
            fields[SHORTEST_NEGATED] =
                -(int64_t)(stream->time[collective->end] - stream->time[collective->begin]);
        fields[BYTES] = collective_block(collective, view->size, view->me);
        fields[TYPE_MAX] = collective->type_size;
        fields[TYPE_MIN_NEGATED] = -(int64_t)collective->type_size;
        fields[REDUCTION_MAX] = collective->reduction;
        fields[REDUCTION_MIN_NEGATED] = -(int64_t)collective->reduction;
        bool measured;
        fields[USER_OP_MAX] =
            rebuilt_types_operator(trace->definitions, collective->types, &measured);
        fields[USER_OP_MIN_NEGATED] = -fields[USER_OP_MAX];
        fields[MEASURED] = measured;
        fields[LACKS] = counts_are_missing(collective, view);
        *any_lacks |= fields[LACKS] && !view->between_groups;
        struct collective_role role = collective_role(trace, stream->rank, collective);
        fields[NO_WAIT] = collective->no_wait;
        fields[WAITS] = (role.waits || role.scans) && !collective->no_wait;
    }
}

static void reduce_fields(const struct member_view *view, MPI_Comm comm, struct agreed *agreed)
{
    enum { PART = 1 << 24 }; /* values per reduction: MPI's counts are ints */
    size_t total = (size_t)view->count * FIELDS;
    for (size_t done = 0; done < total; done += PART) {
        int part = (int)(total - done < PART ? total - done : PART);
        MPI_Allreduce(MPI_IN_PLACE, view->fields + done, part, MPI_INT64_T, MPI_MAX, comm);
    }
    for (uint32_t i = 0; i < view->count; i++) {
        const int64_t *all = view->fields + (size_t)i * FIELDS;
        agreed[i].bytes = all[BYTES];
        agreed[i].shortest = -all[SHORTEST_NEGATED];
        agreed[i].reduction = all[REDUCTION_MAX] == -all[REDUCTION_MIN_NEGATED]
                                  ? (uint32_t)all[REDUCTION_MAX]
                                  : INDEX_NONE;
        agreed[i].type_size = all[TYPE_MAX] == -all[TYPE_MIN_NEGATED] ? all[TYPE_MAX] : 0;
        agreed[i].user_op =
            all[USER_OP_MAX] == -all[USER_OP_MIN_NEGATED] && all[MEASURED] ? all[USER_OP_MAX] : 0;
        agreed[i].no_wait = all[NO_WAIT];
        agreed[i].waits = all[WAITS];
    }
}

/* On intercommunicators a reduction returns the values of the other group; a second one
 * combines the values of the two groups. */
static void agree_between(const struct member_view *view, MPI_Comm comm,
                          struct agreed_between *between)
{
    enum { VALUES = sizeof *between / sizeof(int64_t) };
    for (uint32_t i = 0; i < view->count; i++) {
        const int64_t *fields = view->fields + (size_t)i * FIELDS;
        struct agreed_between own = {fields[LACKS], fields[BYTES] > 0}, other = own;
        MPI_Allreduce(&own, &other, VALUES, MPI_INT64_T, MPI_MAX, comm);
        own.lacks = own.lacks > other.lacks ? own.lacks : other.lacks;
        own.moves = own.moves > other.moves ? own.moves : other.moves;
        MPI_Allreduce(&own, &between[i], VALUES, MPI_INT64_T, MPI_MAX, comm);
    }
}

/* Gathers the totals of all members for the instances in which counts of a member are missing.
 * `room` has `size` elements for each instance that may need them. */
static void gather_totals(const struct member_view *view, MPI_Comm comm, struct totals *room,
                          struct agreed *agreed)
{
    for (uint32_t i = 0; i < view->count; i++) {
        if (!view->own[i] || !collective_op_has_counts(view->own[i]->op))
            continue;
        if (view->fields[(size_t)i * FIELDS + LACKS]) {
            struct totals mine = {(int64_t)view->own[i]->sent, (int64_t)view->own[i]->received};
            MPI_Allgather(&mine, 2, MPI_INT64_T, room, 2, MPI_INT64_T, comm);
            agreed[i].totals = room;
        }
        room += view->size;
    }
}

/* Makes the views of all communicators that agree; `views` has room for each. */
static bool make_views(const struct definitions *definitions, const struct stream *stream,
                       const struct communicators *communicators, struct arena *arena,
                       struct member_view *views)
{
    const uint32_t rank = stream->rank;
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *collective = &stream->collectives[i];
        if (collective->instance != INDEX_NONE &&
            collective->instance >= views[collective->comm].count)
            views[collective->comm].count = collective->instance + 1;
    }
    for (uint32_t comm = 0; comm < definitions->comm_count; comm++) {
        struct member_view *view = &views[comm];
        if (view->own || view->count == 0 || communicators->real[comm] == MPI_COMM_NULL)
            continue; /* of another thread's, whose members are others, or not used */
        view->comm = comm;
        view->stream = stream;
        view->between_groups = definitions->comms[comm].remote_group != INDEX_NONE;
        view->size = comm_size(definitions, comm, rank, true);
        view->me = comm_rank_of(definitions, comm, rank);
        view->own = arena_alloc_array(arena, view->count, sizeof *view->own);
        view->fields = arena_alloc_array(arena, (size_t)view->count * FIELDS, sizeof(int64_t));
        if (!view->own || !view->fields)
            return false;
    }
    for (uint32_t i = 0; i < stream->collective_count; i++) {
        const struct collective *collective = &stream->collectives[i];
        if (collective->instance != INDEX_NONE && views[collective->comm].own)
            views[collective->comm].own[collective->instance] = collective;
    }
    return true;
}

/* Allocates everything before the first reduction: no member may be missing in one. */
static bool allocate_results(const struct trace *trace, struct member_view *views, bool any_lacks,
                             struct collective_agreement *agreement, struct totals **rooms)
{
    for (uint32_t comm = 0; comm < trace->definitions->comm_count; comm++) {
        struct member_view *view = &views[comm];
        if (!view->own)
            continue;
        if (view->between_groups) {
            agreement->between[comm] =
                arena_alloc_array(agreement->arena, view->count, sizeof(struct agreed_between));
            if (!agreement->between[comm])
                return false;
            continue;
        }
        agreement->instances[comm] =
            arena_alloc_array(agreement->arena, view->count, sizeof(struct agreed));
        size_t with_counts = 0;
        for (uint32_t i = 0; i < view->count && any_lacks; i++)
            with_counts += view->own[i] && collective_op_has_counts(view->own[i]->op);
        rooms[comm] = arena_alloc_array(agreement->arena, with_counts * view->size + 1,
                                        sizeof(struct totals));
        if (!agreement->instances[comm] || !rooms[comm])
            return false;
    }
    return true;
}

enum status agreement_make(const struct trace *trace, const struct communicators *communicators,
                           struct collective_agreement *agreement, struct error *error)
{
    assert(trace->matched && !agreement->arena);
    uint32_t comm_count = trace->definitions->comm_count;
    struct arena *scratch = arena_create();
    struct member_view *views = NULL;
    struct totals **rooms = NULL;
    int64_t any_lacks = 0;
    agreement->arena = arena_create();
    bool room = scratch && agreement->arena &&
                (views = arena_alloc_array(scratch, comm_count, sizeof *views)) &&
                (rooms = arena_alloc_array(scratch, comm_count, sizeof *rooms)) &&
                (agreement->instances = arena_alloc_array(agreement->arena, comm_count,
                                                          sizeof *agreement->instances)) &&
                (agreement->between =
                     arena_alloc_array(agreement->arena, comm_count, sizeof *agreement->between));
    for (uint32_t s = 0; room && s < trace->owned_count; s++)
        room = make_views(trace->definitions, &trace->streams[s], communicators, scratch, views);
    for (uint32_t comm = 0; room && comm < comm_count; comm++)
        if (views[comm].own)
            fill_own_fields(trace, &views[comm], &any_lacks);
    processes_max(trace->processes, &any_lacks, 1);
    room = room && allocate_results(trace, views, any_lacks != 0, agreement, rooms);
    enum status status =
        processes_agree_memory(trace->processes, room, "agreement on collectives", error);
    /* All ranks go in order of definition, so the reductions cannot block each other. */
    for (uint32_t comm = 0; comm < comm_count && status == STATUS_OK; comm++) {
        if (!views[comm].own)
            continue;
        if (views[comm].between_groups) {
            agree_between(&views[comm], communicators->real[comm], agreement->between[comm]);
            continue;
        }
        reduce_fields(&views[comm], communicators->real[comm], agreement->instances[comm]);
        gather_totals(&views[comm], communicators->real[comm], rooms[comm],
                      agreement->instances[comm]);
    }
    arena_destroy(scratch);
    return status;
}

void agreement_clear(struct collective_agreement *agreement)
{
    arena_destroy(agreement->arena);
    memset(agreement, 0, sizeof *agreement);
}
