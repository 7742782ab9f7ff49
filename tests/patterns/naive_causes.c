/* Every look-up searches from the start. */
#include "naive_causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { LATE_SENDER, LATE_RECEIVER, BARRIER, N_TO_N, ONE_TO_N, N_TO_ONE, PREFIX, KINDS };
static const char *const names[KINDS] = {"latesender", "latereceiver", "barrier", "n2n",
                                         "12n",        "n21",          "scan"};

struct place { /* of a rank's call */
    uint32_t rank, row, leave_row, event_row;
    int64_t enter, leave, begin, end, wait;
    bool member, sends, receives, is_root, culprit;
};

struct point {
    enum kind kind;
    bool pair;            /* one waits for one other */
    struct place *places; /* [ranks]; of those with `member` */
};

struct wait {
    struct point *point;
    struct place *victim, *culprit;
    int64_t *delay, total, own; /* [path]; sums of delays and of the culprit's waits */
    double scale, passed[KINDS];
    uint32_t start; /* event row at the culprit + 1, 0: MPI_Init */
};

static struct trace *trace;
static struct point *points;
static size_t point_count;
static struct wait *waits;
static size_t wait_count;
static uint32_t paths;

static struct place place_at(uint32_t rank, uint32_t row)
{
    const struct stream *s = &trace->streams[rank];
    struct place place = {.rank = rank, .row = stream_enter_at(s, row), .event_row = row};
    place.member = true;
    place.leave_row = place.row + 1;
    while (s->kind[place.leave_row] != EVENT_LEAVE || s->arg[place.leave_row] != place.row)
        place.leave_row++;
    place.enter = (int64_t)s->time[place.row];
    place.end = place.leave = (int64_t)s->time[place.leave_row];
    return place;
}

static enum mpi_call call_of(const struct place *place)
{
    const struct stream *s = &trace->streams[place->rank];
    uint32_t region = trace->calltree.paths.items[s->arg[place->row]].region;
    return trace->definitions->regions[region].mpi_call;
}

static struct point *new_point(enum kind kind)
{
    points = realloc(points, (point_count + 1) * sizeof *points);
    points[point_count] = (struct point){kind, kind <= LATE_RECEIVER,
                                         calloc(trace->rank_count, sizeof(struct place))};
    return &points[point_count++];
}

/* The longest wait of the call entered at `row`, as a sender or as a receiver. */
static int64_t longest(uint32_t rank, uint32_t row, bool sender, struct place *own,
                       struct place *other)
{
    const struct stream *s = &trace->streams[rank];
    int64_t most = 0;
    for (uint32_t i = 0; i < s->message_count; i++) {
        const struct message *m = &s->messages[i];
        if (m->completion == INDEX_NONE || stream_enter_at(s, m->completion) != row ||
            (m->flags & MESSAGE_SEND ? 1 : 0) != sender || m->partner == INDEX_NONE)
            continue;
        struct place here = place_at(rank, m->completion);
        enum mpi_class class = mpi_call_infos[call_of(&here)].class;
        bool test = class >= MPI_CLASS_TEST && class <= MPI_CLASS_REQUEST_TEST;
        bool blocks = (class >= MPI_CLASS_WAIT && class <= MPI_CLASS_WAITSOME) ||
                      call_of(&here) == MPI_CALL_SEND || call_of(&here) == MPI_CALL_SSEND;
        struct place there =
            place_at(m->partner_rank, trace->streams[m->partner_rank].messages[m->partner].post);
        int64_t until = there.enter < here.leave ? there.enter : here.leave;
        if (sender ? !blocks || there.enter > here.leave : test)
            continue;
        if (until - here.enter > most) {
            most = until - here.enter;
            *own = here;
            *other = there;
        }
    }
    return most;
}

static void find_messages(uint32_t rank)
{
    const struct stream *s = &trace->streams[rank];
    for (uint32_t row = 0; row < s->count; row++) {
        struct place own, other;
        if (s->kind[row] != EVENT_ENTER)
            continue;
        bool sender = false;
        int64_t wait = longest(rank, row, false, &own, &other);
        if (wait == 0)
            wait = longest(rank, row, sender = true, &own, &other);
        if (wait == 0)
            continue;
        struct point *point = new_point(sender ? LATE_RECEIVER : LATE_SENDER);
        own.wait = wait;
        other.culprit = true;
        point->places[own.rank] = own;
        point->places[other.rank] = other;
    }
}

