#include "predict/from/repeats.h"

#include "base/map.h"
#include "base/sort.h"
#include "trace/folded/fold.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    REFOLDS = 4,      /* a loop of loops of different lengths needs one more */
    SILENT_MOST = 64, /* messages to MPI_PROC_NULL in a row that are separate steps */
};

typedef ARRAY(struct repeat_node *) node_list;

/* A region that is being read, with its nodes so far. */
struct open_repeat {
    uint32_t enter;
    node_list nodes;
};

struct repeat_finder {
    const struct script_steps *steps;
    const struct rank_actions *actions;
    const struct likenesses *alike;
    bool loose; /* compare loose signatures */
    struct arena *arena;
    struct map symbols; /* signature -> symbol */
    struct map known;   /* hash of a sequence of symbols -> its place in `folds` */
    ARRAY(struct folded) folds;
    ARRAY(uint32_t) sequence;
    uint32_t silent;                /* calls without a peer one after the other */
    double carried;                 /* computation before a call that is left out */
    ARRAY(struct open_repeat) open; /* the first one is the program */
    bool out_of_memory;
};

static uint64_t combine(uint64_t hash, uint64_t more)
{
    return map_mix(hash * 0x9E3779B97F4A7C15u + more + 1);
}

static int64_t end_distance(const struct action_end *end, int32_t me, uint32_t size)
{
    if (!end->there || end->peer == NO_PEER)
        return 0;
    int64_t distance = (int64_t)end->peer - me, half = (int64_t)size / 2;
    return distance > half ? distance - size : distance < -half ? distance + size : distance;
}

int64_t action_distance(const struct action *action, uint32_t size)
{
    return end_distance(&action->send, action->me, size) * INT64_C(0x100000000) +
           end_distance(&action->receive, action->me, size);
}

static uint32_t ring_size(const struct repeat_finder *f)
{
    return f->steps->programs[f->actions->recording].trace->rank_count;
}

static uint64_t call_signature(const struct repeat_finder *f, const struct action *action,
                               struct likeness likeness)
{
    uint64_t signature = combine(0, action->step);
    if (action->request != INDEX_NONE)
        signature = combine(signature, action->request);
    if (likeness.distance && action->kind == ACTION_MESSAGE)
        signature = combine(signature, (uint64_t)action_distance(action, ring_size(f)));
    if (likeness.bytes)
        signature =
            combine(signature, action->bytes ^ combine(action->send.bytes, action->receive.bytes));
    return signature;
}

static uint64_t children_signature(bool loose, struct repeat_node *const *children, uint32_t count)
{
    uint64_t signature = 1;
    for (uint32_t i = 0; i < count; i++)
        signature = combine(signature, loose ? children[i]->loose : children[i]->signature);
    return signature;
}

static uint64_t region_signature(uint64_t step, const struct repeat_node *node,
                                 struct likeness likeness)
{
    return combine(combine(2, step), likeness.contents ? node->contents : 0);
}

static uint64_t contents_of(struct repeat_node *const *children, uint32_t count)
{
    uint64_t contents = 0;
    for (uint32_t i = 0; i < count; i++)
        contents |= children[i]->contents;
    return contents;
}

static struct repeat_node *make_node(struct repeat_finder *f, struct repeat_node node)
{
    struct repeat_node *copy = arena_memdup(f->arena, &node, sizeof node);
    f->out_of_memory |= !copy;
    return copy;
}

static bool is_silent(const struct action *action)
{
    return action->kind == ACTION_MESSAGE &&
           (!action->send.there || action->send.peer == NO_PEER) &&
           (!action->receive.there || action->receive.peer == NO_PEER);
}

static struct repeat_node *call_node(struct repeat_finder *f, uint32_t i)
{
    const struct action *action = &f->actions->list.items[i];
    struct repeat_node node = {.kind = NODE_CALL,
                               .silent = is_silent(action),
                               .action = i,
                               .signature = call_signature(f, action, f->alike->first),
                               .loose = call_signature(f, action, f->alike->then),
                               .contents = UINT64_C(1) << map_mix(action->step + 1) % 64,
                               .before = action->before + f->carried};
    f->carried = 0;
    f->silent = node.silent ? f->silent + 1 : 0;
    if (node.silent) { /* the neighbours that a rank at the border lacks are no loop */
        node.signature = combine(node.signature, f->silent % SILENT_MOST);
        node.loose = combine(node.loose, f->silent % SILENT_MOST);
    }
    return make_node(f, node);
}

/* The folded sequence of the nodes' signatures; NULL when memory is out. The same sequence is
 * folded once. */
static const struct folded *fold_sequence(struct repeat_finder *f, const node_list *nodes)
{
    uint64_t hash = nodes->count;
    f->sequence.count = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t *symbol =
            map_at(&f->symbols, f->loose ? nodes->items[i]->loose : nodes->items[i]->signature,
                   (uint32_t)f->symbols.count);
        if (!symbol || !array_push(&f->sequence, *symbol))
            return NULL;
        hash = combine(hash, *symbol);
    }
    uint32_t *known = map_at(&f->known, hash, (uint32_t)f->folds.count);
    if (known && *known < f->folds.count)
        return &f->folds.items[*known];
    struct folded folded = {0};
    if (!known || !folded_make(f->sequence.items, f->sequence.count, &folded) ||
        !array_push(&f->folds, folded)) {
        folded_clear(&folded);
        return NULL;
    }
    return &f->folds.items[*known];
}

