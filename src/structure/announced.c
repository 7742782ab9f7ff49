#include "structure/announced.h"

#include <stdlib.h>

/* This part of the turns of data have other sizes than the turn of data before. */
static const double VARY = 0.5;

enum {
    SIZES = 4, /* with at most this many sizes, there are several kinds of iterations */
    TURNS = 8, /* of announcements and of data, together at least */
    EDGES = 1, /* This many turns may be longer or shorter than the turn of their kind before:
                  similar messages come before or after the loop. */
};

#define ANNOUNCES UINT64_C(0x9FB21C651E98DF25) /* distinguishes the keys of calls that announce */

/* What the messages with one number show about the size that announces others. */
struct announced_size {
    uint32_t usual, times;  /* the most frequent size, and how often it occurs */
    uint32_t sizes;         /* number of different sizes */
    uint32_t turns, length; /* of messages of the usual size, or of others; of the current turn */
    uint32_t last[2];       /* length of the last turn of others, and of the usual size */
    uint32_t irregular;     /* turns that have another length than the one before of their kind */
    uint32_t varied;        /* turns of others whose sizes are not those of the one before */
    uint64_t sizes_now, sizes_before; /* hashes of the sizes in the current turn, and in the last
                                         turn of others */
    bool is_usual;                    /* in the current turn */
};

/* Finds the usual size of each number. */
static bool find_usual_sizes(const struct sized_calls *calls, struct announced_size *all)
{
    struct map sizes = {0};
    bool allocated = true;
    for (size_t i = 0; i < calls->count && allocated; i++) {
        struct announced_size *own = &all[calls->which[i]];
        if (calls->bytes[i] == calls->none)
            continue;
        uint32_t *times = map_at(&sizes, (uint64_t)calls->which[i] << 32 | calls->bytes[i], 0);
        allocated = times != NULL;
        if (!allocated)
            break;
        own->sizes += *times == 0;
        if (++*times > own->times) {
            own->times = *times;
            own->usual = calls->bytes[i];
        }
    }
    map_clear(&sizes);
    return allocated;
}

static void end_turn(struct announced_size *own)
{
    uint32_t *last = &own->last[own->is_usual];
    if (own->length == 0)
        return;
    own->irregular += *last > 0 && own->length != *last;
    *last = own->length;
    own->turns++;
    if (!own->is_usual) {
        own->varied += own->sizes_now != own->sizes_before;
        own->sizes_before = own->sizes_now;
    }
    own->sizes_now = 0;
    own->length = 0;
}

static void count_turns(const struct sized_calls *calls, struct announced_size *all, size_t count)
{
    for (size_t i = 0; i < calls->count; i++) {
        struct announced_size *own = &all[calls->which[i]];
        const bool is_usual = calls->bytes[i] == own->usual;
        if (calls->bytes[i] == calls->none)
            continue;
        if (is_usual != own->is_usual)
            end_turn(own);
        own->is_usual = is_usual;
        own->length++;
        own->sizes_now = map_mix(own->sizes_now + calls->bytes[i] + 1);
    }
    for (size_t i = 0; i < count; i++)
        end_turn(&all[i]);
}

static bool is_announced(const struct announced_size *own)
{
    return own->sizes > SIZES && own->turns >= TURNS && own->irregular <= EDGES &&
           own->varied >= VARY * (own->turns / 2);
}

bool announcing_calls_number(const struct sized_calls *calls, struct map *numbers)
{
    const size_t count = numbers->count;
    struct announced_size *all = calloc(count + 1, sizeof *all);
    bool allocated = all && find_usual_sizes(calls, all);
    if (allocated)
        count_turns(calls, all, count);
    for (size_t i = 0; i < calls->count && allocated; i++) {
        uint32_t *which = &calls->which[i];
        const struct announced_size *own = &all[*which];
        if (calls->bytes[i] == calls->none || calls->bytes[i] != own->usual || !is_announced(own))
            continue;
        const uint32_t *number =
            map_at(numbers, map_mix(*which + ANNOUNCES), (uint32_t)numbers->count);
        allocated = number != NULL;
        *which = number ? *number : *which;
    }
    free(all);
    return allocated;
}
