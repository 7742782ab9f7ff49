#include "predict/from/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const value_names[VALUE_KIND_COUNT] = {
#define X(identifier, name) name,
    VALUE_KINDS(X)
#undef X
};

struct collector {
    struct outline_values *values;
    const struct outline *outline;
    const struct rank_actions *actions;
    const struct definitions *definitions;
    uint64_t serial; /* of the rank, from 1 */
    bool details;    /* the second time: all visits of what varies */
    int32_t indices[VALUE_INDICES];
    uint32_t depth;
    uint32_t list_depth;  /* open loops, also beyond VALUE_DEPTH_MOST */
    ARRAY(uint32_t) open; /* requests: the actions that posted them */
    bool out_of_memory;
};

static struct item_value value_now(const struct collector *c, double value)
{
    struct item_value now = {
        .recording = c->actions->recording, .rank = c->actions->rank, .value = value};
    memcpy(now.indices, c->indices, sizeof now.indices);
    return now;
}

/* A value at this visit. */
static void record(struct collector *c, struct value_column *column, double value)
{
    bool first = column->last_rank != c->serial;
    if (c->details) {
        if (column->varies)
            c->out_of_memory |= !array_push(&column->list, value_now(c, value));
    } else if (first) {
        column->last_rank = c->serial;
        c->out_of_memory |= !array_push(&column->list, value_now(c, value));
    } else if (column->list.items[column->list.count - 1].value != value) {
        column->varies = true;
    }
}

/* A length at this visit. */
static void record_time(struct collector *c, struct value_column *column, double seconds)
{
    if (!c->details)
        c->out_of_memory |= !array_push(&column->list, value_now(c, seconds));
}

static void record_end(struct collector *c, struct item_values *values, enum value_kind first,
                       const struct action_end *end)
{
    if (!end->there)
        return;
    record(c, &values->columns[first], end->peer);
    if (end->peer == NO_PEER)
        return;
    record(c, &values->columns[first + 1], (double)end->bytes);
    record(c, &values->columns[first + 2], end->tag);
}

static void record_counts(struct collector *c, struct value_column *column, uint32_t group)
{
    if (c->details || group == INDEX_NONE || column->last_rank == c->serial)
        return;
    column->last_rank = c->serial;
    column->by_peer = true;
    const struct group *counts = &c->definitions->groups[group];
    for (uint32_t peer = 0; peer < counts->count; peer++) {
        struct item_value value = value_now(c, (double)counts->members[peer]);
        memset(value.indices, 0, sizeof value.indices);
        value.indices[INDEX_OF_PEER] = (int32_t)peer;
        c->out_of_memory |= !array_push(&column->list, value);
    }
}

/* First pass: which names the wait completes. Second pass, with these: whether the names
 * stand for other open requests, too. */
static void record_wait(struct collector *c, struct item_values *values,
                        const struct action *action)
{
    const uint32_t *completed = c->actions->completed.items + action->first_completed;
    const struct action *list = c->actions->list.items;
    size_t kept = 0;
    for (size_t i = 0; i < c->open.count; i++) {
        uint32_t post = c->open.items[i], name = list[post].request;
        bool named = numbers_include(values->requests.items, values->requests.count, name);
        if (!numbers_include(completed, action->completed, post)) {
            c->open.items[kept++] = post;
            if (c->details && named && action->call != MPI_CALL_WAITANY)
                c->values->too_early = name;
        } else if (!c->details && !named) {
            c->out_of_memory |= !array_push(&values->requests, name);
        }
    }
    c->open.count = kept;
    values->waits_for_all &= kept == 0;
}

static void collect_call(struct collector *c, struct item_values *values, uint32_t index)
{
    const struct action *action = &c->actions->list.items[index];
    switch ((enum action_kind)action->kind) {
    case ACTION_MESSAGE:
        record_end(c, values, VALUE_SEND_PEER, &action->send);
        record_end(c, values, VALUE_RECEIVE_PEER, &action->receive);
        break;
    case ACTION_COLLECTIVE:
        record(c, &values->columns[VALUE_BYTES], (double)action->bytes);
        if (action->root != ROOT_NONE)
            record(c, &values->columns[VALUE_ROOT], action->root);
        record_counts(c, &values->columns[VALUE_SEND_COUNTS], action->send_counts);
        record_counts(c, &values->columns[VALUE_RECEIVE_COUNTS], action->receive_counts);
        break;
    case ACTION_WAIT:
        record_wait(c, values, action);
        break;
    default:
        break;
    }
    if (action->request != INDEX_NONE)
        c->out_of_memory |= !array_push(&c->open, index);
    if (!c->details) {
        c->values->actions++;
        c->values->inside += c->list_depth > 0;
    }
}

/* The item of a list that a node belongs to: its own, or a loop around it of which the rank does
 * one iteration. */
