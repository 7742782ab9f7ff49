#include "trace/check.h"

#include "base/array.h"
#include "trace/otf2_records.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdlib.h>

/* The functions below return the fault as the end of a sentence, or NULL. */

static bool is_index(uint32_t number, uint32_t count)
{
    return number == INDEX_NONE || number < count;
}

static const char *check_communicators(const struct definitions *d)
{
    for (uint32_t i = 0; i < d->comm_count; i++) {
        const struct communicator *c = &d->comms[i];
        if (c->group >= d->group_count || !is_index(c->remote_group, d->group_count))
            return "a communicator has a group that is not defined";
        if (!is_index(c->parent, d->comm_count))
            return "a communicator has a parent that is not defined";
        const struct group *g = &d->groups[c->group];
        if (!group_has_ranks(d, g) ||
            (c->remote_group != INDEX_NONE && !group_has_ranks(d, &d->groups[c->remote_group])))
            return "a member of a communicator is not a rank";
        if (c->self != (g->type == GROUP_COMM_SELF) || c->mpi != (g->paradigm == OTF2_PARADIGM_MPI))
            return "a communicator is of another kind than its group";
    }
    for (uint32_t i = 0; i < d->grid_count; i++)
        if (d->grids[i].comm >= d->comm_count ||
            d->comms[d->grids[i].comm].remote_group != INDEX_NONE)
            return "a grid has a communicator that is not defined";
    for (uint32_t i = 0; i < d->window_count; i++)
        if (d->windows[i].comm >= d->comm_count || d->windows[i].own >= d->comm_count)
            return "a window has a communicator that is not defined";
    return NULL;
}

static const char *check_locations(const struct definitions *d)
{
    for (uint32_t i = 0; i < d->node_count; i++)
        if (!is_index(d->nodes[i].parent, d->node_count))
            return "a node of the system tree has a parent that is not defined";
    for (uint32_t i = 0; i < d->location_group_count; i++)
        if (!is_index(d->location_groups[i].node, d->node_count))
            return "a location group is on a node that is not defined";
    for (uint32_t i = 0; i < d->location_count; i++) {
        const struct location *l = &d->locations[i];
        if (!is_index(l->group, d->location_group_count))
            return "a location has a group that is not defined";
        if (!is_index(l->rank, d->rank_count) ||
            (l->master && (l->rank == INDEX_NONE || d->rank_location[l->rank] != i)))
            return "a location has a wrong rank";
    }
    for (uint32_t i = 0; i < d->rank_count; i++) {
        const uint32_t location = d->rank_location[i];
        if (location != INDEX_NONE &&
            (!d->locations[location].master || d->locations[location].rank != i))
            return "a rank has a wrong location";
    }
    return NULL;
}

const char *definitions_check(const struct definitions *d)
{
    if (d->ticks_per_second == 0)
        return "it does not define its clock";
    if (d->rank_count == 0)
        return "no process is defined in it";
    return check_communicators(d) ?: check_locations(d);
}

struct checker {
    const struct trace *trace;
    const struct stream *stream;
    bool carried;
    uint32_t row;
    ARRAY(uint32_t) open; /* rows of open regions */
};

static bool is_peer(const struct checker *c, uint32_t comm, uint32_t peer)
{
    return comm_has_peer(c->trace->definitions, comm, c->stream->rank, peer);
}

static const char *check_region_row(struct checker *c, bool opens, uint32_t arg)
{
    const uint32_t *top = c->open.count ? &c->open.items[c->open.count - 1] : NULL;
    if (!opens) {
        if (!top || arg != *top)
            return "a region is left that is not the innermost one";
        c->open.count--;
        return NULL;
    }
    const struct calltree *tree = &c->trace->calltree;
    const uint32_t parent = top ? c->stream->arg[*top] : CALLPATH_NONE;
    /* The call paths of a worker continue that of its team. */
    const bool continues = !top && c->carried;
    if (arg >= tree->paths.count || (!continues && tree->paths.items[arg].parent != parent))
        return "a region is entered in a wrong call path";
    return array_push(&c->open, c->row) ? NULL : "there is not enough memory for the open regions";
}

/* A row that posts a message. */
static const char *check_post(const struct checker *c, uint8_t kind, uint32_t arg)
{
    const unsigned flags =
        (kind == EVENT_SEND || kind == EVENT_ISEND ? MESSAGE_SEND : 0) |
        (kind == EVENT_ISEND || kind == EVENT_IRECV_REQUEST ? MESSAGE_NONBLOCKING : 0);
    if (arg >= c->stream->message_count)
        return "there is no such message";
    const struct message *m = &c->stream->messages[arg];
    if (m->post != c->row || (m->flags & (MESSAGE_SEND | MESSAGE_NONBLOCKING)) != flags ||
        (!(flags & MESSAGE_NONBLOCKING) && m->completion != c->row))
        return "the message is another one";
    return NULL;
}

