#include "trace/folded/streams.h"

#include "trace/folded/symbols.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void stream_bytes_clear(struct stream_bytes *bytes)
{
    bytes_clear(&bytes->numbers);
    bytes_clear(&bytes->symbols);
    bytes_clear(&bytes->low);
}

/* The values of all columns in one block: column by column. */
struct column_values {
    uint64_t *values;
    uint64_t *first; /* [columns + 1] */
    uint64_t *at;    /* [columns]: the next one */
};

static void column_values_clear(struct column_values *v)
{
    free(v->values);
    free(v->first);
    free(v->at);
    *v = (struct column_values){0};
}

/* Makes room for `per_visit(symbol)` values of each visit: durations (`varying` false) or varying
 * numbers. */
static bool values_make(struct column_values *v, const struct column_map *map,
                        const struct row_symbols *symbols, bool varying)
{
    v->first = calloc((size_t)map->count + 1, sizeof *v->first);
    v->at = calloc((size_t)map->count + 1, sizeof *v->at);
    if (!v->first || !v->at)
        return false;
    for (uint32_t c = 0; c < map->count; c++) {
        uint32_t symbol = map->symbol[c];
        uint64_t each = varying ? (uint64_t)__builtin_popcount(symbols->list.items[symbol].varying)
                                : row_symbol_is_timed(symbols, symbol);
        v->at[c] = v->first[c];
        v->first[c + 1] = v->first[c] + each * map->visits[c];
    }
    v->values = malloc((v->first[map->count] + 1) * sizeof *v->values);
    return v->values != NULL;
}

/* Goes back to the first value of each column. */
static void values_rewind(struct column_values *v, const struct column_map *map)
{
    memcpy(v->at, v->first, map->count * sizeof *v->at);
}

/* The number of the column's durations. */
static uint64_t numbers_length(const struct column_values *times, uint32_t column)
{
    return times->first[column + 1] - times->first[column];
}

/* The varying numbers of a column. */
static void code_varying(const struct column_values *v, const struct column_map *map,
                         const struct row_symbols *symbols, uint32_t column, struct coder *numbers)
{
    uint32_t mask = symbols->list.items[map->symbol[column]].varying;
    if (mask)
        column_code_varying(numbers, v->values + v->first[column], map->visits[column],
                            (uint32_t)__builtin_popcount(mask));
}

struct stream_writer {
    const struct stream *stream;
    const uint64_t *left_out; /* varying numbers by row */
    struct row_symbols symbols;
    struct folded folded;
    struct column_map map;
    struct column_values times, varying;
    struct rounding *rounding; /* [map.count]; NULL: times are exact */
};

static uint64_t duration_before(const struct stream *stream, uint32_t row)
{
    return row ? stream->time[row] - stream->time[row - 1] : 0;
}

static void fill_columns(struct stream_writer *w)
{
    struct fold_walk walk;
    uint32_t before = 0, row = 0;
    const uint64_t *left_out = w->left_out;
    for (fold_walk_begin(&walk, &w->folded); fold_walk_next(&walk); before = walk.symbol) {
        uint32_t column = column_at(&w->map, &walk, before);
        if (row < w->stream->count)
            w->times.values[w->times.at[column]++] = duration_before(w->stream, row++);
        uint32_t count = (uint32_t)__builtin_popcount(w->symbols.list.items[walk.symbol].varying);
        for (uint32_t i = 0; i < count; i++)
            w->varying.values[w->varying.at[column]++] = *left_out++;
    }
}

/* The duration nearest to `wanted` that the rounding allows, as a number of steps. */
static int64_t nearest_multiple(struct rounding rounding, uint64_t wanted)
{
    uint64_t half = rounding.step / 2;
    if (wanted >= rounding.center)
        return (int64_t)((wanted - rounding.center + half) / rounding.step);
    int64_t k = -(int64_t)((rounding.center - wanted + half) / rounding.step);
    /* 0 may be nearer than the last step above it */
    if (rounding_value(rounding, k) > wanted && wanted < rounding_value(rounding, k) - wanted)
        k--;
    return k;
}

