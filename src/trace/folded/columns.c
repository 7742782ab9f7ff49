#include "trace/folded/columns.h"

#include "base/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    VISITS_LEAST = 32, /* of a column for a position, or for a pair of symbols */
    HIGH_BITS = 3,     /* below the leading bit, in the symbol */
    SYMBOL_WIDE = 255, /* the number does not fit a symbol: all its bits are stored */
    MANY = 4096,       /* size of the sample of a column by which its storage is chosen */
};
#define COLUMN_NONE UINT32_MAX

static uint32_t add_column(struct column_map *map, uint32_t symbol, uint64_t visits)
{
    map->symbol[map->count] = symbol;
    map->visits[map->count] = visits;
    return map->count++;
}

/* Counts the visits of pairs at positions that are visited too rarely, in the order of their first
 * appearance. */
static bool count_pairs(struct column_map *map, const uint64_t *visits, uint64_t **counts,
                        uint32_t *count)
{
    ARRAY(uint64_t) seen = {0};
    uint32_t before = 0;
    struct fold_walk walk;
    bool allocated = true;
    for (fold_walk_begin(&walk, map->folded); allocated && fold_walk_next(&walk);
         before = walk.symbol) {
        if (visits[walk.slot] >= VISITS_LEAST)
            continue;
        uint32_t *index =
            map_at(&map->pairs, (uint64_t)before << 32 | walk.symbol, (uint32_t)seen.count);
        allocated = index && (*index < seen.count || array_push(&seen, 0));
        if (allocated)
            seen.items[*index]++;
    }
    *counts = seen.items;
    *count = (uint32_t)seen.count;
    return allocated;
}

static bool number_columns(struct column_map *map, const uint64_t *visits, const uint64_t *pairs,
                           uint32_t pair_count)
{
    const size_t slots = map->folded->items.count;
    const size_t most = map->symbols + slots + pair_count + 1;
    map->of_slot = malloc((slots + 1) * sizeof *map->of_slot);
    map->of_pair = malloc(((size_t)pair_count + 1) * sizeof *map->of_pair);
    map->visits = calloc(most, sizeof *map->visits);
    map->symbol = calloc(most, sizeof *map->symbol);
    if (!map->of_slot || !map->of_pair || !map->visits || !map->symbol)
        return false;
    for (uint32_t i = 0; i < map->symbols; i++)
        add_column(map, i, 0);
    for (size_t i = 0; i < slots; i++) {
        map->of_slot[i] = COLUMN_NONE;
        uint32_t what = map->folded->items.items[i].what;
        if (!(what & ITEM_BODY) && visits[i] >= VISITS_LEAST)
            map->of_slot[i] = add_column(map, what, visits[i]);
    }
    for (uint32_t i = 0; i < pair_count; i++)
        map->of_pair[i] = COLUMN_NONE;
    for (size_t i = 0; i < map->pairs.slots; i++) {
        uint32_t pair = map->pairs.values[i];
        if (pair != MAP_NONE && pairs[pair] < VISITS_LEAST)
            map->visits[(uint32_t)map->pairs.keys[i]] += pairs[pair];
        else if (pair != MAP_NONE)
            map->of_pair[pair] = (uint32_t)map->pairs.keys[i]; /* its symbol for now */
    }
    for (uint32_t i = 0; i < pair_count; i++)
        if (map->of_pair[i] != COLUMN_NONE)
            map->of_pair[i] = add_column(map, map->of_pair[i], pairs[i]);
    return true;
}

bool column_map_make(struct column_map *map, const struct folded *folded, uint32_t symbols)
{
    *map = (struct column_map){.folded = folded, .symbols = symbols};
    uint64_t *visits = calloc(folded->items.count + 1, sizeof *visits), *pairs = NULL;
    uint32_t pair_count = 0;
    bool allocated = visits && fold_count_visits(folded, visits) &&
                     count_pairs(map, visits, &pairs, &pair_count) &&
                     number_columns(map, visits, pairs, pair_count);
    free(visits);
    free(pairs);
    if (!allocated)
        column_map_clear(map);
    return allocated;
}

void column_map_clear(struct column_map *map)
{
    free(map->of_slot);
    map_clear(&map->pairs);
    free(map->of_pair);
    free(map->visits);
    free(map->symbol);
    *map = (struct column_map){0};
}