static const char *check_completion(const struct checker *c, uint8_t kind, uint32_t arg)
{
    if (arg >= c->stream->message_count)
        return "there is no such message";
    const struct message *m = &c->stream->messages[arg];
    const bool sends = kind == EVENT_ISEND_COMPLETE;
    if (m->completion != c->row || sends != ((m->flags & MESSAGE_SEND) != 0) ||
        !(m->flags & MESSAGE_NONBLOCKING))
        return "the message is another one";
    return NULL;
}

static const char *check_request(const struct checker *c, uint32_t arg)
{
    const bool known = arg == INDEX_NONE ||
                       (arg & COLLECTIVE_BIT ? (arg & ~COLLECTIVE_BIT) < c->stream->collective_count
                                             : arg < c->stream->message_count);
    return known ? NULL : "there is no such request";
}

static const char *check_operation(const struct checker *c, uint8_t kind, uint32_t arg)
{
    if (arg >= c->stream->collective_count)
        return "there is no such collective operation";
    const struct collective *o = &c->stream->collectives[arg];
    const bool nonblocking = kind == EVENT_NBC_REQUEST || kind == EVENT_NBC_COMPLETE;
    const bool begins = kind == EVENT_NBC_REQUEST || kind == EVENT_COLLECTIVE_BEGIN;
    if ((begins ? o->begin : o->end) != c->row ||
        nonblocking != ((o->flags & COLLECTIVE_NONBLOCKING) != 0) ||
        (!begins && o->begin != INDEX_NONE && o->begin > c->row))
        return "the collective operation is another one";
    return NULL;
}

static const char *check_other(const struct checker *c, uint32_t arg)
{
    static const bool of_teams[OTHER_TYPE_COUNT] = {
#define X(identifier, name, team, count, ...) [OTHER_##identifier] = team,
        OTHER_EVENTS(X)
#undef X
    };
    if (arg >= c->stream->other_count)
        return "there is no such event";
    const struct other_event *o = &c->stream->others[arg];
    if (o->type >= OTHER_TYPE_COUNT)
        return "it is of no known kind";
    if (of_teams[o->type] && o->fields[0] != INDEX_NONE &&
        o->fields[0] >= c->trace->definitions->comm_count)
        return "its team is not defined";
    return NULL;
}

static const char *check_event(struct checker *c, uint8_t kind, uint32_t arg)
{
    const struct stream *s = c->stream;
    const struct definitions *d = c->trace->definitions;
    switch ((enum event_kind)kind) {
    case EVENT_ENTER:
    case EVENT_PROGRAM_BEGIN:
    case EVENT_LEAVE:
    case EVENT_PROGRAM_END:
        return check_region_row(c, event_opens(kind), arg);
    case EVENT_SEND:
    case EVENT_RECV:
    case EVENT_ISEND:
    case EVENT_IRECV_REQUEST:
        return check_post(c, kind, arg);
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV:
        return check_completion(c, kind, arg);
    case EVENT_MATCHED:
        return is_index(arg, s->message_count) ? NULL : "there is no such message";
    case EVENT_REQUEST_TEST:
    case EVENT_REQUEST_CANCELLED:
        return check_request(c, arg);
    case EVENT_COLLECTIVE_BEGIN:
    case EVENT_COLLECTIVE_END:
    case EVENT_NBC_REQUEST:
    case EVENT_NBC_COMPLETE:
        return check_operation(c, kind, arg);
    case EVENT_COMM_CREATE:
    case EVENT_COMM_DESTROY:
        return is_index(arg, d->comm_count) ? NULL : "the communicator is not defined";
    case EVENT_RMA_WIN_CREATE:
    case EVENT_RMA_WIN_DESTROY:
        return arg < d->window_count ? NULL : "the window is not defined";
    case EVENT_RMA_OP:
        return arg < s->rma_op_count ? NULL : "there is no such one-sided operation";
    case EVENT_RMA_SYNC:
        return arg < s->rma_sync_count && s->rma_syncs[arg].row == c->row
                   ? NULL
                   : "there is no such one-sided synchronisation";
    case EVENT_POLLS:
        return c->row > 0 && event_opens(s->kind[c->row - 1]) ? NULL : "no region stands for them";
    case EVENT_BUFFER_FLUSH:
        return arg < s->flush_count ? NULL : "it never ends";
    case EVENT_OTHER:
        return check_other(c, arg);
    case EVENT_MEASUREMENT_ON_OFF:
    case EVENT_KIND_COUNT:
        break;
    }
    return NULL;
}

