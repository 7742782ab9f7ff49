/* [mapping]: puts the ranks on other nodes.
 *
 *   nodes = 0..3 | 4, 5 | 6, 7    the ranks of each node; every rank on one
 *   ranks_per_node = 4            or this number of ranks on each, in order:
 *   order = block | cyclic        neighbours together, or distributed one by one */
#include "transform/kinds.h"

#include "trace/environment.h"

#include <stdlib.h>
#include <string.h>

struct mapping {
    const struct ini_section *section;
    const char *nodes;      /* NULL: ranks_per_node is given */
    int64_t ranks_per_node; /* 0: not given */
    int order;              /* index into orders */
};

enum { ORDER_BLOCK, ORDER_CYCLIC };
static const char *const orders[] = {[ORDER_BLOCK] = "block", [ORDER_CYCLIC] = "cyclic", NULL};

static const struct ini_key mapping_keys[] = {
    INI_KEY(mapping, nodes, STRING),
    INI_KEY(mapping, ranks_per_node, INTEGER, .least = 1, .most = UINT32_MAX),
    INI_KEY(mapping, order, CHOICE, .choices = orders),
    INI_KEYS_END,
};

static enum status mapping_check(void *state, struct error *error)
{
    const struct mapping *mapping = state;
    if (!mapping->nodes == (mapping->ranks_per_node == 0))
        return section_error(error, mapping->section, NULL,
                             "either \"nodes\" (the ranks of each, with | between them) or "
                             "\"ranks_per_node\" must be given");
    return STATUS_OK;
}

/* "0..3" of "0..3 | 4, 5"; `*rest` is the text after the bar, NULL if there is none. NULL if
 * out of memory. */
static char *next_node(const char *list, const char **rest)
{
    const char *bar = strchr(list, '|');
    *rest = bar ? bar + 1 : NULL;
    return bar ? strndup(list, (size_t)(bar - list)) : strdup(list);
}

/* Puts the ranks in `ranges` on `node`. */
static enum status place_on_node(const struct mapping *mapping, const struct ranges *ranges,
                                 uint32_t node, uint32_t *nodes, uint32_t count,
                                 struct error *error)
{
    for (size_t i = 0; i < ranges->count; i++)
        if (ranges->items[i].lowest >= count)
            return section_error(error, mapping->section, "nodes",
                                 "there is no rank %llu: the trace has ranks 0 to %u",
                                 (unsigned long long)ranges->items[i].lowest, count - 1);
    for (uint32_t rank = 0; rank < count; rank++) {
        if (!ranges_contain(ranges, rank))
            continue;
        if (nodes[rank] != INDEX_NONE)
            return section_error(error, mapping->section, "nodes", "rank %u is on two nodes", rank);
        nodes[rank] = node;
    }
    return STATUS_OK;
}

static enum status place_by_node_list(const struct mapping *mapping, uint32_t *nodes,
                                      uint32_t count, struct error *error)
{
    const char *list = mapping->nodes;
    enum status status = STATUS_OK;
    memset(nodes, 0xff, count * sizeof *nodes);
    for (uint32_t node = 0; list && status == STATUS_OK; node++) {
        struct ranges ranges = {0};
        char *item = next_node(list, &list);
        status = item ? ranges_parse(mapping->section, "nodes", item, &ranges, error)
                      : error_memory(error, "the hypotheses");
        if (status == STATUS_OK)
            status = place_on_node(mapping, &ranges, node, nodes, count, error);
        ranges_clear(&ranges);
        free(item);
    }
    for (uint32_t rank = 0; rank < count && status == STATUS_OK; rank++)
        if (nodes[rank] == INDEX_NONE)
            status = section_error(error, mapping->section, "nodes", "rank %u is on no node", rank);
    return status;
}

static void place_in_order(const struct mapping *mapping, uint32_t *nodes, uint32_t count)
{
    uint64_t each = (uint64_t)mapping->ranks_per_node, node_count = (count + each - 1) / each;
    for (uint32_t rank = 0; rank < count; rank++)
        nodes[rank] = (uint32_t)(mapping->order == ORDER_CYCLIC ? rank % node_count : rank / each);
}

static enum status mapping_apply(const void *state, struct trace *trace,
                                 struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    const struct mapping *mapping = state;
    uint32_t count = trace->rank_count;
    struct environment *environment = environment_change(trace, error);
    uint32_t *nodes =
        environment ? arena_alloc_array(trace->arena, (size_t)count + 1, sizeof *nodes) : NULL;
    enum status status = STATUS_OK;
    if (!nodes)
        status = error_memory(error, "the hypotheses");
    else if (mapping->nodes)
        status = place_by_node_list(mapping, nodes, count, error);
    else
        place_in_order(mapping, nodes, count);
    if (status == STATUS_OK)
        environment->node = nodes;
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_mapping = {
    .name = "mapping",
    .description = "put the ranks on other nodes",
    .state_size = sizeof(struct mapping),
    .keys = mapping_keys,
    .computed_only = true,
    .check = mapping_check,
    .apply = mapping_apply,
};
