#include "predict/from/steps.h"

#include "base/map.h"
#include "base/sort.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The communicator of the script that is the `ordinal`-th made on `parent`. INDEX_NONE when memory
 * is out. */
static uint32_t find_comm(struct script_steps *steps, uint32_t parent, uint32_t ordinal,
                          uint32_t call)
{
    for (uint32_t i = 1; i < steps->comms.count; i++) {
        struct script_comm *comm = &steps->comms.items[i];
        if (comm->parent == parent && comm->ordinal == ordinal)
            return i;
    }
    struct script_comm comm = {parent, call, ordinal, ""};
    return array_push(&steps->comms, comm) ? (uint32_t)steps->comms.count - 1 : INDEX_NONE;
}

static bool is_member(const struct definitions *d, uint32_t comm, uint32_t rank)
{
    return !d->comms[comm].self && d->comms[comm].mpi &&
           d->comms[comm].remote_group == INDEX_NONE && comm_rank_of(d, comm, rank) != INDEX_NONE;
}

/* The k-th communicator with this parent that has the rank as a member, in order of definition:
 * what the k-th call has made, for archives without records of it. */
static uint32_t guess_made(const struct definitions *d, uint32_t parent, uint32_t k, uint32_t rank)
{
    for (uint32_t c = 0; c < d->comm_count; c++)
        if (d->comms[c].parent == parent && is_member(d, c, rank) && k-- == 0)
            return c;
    return INDEX_NONE;
}

static bool records_creation(const struct recorded_program *program)
{
    for (uint32_t r = 0; r < program->trace->rank_count; r++)
        for (size_t i = 0; i < program->ranks[r].list.count; i++)
            if (program->ranks[r].list.items[i].made != INDEX_NONE)
                return true;
    return false;
}

/* Communicators that a rank makes. */
static bool take_created(struct script_steps *steps, uint32_t p, uint32_t rank, bool recorded)
{
    struct recorded_program *program = &steps->programs[p];
    const struct definitions *d = program->trace->definitions;
    uint32_t *of = steps->comm_of[p];
    struct map ordinals = {0};
    bool room = true;
    for (size_t i = 0; i < program->ranks[rank].list.count && room; i++) {
        struct action *action = &program->ranks[rank].list.items[i];
        if (action->kind != ACTION_CREATE)
            continue;
        uint32_t parent = of[action->comm] == INDEX_NONE ? 0 : of[action->comm];
        uint32_t *ordinal = map_at(&ordinals, parent, 0);
        uint32_t comm = ordinal ? find_comm(steps, parent, *ordinal, action->call) : INDEX_NONE;
        room = comm != INDEX_NONE;
        if (!room)
            break;
        uint32_t made = recorded ? action->made : guess_made(d, action->comm, *ordinal, rank);
        (*ordinal)++;
        if (made != INDEX_NONE && of[made] == INDEX_NONE)
            of[made] = comm;
        action->made = comm;
    }
    map_clear(&ordinals);
    return room;
}

/* Communicators that are used but never made. */
static bool take_used(struct script_steps *steps, uint32_t p)
{
    const struct recorded_program *program = &steps->programs[p];
    const struct definitions *d = program->trace->definitions;
    uint32_t *of = steps->comm_of[p];
    bool *used = calloc(d->comm_count + 1, sizeof *used);
    bool room = used;
    for (uint32_t r = 0; r < program->trace->rank_count && room; r++)
        for (size_t i = 0; i < program->ranks[r].list.count; i++) {
            uint32_t comm = program->ranks[r].list.items[i].comm;
            if (comm != INDEX_NONE && of[comm] == INDEX_NONE)
                used[comm] = true;
        }
    for (uint32_t r = 0; r < program->trace->rank_count && room; r++) {
        uint32_t ordinal = UINT32_MAX / 2; /* beyond those that are made */
        for (uint32_t c = 0; c < d->comm_count && room; c++)
            if (used[c] && is_member(d, c, r)) {
                uint32_t comm = find_comm(steps, 0, ordinal++, MPI_CALL_NONE);
                room = comm != INDEX_NONE;
                if (room && of[c] == INDEX_NONE)
                    of[c] = comm;
            }
    }
    free(used);
    return room;
}