/* The symbol of a number, and the number of its low bits. */
static inline unsigned symbol_of_number(uint64_t number, int *low)
{
    if (number < 1u << (HIGH_BITS + 1)) {
        *low = 0;
        return (unsigned)number;
    }
    int lead = 63 - __builtin_clzll(number);
    *low = lead - HIGH_BITS;
    unsigned symbol = ((unsigned)*low << HIGH_BITS) + (unsigned)(number >> *low);
    if (symbol < SYMBOL_WIDE)
        return symbol;
    *low = 64;
    return SYMBOL_WIDE;
}

static inline uint64_t number_of_symbol(unsigned symbol, int *low)
{
    *low = symbol == SYMBOL_WIDE ? 64 : (int)(symbol >> HIGH_BITS) - 1;
    if (symbol == SYMBOL_WIDE)
        return 0;
    if (*low <= 0) {
        *low = 0;
        return symbol;
    }
    return (uint64_t)(symbol - ((unsigned)*low << HIGH_BITS)) << *low;
}

static void put_low(struct noise *noise, uint64_t bits, int count)
{
    while (count > 0) {
        int part = count < 32 ? count : 32;
        noise->bits |= (bits & ((UINT64_C(1) << part) - 1)) << noise->bit_count;
        noise->bit_count += part;
        bits >>= part & 63;
        count -= part;
        unsigned char bytes[8];
        size_t whole = (size_t)noise->bit_count / 8;
        for (size_t i = 0; i < whole; i++, noise->bits >>= 8)
            bytes[i] = (unsigned char)noise->bits;
        noise->bit_count -= 8 * (int)whole;
        noise->failed |= !bytes_put(&noise->low, bytes, whole);
    }
}

static inline uint64_t get_low(struct noise *noise, int count)
{
    uint64_t result = 0;
    for (int got = 0; got < count;) {
        while (noise->bit_count <= 56 && noise->low_at < noise->low.size) {
            noise->bits |= (uint64_t)(unsigned char)noise->low.data[noise->low_at++]
                           << noise->bit_count;
            noise->bit_count += 8;
        }
        int part = count - got < 32 ? count - got : 32;
        if (noise->bit_count < part) {
            noise->failed = true;
            return 0;
        }
        result |= (noise->bits & ((UINT64_C(1) << part) - 1)) << got;
        noise->bits >>= part;
        noise->bit_count -= part;
        got += part;
    }
    return result;
}

void noise_finish(struct noise *noise)
{
    if (noise->bit_count)
        put_low(noise, 0, 8 - noise->bit_count);
}

/* How a number is converted before it is split: not at all, to its distance from the smallest, or
 * from the median. */
enum way { WAY_CONSTANT, WAY_PLAIN, WAY_ABOVE, WAY_AROUND, WAY_STEPS, WAY_COUNT };

static inline uint64_t to_way(enum way way, uint64_t value, uint64_t base)
{
    return way == WAY_ABOVE ? value - base : way == WAY_AROUND ? zigzag(value - base) : value;
}

/* The bits that the values take with a perfect entropy coder. */
static double bits_of(const uint64_t *values, size_t count, enum way way, uint64_t base)
{
    uint32_t seen[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < count; i++) {
        int low;
        seen[symbol_of_number(to_way(way, values[i], base), &low)]++;
        bits += low;
    }
    for (int i = 0; i < 256; i++)
        if (seen[i])
            bits += seen[i] * log2((double)count / seen[i]);
    return bits;
}

uint64_t column_median(const uint64_t *values, size_t count)
{
    assert(count > 0);
    assert(count > 0);
    uint64_t some[MANY] = {0};
    size_t every = (count + MANY - 1) / MANY, n = 0;
    for (size_t i = 0; i < count; i += every)
        some[n++] = values[i];
    qsort(some, n, sizeof *some, order_uint64);
    return some[n / 2];
}

static enum way choose_way(const uint64_t *values, size_t count, uint64_t *base)
{
    uint64_t least = values[0], median = column_median(values, count);
    bool constant = true;
    for (size_t i = 0; i < count; i++) {
        constant &= values[i] == values[0];
        least = values[i] < least ? values[i] : least;
    }
    *base = least;
    if (constant)
        return WAY_CONSTANT;
    const size_t looked_at = count < MANY ? count : MANY;
    const uint64_t bases[WAY_COUNT] = {[WAY_ABOVE] = least, [WAY_AROUND] = median};
    double best_bits = 0;
    enum way best = WAY_PLAIN;
    for (enum way way = WAY_PLAIN; way <= WAY_AROUND; way++) {
        double bits = bits_of(values, looked_at, way, bases[way]) + (way == WAY_PLAIN ? 0 : 16);
        if (way == WAY_PLAIN || bits < best_bits) {
            best = way;
            best_bits = bits;
        }
    }
    *base = bases[best];
    return best;
}