static void emit(struct repeat_finder *f, const struct folded *folded, const struct body *body,
                 const node_list *nodes, size_t *at, node_list *out);

static struct repeat_node *emit_loop(struct repeat_finder *f, const struct folded *folded,
                                     struct item item, const node_list *nodes, size_t *at)
{
    node_list children = {0};
    for (uint32_t t = 0; t < item.times && !f->out_of_memory; t++)
        emit(f, folded, &folded->bodies.items[item.what & ~ITEM_BODY], nodes, at, &children);
    uint32_t count = (uint32_t)children.count;
    struct repeat_node node = {.kind = NODE_LOOP,
                               .action = INDEX_NONE,
                               .times = item.times,
                               .count = count,
                               .contents = contents_of(children.items, count)};
    node.children = arena_memdup(f->arena, children.items, count * sizeof *children.items);
    f->out_of_memory |= !node.children;
    node.signature =
        f->out_of_memory ? 0 : children_signature(1, children.items, count / item.times);
    free(children.items);
    return make_node(f, node);
}

static void emit(struct repeat_finder *f, const struct folded *folded, const struct body *body,
                 const node_list *nodes, size_t *at, node_list *out)
{
    for (uint32_t i = 0; i < body->count && !f->out_of_memory; i++) {
        struct item item = folded->items.items[body->first + i];
        struct repeat_node *node =
            item.what & ITEM_BODY ? emit_loop(f, folded, item, nodes, at) : nodes->items[(*at)++];
        f->out_of_memory |= f->out_of_memory || !array_push(out, node);
    }
}

static void fold_rounds(struct repeat_finder *f, node_list *nodes)
{
    for (int round = 0; round < REFOLDS && nodes->count > 1 && !f->out_of_memory; round++) {
        const struct folded *folded = fold_sequence(f, nodes);
        node_list out = {0};
        size_t at = 0;
        f->out_of_memory = !folded;
        if (folded)
            emit(f, folded, &folded->whole, nodes, &at, &out);
        bool shorter = out.count < nodes->count;
        free(nodes->items);
        *nodes = out;
        if (!shorter)
            break;
    }
}

/* Whether nodes from `at` on are loosely alike to one iteration of a loop. */
static bool follows(const node_list *nodes, size_t at, const struct repeat_node *loop)
{
    uint32_t each = loop->count / loop->times;
    if (at + each > nodes->count)
        return false;
    for (uint32_t i = 0; i < each; i++)
        if (nodes->items[at + i]->loose != loop->children[i]->loose)
            return false;
    return true;
}

/* Whether a loop is beside nodes, or another loop, that are loosely alike to its iterations. */
static bool is_part_of_more(const node_list *nodes, size_t at)
{
    const struct repeat_node *loop = nodes->items[at];
    size_t each = loop->count / loop->times;
    return (at > 0 && nodes->items[at - 1]->loose == loop->loose) ||
           (at + 1 < nodes->count && nodes->items[at + 1]->loose == loop->loose) ||
           follows(nodes, at + 1, loop) || (at >= each && follows(nodes, at - each, loop));
}

/* Unrolls such loops, so that one loose loop can take all. */
static void unroll(struct repeat_finder *f, node_list *nodes)
{
    bool again = true;
    while (again && !f->out_of_memory) {
        node_list out = {0};
        again = false;
        for (size_t i = 0; i < nodes->count && !f->out_of_memory; i++) {
            struct repeat_node *node = nodes->items[i];
            bool unrolled = node->kind == NODE_LOOP && is_part_of_more(nodes, i);
            again |= unrolled;
            if (!unrolled)
                f->out_of_memory |= !array_push(&out, node);
            for (uint32_t k = 0; unrolled && k < node->count && !f->out_of_memory; k++)
                f->out_of_memory |= !array_push(&out, node->children[k]);
        }
        free(nodes->items);
        *nodes = out;
    }
}

/* Folds loosely inside of loops: the same in all iterations, because these are alike. */
static void fold_inside(struct repeat_finder *f, struct repeat_node *loop)
{
    node_list all = {0};
    uint32_t each = loop->count / loop->times;
    for (uint32_t t = 0; t < loop->times && !f->out_of_memory; t++) {
        node_list one = {0};
        for (uint32_t i = 0; i < each && !f->out_of_memory; i++) {
            struct repeat_node *child = loop->children[t * each + i];
            if (child->kind == NODE_LOOP)
                fold_inside(f, child);
            f->out_of_memory |= !array_push(&one, child);
        }
        unroll(f, &one);
        fold_rounds(f, &one);
        for (size_t i = 0; i < one.count && !f->out_of_memory; i++)
            f->out_of_memory |= !array_push(&all, one.items[i]);
        free(one.items);
    }
    struct repeat_node **children =
        f->out_of_memory ? NULL : arena_memdup(f->arena, all.items, all.count * sizeof *all.items);
    f->out_of_memory |= !children;
    if (children && all.count % loop->times == 0) {
        loop->children = children;
        loop->count = (uint32_t)all.count;
        loop->loose = children_signature(true, children, loop->count / loop->times);
    }
    free(all.items);
}

