#include "predict/from/declare_comms.h"

#include <assert.h>
#include <stdlib.h>

/* Where a communicator's members are in the recordings. */
struct membership {
    struct observations colors, keys; /* by world rank; of members of the parent */
    bool all;                         /* all of the parent's members are in one, */
    bool ordered;                     /* and in all recordings in the order of world ranks */
};

static bool add_member(struct observations *list, uint32_t recording, uint32_t rank, double value)
{
    const struct observation one = {
        .recording = recording, .rank = rank, .value = value, .weight = 1};
    return observations_at(list, &one);
}

/* The number of a communicator of the recording among those seen so far, in order of their first
 * members. */
static uint32_t color_of(uint32_t *seen, uint32_t *count, uint32_t comm)
{
    for (uint32_t i = 0; i < *count; i++)
        if (seen[i] == comm)
            return i;
    seen[*count] = comm;
    return (*count)++;
}

/* False when memory is out. */
static bool find_members(const struct script_steps *steps, uint32_t comm, uint32_t p,
                         struct membership *members)
{
    const struct definitions *d = steps->programs[p].trace->definitions;
    uint32_t *seen = malloc(((size_t)d->comm_count + 1) * sizeof *seen), count = 0;
    bool complete = seen;
    for (uint32_t rank = 0; rank < d->rank_count && complete; rank++) {
        uint32_t parent = steps_comm_at(steps, p, steps->comms.items[comm].parent, rank);
        if (parent == INDEX_NONE)
            continue;
        uint32_t own = steps_comm_at(steps, p, comm, rank);
        uint32_t me = own == INDEX_NONE ? 0 : comm_rank_of(d, own, rank);
        double color = own == INDEX_NONE ? -1.0 : color_of(seen, &count, own);
        complete = add_member(&members->colors, p, rank, color) &&
                   (own == INDEX_NONE || add_member(&members->keys, p, rank, me));
        members->all &= own != INDEX_NONE && count == 1;
        for (uint32_t before = 0; own != INDEX_NONE && before < me; before++)
            members->ordered &= comm_member(d, own, before) < rank;
    }
    free(seen);
    return complete;
}

/* Of all recordings. */
static size_t rank_total(const struct script_steps *steps)
{
    size_t count = 0;
    for (uint32_t p = 0; p < steps->program_count; p++)
        count += steps->programs[p].trace->rank_count;
    return count;
}

static const char *express_by_rank(struct expressions *e, const struct observations *by_rank,
                                   const char *name)
{
    const struct loop_dependence none = {.count = 0};
    return expressions_fit(e, FIT_WHOLE, &none, by_rank->list.items, (uint32_t)by_rank->list.count,
                           name)
        .text;
}

/* False when memory is out. */
static bool declare_comm(struct expressions *e, uint32_t comm, struct bytes *text)
{
    const struct script_steps *steps = e->steps;
    const struct script_comm *declared = &steps->comms.items[comm];
    const char *parent = steps->comms.items[declared->parent].name, *color, *key = "rank";
    struct membership members = {.all = true, .ordered = true};
    bool complete = true;
    for (uint32_t p = 0; p < steps->program_count && complete; p++)
        complete = find_members(steps, comm, p, &members);
    bool everyone = members.colors.list.count == rank_total(steps); /* is in the parent */
    bool same = members.all && members.ordered && members.colors.list.count > 0;
    if (complete && same && everyone && declared->call == MPI_CALL_CART_CREATE) {
        complete =
            bytes_print(text, "grid %s = cart(%s, [size], [true]);\n", declared->name, parent);
    } else if (complete && same && declared->call == MPI_CALL_COMM_DUP) {
        complete = bytes_print(text, "communicator %s = dup(%s);\n", declared->name, parent);
    } else if (complete) {
        color = express_by_rank(e, &members.colors, "colors");
        if (!members.ordered)
            key = express_by_rank(e, &members.keys, "keys");
        complete = color && key &&
                   bytes_print(text, "communicator %s = split(%s, %s, %s);\n", declared->name,
                               parent, color, key);
    }
    observations_clear(&members.colors);
    observations_clear(&members.keys);
    return complete;
}

bool declare_comms(struct expressions *expressions, struct bytes *text)
{
    assert(expressions->steps->comms.count > 0);
    bool complete = true;
    for (uint32_t comm = 1; comm < expressions->steps->comms.count && complete; comm++)
        complete = declare_comm(expressions, comm, text);
    return complete;
}
