#include "trace/folded/fold.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PERIOD_MOST = 1 << 16,
    CANDIDATES = 48, /* earlier appearances of the last item that are compared */
};
#define NOWHERE    UINT32_MAX
#define MULTIPLIER 0x9E3779B97F4A7C15u

/* An item of the sequence folded so far, which is a stack. */
struct fold_place {
    struct item item;
    uint32_t before;      /* the previous place with an equal item */
    uint32_t before_loop; /* if the item is a body: the previous one that ends in the same item */
    uint64_t hash;        /* of all items up to this one */
};

struct folder {
    ARRAY(struct fold_place) places;
    struct map last;       /* item -> its last place */
    struct map last_loop;  /* item -> the last place of a body that ends in it */
    struct map body_index; /* hash of a body -> its number */
    struct folded *folded;
    uint64_t powers[PERIOD_MOST + 1];
    bool out_of_memory;
};

static uint64_t item_key(struct item item)
{
    return (uint64_t)item.what << 32 | item.times;
}

static bool same(struct item a, struct item b)
{
    return a.what == b.what && a.times == b.times;
}

static struct item last_of_body(const struct folder *f, uint32_t body)
{
    struct body b = f->folded->bodies.items[body];
    return f->folded->items.items[b.first + b.count - 1];
}

/* Values of the maps are places plus one; 0 stands for none. */
static uint32_t place_before(struct folder *f, struct map *map, uint64_t key, uint32_t now)
{
    uint32_t *value = map_at(map, key, 0);
    if (!value) {
        f->out_of_memory = true;
        return NOWHERE;
    }
    uint32_t before = *value - 1;
    *value = now + 1;
    return before;
}

static void push_item(struct folder *f, struct item item)
{
    uint32_t at = (uint32_t)f->places.count;
    uint64_t hash = at ? f->places.items[at - 1].hash : 0;
    struct fold_place place = {.item = item, .before_loop = NOWHERE};
    place.hash = hash * MULTIPLIER + map_mix(item_key(item) + 1);
    place.before = place_before(f, &f->last, item_key(item), at);
    if (item.what & ITEM_BODY)
        place.before_loop =
            place_before(f, &f->last_loop, item_key(last_of_body(f, item.what & ~ITEM_BODY)), at);
    f->out_of_memory |= !array_push(&f->places, place);
}

static void pop(struct folder *f)
{
    struct fold_place place = f->places.items[--f->places.count];
    *map_at(&f->last, item_key(place.item), 0) = place.before + 1;
    if (place.item.what & ITEM_BODY)
        *map_at(&f->last_loop, item_key(last_of_body(f, place.item.what & ~ITEM_BODY)), 0) =
            place.before_loop + 1;
}

static uint64_t hash_of(const struct folder *f, size_t first, size_t count)
{
    uint64_t before = first ? f->places.items[first - 1].hash : 0;
    return f->places.items[first + count - 1].hash - before * f->powers[count];
}

/* The number of the body with the items at these places, added if it is new. */
static uint32_t find_body(struct folder *f, size_t first, uint32_t count)
{
    struct folded *folded = f->folded;
    uint32_t fresh = (uint32_t)folded->bodies.count;
    for (uint64_t key = hash_of(f, first, count) ^ count;; key = map_mix(key + 1)) {
        uint32_t *number = map_at(&f->body_index, key, fresh);
        if (!number) {
            f->out_of_memory = true;
            return 0;
        }
        if (*number == fresh)
            break;
        struct body known = folded->bodies.items[*number];
        bool equal = known.count == count;
        for (uint32_t i = 0; equal && i < count; i++)
            equal = same(folded->items.items[known.first + i], f->places.items[first + i].item);
        if (equal)
            return *number;
    }
    struct body body = {(uint32_t)folded->items.count, count};
    bool allocated = true;
    for (uint32_t i = 0; i < count; i++)
        allocated &= array_push(&folded->items, f->places.items[first + i].item);
    f->out_of_memory |= !allocated || !array_push(&folded->bodies, body);
    return fresh;
}

/* If the last items repeat the body before them once more, removes them and increments its number
 * of repeats. */
static bool extend(struct folder *f)
{
    const size_t count = f->places.count;
    const struct item last = f->places.items[count - 1].item;
    uint32_t at = map_get(&f->last_loop, item_key(last));
    if (at == MAP_NONE)
        return false;
    at--;
    for (int tries = 0; at != NOWHERE && tries < CANDIDATES; tries++) {
        struct item loop = f->places.items[at].item;
        struct body body = f->folded->bodies.items[loop.what & ~ITEM_BODY];
        size_t length = count - 1 - at;
        if (length > PERIOD_MOST)
            return false;
        bool equal = body.count == length && loop.times < UINT32_MAX;
        for (size_t i = length; equal && i-- > 0;)
            equal = same(f->folded->items.items[body.first + i], f->places.items[at + 1 + i].item);
        if (equal) {
            for (size_t i = 0; i <= length; i++)
                pop(f);
            loop.times++;
            push_item(f, loop);
            return true;
        }
        at = f->places.items[at].before_loop;
    }
    return false;
}