static struct outline_item *item_in(const struct outline_list *list, const struct repeat_node *node)
{
    struct outline_item *item = node->item;
    while (item->list != list)
        item = item->list->owner;
    return item;
}

static void collect_list(struct collector *c, const struct outline_list *list,
                         struct repeat_node *const *nodes, uint32_t count);

static void collect_loop(struct collector *c, const struct outline_item *item,
                         struct repeat_node *const *nodes, uint32_t count, uint32_t times)
{
    bool indexed = c->depth < VALUE_DEPTH_MOST;
    uint32_t depth = c->depth, each = count / times;
    c->depth += indexed;
    c->list_depth++;
    for (uint32_t t = 0; t < times && !c->out_of_memory; t++) {
        if (indexed)
            c->indices[depth] = (int32_t)t;
        collect_list(c, &item->body, nodes + t * each, each);
    }
    c->list_depth--;
    c->depth = depth;
    if (indexed)
        c->indices[depth] = 0;
}

static void collect_item(struct collector *c, const struct outline_item *item,
                         struct repeat_node *const *nodes, uint32_t count)
{
    struct item_values *values = &c->values->items[item->number];
    struct value_column *columns = values->columns;
    bool loop = item->kind == NODE_LOOP;
    bool own = count > 0 && nodes[0]->item == item;
    uint32_t times = count == 0 ? 0 : own && loop ? nodes[0]->times : 1;
    record(c, &columns[VALUE_TIMES], times);
    if (times == 0)
        return;
    values->visits += !c->details;
    record_time(c, &columns[VALUE_BEFORE], own ? nodes[0]->before : 0);
    if (loop)
        collect_loop(c, item, own ? nodes[0]->children : nodes, own ? nodes[0]->count : count,
                     times);
    else if (item->kind == NODE_CALL)
        collect_call(c, values, nodes[0]->action);
    else {
        collect_list(c, &item->body, nodes[0]->children, nodes[0]->count);
        record_time(c, &columns[VALUE_AFTER], nodes[0]->after);
    }
}

static void collect_list(struct collector *c, const struct outline_list *list,
                         struct repeat_node *const *nodes, uint32_t count)
{
    uint32_t at = 0;
    for (size_t i = 0; i < list->items.count && !c->out_of_memory; i++) {
        const struct outline_item *item = list->items.items[i];
        uint32_t first = at;
        while (at < count && item_in(list, nodes[at]) == item)
            at++;
        collect_item(c, item, nodes + first, at - first);
    }
    assert(c->out_of_memory || at == count);
}

static void collect_rank(struct collector *c, const struct rank_actions *actions,
                         const struct repeat_node *tree)
{
    c->serial++;
    c->actions = actions;
    c->definitions = c->outline->steps->programs[actions->recording].trace->definitions;
    c->open.count = 0;
    memset(c->indices, 0, sizeof c->indices);
    collect_list(c, &c->outline->top, tree->children, tree->count);
    c->values->leaves_open |= c->open.count > 0;
    record_time(c, &c->values->end, tree->after);
    record_time(c, &c->values->startup, actions->startup);
    record_time(c, &c->values->shutdown, actions->shutdown);
}

static void begin_details(struct outline_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        for (int k = 0; k < VALUE_KIND_COUNT; k++) {
            struct value_column *column = &values->items[i].columns[k];
            if (column->varies)
                column->list.count = 0;
        }
}

bool values_collect(const struct outline *outline, const struct rank_tree *trees, uint32_t count,
                    struct outline_values *values)
{
    assert(outline->count > 0 || outline->top.items.count == 0);
    *values = (struct outline_values){.count = outline->count, .too_early = INDEX_NONE};
    values->items = calloc((size_t)outline->count + 1, sizeof *values->items);
    struct collector c = {.values = values, .outline = outline};
    if (!values->items)
        return false;
    for (uint32_t i = 0; i < outline->count; i++)
        values->items[i].waits_for_all = true;
    for (int pass = 0; pass < 2 && !c.out_of_memory; pass++) {
        c.details = pass == 1;
        if (c.details)
            begin_details(values);
        for (uint32_t i = 0; i < count && !c.out_of_memory; i++)
            collect_rank(&c, trees[i].actions, trees[i].root);
    }
    free(c.open.items);
    if (c.out_of_memory)
        values_clear(values);
    return !c.out_of_memory;
}

void values_clear(struct outline_values *values)
{
    for (uint32_t i = 0; values->items && i < values->count; i++) {
        for (int k = 0; k < VALUE_KIND_COUNT; k++)
            free(values->items[i].columns[k].list.items);
        free(values->items[i].requests.items);
    }
    free(values->items);
    free(values->end.list.items);
    free(values->startup.list.items);
    free(values->shutdown.list.items);
    *values = (struct outline_values){0};
}
