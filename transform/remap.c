/* [remap LABEL]: exchanges the places of ranks. A place is the process, with its core and node,
 * that a rank had in the recording. The ranks keep their numbers and operations. A replay carries
 * out each rank in the process at its new place; a model charges messages by the distance of the
 * places.
 *
 *   places = 4..7, 3..0     for rank 0, 1, ...: the rank whose place it gets; each once
 *   order = reversed        or all in an order: backwards;
 *         = block           neighbours on one node;
 *         = cyclic          distributed to the nodes one by one */
#include "base/names.h"
#include "base/plural.h"
#include "trace/environment.h"
#include "transform/kinds.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct remap {
    const struct ini_section *section;
    const char *places; /* NULL: `order` is given */
    int order;          /* index into orders */
};

enum { ORDER_REVERSED, ORDER_BLOCK, ORDER_CYCLIC };
static const char *const orders[] = {
    [ORDER_REVERSED] = "reversed", [ORDER_BLOCK] = "block", [ORDER_CYCLIC] = "cyclic", NULL};

static const struct ini_key remap_keys[] = {
    INI_KEY(remap, places, STRING),
    INI_KEY(remap, order, CHOICE, .choices = orders),
    INI_KEYS_END,
};

static enum status remap_check(void *state, struct error *error)
{
    const struct remap *remap = state;
    if (!remap->places == !ini_value(remap->section, "order"))
        return section_error(error, remap->section, NULL,
                             "either \"places\" (for each rank, whose place it gets) or "
                             "\"order\" must be given");
    return STATUS_OK;
}

static bool read_rank_number(const char **text, uint64_t *number)
{
    char *end;
    *text += strspn(*text, " \t");
    if (!isdigit((unsigned char)**text))
        return false;
    *number = strtoull(*text, &end, 10);
    *text = end + strspn(end, " \t");
    return true;
}

/* "3" or "4..7", also descending. */
static bool read_item(const char *text, uint64_t *from, uint64_t *to)
{
    if (!read_rank_number(&text, from))
        return false;
    *to = *from;
    if (strncmp(text, "..", 2) == 0) {
        text += 2;
        if (!read_rank_number(&text, to))
            return false;
    }
    return *text == '\0';
}

/* Sets places[rank] of the next rank, number `rank`. */
static enum status set_next_place(const struct remap *remap, uint64_t place, uint32_t rank,
                                  bool *taken, uint32_t *places, uint32_t count,
                                  struct error *error)
{
    if (place >= count)
        return section_error(error, remap->section, "places",
                             "there is no rank %llu: the trace has ranks 0 to %u",
                             (unsigned long long)place, count - 1);
    if (rank == count)
        return section_error(error, remap->section, "places",
                             "more places than ranks: the trace has %u", count);
    if (taken[place])
        return section_error(error, remap->section, "places",
                             "the place of rank %llu is given to two ranks",
                             (unsigned long long)place);
    taken[place] = true;
    places[rank] = (uint32_t)place;
    return STATUS_OK;
}

static enum status add_place_range(const struct remap *remap, const char *item, uint32_t *rank,
                                   bool *taken, uint32_t *places, uint32_t count,
                                   struct error *error)
{
    uint64_t from, to;
    if (!read_item(item, &from, &to))
        return section_error(
            error, remap->section, "places",
            "places: \"%s\" is not a place: expected ranks like 3 or 4..7 (or 7..4), "
            "with commas between them",
            item);
    for (uint64_t place = from;; place = from < to ? place + 1 : place - 1) {
        enum status status = set_next_place(remap, place, *rank, taken, places, count, error);
        if (status != STATUS_OK)
            return status;
        ++*rank;
        if (place == to)
            return STATUS_OK;
    }
}

