#include "trace/folded/symbols.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = 16 }; /* different values of a number before it is left out of the symbols */

/* Lists of numbers, each once. */
struct lists {
    struct map index; /* hash -> list */
    ARRAY(uint64_t) numbers;
    ARRAY(uint32_t) ends; /* of each list in `numbers` */
};

/* The number of this list, added if it is new; MAP_NONE when memory is out. */
static uint32_t list_number(struct lists *lists, const uint64_t *numbers, uint32_t count)
{
    uint64_t key = count;
    for (uint32_t i = 0; i < count; i++)
        key = map_mix(key + numbers[i]) + i;
    uint32_t fresh = (uint32_t)lists->ends.count;
    for (;; key = map_mix(key + 1)) {
        uint32_t *number = map_at(&lists->index, key, fresh);
        if (!number)
            return MAP_NONE;
        if (*number == fresh)
            break;
        uint32_t first = *number ? lists->ends.items[*number - 1] : 0;
        if (lists->ends.items[*number] - first == count &&
            memcmp(lists->numbers.items + first, numbers, count * sizeof *numbers) == 0)
            return *number;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!array_push(&lists->numbers, numbers[i]))
            return MAP_NONE;
    return array_push(&lists->ends, (uint32_t)lists->numbers.count) ? fresh : MAP_NONE;
}

static void lists_clear(struct lists *lists)
{
    map_clear(&lists->index);
    free(lists->numbers.items);
    free(lists->ends.items);
}

struct class
{
    uint32_t varying; /* numbers with too many values */
    uint8_t value_count[ROW_NUMBERS];
    uint64_t values[ROW_NUMBERS][VALUES_MOST];
};

struct classes {
    struct lists lists;
    ARRAY(struct class) items;
};

static void note_value(struct class *class, uint32_t i, uint64_t value)
{
    uint8_t *count = &class->value_count[i];
    if (class->varying & 1u << i)
        return;
    for (uint8_t v = 0; v < *count; v++)
        if (class->values[i][v] == value)
            return;
    if (*count == VALUES_MOST)
        class->varying |= 1u << i;
    else
        class->values[i][(*count)++] = value;
}

static uint32_t symbol_class(struct classes *classes, const struct row_numbers *row)
{
    uint64_t key[ROW_NUMBERS + 1];
    uint32_t count = 0;
    key[count++] = (uint64_t)row->fixed << 32 | row->count;
    for (uint32_t i = 0; i < row->count; i++)
        if (row->fixed & 1u << i)
            key[count++] = row->value[i];
    uint32_t number = list_number(&classes->lists, key, count);
    if (number == classes->items.count && !array_push(&classes->items, (struct class){0}))
        return MAP_NONE;
    return number;
}

static bool find_classes(struct classes *classes, struct stream *stream, uint32_t paths,
                         uint64_t *rows)
{
    struct row_cursor cursor;
    struct row_numbers row;
    if (!row_cursor_begin(&cursor, stream, paths, false))
        return false;
    bool allocated = true;
    *rows = stream->count;
    for (uint64_t i = 0; allocated && i < *rows; i++) {
        row_convert(&cursor, &row);
        uint32_t number = symbol_class(classes, &row);
        allocated = number != MAP_NONE && !cursor.failed;
        for (uint32_t n = 0; allocated && n < row.count; n++)
            if (!(row.fixed & 1u << n))
                note_value(&classes->items.items[number], n, row.value[n]);
        if (i + 1 == stream->count)
            *rows = rows_in_all(&cursor);
    }
    row_cursor_end(&cursor);
    return allocated;
}

static bool add_symbol(struct row_symbols *symbols, const struct row_numbers *row, uint32_t varying)
{
    struct row_symbol symbol = {(uint32_t)symbols->numbers.count, row->count, varying};
    for (uint32_t i = 0; i < row->count; i++)
        if (!array_push(&symbols->numbers, varying & 1u << i ? 0 : row->value[i]))
            return false;
    return array_push(&symbols->list, symbol);
}

bool row_symbols_find(struct row_symbols *symbols, const struct stream *stream, uint32_t paths,
                      uint32_t **rows, uint64_t *row_count, uint64_t **varying)
{
    struct stream read_only = *stream;
    struct classes classes = {0};
    struct lists known = {0};
    ARRAY(uint64_t) left_out = {0};
    struct row_cursor cursor = {0};
    struct row_numbers row;
    *symbols = (struct row_symbols){0};
    *rows = NULL;
    bool allocated = find_classes(&classes, &read_only, paths, row_count) &&
                     row_cursor_begin(&cursor, &read_only, paths, false) &&
                     (*rows = malloc((*row_count + 1) * sizeof **rows)) != NULL;
    for (uint64_t r = 0; allocated && r < *row_count; r++) {
        row_convert(&cursor, &row);
        uint32_t class = symbol_class(&classes, &row);
        uint32_t mask = class == MAP_NONE ? 0 : classes.items.items[class].varying;
        uint64_t key[ROW_NUMBERS + 1];
        uint32_t count = 0;
        key[count++] = class;
        for (uint32_t i = 0; allocated && i < row.count; i++) {
            if (mask & 1u << i)
                allocated = array_push(&left_out, row.value[i]);
            else if (!(row.fixed & 1u << i))
                key[count++] = row.value[i];
        }
        (*rows)[r] = list_number(&known, key, count);
        allocated = allocated && (*rows)[r] != MAP_NONE &&
                    ((*rows)[r] < symbols->list.count || add_symbol(symbols, &row, mask));
    }
    row_cursor_end(&cursor);
    lists_clear(&known);
    lists_clear(&classes.lists);
    free(classes.items.items);
    *varying = left_out.items;
    if (!allocated) {
        row_symbols_clear(symbols);
        free(*rows);
        free(*varying);
        *rows = NULL;
        *varying = NULL;
    }
    return allocated;
}

void row_symbols_code(struct coder *coder, struct row_symbols *symbols)
{
    uint32_t count = (uint32_t)symbols->list.count;
    code_count(coder, &count, coder->decoding ? coder->size - coder->at : UINT32_MAX);
    for (uint32_t s = 0; s < count && !coder->failed; s++) {
        struct row_symbol symbol = {0};
        uint64_t numbers[ROW_NUMBERS] = {0};
        if (!coder->decoding) {
            symbol = symbols->list.items[s];
            memcpy(numbers, symbols->numbers.items + symbol.first, symbol.count * sizeof *numbers);
        }
        code_count(coder, &symbol.count, ROW_NUMBERS);
        coder->failed |= symbol.count == 0;
        code_u32(coder, &symbol.varying);
        coder->failed |= symbol.varying >> symbol.count != 0;
        for (uint32_t i = 0; i < symbol.count; i++)
            if (!(symbol.varying & 1u << i))
                code_number(coder, &numbers[i]);
        if (!coder->decoding)
            continue;
        symbol.first = (uint32_t)symbols->numbers.count;
        for (uint32_t i = 0; i < symbol.count; i++)
            coder->failed |= !array_push(&symbols->numbers, numbers[i]);
        coder->failed |= !array_push(&symbols->list, symbol);
    }
}

void row_symbols_clear(struct row_symbols *symbols)
{
    free(symbols->list.items);
    free(symbols->numbers.items);
    *symbols = (struct row_symbols){0};
}