static int64_t waits_for(const struct place *p, int64_t begin)
{
    int64_t until = begin < p->end ? begin : p->end;
    return until > p->begin ? until - p->begin : 0;
}

static void search_collective(enum collective_op op, struct place *p, const uint32_t *order,
                              uint32_t count, enum kind *kind)
{
    int64_t last = INT64_MIN, last_sender = INT64_MIN, first_end = INT64_MAX;
    struct place *latest = NULL, *sender = NULL, *root = NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct place *m = &p[order[i]];
        if (m->begin > last) {
            last = m->begin;
            latest = m;
        }
        if (m->sends && m->begin > last_sender) {
            last_sender = m->begin;
            sender = m;
        }
        if (m->end < first_end)
            first_end = m->end;
        if (m->is_root)
            root = m;
    }
    *kind = op == COLLECTIVE_BARRIER ? BARRIER : N_TO_N;
    bool all = op == COLLECTIVE_BARRIER || first_end > last;
    if (op == COLLECTIVE_BCAST || op == COLLECTIVE_SCATTER || op == COLLECTIVE_SCATTERV)
        *kind = ONE_TO_N;
    if (op == COLLECTIVE_REDUCE || op == COLLECTIVE_GATHER || op == COLLECTIVE_GATHERV)
        *kind = N_TO_ONE;
    struct place *culprit = *kind == ONE_TO_N   ? root
                            : *kind == N_TO_ONE ? sender
                            : all               ? latest
                                                : sender;
    if (op == COLLECTIVE_SCAN || op == COLLECTIVE_EXSCAN || !culprit ||
        (*kind == N_TO_N && !sender))
        return;
    culprit->culprit = true;
    for (uint32_t i = 0; i < count; i++) {
        struct place *m = &p[order[i]];
        bool may = *kind == ONE_TO_N   ? m != root && m->receives
                   : *kind == N_TO_ONE ? m == root
                                       : all || (m->receives && m->begin <= culprit->begin);
        m->wait = may ? waits_for(m, culprit->begin) : 0;
    }
}

struct part {                   /* of a rank in an operation */
    const struct collective *c; /* NULL: takes no part */
    struct place posts, ends;   /* the same call if blocking */
    int64_t from;
    uint32_t comm_rank;
    bool second_group, never_waits;
};

struct candidate { /* a wait in such an operation */
    struct place victim, culprit;
    enum kind kind;
};

static struct candidate *candidates;
static size_t candidate_count;

static bool is_member(uint32_t group, uint32_t rank)
{
    const struct group *g = &trace->definitions->groups[group];
    for (uint32_t i = 0; i < g->count; i++)
        if (group_rank(g, i) == rank)
            return true;
    return false;
}

static struct part make_part(uint32_t rank, const struct collective *c)
{
    const struct communicator *comm = &trace->definitions->comms[c->comm];
    struct part part = {.c = c,
                        .posts =
                            place_at(rank, c->flags & COLLECTIVE_NONBLOCKING ? c->begin : c->end),
                        .ends = place_at(rank, c->end),
                        .comm_rank = comm_rank_of(trace->definitions, c->comm, rank)};
    part.posts.begin = part.ends.begin = (int64_t)trace->streams[rank].time[c->begin];
    part.from = part.posts.begin;
    if (c->flags & COLLECTIVE_NONBLOCKING) {
        enum mpi_class class = mpi_call_infos[call_of(&part.ends)].class;
        part.from = part.ends.enter;
        part.never_waits = class >= MPI_CLASS_TEST && class <= MPI_CLASS_REQUEST_TEST;
    } else {
        part.posts.end = part.ends.end = (int64_t)trace->streams[rank].time[c->end];
    }
    part.second_group = comm->remote_group != INDEX_NONE && is_member(comm->remote_group, rank);
    return part;
}

static bool is_root(const struct part *part)
{
    if (trace->definitions->comms[part->c->comm].remote_group != INDEX_NONE)
        return part->c->root == ROOT_SELF;
    return part->c->root == part->comm_rank;
}