static void renumber_comms(struct script_steps *steps, uint32_t p, uint32_t rank)
{
    const struct definitions *d = steps->programs[p].trace->definitions;
    struct rank_actions *actions = &steps->programs[p].ranks[rank];
    uint32_t last = INDEX_NONE, me = 0;
    for (size_t i = 0; i < actions->list.count; i++) {
        struct action *action = &actions->list.items[i];
        if (action->kind == ACTION_FREE && action->made != INDEX_NONE)
            action->made = steps->comm_of[p][action->made];
        if (action->comm == INDEX_NONE)
            continue;
        if (action->comm != last) {
            last = action->comm;
            me = comm_rank_of(d, last, rank);
        }
        action->me = (int32_t)me;
        action->comm = steps->comm_of[p][last];
    }
}

uint32_t steps_comm_at(const struct script_steps *steps, uint32_t recording, uint32_t comm,
                       uint32_t rank)
{
    assert(recording < steps->program_count && comm < steps->comms.count);
    const struct definitions *d = steps->programs[recording].trace->definitions;
    for (uint32_t c = 0; c < d->comm_count; c++)
        if (steps->comm_of[recording][c] == comm && is_member(d, c, rank))
            return c;
    return INDEX_NONE;
}

/* A name for each: that of the recording, if it may stand in a script. */
static bool name_comms(struct script_steps *steps)
{
    static const char *const kinds[] = {"copy", "grid", "part", "group"};
    uint32_t numbers[4] = {0};
    for (uint32_t i = 0; i < steps->comms.count; i++) {
        struct script_comm *comm = &steps->comms.items[i];
        int kind = comm->call == MPI_CALL_COMM_DUP      ? 0
                   : comm->call == MPI_CALL_CART_CREATE ? 1
                   : comm->call == MPI_CALL_NONE        ? 3
                                                        : 2;
        char text[64] = "world";
        if (i > 0)
            snprintf(text, sizeof text, "%s_%u", kinds[kind], ++numbers[kind]);
        comm->name = arena_strdup(steps->arena, text);
        if (!comm->name)
            return false;
    }
    return true;
}

static bool find_comms(struct script_steps *steps)
{
    bool room = array_push(&steps->comms, (struct script_comm){.parent = INDEX_NONE});
    for (uint32_t p = 0; p < steps->program_count && room; p++) {
        const struct definitions *d = steps->programs[p].trace->definitions;
        uint32_t *of = steps->comm_of[p] = malloc((d->comm_count + 1) * sizeof **steps->comm_of);
        if (!of)
            return false;
        memset(of, 0xff, (d->comm_count + 1) * sizeof *of);
        uint32_t world = definitions_world(d);
        if (world != INDEX_NONE)
            of[world] = 0;
        bool recorded = records_creation(&steps->programs[p]);
        for (uint32_t r = 0; r < d->rank_count && room; r++)
            room = take_created(steps, p, r, recorded);
        room = room && take_used(steps, p);
        for (uint32_t r = 0; r < d->rank_count && room; r++)
            renumber_comms(steps, p, r);
    }
    return room && name_comms(steps);
}

/* What an action is, without the requests of waits. */
static struct script_step plain_step(struct script_steps *steps, const struct definitions *d,
                                     const struct action *action)
{
    struct script_step step = {.kind = action->kind,
                               .call = action->call,
                               .comm = action->comm,
                               .made = action->made,
                               .send_tag = TAG_UNKNOWN,
                               .receive_tag = TAG_UNKNOWN,
                               .name = INDEX_NONE,
                               .numbered = INDEX_NONE};
    if (steps->tags && action->send.there && action->send.peer != NO_PEER)
        step.send_tag = action->send.tag;
    if (steps->tags && action->receive.there && action->receive.peer != NO_PEER)
        step.receive_tag = action->receive.tag;
    if (action->region != INDEX_NONE)
        step.name = name_set_text(&steps->names, d->regions[action->region].name, NULL);
    return step;
}

