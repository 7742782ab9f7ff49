/* Columns: the values of all rows at one position of the repeated sequence, one after the other.
 *
 * Durations are noise, so little is gained by guessing the next one from those before. A duration
 * is split into a symbol of one byte, which has its magnitude and its highest bits, and its low
 * bits, which are as good as random. Symbols of a column have an uneven distribution, to which the
 * entropy coder adapts; low bits are stored as they are. What is split is the duration, or its
 * distance to the column's shortest or median, whichever takes least space. */
#ifndef LOOPS_COLUMNS_H
#define LOOPS_COLUMNS_H

#include "base/map.h"
#include "trace/folded/fold.h"
#include "trace/folded/packing.h"

/* A position of the repeated sequence has a column of its own if it is visited often enough;
 * otherwise the pair of a symbol and its predecessor has, and otherwise the symbol. All rows of a
 * column have the same symbol. */
struct column_map {
    const struct folded *folded;
    uint32_t symbols;
    uint32_t *of_slot; /* [folded->items.count]; COLUMN_NONE: by pairs */
    struct map pairs;  /* predecessor << 32 | symbol -> index in of_pair */
    uint32_t *of_pair; /* COLUMN_NONE: by symbol */
    uint32_t count;    /* columns; the first ones are those of the symbols */
    uint64_t *visits;  /* [count] */
    uint32_t *symbol;  /* [count] */
};

/* Both sides call it with the same folded sequence. False when memory is out. */
bool column_map_make(struct column_map *map, const struct folded *folded, uint32_t symbols);
void column_map_clear(struct column_map *map);

/* The column of the walk's current row; `before` is the symbol of the row before (0 at first). */
static inline uint32_t column_at(const struct column_map *map, const struct fold_walk *walk,
                                 uint32_t before)
{
    uint32_t column = map->of_slot[walk->slot];
    if (column != UINT32_MAX)
        return column;
    column = map->of_pair[map_get(&map->pairs, (uint64_t)before << 32 | walk->symbol)];
    return column != UINT32_MAX ? column : walk->symbol;
}

/* The bytes of durations: symbols, and the low bits. */
struct noise {
    struct bytes symbols, low;
    uint64_t bits; /* fewer than 8 that are not in `low` yet; when reading, the next ones */
    int bit_count;
    bool failed;
    size_t symbols_at, low_at; /* reading */
    uint64_t durations;        /* writing: those of columns that are not constant, and their */
    double entropy;            /* bits: the empirical entropy of the symbols, and the low bits */
};

/* How a column is rounded: the values are zigzag(k) of durations rounded to center + k * step, or
 * to 0 where that is negative. Step 0: they are the durations. */
struct rounding {
    uint64_t center, step;
};

/* The median of `count` > 0 values; if there are many, of some thousand spread over them. */
uint64_t column_median(const uint64_t *values, size_t count);

/* How a column is stored. */
struct column_head {
    uint8_t way;   /* what is split */
    uint8_t level; /* the symbol of the median */
    uint64_t base;
};

/* Chooses how to store `count` > 0 values. */
struct column_head column_head_choose(const uint64_t *values, size_t count,
                                      struct rounding rounding);
void column_head_code(struct coder *coder, struct column_head *head);

/* Sets order[0 .. count - 1] to the columns in order of their levels: the entropy coder adapts
 * fastest if columns of about the same durations follow each other. */
void column_order(const struct column_head *heads, uint32_t count, uint32_t *order);

/* Appends the column to `noise`. */
void column_write(const uint64_t *values, size_t count, struct column_head head,
                  struct noise *noise);
/* Sets `values` to the durations. Sets noise->failed if the bytes end too early. */
void column_read(uint64_t *values, size_t count, struct column_head head, uint64_t step,
                 struct noise *noise);
/* The duration that is k steps from the center. */
uint64_t rounding_value(struct rounding rounding, int64_t k);
/* Appends the last bits. */
void noise_finish(struct noise *noise);

/* Numbers that vary in a column, `fields` of them in each row. Those that stay the same, or grow by
 * the same amount from row to row, take a few bytes. */
void column_code_varying(struct coder *numbers, uint64_t *values, size_t rows, uint32_t fields);

#endif