/* Replaces the durations by zigzag(k) of rounded ones. A row keeps the center's duration as long as
 * its time stamp is within the quantum then; otherwise it gets the nearest possible one, so that
 * errors do not add up. Returns the largest error. */
static uint64_t round_columns(struct stream_writer *w, uint64_t quantum)
{
    struct fold_walk walk;
    uint32_t before = 0, row = 0;
    uint64_t time = w->stream->count ? w->stream->time[0] : 0, furthest = 0;
    values_rewind(&w->times, &w->map);
    for (fold_walk_begin(&walk, &w->folded); fold_walk_next(&walk) && row < w->stream->count;
         before = walk.symbol) {
        uint32_t column = column_at(&w->map, &walk, before);
        struct rounding rounding = w->rounding[column];
        uint64_t goal = w->stream->time[row], kept = time + (row ? rounding.center : 0);
        int64_t k = 0;
        if (row && (kept > goal + quantum || kept + quantum < goal))
            k = nearest_multiple(rounding, goal > time ? goal - time : 0);
        time += row ? rounding_value(rounding, k) : 0;
        uint64_t error = time > goal ? time - goal : goal - time;
        furthest = error > furthest ? error : furthest;
        w->times.values[w->times.at[column]++] = zigzag((uint64_t)k);
        row++;
    }
    return furthest;
}

/* Centers are medians: a column of which most durations are alike is then constant. */
static bool choose_centers(struct stream_writer *w, uint64_t quantum)
{
    w->rounding = calloc((size_t)w->map.count + 1, sizeof *w->rounding);
    for (uint32_t c = 0; w->rounding && c < w->map.count; c++) {
        uint64_t count = numbers_length(&w->times, c);
        const uint64_t *values = w->times.values + w->times.first[c];
        w->rounding[c] = (struct rounding){count ? column_median(values, count) : 0, quantum};
    }
    return w->rounding != NULL;
}

static bool write_duration_columns(const struct stream_writer *w, struct coder *numbers,
                                   struct noise *noise)
{
    const uint32_t count = w->map.count;
    struct column_head *heads = calloc((size_t)count + 1, sizeof *heads);
    uint32_t *order = calloc((size_t)count + 1, sizeof *order);
    for (uint32_t c = 0; heads && order && c < count; c++) {
        struct rounding rounding = w->rounding ? w->rounding[c] : (struct rounding){0};
        if (numbers_length(&w->times, c)) {
            heads[c] = column_head_choose(w->times.values + w->times.first[c],
                                          numbers_length(&w->times, c), rounding);
            column_head_code(numbers, &heads[c]);
        }
        code_varying(&w->varying, &w->map, &w->symbols, c, numbers);
    }
    if (heads && order)
        column_order(heads, count, order);
    for (uint32_t i = 0; heads && order && i < count; i++)
        if (numbers_length(&w->times, order[i]))
            column_write(w->times.values + w->times.first[order[i]],
                         numbers_length(&w->times, order[i]), heads[order[i]], noise);
    bool allocated = heads && order;
    free(heads);
    free(order);
    return allocated;
}

/* Codes the numbers that are needed before the first row. */
static void code_head(struct coder *coder, struct stream *stream, uint64_t *rows, uint64_t *time)
{
    code_u32(coder, &stream->count);
#define X(array, number) code_u32(coder, &stream->number);
    STREAM_TABLES(X)
#undef X
    code_number(coder, rows);
    code_number(coder, time);
}

static void code_windows(struct coder *coder, uint64_t *window_bytes, uint32_t windows)
{
    for (uint32_t i = 0; i < windows; i++)
        code_near(coder, &window_bytes[i], UINT64_MAX);
}

