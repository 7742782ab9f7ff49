#include "predict/from/outline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS_MOST = 1 << 24, /* of an alignment; longer lists are aligned greedily, */
    LOOK_AHEAD = 64,      /* over this many items */
    MATCH_LOOP = 12,      /* scores: see match */
    MATCH_REGION = 6,
    MATCH_EXACT = 10,
    MATCH_SILENT = 7,
    MATCH_SIDE = 6,
    MATCH_CALL = 4,
};

struct outline_merger {
    struct outline *outline;
    const struct rank_actions *actions;
    uint32_t size;
};

static const struct action *action_of(const struct outline_merger *m,
                                      const struct repeat_node *node)
{
    return &m->actions->list.items[node->action];
}

/* Shared part of two sets of steps: 0 to 8. */
static int likeness_of(uint64_t a, uint64_t b)
{
    int all = __builtin_popcountll(a | b);
    return all == 0 ? 8 : 8 * __builtin_popcountll(a & b) / all;
}

static bool fits(uint32_t a, uint32_t b)
{
    return a == b || a == INDEX_NONE || b == INDEX_NONE;
}

static bool steps_fit(const struct script_step *a, const struct script_step *b)
{
    return a->kind == b->kind && a->call == b->call && fits(a->comm, b->comm) &&
           a->made == b->made && fits(a->send_tag, b->send_tag) &&
           fits(a->receive_tag, b->receive_tag) && a->name == b->name && a->numbered == b->numbered;
}

static int sign(int64_t number)
{
    return (number > 0) - (number < 0);
}

static int match_call(const struct outline_merger *m, const struct outline_item *item,
                      const struct repeat_node *node)
{
    const struct action *action = action_of(m, node);
    if (item->request != action->request ||
        !steps_fit(&item->step, step_of(m->outline->steps, action->step)))
        return 0;
    if (action->kind != ACTION_MESSAGE)
        return MATCH_EXACT - 1 + (item->bytes == action->bytes);
    if (node->silent)
        return MATCH_SILENT;
    int64_t distance = action_distance(action, m->size);
    bool side = item->seen_count == 0;
    for (uint32_t i = 0; i < item->seen_count; i++) {
        const struct distance_seen *seen = &item->seen[i];
        if (seen->recording == m->actions->recording && seen->distance == distance)
            return MATCH_EXACT;
        side |= sign(seen->distance) == sign(distance);
    }
    return side ? MATCH_SIDE : MATCH_CALL;
}

/* 0: the node cannot be this item; the more, the better. */
static int match(const struct outline_merger *m, const struct outline_item *item,
                 const struct repeat_node *node)
{
    if (item->kind != node->kind)
        return 0;
    if (node->kind == NODE_CALL)
        return match_call(m, item, node);
    int alike = likeness_of(item->contents, node->contents);
    if (node->kind == NODE_REGION)
        return item->step.name == step_of(m->outline->steps, action_of(m, node)->step)->name
                   ? MATCH_REGION + alike
                   : 0;
    return alike < 2 ? 0 : MATCH_LOOP * alike / 4 + (item->signature == node->signature);
}

enum move { MOVE_NEW, MOVE_SKIP, MOVE_MATCH, MOVE_ENTER, MOVE_WRAP };

/* items[first .. first + rows) against nodes[0 .. columns). Cell (i, j) is the best alignment of
 * the first i items and the first j nodes. */
struct outline_alignment {
    uint32_t rows, columns;
    int32_t *score;
    uint8_t *move; /* the last one */
};

static size_t cell(const struct outline_alignment *grid, uint32_t i, uint32_t j)
{
    return (size_t)i * (grid->columns + 1) + j;
}

/* The score of nodes that are the body of a loop once; 0 unless each fits. */
static int match_body(const struct outline_merger *m, const struct outline_list *body, size_t first,
                      struct repeat_node *const *nodes, uint32_t count)
{
    int score = 0;
    for (uint32_t k = 0; k < count; k++) {
        int one = match(m, body->items.items[first + k], nodes[k]);
        if (one < MATCH_SIDE)
            return 0;
        score += one;
    }
    return score;
}

static void consider(struct outline_alignment *grid, uint32_t i, uint32_t j, int score,
                     enum move move)
{
    size_t at = cell(grid, i, j);
    if (score > grid->score[at]) {
        grid->score[at] = score;
        grid->move[at] = (uint8_t)move;
    }
}