/* A request that is open. */
struct posted_request {
    uint32_t name, action; /* the action that posted it */
    bool silent;           /* to or from MPI_PROC_NULL */
};

/* One rank while its actions are followed. */
struct request_follower {
    struct script_steps *steps;
    const struct definitions *definitions;
    struct rank_actions *actions;
    ARRAY(struct posted_request) open;
    ARRAY(uint32_t) completed; /* replaces that of the actions: with silent ones */
    ARRAY(uint32_t) names;     /* numbered ones of the current wait */
    bool again;                /* more requests must be numbered */
    bool out_of_memory;
};

static uint32_t request_call(const struct script_steps *steps, uint32_t request)
{
    const uint32_t *key = steps->requests.items.items[request].data;
    return key[0];
}

/* The name of a request that is posted now. */
static uint32_t name_request(const struct request_follower *f, uint32_t call)
{
    for (uint32_t number = 0;; number++) {
        uint32_t key[2] = {call, number};
        uint32_t name = name_set_add(&f->steps->requests, key, sizeof key, NULL);
        bool taken = false;
        for (size_t i = 0; i < f->open.count; i++)
            taken |= f->open.items[i].name == name;
        if (name == MAP_NONE || !taken || !f->steps->is_numbered[call])
            return name;
    }
}

/* Whether a wait completes an open silent request, as far as one can tell: MPI_Wait the oldest if
 * it completes nothing else, MPI_Waitall all of the calls of which it completes some, or of all. */
static bool takes_silent(const struct request_follower *f, const struct action *wait,
                         size_t candidate, const uint32_t *done, size_t taken)
{
    if (wait->call == MPI_CALL_WAIT)
        return wait->completed == 0 && taken == 0;
    if (wait->call != MPI_CALL_WAITALL)
        return false;
    uint32_t call = request_call(f->steps, f->open.items[candidate].name);
    bool some = wait->completed == 0;
    for (uint32_t k = 0; k < wait->completed; k++)
        some |= f->actions->list.items[done[k]].call == call;
    return some;
}

/* Removes what a wait completes from the open requests. A wait for all requests of a call has one
 * name; if it leaves some open, requests of this call are numbered from now on. */
static void complete(struct request_follower *f, struct action *wait)
{
    const uint32_t *done = f->actions->completed.items + wait->first_completed;
    size_t kept = 0, taken = 0, first = f->completed.count;
    f->names.count = 0;
    for (size_t i = 0; i < f->open.count; i++) {
        struct posted_request open = f->open.items[i];
        bool guess = open.silent && !f->actions->settled;
        if (guess ? !takes_silent(f, wait, i, done, taken)
                  : !numbers_include(done, wait->completed, open.action)) {
            f->open.items[kept++] = open;
            continue;
        }
        taken++;
        f->out_of_memory |= !array_push(&f->completed, open.action);
        if (f->steps->is_numbered[request_call(f->steps, open.name)])
            f->out_of_memory |= !array_push(&f->names, open.name);
    }
    f->open.count = kept;
    for (size_t i = 0; i < kept && wait->call != MPI_CALL_WAITANY; i++)
        for (size_t k = first; k < f->completed.count; k++)
            if (f->actions->list.items[f->completed.items[k]].request == f->open.items[i].name)
                f->again |= steps_number_requests(f->steps, f->open.items[i].name);
    wait->first_completed = (uint32_t)first;
    wait->completed = (uint32_t)taken;
    wait->left_out = taken == 0 && wait->call != MPI_CALL_WAITALL;
    if (f->names.count)
        qsort(f->names.items, f->names.count, sizeof *f->names.items, order_uint32);
}