static bool write_rows_of_stream(struct stream_writer *w, uint64_t rows, uint32_t windows,
                                 uint64_t quantum, struct stream_bytes *bytes,
                                 struct stream_noise *noise)
{
    if (!column_map_make(&w->map, &w->folded, (uint32_t)w->symbols.list.count) ||
        !values_make(&w->times, &w->map, &w->symbols, false) ||
        !values_make(&w->varying, &w->map, &w->symbols, true))
        return false;
    fill_columns(w);
    if (quantum) {
        if (!choose_centers(w, quantum))
            return false;
        uint64_t furthest = round_columns(w, quantum);
        noise->furthest = furthest > noise->furthest ? furthest : noise->furthest;
    }
    struct coder coder = {0};
    struct noise durations = {0};
    struct stream head = *w->stream;
    uint64_t time = head.count ? head.time[0] : 0;
    bool has_windows = head.window_bytes != NULL;
    code_head(&coder, &head, &rows, &time);
    code_bool(&coder, &has_windows);
    if (has_windows)
        code_windows(&coder, head.window_bytes, windows);
    row_symbols_code(&coder, &w->symbols);
    folded_code(&coder, &w->folded, (uint32_t)w->symbols.list.count, rows);
    bool allocated = write_duration_columns(w, &coder, &durations);
    noise_finish(&durations);
    noise->durations += durations.durations;
    noise->bits += durations.entropy;
    *bytes = (struct stream_bytes){coder.written, durations.symbols, durations.low};
    return allocated && !coder.failed && !durations.failed;
}

bool stream_write(const struct stream *stream, uint32_t paths, uint32_t windows, uint64_t quantum,
                  struct stream_bytes *bytes, struct stream_noise *noise)
{
    assert(stream->location != INDEX_NONE);
    struct stream_writer w = {.stream = stream};
    uint32_t *rows = NULL;
    uint64_t row_count = 0, *left_out = NULL;
    *bytes = (struct stream_bytes){0};
    bool allocated = row_symbols_find(&w.symbols, stream, paths, &rows, &row_count, &left_out) &&
                     folded_make(rows, row_count, &w.folded);
    free(rows);
    w.left_out = left_out;
    allocated = allocated && write_rows_of_stream(&w, row_count, windows, quantum, bytes, noise);
    free(left_out);
    free(w.rounding);
    column_values_clear(&w.times);
    column_values_clear(&w.varying);
    column_map_clear(&w.map);
    folded_clear(&w.folded);
    row_symbols_clear(&w.symbols);
    if (!allocated)
        stream_bytes_clear(bytes);
    return allocated;
}

struct stream_reader {
    struct stream *stream;
    struct row_symbols symbols;
    struct folded folded;
    struct column_map map;
    struct column_values times, varying;
};

/* Each row is an event or an item of a table, and begins one item at most. */
static bool counts_fit(const struct stream *s, uint64_t rows)
{
    uint64_t items = 0;
#define X(array, number) items += s->number;
    STREAM_TABLES(X)
#undef X
    return s->count <= rows && items <= rows;
}

static bool allocate_stream(struct stream *s, struct arena *arena)
{
    s->time = arena_alloc_array(arena, (size_t)s->count + 1, sizeof *s->time);
    s->kind = arena_alloc_array(arena, (size_t)s->count + 1, sizeof *s->kind);
    s->arg = arena_alloc_array(arena, (size_t)s->count + 1, sizeof *s->arg);
    bool allocated = s->time && s->kind && s->arg;
#define X(array, number) \
    if (s->number)       \
        allocated &= (s->array = arena_alloc_array(arena, s->number, sizeof *s->array)) != NULL;
    STREAM_TABLES(X)
#undef X
    return allocated;
}

static bool read_columns(struct stream_reader *r, uint64_t step, struct coder *numbers,
                         struct noise *noise)
{
    const uint32_t count = r->map.count;
    struct column_head *heads = calloc((size_t)count + 1, sizeof *heads);
    uint32_t *order = calloc((size_t)count + 1, sizeof *order);
    for (uint32_t c = 0; heads && order && c < count && !numbers->failed; c++) {
        if (numbers_length(&r->times, c))
            column_head_code(numbers, &heads[c]);
        code_varying(&r->varying, &r->map, &r->symbols, c, numbers);
    }
    if (heads && order)
        column_order(heads, count, order);
    for (uint32_t i = 0; heads && order && i < count && !noise->failed; i++)
        column_read(r->times.values + r->times.first[order[i]], numbers_length(&r->times, order[i]),
                    heads[order[i]], step, noise);
    bool allocated = heads && order;
    free(heads);
    free(order);
    return allocated;
}