static bool needs(const struct part *i, const struct part *j, bool literally)
{
    const struct collective *c = i->c;
    const bool sends = j->c->sent > 0, receives = c->received > 0;
    if (trace->definitions->comms[c->comm].remote_group != INDEX_NONE &&
        i->second_group == j->second_group)
        return false;
    if (c->op == COLLECTIVE_SCAN || c->op == COLLECTIVE_EXSCAN)
        if (j->comm_rank > i->comm_rank && c->receive_counts == INDEX_NONE)
            return false;
    if (c->receive_counts != INDEX_NONE) {
        const struct group *groups = trace->definitions->groups;
        const struct group *counts = &groups[c->receive_counts];
        if (!(c->flags & COLLECTIVE_NEIGHBOUR))
            return j->comm_rank < counts->count && counts->members[j->comm_rank] > 0;
        for (uint32_t k = 0; k < counts->count; k++)
            if (groups[c->sources].members[k] == j->comm_rank && counts->members[k] > 0)
                return true;
        return false;
    }
    if (c->flags & COLLECTIVE_NEIGHBOUR)
        return false;
    switch (c->op) {
    case COLLECTIVE_BARRIER:
        return true;
    case COLLECTIVE_BCAST:
    case COLLECTIVE_SCATTER:
    case COLLECTIVE_SCATTERV:
        return is_root(j) && receives;
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_GATHER:
    case COLLECTIVE_GATHERV:
        return is_root(i) && sends;
    default: /* for a blocking prefix reduction the data received does not matter */
        return sends && (receives || literally);
    }
}

static enum kind kind_of(enum collective_op op)
{
    switch (op) {
    case COLLECTIVE_BARRIER:
        return BARRIER;
    case COLLECTIVE_BCAST:
    case COLLECTIVE_SCATTER:
    case COLLECTIVE_SCATTERV:
        return ONE_TO_N;
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_GATHER:
    case COLLECTIVE_GATHERV:
        return N_TO_ONE;
    case COLLECTIVE_SCAN:
    case COLLECTIVE_EXSCAN:
        return PREFIX;
    default:
        return N_TO_N;
    }
}

static void search_needs(const struct part *parts, bool literally)
{
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct part *i = &parts[r], *last = NULL;
        for (uint32_t k = 0; i->c && k < trace->rank_count; k++) /* in order of ranks there */
            for (uint32_t o = 0; o < trace->rank_count; o++)
                if (parts[o].c && parts[o].comm_rank == k && needs(i, &parts[o], literally) &&
                    (!last || parts[o].posts.begin > last->posts.begin))
                    last = &parts[o];
        if (!last || i->never_waits)
            continue;
        int64_t end = (int64_t)trace->streams[r].time[i->c->end];
        int64_t until = last->posts.begin < end ? last->posts.begin : end;
        if (until <= i->from)
            continue;
        struct candidate candidate = {i->ends, last->posts, kind_of((enum collective_op)i->c->op)};
        candidate.victim.wait = until - i->from;
        candidate.culprit.culprit = true;
        candidates = realloc(candidates, (candidate_count + 1) * sizeof *candidates);
        candidates[candidate_count++] = candidate;
    }
}

/* A call that waits for a message counts as that; else its longest wait counts, of several the one
 * that ends first. */
static bool is_counted(const struct candidate *candidate)
{
    const struct place *v = &candidate->victim;
    struct place own, other;
    if (longest(v->rank, v->row, false, &own, &other) > 0 ||
        longest(v->rank, v->row, true, &own, &other) > 0)
        return false;
    for (size_t i = 0; i < candidate_count; i++) {
        const struct place *x = &candidates[i].victim;
        if (x->rank == v->rank && x->row == v->row &&
            (x->wait > v->wait || (x->wait == v->wait && x->event_row < v->event_row)))
            return false;
    }
    return true;
}

static void add_candidates(void)
{
    for (size_t i = 0; i < candidate_count; i++) {
        if (!is_counted(&candidates[i]))
            continue;
        struct point *point = new_point(candidates[i].kind);
        point->pair = true;
        point->places[candidates[i].victim.rank] = candidates[i].victim;
        point->places[candidates[i].culprit.rank] = candidates[i].culprit;
    }
    free(candidates);
    candidates = NULL;
    candidate_count = 0;
}

