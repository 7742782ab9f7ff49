#include "structure/announced.h"

#include <stdlib.h>

/* This part of the turns of data have other sizes than the turn of data before. */
static const double VARY = 0.5;

enum {
    SIZES = 4, /* that are announced: fewer make several kinds of iterations */
    TURNS = 8, /* of announcements and data together */
    EDGES = 1, /* turns that are longer or shorter than the one before of the same kind: similar
                  messages come before or after the loop */
};

#define ANNOUNCES UINT64_C(0x9FB21C651E98DF25) /* distinguishes the keys of calls that announce */

/* The messages that have a partner, a tag and a call path in common. */
struct exchange {
    uint32_t usual, times;  /* the most frequent size, and how often it occurs */
    uint32_t sizes;         /* different ones */
    uint32_t turns, length; /* of messages of the usual size, or of others; of the current turn */
    uint32_t last[2];       /* length of the last turn of others, and of the usual size */
    uint32_t irregular;     /* turns that have another length than the one before of their kind */
    uint32_t varied;        /* turns of others whose sizes are not those of the one before */
    uint64_t sizes_now, sizes_before; /* hashes of the sizes in the current turn, and in the last
                                         turn of others */
    bool is_usual;                    /* in the current turn */
};

/* Finds the usual size of each exchange. */
static bool find_usual_sizes(const struct rank_calls *rank, struct exchange *exchanges)
{
    struct map sizes = {0};
    bool allocated = true;
    for (size_t i = 0; i < rank->count && allocated; i++) {
        struct exchange *exchange = &exchanges[rank->which[ALIKE_IN_PARTNER][i]];
        if (rank->bytes[i] == CALL_NO_VALUE)
            continue;
        uint32_t *times =
            map_at(&sizes, (uint64_t)rank->which[ALIKE_IN_PARTNER][i] << 32 | rank->bytes[i], 0);
        allocated = times != NULL;
        if (!allocated)
            break;
        exchange->sizes += *times == 0;
        if (++*times > exchange->times) {
            exchange->times = *times;
            exchange->usual = rank->bytes[i];
        }
    }
    map_clear(&sizes);
    return allocated;
}

static void end_turn(struct exchange *exchange)
{
    uint32_t *last = &exchange->last[exchange->is_usual];
    if (exchange->length == 0)
        return;
    exchange->irregular += *last > 0 && exchange->length != *last;
    *last = exchange->length;
    exchange->turns++;
    if (!exchange->is_usual) {
        exchange->varied += exchange->sizes_now != exchange->sizes_before;
        exchange->sizes_before = exchange->sizes_now;
    }
    exchange->sizes_now = 0;
    exchange->length = 0;
}

static void count_turns(const struct rank_calls *rank, struct exchange *exchanges)
{
    for (size_t i = 0; i < rank->count; i++) {
        struct exchange *exchange = &exchanges[rank->which[ALIKE_IN_PARTNER][i]];
        const bool is_usual = rank->bytes[i] == exchange->usual;
        if (rank->bytes[i] == CALL_NO_VALUE)
            continue;
        if (is_usual != exchange->is_usual)
            end_turn(exchange);
        exchange->is_usual = is_usual;
        exchange->length++;
        exchange->sizes_now = map_mix(exchange->sizes_now + rank->bytes[i] + 1);
    }
    for (size_t i = 0; i < rank->numbers[ALIKE_IN_PARTNER]; i++)
        end_turn(&exchanges[i]);
}

static bool is_announced(const struct exchange *exchange)
{
    return exchange->sizes > SIZES && exchange->turns >= TURNS && exchange->irregular <= EDGES &&
           exchange->varied >= VARY * (exchange->turns / 2);
}

bool announcing_calls_number(struct rank_calls *rank, struct map *numbers)
{
    struct exchange *exchanges =
        calloc((size_t)rank->numbers[ALIKE_IN_PARTNER] + 1, sizeof *exchanges);
    bool allocated = exchanges && find_usual_sizes(rank, exchanges);
    if (allocated)
        count_turns(rank, exchanges);
    for (size_t i = 0; i < rank->count && allocated; i++) {
        uint32_t *which = &rank->which[ALIKE_IN_PARTNER][i];
        const struct exchange *exchange = &exchanges[*which];
        if (rank->bytes[i] != exchange->usual || !is_announced(exchange))
            continue;
        const uint32_t *number =
            map_at(numbers, map_mix(*which + ANNOUNCES), (uint32_t)numbers->count);
        allocated = number != NULL;
        *which = number ? *number : *which;
    }
    free(exchanges);
    return allocated;
}