static const char *check_rows(struct checker *c)
{
    const struct stream *s = c->stream;
    const char *wrong = NULL;
    uint64_t before = 0;
    for (c->row = 0; !wrong && c->row < s->count; c->row++) {
        wrong = s->time[c->row] < before ? "its time stamp is before that of the event before it"
                                         : check_event(c, s->kind[c->row], s->arg[c->row]);
        before = s->time[c->row];
    }
    if (wrong)
        c->row--;
    else if (c->open.count > 0)
        wrong = "regions are open at its end";
    return wrong;
}

/* True if the row is of one of two kinds and its argument is this item. `row` may be INDEX_NONE. */
static bool row_is_of(const struct stream *s, uint32_t row, uint32_t item, enum event_kind kind,
                      enum event_kind other)
{
    return row == INDEX_NONE || (row < s->count && s->arg[row] == item &&
                                 (s->kind[row] == kind || s->kind[row] == other));
}

static const char *check_message(const struct checker *c, uint32_t index)
{
    const struct stream *s = c->stream;
    const struct definitions *d = c->trace->definitions;
    const struct message *m = &s->messages[index];
    const bool sends = m->flags & MESSAGE_SEND, waits = m->flags & MESSAGE_NONBLOCKING;
    const enum event_kind posts = waits   ? sends ? EVENT_ISEND : EVENT_IRECV_REQUEST
                                  : sends ? EVENT_SEND
                                          : EVENT_RECV;
    const enum event_kind completes = waits ? sends ? EVENT_ISEND_COMPLETE : EVENT_IRECV : posts;
    if (!row_is_of(s, m->post, index, posts, posts) ||
        !row_is_of(s, m->completion, index, completes, EVENT_REQUEST_CANCELLED) ||
        (m->post == INDEX_NONE && m->completion == INDEX_NONE))
        return "a message is posted or completed by another event";
    if (m->post != INDEX_NONE && m->completion < m->post)
        return "a message is completed before it is posted";
    if (m->bytes > MOST_BYTES)
        return "a message has more bytes than a process can have";
    if (m->types > d->group_count)
        return "a message has datatypes that are not defined";
    const bool unknown = m->peer == PEER_UNKNOWN && !sends;
    if (m->comm == INDEX_NONE ? !unknown : m->comm >= d->comm_count)
        return "a message has a communicator that is not defined";
    const uint32_t partner = unknown || s->rank == INDEX_NONE
                                 ? INDEX_NONE
                                 : comm_world_rank(d, m->comm, s->rank, m->peer);
    if (m->partner_rank != partner || (partner == INDEX_NONE && !unknown && s->rank != INDEX_NONE))
        return "the peer of a message is not in its communicator";
    return m->partner == INDEX_NONE ? NULL : "a message is matched";
}

/* True if all ranks of a group are members of the communicator. `group` may be INDEX_NONE. */
static bool are_members(const struct checker *c, uint32_t comm, uint32_t group)
{
    const struct definitions *d = c->trace->definitions;
    if (!is_index(group, d->group_count))
        return false;
    for (uint32_t i = 0; group != INDEX_NONE && i < d->groups[group].count; i++) {
        const uint64_t rank = d->groups[group].members[i];
        if (rank > INT32_MAX || !is_peer(c, comm, (uint32_t)rank))
            return false;
    }
    return true;
}

