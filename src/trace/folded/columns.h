/* Columns. A column has the values of all rows at one position of the repeated sequence.
 *
 * Durations are noise, so predicting one from the previous ones saves little. A duration is split
 * into a symbol of one byte, which has its magnitude and highest bits, and its low bits, which are
 * nearly random. The symbols of a column have an uneven distribution, to which the entropy coder
 * adapts; low bits are stored without compression. Instead of the duration itself its distance to
 * the shortest or to the median of the column is split, if that takes less space. */
#ifndef TRACE_FOLDED_COLUMNS_H
#define TRACE_FOLDED_COLUMNS_H

#include "base/map.h"
#include "trace/folded/fold.h"
#include "trace/folded/packing.h"

/* Which column a row belongs to. A position of the repeated sequence has a separate column if it is
 * visited often enough. Otherwise its rows share a column with other rows of the same symbol after
 * the same predecessor, if these are frequent enough, and otherwise with all rows of the symbol. So
 * all rows of a column have the same symbol. */
struct column_map {
    const struct folded *folded;
    uint32_t symbols;
    uint32_t *of_slot; /* [folded->items.count]; COLUMN_NONE: by pairs */
    struct map pairs;  /* predecessor << 32 | symbol -> index in of_pair */
    uint32_t *of_pair; /* COLUMN_NONE: by symbol */
    uint32_t count;    /* number of columns; those of the symbols come first */
    uint64_t *visits;  /* [count] */
    uint32_t *symbol;  /* [count] */
};

/* Writer and reader call it with the same folded sequence. False when memory is out. */
bool column_map_make(struct column_map *map, const struct folded *folded, uint32_t symbols);
void column_map_clear(struct column_map *map);

/* The column of the walk's current row. `before` is the symbol of the previous row, 0 for the
 * first. */
static inline uint32_t column_at(const struct column_map *map, const struct fold_walk *walk,
                                 uint32_t before)
{
    uint32_t column = map->of_slot[walk->slot];
    if (column != UINT32_MAX)
        return column;
    column = map->of_pair[map_get(&map->pairs, (uint64_t)before << 32 | walk->symbol)];
    return column != UINT32_MAX ? column : walk->symbol;
}

/* Durations as bytes: symbols and low bits. */
struct noise {
    struct bytes symbols, low;
    uint64_t bits; /* writing: up to 7 bits that are not in `low` yet; reading: the next bits */
    int bit_count;
    bool failed;
    size_t symbols_at, low_at; /* reading */
    uint64_t durations;        /* writing: number of durations in columns that are not constant, */
    double entropy; /* and their bits: the empirical entropy of the symbols plus the low bits */
};

/* How a column is rounded: durations are rounded to center + k * step, or to 0 where that is
 * negative; the values are zigzag(k). Step 0: the values are the durations. */
struct rounding {
    uint64_t center, step;
};

/* The median of `count` > 0 values; of a sample if there are many. */
uint64_t column_median(const uint64_t *values, size_t count);

/* How a column is stored. */
struct column_head {
    uint8_t way;   /* enum way: how numbers are converted before they are split */
    uint8_t level; /* the symbol of the median */
    uint64_t base;
};

/* Chooses how to store `count` > 0 values. */
struct column_head column_head_choose(const uint64_t *values, size_t count,
                                      struct rounding rounding);
void column_head_code(struct coder *coder, struct column_head *head);

/* Sets order[0 .. count - 1] to the columns in the order of their levels. The entropy coder adapts
 * fastest if columns with similar durations follow each other. */
void column_order(const struct column_head *heads, uint32_t count, uint32_t *order);

/* Appends the column to `noise`. */
void column_write(const uint64_t *values, size_t count, struct column_head head,
                  struct noise *noise);
/* Reads a column into `values`. Sets noise->failed if the bytes end too early. */
void column_read(uint64_t *values, size_t count, struct column_head head, uint64_t step,
                 struct noise *noise);
/* The duration at k steps from the center. */
uint64_t rounding_value(struct rounding rounding, int64_t k);
/* Appends the remaining bits to noise->low. */
void noise_finish(struct noise *noise);

/* Codes the numbers that vary in a column, `fields` per row. Constant numbers, and numbers that
 * grow by a constant from row to row, take a few bytes. */
void column_code_varying(struct coder *numbers, uint64_t *values, size_t rows, uint32_t fields);

#endif