/* If the last items equal those before them, replaces both by a repeated body. */
static bool join_repeats(struct folder *f)
{
    const size_t count = f->places.count;
    uint32_t at = f->places.items[count - 1].before;
    for (int tries = 0; at != NOWHERE && tries < CANDIDATES; tries++) {
        size_t length = count - 1 - at;
        if (length > PERIOD_MOST || 2 * length > count)
            return false;
        size_t second = count - length, first = second - length;
        bool equal =
            (length == 1 || same(f->places.items[at - 1].item, f->places.items[count - 2].item)) &&
            hash_of(f, first, length) == hash_of(f, second, length);
        for (size_t i = 0; equal && i < length; i++)
            equal = same(f->places.items[first + i].item, f->places.items[second + i].item);
        if (equal) {
            uint32_t body = find_body(f, first, (uint32_t)length);
            if (f->out_of_memory)
                return false;
            for (size_t i = 0; i < 2 * length; i++)
                pop(f);
            push_item(f, (struct item){body | ITEM_BODY, 2});
            return true;
        }
        at = f->places.items[at].before;
    }
    return false;
}

/* Copies the bodies that are still in use, in their order, and the sequence. */
static bool copy_used_bodies(struct folder *f, struct folded *out)
{
    const struct folded *in = f->folded;
    const size_t bodies = in->bodies.count;
    uint32_t *number = calloc(bodies + 1, sizeof *number);
    bool allocated = number != NULL;
    for (size_t i = 0; allocated && i < f->places.count; i++)
        if (f->places.items[i].item.what & ITEM_BODY)
            number[f->places.items[i].item.what & ~ITEM_BODY] = 1;
    for (size_t b = bodies; allocated && b-- > 0;)
        for (uint32_t i = 0; number[b] && i < in->bodies.items[b].count; i++) {
            struct item item = in->items.items[in->bodies.items[b].first + i];
            if (item.what & ITEM_BODY)
                number[item.what & ~ITEM_BODY] = 1;
        }
    for (size_t b = 0; allocated && b <= bodies; b++) {
        bool whole = b == bodies;
        if (!whole && !number[b])
            continue;
        struct body from =
            whole ? (struct body){0, (uint32_t)f->places.count} : in->bodies.items[b];
        struct body to = {(uint32_t)out->items.count, from.count};
        for (uint32_t i = 0; allocated && i < from.count; i++) {
            struct item item = whole ? f->places.items[i].item : in->items.items[from.first + i];
            if (item.what & ITEM_BODY)
                item.what = ITEM_BODY | number[item.what & ~ITEM_BODY];
            allocated = array_push(&out->items, item);
        }
        if (whole)
            out->whole = to;
        else if (allocated) {
            number[b] = (uint32_t)out->bodies.count;
            allocated = array_push(&out->bodies, to);
        }
    }
    free(number);
    return allocated;
}

bool folded_make(const uint32_t *symbols, size_t count, struct folded *folded)
{
    struct folded all = {0};
    *folded = (struct folded){0};
    struct folder *f = calloc(1, sizeof *f);
    if (!f)
        return false;
    f->folded = &all;
    f->powers[0] = 1;
    for (size_t i = 1; i <= PERIOD_MOST && i <= count; i++) /* no body is longer */
        f->powers[i] = f->powers[i - 1] * MULTIPLIER;
    for (size_t i = 0; i < count && !f->out_of_memory; i++) {
        assert(!(symbols[i] & ITEM_BODY));
        push_item(f, (struct item){symbols[i], 1});
        while (!f->out_of_memory && (extend(f) || join_repeats(f)))
            continue;
    }
    bool allocated = !f->out_of_memory && copy_used_bodies(f, folded);
    folded_clear(&all);
    free(f->places.items);
    map_clear(&f->last);
    map_clear(&f->last_loop);
    map_clear(&f->body_index);
    free(f);
    if (!allocated)
        folded_clear(folded);
    return allocated;
}

void folded_clear(struct folded *folded)
{
    free(folded->items.items);
    free(folded->bodies.items);
    *folded = (struct folded){0};
}