static bool is_constant(const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i])
            return false;
    return true;
}

struct column_head column_head_choose(const uint64_t *values, size_t count,
                                      struct rounding rounding)
{
    assert(count > 0);
    struct column_head head = {.way = WAY_STEPS, .base = rounding.center};
    int low;
    if (!rounding.step)
        head.way = (uint8_t)choose_way(values, count, &head.base);
    else if (is_constant(values, count))
        head.way = WAY_CONSTANT;
    if (head.way != WAY_CONSTANT)
        head.level = (uint8_t)symbol_of_number(column_median(values, count), &low);
    return head;
}

void column_head_code(struct coder *coder, struct column_head *head)
{
    code_u8(coder, &head->way);
    coder->failed |= head->way >= WAY_COUNT;
    if (head->way != WAY_PLAIN)
        code_number(coder, &head->base);
    if (head->way != WAY_CONSTANT)
        code_u8(coder, &head->level);
}

void column_order(const struct column_head *heads, uint32_t count, uint32_t *order)
{
    uint32_t next = 0;
    for (unsigned level = 0; level <= UINT8_MAX; level++)
        for (uint32_t i = 0; i < count; i++)
            if (heads[i].level == level)
                order[next++] = i;
}

void column_write(const uint64_t *values, size_t count, struct column_head head,
                  struct noise *noise)
{
    if (head.way == WAY_CONSTANT)
        return;
    noise->durations += count;
    noise->entropy += bits_of(values, count, head.way, head.base);
    for (size_t i = 0; i < count; i++) {
        int low;
        uint64_t number = to_way(head.way, values[i], head.base);
        unsigned char symbol = (unsigned char)symbol_of_number(number, &low);
        noise->failed |= !bytes_put(&noise->symbols, &symbol, 1);
        put_low(noise, number, low);
    }
}

static uint64_t read_column_value(struct noise *noise)
{
    if (noise->symbols_at >= noise->symbols.size) {
        noise->failed = true;
        return 0;
    }
    int low;
    uint64_t number =
        number_of_symbol((unsigned char)noise->symbols.data[noise->symbols_at++], &low);
    return low ? number | get_low(noise, low) : number;
}

uint64_t rounding_value(struct rounding rounding, int64_t k)
{
    uint64_t length = rounding.step * (k < 0 ? 0 - (uint64_t)k : (uint64_t)k);
    return k >= 0                     ? rounding.center + length
           : length > rounding.center ? 0
                                      : rounding.center - length;
}

void column_read(uint64_t *values, size_t count, struct column_head head, uint64_t step,
                 struct noise *noise)
{
    const struct rounding rounding = {head.base, step};
    for (size_t i = 0; i < count; i++) {
        uint64_t number = head.way == WAY_CONSTANT ? 0 : read_column_value(noise);
        switch ((enum way)head.way) {
        case WAY_AROUND:
            values[i] = head.base + unzigzag(number);
            break;
        case WAY_STEPS:
            values[i] = rounding_value(rounding, (int64_t)unzigzag(number));
            break;
        default:
            values[i] = head.base + number;
        }
    }
}

void column_code_varying(struct coder *numbers, uint64_t *values, size_t rows, uint32_t fields)
{
    for (uint32_t field = 0; field < fields && rows > 0; field++) {
        uint64_t growth =
            rows > 1 && !numbers->decoding ? values[fields + field] - values[field] : 0;
        bool steady = true;
        for (size_t i = 1; i < rows && !numbers->decoding && steady; i++)
            steady = values[i * fields + field] - values[(i - 1) * fields + field] == growth;
        code_number(numbers, &values[field]);
        code_bool(numbers, &steady);
        if (steady)
            code_near(numbers, &growth, 0);
        for (size_t i = 1; i < rows; i++) {
            uint64_t *value = &values[i * fields + field];
            uint64_t before = values[(i - 1) * fields + field];
            if (steady)
                *value = before + growth;
            else
                code_near(numbers, value, before);
        }
    }
}