static bool posts_silently(const struct action *action)
{
    enum mpi_class class = mpi_call_infos[action->call].class;
    return action->kind == ACTION_MESSAGE && !action->posts &&
           (class == MPI_CLASS_ISEND || class == MPI_CLASS_IRECV);
}

static void name_action(struct request_follower *f, uint32_t i)
{
    struct script_steps *steps = f->steps;
    struct action *action = &f->actions->list.items[i];
    struct script_step step = plain_step(steps, f->definitions, action);
    bool silent = posts_silently(action);
    action->request = INDEX_NONE;
    if (action->posts || silent) {
        action->request = name_request(f, action->call);
        struct posted_request open = {action->request, i, silent};
        f->out_of_memory |= action->request == MAP_NONE || !array_push(&f->open, open);
    }
    if (action->kind == ACTION_WAIT) {
        complete(f, action);
        if (f->names.count)
            step.numbered = name_set_add(&steps->numbered, f->names.items,
                                         f->names.count * sizeof *f->names.items, NULL);
    }
    action->step = name_set_add(&steps->set, &step, sizeof step, NULL);
    f->out_of_memory |= action->step == MAP_NONE;
}

/* False when memory is out. `*again` becomes true if more requests must be numbered. */
static bool name_rank(struct script_steps *steps, const struct definitions *d,
                      struct rank_actions *actions, bool *again)
{
    struct request_follower f = {.steps = steps, .definitions = d, .actions = actions};
    for (uint32_t i = 0; i < actions->list.count && !f.out_of_memory; i++)
        name_action(&f, i);
    if (!f.out_of_memory) {
        free(actions->completed.items);
        actions->completed.items = f.completed.items;
        actions->completed.count = f.completed.count;
        actions->completed.capacity = f.completed.capacity;
    } else {
        free(f.completed.items);
    }
    actions->settled = true;
    free(f.open.items);
    free(f.names.items);
    *again |= f.again;
    return !f.out_of_memory;
}

bool steps_number_requests(struct script_steps *steps, uint32_t request)
{
    assert(request < steps->requests.items.count);
    bool *is = &steps->is_numbered[request_call(steps, request)];
    bool was = *is;
    *is = true;
    return !was;
}

enum status steps_name(struct script_steps *steps, bool tags, struct error *error)
{
    bool again = true, room = true;
    steps->tags = tags;
    while (again && room) {
        again = false;
        name_set_clear(&steps->set);
        name_set_clear(&steps->requests);
        name_set_clear(&steps->numbered);
        for (uint32_t p = 0; p < steps->program_count && room; p++)
            for (uint32_t r = 0; r < steps->programs[p].trace->rank_count && room; r++)
                room = name_rank(steps, steps->programs[p].trace->definitions,
                                 &steps->programs[p].ranks[r], &again);
    }
    return room ? STATUS_OK : error_memory(error, "the steps of a program");
}

enum status steps_make(struct script_steps *steps, struct recorded_program *programs,
                       uint32_t count, struct error *error)
{
    assert(count > 0);
    *steps = (struct script_steps){.programs = programs, .program_count = count, .tags = true};
    steps->arena = arena_create();
    steps->comm_of = calloc(count + 1, sizeof *steps->comm_of);
    enum status status = steps->arena && steps->comm_of && find_comms(steps)
                             ? steps_name(steps, true, error)
                             : error_memory(error, "the communicators of a program");
    if (status != STATUS_OK)
        steps_clear(steps);
    return status;
}

void steps_clear(struct script_steps *steps)
{
    for (uint32_t p = 0; steps->comm_of && p < steps->program_count; p++)
        free(steps->comm_of[p]);
    free(steps->comm_of);
    name_set_clear(&steps->names);
    name_set_clear(&steps->set);
    name_set_clear(&steps->requests);
    name_set_clear(&steps->numbered);
    free(steps->comms.items);
    arena_destroy(steps->arena);
    *steps = (struct script_steps){0};
}