static enum status place_by_rank_list(const struct remap *remap, uint32_t *places, uint32_t count,
                                      struct error *error)
{
    const char *list = remap->places;
    bool out_of_memory = false, *taken = calloc((size_t)count + 1, sizeof *taken);
    enum status status = taken ? STATUS_OK : error_memory(error, "the hypotheses");
    uint32_t rank = 0;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &out_of_memory))) {
        status = add_place_range(remap, item, &rank, taken, places, count, error);
        free(item);
    }
    if (status == STATUS_OK && out_of_memory)
        status = error_memory(error, "the hypotheses");
    if (status == STATUS_OK && rank < count)
        status = section_error(error, remap->section, "places",
                               "%u place%s for %u rank%s: every rank needs one", rank, plural(rank),
                               count, plural(count));
    free(taken);
    return status;
}

/* Orders the places node by node, or cyclically: one of each node, again and again. */
static enum status place_by_nodes(const uint32_t *nodes, bool cyclic, uint32_t *places,
                                  uint32_t count, struct error *error)
{
    uint32_t node_count = 0, given = 0;
    for (uint32_t rank = 0; rank < count; rank++)
        if (nodes[rank] >= node_count)
            node_count = nodes[rank] + 1;
    /* the places of node n are ordered[first[n]] to ordered[first[n + 1] - 1] */
    uint32_t *first = calloc((size_t)node_count + 2, sizeof *first);
    uint32_t *ordered = malloc(((size_t)count + 1) * sizeof *ordered);
    if (!first || !ordered) {
        free(first);
        free(ordered);
        return error_memory(error, "the hypotheses");
    }
    for (uint32_t rank = 0; rank < count; rank++)
        first[nodes[rank] + 2]++;
    for (uint32_t node = 0; node < node_count; node++)
        first[node + 2] += first[node + 1];
    for (uint32_t rank = 0; rank < count; rank++)
        ordered[first[nodes[rank] + 1]++] = rank;
    if (!cyclic)
        memcpy(places, ordered, count * sizeof *places);
    for (uint32_t round = 0; cyclic && given < count; round++)
        for (uint32_t node = 0; node < node_count; node++)
            if (first[node] + round < first[node + 1])
                places[given++] = ordered[first[node] + round];
    free(first);
    free(ordered);
    return STATUS_OK;
}

/* Sets places[rank] to the rank whose present place it gets; `nodes` are the present ones. */
static enum status choose_places(const struct remap *remap, const uint32_t *nodes, uint32_t *places,
                                 uint32_t count, struct error *error)
{
    if (remap->places)
        return place_by_rank_list(remap, places, count, error);
    if (remap->order != ORDER_REVERSED)
        return place_by_nodes(nodes, remap->order == ORDER_CYCLIC, places, count, error);
    for (uint32_t rank = 0; rank < count; rank++)
        places[rank] = count - 1 - rank;
    return STATUS_OK;
}

static enum status remap_apply(const void *state, struct trace *trace,
                               struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct remap *remap = state;
    uint32_t count = trace->rank_count;
    struct environment *environment = environment_change(trace, error);
    uint32_t *nodes = arena_alloc_array(trace->arena, (size_t)count + 1, sizeof *nodes);
    uint32_t *places = arena_alloc_array(trace->arena, (size_t)count + 1, sizeof *places);
    uint32_t *before = malloc(((size_t)count + 1) * sizeof *before); /* [rank]: present node */
    enum status status = environment && nodes && places && before
                             ? STATUS_OK
                             : error_memory(error, "the hypotheses");
    if (status == STATUS_OK && environment->node)
        memcpy(before, environment->node, count * sizeof *before);
    else if (status == STATUS_OK && !environment_number_hosts(trace, before))
        status = error_memory(error, "the hypotheses");
    if (status == STATUS_OK)
        status = choose_places(remap, before, places, count, error);
    for (uint32_t rank = 0; rank < count && status == STATUS_OK; rank++) {
        nodes[rank] = before[places[rank]];
        if (environment->place)
            places[rank] = environment->place[places[rank]];
    }
    if (status == STATUS_OK) {
        environment->node = nodes;
        environment->place = places;
    }
    free(before);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_remap = {
    .name = "remap",
    .description = "exchange the cores and nodes of ranks",
    .state_size = sizeof(struct remap),
    .keys = remap_keys,
    .check = remap_check,
    .apply = remap_apply,
};