static bool are_equal(struct likeness a, struct likeness b)
{
    return a.bytes == b.bytes && a.distance == b.distance && a.contents == b.contents;
}

static void fold_nodes(struct repeat_finder *f, node_list *nodes)
{
    f->loose = false;
    fold_rounds(f, nodes);
    if (are_equal(f->alike->first, f->alike->then))
        return;
    f->loose = true;
    for (size_t i = 0; i < nodes->count && !f->out_of_memory; i++)
        if (nodes->items[i]->kind == NODE_LOOP)
            fold_inside(f, nodes->items[i]);
    unroll(f, nodes);
    fold_rounds(f, nodes);
}

/* Gives a loop what its first iteration computes in addition to the average of the others. */
static void settle_loop(struct repeat_node *loop)
{
    if (loop->times < 2)
        return;
    uint32_t each = loop->count / loop->times;
    double others = 0;
    for (uint32_t t = 1; t < loop->times; t++)
        others += loop->children[t * each]->before;
    others /= loop->times - 1;
    double excess = loop->children[0]->before - others;
    if (excess > 0.1 * others) {
        loop->before = excess;
        loop->children[0]->before = others;
    }
}

static void settle(struct repeat_node *node)
{
    for (uint32_t i = 0; i < node->count; i++)
        if (node->children[i]->kind == NODE_LOOP) /* regions are settled when they are made */
            settle(node->children[i]);
    if (node->kind == NODE_LOOP)
        settle_loop(node);
}

/* The region that action `enter` enters (INDEX_NONE: the root), with these contents. */
static struct repeat_node *region_node(struct repeat_finder *f, uint32_t enter, double after,
                                       node_list *nodes)
{
    fold_nodes(f, nodes);
    struct repeat_node node = {
        .kind = NODE_REGION, .action = enter, .count = (uint32_t)nodes->count, .after = after};
    if (!f->out_of_memory) {
        const struct action *action = f->actions->list.items + enter;
        uint64_t step = enter == INDEX_NONE ? 0 : action->step + UINT64_C(1);
        node.children = arena_memdup(f->arena, nodes->items, nodes->count * sizeof *nodes->items);
        f->out_of_memory = !node.children;
        node.contents = contents_of(nodes->items, node.count) | UINT64_C(1) << map_mix(step) % 64;
        node.signature = region_signature(step, &node, f->alike->first);
        node.loose = region_signature(step, &node, f->alike->then);
        node.before = enter == INDEX_NONE ? 0 : action->before;
    }
    free(nodes->items);
    *nodes = (node_list){0};
    struct repeat_node *made = make_node(f, node);
    if (made && !f->out_of_memory)
        settle(made);
    return made;
}

/* Ends the innermost open region. */
static void close_region(struct repeat_finder *f, double after)
{
    struct open_repeat *inner = &f->open.items[--f->open.count];
    struct repeat_node *node = region_node(f, inner->enter, after, &inner->nodes);
    f->out_of_memory |= !array_push(&f->open.items[f->open.count - 1].nodes, node);
}

static void take_action(struct repeat_finder *f, uint32_t i)
{
    const struct action *action = &f->actions->list.items[i];
    if (action->kind == ACTION_ENTER)
        f->out_of_memory |= !array_push(&f->open, (struct open_repeat){.enter = i});
    else if (action->kind == ACTION_LEAVE && f->open.count > 1)
        close_region(f, action->before);
    else if (action->left_out)
        f->carried += action->before;
    else if (action->kind != ACTION_LEAVE)
        f->out_of_memory |= !array_push(&f->open.items[f->open.count - 1].nodes, call_node(f, i));
}

bool repeats_find(const struct script_steps *steps, const struct rank_actions *actions,
                  const struct likenesses *alike, struct arena *arena, struct repeat_node **root)
{
    assert(steps->set.items.count > 0 || actions->list.count == 0);
    struct repeat_finder f = {.steps = steps, .actions = actions, .alike = alike, .arena = arena};
    f.out_of_memory = !array_push(&f.open, (struct open_repeat){.enter = INDEX_NONE});
    for (uint32_t i = 0; i < actions->list.count && !f.out_of_memory; i++)
        take_action(&f, i);
    while (f.open.count > 1 && !f.out_of_memory) /* never left */
        close_region(&f, 0);
    if (!f.out_of_memory)
        *root = region_node(&f, INDEX_NONE, actions->rest, &f.open.items[0].nodes);
    for (size_t i = 0; i < f.open.count; i++)
        free(f.open.items[i].nodes.items);
    free(f.open.items);
    for (size_t i = 0; i < f.folds.count; i++)
        folded_clear(&f.folds.items[i]);
    free(f.folds.items);
    free(f.sequence.items);
    map_clear(&f.symbols);
    map_clear(&f.known);
    return !f.out_of_memory;
}