static void code_items(struct coder *coder, struct folded *folded, struct body *body,
                       uint32_t symbols, uint32_t bodies)
{
    uint64_t rest = coder->size - coder->at;
    code_count(coder, &body->count, coder->decoding ? rest : UINT32_MAX);
    if (coder->decoding)
        body->first = (uint32_t)folded->items.count;
    for (uint32_t i = 0; i < body->count && !coder->failed; i++) {
        struct item item = {0, 1};
        if (!coder->decoding)
            item = folded->items.items[body->first + i];
        uint32_t number = item.what & ITEM_BODY ? symbols + (item.what & ~ITEM_BODY) : item.what;
        code_u32(coder, &number);
        if (number >= symbols)
            code_u32(coder, &item.times);
        item.what = number >= symbols ? ITEM_BODY | (number - symbols) : number;
        coder->failed |= number >= symbols && (number - symbols >= bodies || item.times == 0);
        if (coder->decoding)
            coder->failed |= !array_push(&folded->items, item);
    }
}

/* The number of symbols in the sequence; UINT64_MAX if repeats nest too deeply or are too many. */
static uint64_t folded_length(const struct folded *folded)
{
    const size_t bodies = folded->bodies.count;
    struct {
        uint64_t length;
        int depth;
    } *of = calloc(bodies + 1, sizeof *of);
    for (size_t b = 0; of && b <= bodies; b++) {
        struct body body = b < bodies ? folded->bodies.items[b] : folded->whole;
        of[b].depth = 1;
        for (uint32_t i = 0; i < body.count; i++) {
            struct item item = folded->items.items[body.first + i];
            uint64_t length = 1;
            if (item.what & ITEM_BODY) {
                uint32_t inner = item.what & ~ITEM_BODY;
                length = of[inner].length * item.times;
                if (of[b].depth <= of[inner].depth)
                    of[b].depth = of[inner].depth + 1;
            }
            of[b].length += length;
            if (of[b].length > UINT32_MAX)
                of[b].length = UINT32_MAX + (uint64_t)1;
        }
        if (of[b].depth >= FOLD_DEPTH)
            of[bodies].length = UINT64_MAX;
    }
    uint64_t length = of ? of[bodies].length : UINT64_MAX;
    free(of);
    return length;
}

void folded_code(struct coder *coder, struct folded *folded, uint32_t symbols, uint64_t rows)
{
    uint32_t bodies = (uint32_t)folded->bodies.count;
    code_count(coder, &bodies, coder->decoding ? coder->size - coder->at : UINT32_MAX);
    for (uint32_t b = 0; b < bodies && !coder->failed; b++) {
        struct body body = {0};
        if (!coder->decoding)
            body = folded->bodies.items[b];
        code_items(coder, folded, &body, symbols, b);
        coder->failed |= body.count == 0;
        if (coder->decoding)
            coder->failed |= !array_push(&folded->bodies, body);
    }
    code_items(coder, folded, &folded->whole, symbols, bodies);
    if (coder->decoding && !coder->failed)
        coder->failed = folded_length(folded) != rows;
}

static void walk_into(struct fold_walk *walk, struct body body, uint32_t times)
{
    assert(walk->depth < FOLD_DEPTH);
    walk->levels[walk->depth].at = walk->levels[walk->depth].first = body.first;
    walk->levels[walk->depth].end = body.first + body.count;
    walk->levels[walk->depth].left = times - 1;
    walk->depth++;
}

void fold_walk_begin(struct fold_walk *walk, const struct folded *folded)
{
    walk->folded = folded;
    walk->depth = 0;
    walk_into(walk, folded->whole, 1);
}

bool fold_walk_next(struct fold_walk *walk)
{
    while (walk->depth > 0) {
        typeof(walk->levels[0]) *level = &walk->levels[walk->depth - 1];
        if (level->at == level->end) {
            if (level->left == 0) {
                walk->depth--;
                continue;
            }
            level->left--;
            level->at = level->first;
        }
        uint32_t slot = level->at++;
        struct item item = walk->folded->items.items[slot];
        if (!(item.what & ITEM_BODY)) {
            walk->symbol = item.what;
            walk->slot = slot;
            return true;
        }
        walk_into(walk, walk->folded->bodies.items[item.what & ~ITEM_BODY], item.times);
    }
    return false;
}

static void add_visits(const struct folded *folded, struct body body, uint64_t visits,
                       uint64_t *of_bodies, uint64_t *times)
{
    for (uint32_t i = body.first; i < body.first + body.count; i++) {
        struct item item = folded->items.items[i];
        times[i] = visits;
        if (item.what & ITEM_BODY)
            of_bodies[item.what & ~ITEM_BODY] += visits * item.times;
    }
}

bool fold_count_visits(const struct folded *folded, uint64_t *times)
{
    uint64_t *of_bodies = calloc(folded->bodies.count + 1, sizeof *of_bodies);
    if (!of_bodies)
        return false;
    add_visits(folded, folded->whole, 1, of_bodies, times);
    for (size_t b = folded->bodies.count; b-- > 0;)
        add_visits(folded, folded->bodies.items[b], of_bodies[b], of_bodies, times);
    free(of_bodies);
    return true;
}