static void symbol_numbers(struct stream_reader *r, uint32_t number, uint32_t column,
                           struct row_numbers *numbers)
{
    struct row_symbol symbol = r->symbols.list.items[number];
    numbers->count = symbol.count;
    memcpy(numbers->value, r->symbols.numbers.items + symbol.first,
           symbol.count * sizeof *numbers->value);
    for (uint32_t left = symbol.varying; left; left &= left - 1)
        numbers->value[__builtin_ctz(left)] = r->varying.values[r->varying.at[column]++];
}

static enum status make_stream_rows(struct stream_reader *r, uint32_t paths, uint64_t time)
{
    struct row_cursor cursor;
    struct row_numbers numbers;
    struct fold_walk walk;
    uint32_t before = 0;
    if (!row_cursor_begin(&cursor, r->stream, paths, true))
        return STATUS_ENVIRONMENT;
    for (fold_walk_begin(&walk, &r->folded); !cursor.failed && fold_walk_next(&walk);
         before = walk.symbol) {
        uint32_t column = column_at(&r->map, &walk, before);
        if (row_symbol_is_timed(&r->symbols, walk.symbol) != (cursor.row < r->stream->count)) {
            cursor.failed = true;
            break;
        }
        if (cursor.row < r->stream->count) {
            uint64_t duration = r->times.values[r->times.at[column]++];
            time += cursor.row ? duration : 0;
            r->stream->time[cursor.row] = time;
        }
        symbol_numbers(r, walk.symbol, column, &numbers);
        row_convert(&cursor, &numbers);
    }
    enum status status = cursor.failed ? STATUS_INPUT : STATUS_OK;
    row_cursor_end(&cursor);
    return status;
}

static enum status read_rows_of_stream(struct stream_reader *r, uint32_t paths, uint32_t windows,
                                       uint64_t quantum, const struct stream_bytes *bytes,
                                       struct arena *arena)
{
    struct stream *s = r->stream;
    struct coder coder = {.decoding = true,
                          .read = (const unsigned char *)bytes->numbers.data,
                          .size = bytes->numbers.size};
    struct noise noise = {.symbols = bytes->symbols, .low = bytes->low};
    uint64_t rows = 0, time = 0;
    bool has_windows = false;
    code_head(&coder, s, &rows, &time);
    code_bool(&coder, &has_windows);
    if (coder.failed)
        return STATUS_INPUT;
    if (has_windows) {
        s->window_bytes = arena_alloc_array(arena, (size_t)windows + 1, sizeof *s->window_bytes);
        if (!s->window_bytes)
            return STATUS_ENVIRONMENT;
        code_windows(&coder, s->window_bytes, windows);
    }
    row_symbols_code(&coder, &r->symbols);
    folded_code(&coder, &r->folded, (uint32_t)r->symbols.list.count, rows);
    if (coder.failed || !counts_fit(s, rows))
        return STATUS_INPUT;
    if (!allocate_stream(s, arena) ||
        !column_map_make(&r->map, &r->folded, (uint32_t)r->symbols.list.count) ||
        !values_make(&r->times, &r->map, &r->symbols, false) ||
        !values_make(&r->varying, &r->map, &r->symbols, true))
        return STATUS_ENVIRONMENT;
    if (!read_columns(r, quantum, &coder, &noise))
        return STATUS_ENVIRONMENT;
    if (coder.failed || noise.failed || coder.at != coder.size)
        return STATUS_INPUT;
    return make_stream_rows(r, paths, time);
}

enum status stream_read(struct stream *stream, uint32_t paths, uint32_t windows, uint64_t quantum,
                        const struct stream_bytes *bytes, struct arena *arena)
{
    assert(stream->location != INDEX_NONE);
    struct stream_reader r = {.stream = stream};
    enum status status = read_rows_of_stream(&r, paths, windows, quantum, bytes, arena);
    column_values_clear(&r.times);
    column_values_clear(&r.varying);
    column_map_clear(&r.map);
    folded_clear(&r.folded);
    row_symbols_clear(&r.symbols);
    return status;
}
