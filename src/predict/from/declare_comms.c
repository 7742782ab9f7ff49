#include "predict/from/declare_comms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ARRAY(struct observation) observation_list;

/* Where a communicator's members are in the recordings. */
struct membership {
    observation_list colors, keys; /* by world rank; of members of the parent */
    bool all;                      /* all of the parent's members are in one, */
    bool ordered;                  /* and in all recordings in the order of world ranks */
};

static bool add(observation_list *list, uint32_t recording, uint32_t rank, double value)
{
    const struct observation one = {
        .recording = recording, .rank = rank, .value = value, .weight = 1};
    return array_push(list, one);
}

/* The number of the part among those of the recording, in order of their first members. */
static uint32_t part_number(uint32_t *parts, uint32_t *count, uint32_t part)
{
    for (uint32_t i = 0; i < *count; i++)
        if (parts[i] == part)
            return i;
    parts[*count] = part;
    return (*count)++;
}

static bool find_members(const struct steps *steps, uint32_t comm, uint32_t p,
                         struct membership *members)
{
    const struct definitions *d = steps->programs[p].trace->definitions;
    uint32_t *parts = malloc(((size_t)d->comm_count + 1) * sizeof *parts), count = 0;
    bool room = parts;
    for (uint32_t rank = 0; rank < d->rank_count && room; rank++) {
        uint32_t parent = steps_comm_at(steps, p, steps->comms.items[comm].parent, rank);
        if (parent == INDEX_NONE)
            continue;
        uint32_t own = steps_comm_at(steps, p, comm, rank);
        uint32_t me = own == INDEX_NONE ? 0 : comm_rank_of(d, own, rank);
        double color = own == INDEX_NONE ? -1.0 : part_number(parts, &count, own);
        room = add(&members->colors, p, rank, color) &&
               (own == INDEX_NONE || add(&members->keys, p, rank, me));
        members->all &= own != INDEX_NONE && count == 1;
        for (uint32_t before = 0; own != INDEX_NONE && before < me; before++)
            members->ordered &= comm_member(d, own, before) < rank;
    }
    free(parts);
    return room;
}

static bool put_text(struct bytes *text, const char *line)
{
    return bytes_put(text, line, strlen(line));
}

static bool put_split(struct expressions *e, uint32_t comm, const struct membership *members,
                      struct bytes *text)
{
    const char *parent = e->steps->comms.items[e->steps->comms.items[comm].parent].name;
    struct expressed color = express_ranks(e, FIT_WHOLE, members->colors.items,
                                           (uint32_t)members->colors.count, "colors");
    struct expressed key = {.text = "rank"};
    if (!members->ordered)
        key =
            express_ranks(e, FIT_WHOLE, members->keys.items, (uint32_t)members->keys.count, "keys");
    return color.text && key.text && put_text(text, "split(") && put_text(text, parent) &&
           put_text(text, ", ") && put_text(text, color.text) && put_text(text, ", ") &&
           put_text(text, key.text) && put_text(text, ");\n");
}

static bool declare_comm(struct expressions *e, uint32_t comm, struct bytes *text)
{
    const struct steps *steps = e->steps;
    const struct script_comm *declared = &steps->comms.items[comm];
    const char *parent = steps->comms.items[declared->parent].name;
    struct membership members = {.all = true, .ordered = true};
    bool room = true;
    for (uint32_t p = 0; p < steps->program_count && room; p++)
        room = find_members(steps, comm, p, &members);
    bool same = members.all && members.ordered && members.colors.count > 0;
    bool grid = same && declared->call == MPI_CALL_CART_CREATE;
    room = room && put_text(text, grid ? "grid " : "communicator ") &&
           put_text(text, declared->name) && put_text(text, " = ");
    char line[160];
    if (grid)
        snprintf(line, sizeof line, "cart(%s, [size%s%s%s], [true]);\n", parent,
                 declared->parent ? "(" : "", declared->parent ? parent : "",
                 declared->parent ? ")" : "");
    else
        snprintf(line, sizeof line, "dup(%s);\n", parent);
    if (grid || (same && declared->call == MPI_CALL_COMM_DUP))
        room = room && put_text(text, line);
    else
        room = room && put_split(e, comm, &members, text);
    free(members.colors.items);
    free(members.keys.items);
    return room;
}

bool declare_comms(struct expressions *expressions, struct bytes *text)
{
    bool room = true;
    for (uint32_t comm = 1; comm < expressions->steps->comms.count && room; comm++)
        room = declare_comm(expressions, comm, text);
    return room;
}