static void find_collectives(uint32_t comm, uint32_t instance)
{
    struct place *p = calloc(trace->rank_count, sizeof *p);
    struct part *parts = calloc(trace->rank_count, sizeof *parts);
    uint32_t *order = calloc(trace->rank_count, sizeof *order), count = 0, op = 0;
    bool by_needs = trace->definitions->comms[comm].remote_group != INDEX_NONE;
    for (uint32_t k = 0; k < trace->rank_count; k++) /* in order of ranks in the communicator */
        for (uint32_t r = 0; r < trace->rank_count; r++)
            for (uint32_t i = 0; i < trace->streams[r].collective_count; i++) {
                const struct collective *c = &trace->streams[r].collectives[i];
                if (c->comm != comm || c->instance != instance || c->end == INDEX_NONE ||
                    comm_rank_of(trace->definitions, comm, r) != k)
                    continue;
                parts[r] = make_part(r, c);
                p[r] = parts[r].ends;
                p[r].sends = c->sent > 0;
                p[r].receives = c->received > 0;
                p[r].is_root = k == c->root;
                by_needs |= c->flags & (COLLECTIVE_NONBLOCKING | COLLECTIVE_NEIGHBOUR |
                                        COLLECTIVE_WINDOW) ||
                            ((c->op == COLLECTIVE_ALLTOALLV || c->op == COLLECTIVE_ALLTOALLW) &&
                             c->receive_counts != INDEX_NONE);
                op = c->op;
                order[count++] = r;
            }
    enum kind kind = BARRIER;
    bool waiting = false, prefix = op == COLLECTIVE_SCAN || op == COLLECTIVE_EXSCAN;
    if (count > 1 && (by_needs || prefix))
        search_needs(parts, !by_needs);
    else if (count > 1)
        search_collective((enum collective_op)op, p, order, count, &kind);
    for (uint32_t r = 0; r < trace->rank_count; r++)
        waiting |= p[r].wait > 0;
    if (waiting)
        memcpy(new_point(kind)->places, p, trace->rank_count * sizeof *p);
    free(p);
    free(parts);
    free(order);
}

static bool synchronises(const struct point *point, uint32_t a, uint32_t b)
{
    const struct place *p = &point->places[a], *q = &point->places[b];
    if (!p->member || !q->member)
        return false;
    if (!point->pair && (point->kind == BARRIER || point->kind == N_TO_N))
        return (p->wait || p->culprit) && (q->wait || q->culprit);
    return (p->culprit && q->wait) || (q->culprit && p->wait);
}

static bool is_before(const struct place *p, const struct place *q)
{
    return p->row != q->row ? p->row < q->row : p->event_row < q->event_row;
}

/* The last point before `here` that synchronises the two ranks. */
static struct point *previous(const struct point *here, uint32_t culprit, uint32_t victim)
{
    struct point *last = NULL;
    for (size_t i = 0; i < point_count; i++)
        if (&points[i] != here && synchronises(&points[i], culprit, victim) &&
            is_before(&points[i].places[culprit], &here->places[culprit]) &&
            points[i].places[victim].row <= here->places[victim].row &&
            (!last || is_before(&last->places[culprit], &points[i].places[culprit])))
            last = &points[i];
    return last;
}

/* A member that had left before the last one came was not released by it. */
static bool left_before(const struct point *start, const struct place *m)
{
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (start->places[r].culprit)
            return m->end <= start->places[r].enter;
    return false;
}

/* Ticks of the call at the start that count. */
static int64_t start_ticks(const struct point *start, const struct place *own,
                           const struct place *other)
{
    int64_t released = own->end < other->end ? own->end : other->end;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        const struct place *m = &start->places[r];
        if (!start->pair && start->kind >= BARRIER && start->kind <= ONE_TO_N && m->member &&
            m->end < released &&
            (m->wait > 0 || (start->kind != ONE_TO_N && (m->culprit || !left_before(start, m)))))
            released = m->end;
    }
    if (!start->pair && start->kind == ONE_TO_N) {
        released = INT64_MAX;
        for (uint32_t r = 0; r < trace->rank_count; r++)
            if (start->places[r].wait && start->places[r].end < released)
                released = start->places[r].end;
    }
    if (start->kind == LATE_RECEIVER && own->wait)
        return own->end < other->end ? own->end - other->end : 0;
    return own->end > released ? own->end - released : 0;
}