static const char *check_collective(const struct checker *c, uint32_t index)
{
    const struct stream *s = c->stream;
    const struct definitions *d = c->trace->definitions;
    const struct collective *o = &s->collectives[index];
    const bool waits = o->flags & COLLECTIVE_NONBLOCKING, of_window = o->flags & COLLECTIVE_WINDOW;
    const enum event_kind begins = waits ? EVENT_NBC_REQUEST : EVENT_COLLECTIVE_BEGIN;
    const enum event_kind ends = waits ? EVENT_NBC_COMPLETE : EVENT_COLLECTIVE_END;
    if (!row_is_of(s, o->begin, index, begins, begins) ||
        !row_is_of(s, o->end, index, ends, ends) ||
        (o->begin == INDEX_NONE && o->end == INDEX_NONE) || (!waits && o->end == INDEX_NONE))
        return "a collective operation begins or ends at another event";
    if (o->op >= COLLECTIVE_OP_COUNT)
        return "a collective operation is unknown";
    if (of_window && o->window >= d->window_count)
        return "a collective operation has a window that is not defined";
    const bool without = o->end == INDEX_NONE || (of_window && !window_takes_part(d, o->window));
    if (o->comm == INDEX_NONE ? !without : o->comm >= d->comm_count)
        return "a collective operation has a communicator that is not defined";
    if (o->comm != INDEX_NONE && of_window && o->comm != d->windows[o->window].own)
        return "a collective operation has another communicator than its window";
    if (o->comm != INDEX_NONE && o->root < ROOT_THIS_GROUP && !is_peer(c, o->comm, o->root))
        return "the root of a collective operation is not in its communicator";
    const bool known =
        o->flags & COLLECTIVE_NEIGHBOUR
            ? (o->comm != INDEX_NONE || (o->destinations & o->sources) == INDEX_NONE) &&
                  are_members(c, o->comm, o->destinations) && are_members(c, o->comm, o->sources)
            : is_index(o->destinations, d->group_count) &&
                  (waits || is_index(o->sources, d->group_count));
    if (!known || !is_index(o->send_counts, d->group_count) ||
        !is_index(o->receive_counts, d->group_count))
        return "a collective operation has neighbours or counts that are not defined";
    if (o->types > d->group_count)
        return "a collective operation has datatypes that are not defined";
    return o->instance == INDEX_NONE ? NULL : "a collective operation is matched";
}

static const char *check_rma(const struct checker *c)
{
    const struct stream *s = c->stream;
    const struct definitions *d = c->trace->definitions;
    for (uint32_t i = 0; i < s->rma_op_count; i++) {
        const struct rma_op *op = &s->rma_ops[i];
        if (op->window >= d->window_count)
            return "a one-sided operation has a window that is not defined";
        if (op->target == INDEX_NONE || !window_has_peer(d, op->window, s->rank, op->target))
            return "the target of a one-sided operation is not in its window";
        if (op->types > d->group_count)
            return "a one-sided operation has datatypes that are not defined";
        if (op->sent > MOST_BYTES || op->received > MOST_BYTES)
            return "a one-sided operation has more bytes than a process can have";
    }
    for (uint32_t i = 0; i < s->rma_sync_count; i++) {
        const struct rma_sync *sync = &s->rma_syncs[i];
        const bool grouped = sync->kind <= RMA_SYNC_GROUP;
        if (sync->window >= d->window_count || sync->kind >= RMA_SYNC_KIND_COUNT ||
            !row_is_of(s, sync->row, i, EVENT_RMA_SYNC, EVENT_RMA_SYNC) ||
            sync->row == INDEX_NONE || sync->partners != INDEX_NONE)
            return "a one-sided synchronisation has a window that is not defined";
        if (grouped ? sync->group >= d->group_count : sync->group != INDEX_NONE)
            return "a one-sided synchronisation has a group that is not defined";
        const struct group *g = grouped ? &d->groups[sync->group] : NULL;
        for (uint32_t m = 0; g && sync->kind != RMA_SYNC_GROUP && m < g->count; m++)
            if (group_rank(g, m) >= d->rank_count)
                return "a member of the group of a one-sided synchronisation is not a rank";
        if (sync->peer != INDEX_NONE && !window_has_peer(d, sync->window, s->rank, sync->peer))
            return "the peer of a one-sided synchronisation is not in its window";
    }
    return NULL;
}

static const char *check_tables(const struct checker *c)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; !wrong && i < c->stream->message_count; i++)
        wrong = check_message(c, i);
    for (uint32_t i = 0; !wrong && i < c->stream->collective_count; i++)
        wrong = check_collective(c, i);
    return wrong ?: check_rma(c);
}

static bool is_carried(const struct trace *trace, const struct stream *stream)
{
    uint32_t c = 0;
    while (c < trace->carried_count && &trace->carried[c] != stream)
        c++;
    return c < trace->carried_count;
}

const char *stream_check(const struct trace *trace, const struct stream *stream, uint32_t *row)
{
    assert(!trace->matched);
    struct checker checker = {
        .trace = trace, .stream = stream, .carried = is_carried(trace, stream)};
    const char *wrong = check_rows(&checker);
    *row = wrong && checker.row < stream->count ? checker.row : INDEX_NONE;
    wrong = wrong ?: check_tables(&checker);
    free(checker.open.items);
    return wrong;
}