static void fill_cell(const struct outline_merger *m, struct outline_alignment *grid,
                      const struct outline_list *list, size_t first,
                      struct repeat_node *const *nodes, uint32_t i, uint32_t j)
{
    grid->score[cell(grid, i, j)] = -1;
    if (j > 0)
        consider(grid, i, j, grid->score[cell(grid, i, j - 1)], MOVE_NEW);
    if (i > 0)
        consider(grid, i, j, grid->score[cell(grid, i - 1, j)], MOVE_SKIP);
    if (i == 0 || j == 0)
        return;
    const struct outline_item *item = list->items.items[first + i - 1];
    const struct repeat_node *node = nodes[j - 1];
    int score = match(m, item, node);
    if (score)
        consider(grid, i, j, grid->score[cell(grid, i - 1, j - 1)] + score, MOVE_MATCH);
    uint32_t body = (uint32_t)item->body.items.count;
    if (item->kind == NODE_LOOP && node->kind != NODE_LOOP && body <= j) {
        score = match_body(m, &item->body, 0, nodes + j - body, body);
        if (score)
            consider(grid, i, j, grid->score[cell(grid, i - 1, j - body)] + score, MOVE_ENTER);
    }
    uint32_t each = node->kind == NODE_LOOP ? node->count / node->times : 0;
    if (item->kind != NODE_LOOP && each && each <= i) {
        score = match_body(m, list, first + i - each, node->children, each);
        if (score)
            consider(grid, i, j, grid->score[cell(grid, i - each, j - 1)] + score, MOVE_WRAP);
    }
}

static bool insert_item(struct outline_list *list, size_t at, struct outline_item *item)
{
    if (!array_push(&list->items, item))
        return false;
    memmove(list->items.items + at + 1, list->items.items + at,
            (list->items.count - 1 - at) * sizeof *list->items.items);
    list->items.items[at] = item;
    item->list = list;
    return true;
}

static struct outline_item *make_item(struct outline_merger *m, const struct repeat_node *node)
{
    struct outline_item *item = arena_alloc(m->outline->arena, sizeof *item);
    if (!item)
        return NULL;
    item->kind = node->kind;
    item->body.owner = item;
    item->signature = node->signature;
    item->request = node->kind == NODE_CALL ? action_of(m, node)->request : INDEX_NONE;
    if (node->kind != NODE_LOOP)
        item->step = *step_of(m->outline->steps, action_of(m, node)->step);
    m->outline->count++;
    return item;
}

/* Puts `count` items from `at` on into a new loop. */
static struct outline_item *wrap_items(struct outline_merger *m, struct outline_list *list,
                                       size_t at, uint32_t count, const struct repeat_node *node)
{
    struct outline_item *loop = make_item(m, node);
    if (!loop)
        return NULL;
    for (uint32_t k = 0; k < count; k++)
        if (!insert_item(&loop->body, k, list->items.items[at + k]))
            return NULL;
    memmove(list->items.items + at, list->items.items + at + count,
            (list->items.count - at - count) * sizeof *list->items.items);
    list->items.count -= count;
    return insert_item(list, at, loop) ? loop : NULL;
}

static bool merge_list(struct outline_merger *m, struct outline_list *list,
                       struct repeat_node **nodes, uint32_t count);

static void learn(uint32_t *known, uint32_t seen)
{
    if (*known == INDEX_NONE)
        *known = seen;
}

static void see_call(struct outline_merger *m, struct outline_item *item,
                     const struct repeat_node *node)
{
    const struct action *action = action_of(m, node);
    const struct script_step *step = step_of(m->outline->steps, action->step);
    learn(&item->step.comm, step->comm);
    learn(&item->step.send_tag, step->send_tag);
    learn(&item->step.receive_tag, step->receive_tag);
    item->bytes = action->bytes;
    if (action->kind != ACTION_MESSAGE || node->silent || item->seen_count == DISTANCES_KEPT)
        return;
    struct distance_seen now = {m->actions->recording, action_distance(action, m->size)};
    for (uint32_t i = 0; i < item->seen_count; i++)
        if (item->seen[i].recording == now.recording && item->seen[i].distance == now.distance)
            return;
    item->seen[item->seen_count++] = now;
}

/* The node is this item. */
static bool take(struct outline_merger *m, struct outline_item *item, struct repeat_node *node)
{
    node->item = item;
    item->contents |= node->contents;
    if (node->kind == NODE_CALL) {
        see_call(m, item, node);
        return true;
    }
    uint32_t iterations = node->kind == NODE_LOOP ? node->times : 1;
    uint32_t each = node->count / iterations;
    for (uint32_t t = 0; t < iterations; t++)
        if (!merge_list(m, &item->body, node->children + t * each, each))
            return false;
    return true;
}

static bool add_new(struct outline_merger *m, struct outline_list *list, size_t at,
                    struct repeat_node *node)
{
    struct outline_item *item = make_item(m, node);
    return item && insert_item(list, at, item) && take(m, item, node);
}