static struct place init_of(uint32_t rank)
{
    const struct stream *s = &trace->streams[rank];
    uint32_t row = 0;
    for (; row < s->count; row++) {
        struct place place = {.rank = rank, .row = row};
        if (s->kind[row] == EVENT_ENTER && call_of(&place) == MPI_CALL_INIT)
            return place_at(rank, row);
    }
    abort();
}

static int64_t first_init_leave(int64_t own_leave)
{
    int64_t first = INT64_MAX, last_enter = INT64_MIN;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        struct place init = init_of(r);
        first = init.leave < first ? init.leave : first;
        last_enter = init.enter > last_enter ? init.enter : last_enter;
    }
    if (last_enter > own_leave)
        last_enter = own_leave;
    return first > last_enter ? first : last_enter;
}

/* Time per path of the rank from the start to the call of `end`; returns its waits in between. */
static int64_t spend(const struct point *start, const struct place *end, uint32_t other,
                     int64_t *ticks)
{
    const struct stream *s = &trace->streams[end->rank];
    const struct place *from = start ? &start->places[end->rank] : NULL;
    struct place init = init_of(end->rank);
    uint32_t row = from ? from->leave_row : init.leave_row;
    int64_t sum = 0;
    if (!from)
        ticks[s->arg[init.row]] += init.leave - first_init_leave(init.leave);
    if (from)
        ticks[s->arg[from->row]] += start_ticks(start, from, &start->places[other]);
    for (; row < end->row; row++) {
        uint32_t path = s->kind[row] == EVENT_LEAVE
                            ? trace->calltree.paths.items[s->arg[s->arg[row]]].parent
                        : s->kind[row] == EVENT_ENTER || s->kind[row] == EVENT_PROGRAM_BEGIN
                            ? s->arg[row]
                            : stream_callpath_at(s, row);
        if (path != CALLPATH_NONE)
            ticks[path] += (int64_t)(s->time[row + 1] - s->time[row]);
    }
    for (size_t i = 0; i < wait_count; i++) {
        const struct place *v = waits[i].victim;
        bool own_wait = from && (waits[i].point == start || !start->pair);
        if (v->rank == end->rank && v->row < end->row &&
            (!from || v->row > from->row || (v->row == from->row && !own_wait))) {
            ticks[s->arg[v->row]] -= v->wait;
            sum += v->wait;
        }
    }
    return sum;
}

static void add_waits(struct point *point)
{
    struct place *culprit = NULL;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (point->places[r].culprit)
            culprit = &point->places[r];
    for (uint32_t r = 0; r < trace->rank_count; r++)
        if (point->places[r].wait > 0) {
            waits = realloc(waits, (wait_count + 1) * sizeof *waits);
            waits[wait_count++] =
                (struct wait){.point = point, .victim = &point->places[r], .culprit = culprit};
        }
}

static uint32_t start_at(const struct point *point, uint32_t culprit, uint32_t other)
{
    const struct point *start = previous(point, culprit, other);
    return start ? start->places[culprit].event_row + 1 : 0;
}

static void find_delays(struct wait *w)
{
    const struct point *start = previous(w->point, w->culprit->rank, w->victim->rank);
    int64_t *victim = calloc(paths, sizeof *victim);
    w->delay = calloc(paths, sizeof *w->delay);
    spend(start, w->victim, w->culprit->rank, victim);
    w->own = spend(start, w->culprit, w->victim->rank, w->delay);
    for (uint32_t p = 0; p < paths; p++) {
        w->delay[p] -= victim[p] > 0 ? victim[p] : 0;
        w->delay[p] = w->delay[p] > 0 ? w->delay[p] : 0;
        w->total += w->delay[p];
    }
    w->start = start_at(w->point, w->culprit->rank, w->victim->rank);
    if (w->total + w->own > 0)
        w->scale = (double)w->victim->wait / (double)(w->total + w->own);
    if (w->point->pair && w->scale > 1)
        w->scale = 1;
    free(victim);
}