/* Follows the moves of a grid backwards, so that places of earlier items stay. */
static bool follow(struct outline_merger *m, struct outline_alignment *grid,
                   struct outline_list *list, size_t first, struct repeat_node **nodes)
{
    uint32_t i = grid->rows, j = grid->columns;
    bool room = true;
    while ((i > 0 || j > 0) && room) {
        struct outline_item *item = i ? list->items.items[first + i - 1] : NULL;
        uint32_t count;
        switch ((enum move)grid->move[cell(grid, i, j)]) {
        case MOVE_NEW:
            room = add_new(m, list, first + i, nodes[--j]);
            break;
        case MOVE_SKIP:
            i--;
            break;
        case MOVE_MATCH:
            i--;
            room = take(m, item, nodes[--j]);
            break;
        case MOVE_ENTER: /* a loop without a node: one iteration */
            count = (uint32_t)item->body.items.count;
            i--;
            j -= count;
            for (uint32_t k = 0; k < count && room; k++)
                room = take(m, item->body.items.items[k], nodes[j + k]);
            break;
        case MOVE_WRAP:
            j--;
            count = nodes[j]->count / nodes[j]->times;
            i -= count;
            item = wrap_items(m, list, first + i, count, nodes[j]);
            room = item && take(m, item, nodes[j]);
            break;
        }
    }
    return room;
}

static bool align(struct outline_merger *m, struct outline_list *list, size_t first, uint32_t rows,
                  struct repeat_node **nodes, uint32_t columns)
{
    struct outline_alignment grid = {.rows = rows, .columns = columns};
    size_t cells = ((size_t)rows + 1) * (columns + 1);
    grid.score = malloc(cells * sizeof *grid.score);
    grid.move = malloc(cells);
    bool room = grid.score && grid.move;
    if (room) {
        for (uint32_t i = 0; i <= rows; i++)
            for (uint32_t j = 0; j <= columns; j++) {
                if (i + j == 0)
                    grid.score[0] = 0;
                else
                    fill_cell(m, &grid, list, first, nodes, i, j);
            }
        room = follow(m, &grid, list, first, nodes);
    }
    free(grid.score);
    free(grid.move);
    return room;
}

/* For lists that are too long for a grid: the next item that fits. */
static bool align_greedily(struct outline_merger *m, struct outline_list *list, size_t first,
                           struct repeat_node **nodes, uint32_t count, size_t tail)
{
    size_t at = first;
    for (uint32_t j = 0; j < count; j++) {
        size_t end = list->items.count - tail, found = at;
        if (end > at + LOOK_AHEAD)
            end = at + LOOK_AHEAD;
        while (found < end && match(m, list->items.items[found], nodes[j]) < MATCH_SIDE)
            found++;
        if (found == end ? !add_new(m, list, at, nodes[j])
                         : !take(m, list->items.items[found], nodes[j]))
            return false;
        at = found == end ? at + 1 : found + 1;
    }
    return true;
}

/* True if the node certainly is this item. */
static bool is_certain(const struct outline_merger *m, const struct outline_item *item,
                       const struct repeat_node *node)
{
    return item->signature == node->signature && match(m, item, node) >= MATCH_EXACT;
}

static bool merge_list(struct outline_merger *m, struct outline_list *list,
                       struct repeat_node **nodes, uint32_t count)
{
    size_t items = list->items.count, head = 0, tail = 0;
    while (head < items && head < count && is_certain(m, list->items.items[head], nodes[head]))
        head++;
    while (head + tail < items && head + tail < count &&
           is_certain(m, list->items.items[items - tail - 1], nodes[count - tail - 1]))
        tail++;
    for (size_t k = 0; k < tail; k++) /* from the end, where nothing is inserted before it */
        if (!take(m, list->items.items[items - k - 1], nodes[count - k - 1]))
            return false;
    uint32_t rows = (uint32_t)(items - head - tail), columns = (uint32_t)(count - head - tail);
    bool room = true;
    if ((uint64_t)(rows + 1) * (columns + 1) > CELLS_MOST)
        room = align_greedily(m, list, head, nodes + head, columns, tail);
    else if (columns > 0)
        room = align(m, list, head, rows, nodes + head, columns);
    for (size_t k = 0; k < head && room; k++)
        room = take(m, list->items.items[k], nodes[k]);
    return room;
}

bool outline_merge(struct outline *outline, const struct rank_tree *tree)
{
    assert(outline->arena && tree->root);
    struct outline_merger m = {
        .outline = outline,
        .actions = tree->actions,
        .size = outline->steps->programs[tree->actions->recording].trace->rank_count,
    };
    return merge_list(&m, &outline->top, tree->root->children, tree->root->count);
}

static void number_list(struct outline_list *list, uint32_t *number, uint32_t depth)
{
    for (size_t i = 0; i < list->items.count; i++) {
        struct outline_item *item = list->items.items[i];
        item->number = (*number)++;
        item->depth = depth;
        number_list(&item->body, number, depth + (item->kind == NODE_LOOP));
    }
}

void outline_number(struct outline *outline)
{
    uint32_t number = 0;
    number_list(&outline->top, &number, 0);
}

static void clear_list(struct outline_list *list)
{
    for (size_t i = 0; i < list->items.count; i++)
        clear_list(&list->items.items[i]->body);
    free(list->items.items);
    *list = (struct outline_list){0};
}

void outline_clear(struct outline *outline)
{
    clear_list(&outline->top);
}