/* Whether costs of w go to the culprit's wait x (in w's interval). */
static bool passes(const struct wait *w, const struct wait *x)
{
    uint32_t least = UINT32_MAX, next = UINT32_MAX;
    if (w->point->pair)
        return true;
    for (uint32_t r = 0; r < trace->rank_count; r++) {
        if (r == w->culprit->rank || !w->point->places[r].member)
            continue;
        uint32_t start = start_at(w->point, w->culprit->rank, r);
        least = start < least ? start : least;
        next = start > w->start && start < next ? start : next;
    }
    return w->start == least || x->victim->event_row + 1 >= next;
}

static void pass_back(struct wait *w)
{
    const struct point *start = previous(w->point, w->culprit->rank, w->victim->rank);
    uint32_t from = start ? start->places[w->culprit->rank].row : 0;
    for (size_t i = 0; i < wait_count; i++) {
        struct wait *x = &waits[i];
        bool at_start = start && x->victim->row == from && (x->point == start || !start->pair);
        if (x->victim->rank != w->culprit->rank || x->victim->row >= w->culprit->row ||
            (start && x->victim->row < from) || at_start || !passes(w, x) || w->total + w->own == 0)
            continue;
        x->passed[w->point->kind] += (double)x->victim->wait * w->scale;
        for (int k = 0; k < KINDS; k++)
            x->passed[k] += (double)x->victim->wait * w->passed[k] / (double)(w->total + w->own);
    }
}

static int last_first(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    return (x->culprit->enter < y->culprit->enter) - (x->culprit->enter > y->culprit->enter);
}

static naive_value *found;
static void *found_context;

static void tell(const char *name, enum kind kind, const char *suffix, uint32_t path, uint32_t rank,
                 double ticks)
{
    char metric[64];
    snprintf(metric, sizeof metric, "%s_%s%s", name, names[kind], suffix);
    if (ticks != 0)
        found(found_context, metric, path, rank, ticks);
}

static void tell_wait(const struct wait *w)
{
    uint32_t rank = w->culprit->rank;
    for (uint32_t p = 0; p < paths; p++) {
        tell("delay", w->point->kind, "", p, rank, (double)w->delay[p] * w->scale);
        for (int k = 0; k < KINDS; k++)
            if (w->passed[k] > 0)
                tell("delay", (enum kind)k, "_longterm", p, rank,
                     (double)w->delay[p] * w->passed[k] / (double)(w->total + w->own));
    }
    if (w->point->kind <= LATE_RECEIVER)
        tell("mpi_wait_indirect", w->point->kind, "",
             trace->streams[w->victim->rank].arg[w->victim->row], w->victim->rank,
             w->scale * (double)w->own);
}

static void clear(void)
{
    for (size_t i = 0; i < point_count; i++)
        free(points[i].places);
    for (size_t i = 0; i < wait_count; i++)
        free(waits[i].delay);
    free(points);
    free(waits);
    points = NULL;
    waits = NULL;
    point_count = wait_count = 0;
}

void naive_causes_find(struct trace *of, naive_value *value, void *context)
{
    trace = of;
    found = value;
    found_context = context;
    paths = (uint32_t)trace->calltree.paths.count;
    for (uint32_t r = 0; r < trace->rank_count; r++)
        find_messages(r);
    for (uint32_t comm = 0; comm < trace->definitions->comm_count; comm++)
        for (uint32_t n = 0; n < trace->streams[0].count; n++)
            if (!trace->definitions->comms[comm].self)
                find_collectives(comm, n);
    add_candidates();
    for (size_t i = 0; i < point_count; i++)
        add_waits(&points[i]);
    for (size_t i = 0; i < wait_count; i++)
        find_delays(&waits[i]);
    qsort(waits, wait_count, sizeof *waits, last_first);
    for (size_t i = 0; i < wait_count; i++)
        pass_back(&waits[i]);
    for (size_t i = 0; i < wait_count; i++)
        tell_wait(&waits[i]);
    clear();
}
