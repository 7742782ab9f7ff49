#include "structure/sequence.h"

#include "base/array.h"
#include "base/map.h"
#include "trace/folded/fold.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    LENGTHS = 16, /* lengths of known bodies */
};

#define MULTIPLIER UINT64_C(0x9E3779B97F4A7C15)

void sequence_clear(struct sequence *sequence)
{
    free(sequence->what);
    free(sequence->call);
    free(sequence->bodies);
    *sequence = (struct sequence){0};
}

uint64_t sequence_hash(const uint32_t *what, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = map_mix(hash + what[i] + 1);
    return hash;
}

/* Bodies of loops that are folded into one symbol. */
struct body_folding {
    const struct folded *folded;
    const struct sequence *from;
    uint32_t least; /* repeats that are folded */
    struct sequence to;
    size_t at;                /* in `from` */
    uint64_t *hashes;         /* [count + 1] of `from`: of the symbols before each */
    struct map bodies;        /* hash -> number of the loop */
    bool *collects;           /* [body]: contains a loop with enough iterations */
    uint32_t *lengths;        /* [body]: in symbols of `from` */
    struct loop_body *made;   /* [loop] */
    uint32_t known[LENGTHS];  /* lengths of bodies, ascending */
    uint64_t powers[LENGTHS]; /* of the multiplier */
    size_t known_count;
    bool out_of_memory;
};

static void put_symbol(struct body_folding *g, uint32_t what, uint32_t call)
{
    struct sequence *to = &g->to;
    if (what >= g->from->numbers && to->count > 0 && to->what[to->count - 1] == what)
        return; /* the same loop continues */
    to->what[to->count] = what;
    to->call[to->count++] = call;
}

/* The index of a length of bodies, LENGTHS if there are too many lengths. */
static size_t note_length(struct body_folding *g, uint32_t length)
{
    size_t i = 0;
    uint64_t power = 1;
    while (i < g->known_count && g->known[i] < length)
        i++;
    if (i < g->known_count && g->known[i] == length)
        return i;
    if (g->known_count == LENGTHS)
        return LENGTHS;
    for (uint32_t k = 0; k < length; k++)
        power *= MULTIPLIER;
    memmove(g->known + i + 1, g->known + i, (g->known_count - i) * sizeof *g->known);
    memmove(g->powers + i + 1, g->powers + i, (g->known_count - i) * sizeof *g->powers);
    g->known[i] = length;
    g->powers[i] = power;
    g->known_count++;
    return i;
}

/* Of as many symbols as bodies of the k-th length have. */
static uint64_t hash_at(const struct body_folding *g, size_t at, size_t k)
{
    assert(at + g->known[k] <= g->from->count);
    return map_mix(g->hashes[at + g->known[k]] - g->hashes[at] * g->powers[k]) ^ g->known[k];
}

static bool has_loop(const struct sequence *sequence, size_t at, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && sequence->what[at + i] < sequence->calls)
        i++;
    return i < count;
}

/* Collects the bodies of the innermost loops. */
static void collect_bodies(struct body_folding *g, struct body body)
{
    for (uint32_t i = body.first; i < body.first + body.count && !g->out_of_memory; i++) {
        const struct item item = g->folded->items.items[i];
        if (!(item.what & ITEM_BODY)) {
            g->at++;
            continue;
        }
        const uint32_t number = item.what & ~ITEM_BODY;
        const size_t all = (size_t)g->lengths[number] * item.times;
        if (item.times >= g->least && !g->collects[number]) {
            const size_t before = g->bodies.count, k = note_length(g, g->lengths[number]);
            if (k < LENGTHS)
                g->out_of_memory |= !map_at(&g->bodies, hash_at(g, g->at, k), (uint32_t)before);
            if (g->bodies.count > before)
                g->made[before] = (struct loop_body){g->lengths[number],
                                                     has_loop(g->from, g->at, g->lengths[number])};
            g->at += all;
        } else {
            const size_t begin = g->at;
            collect_bodies(g, g->folded->bodies.items[number]);
            g->at = begin + all; /* the other repeats are the same */
        }
    }
}

static bool measure_bodies(struct body_folding *g)
{
    const size_t count = g->folded->bodies.count;
    g->collects = calloc(count + 1, sizeof *g->collects);
    g->lengths = calloc(count + 1, sizeof *g->lengths);
    g->made = calloc(count + 1, sizeof *g->made);
    for (size_t b = 0; b < count && g->collects && g->lengths; b++) {
        const struct body body = g->folded->bodies.items[b];
        for (uint32_t i = body.first; i < body.first + body.count; i++) {
            const struct item item = g->folded->items.items[i];
            const uint32_t inner = item.what & ~ITEM_BODY;
            g->lengths[b] += item.what & ITEM_BODY ? g->lengths[inner] * item.times : 1;
            g->collects[b] |=
                item.what & ITEM_BODY && (g->collects[inner] || item.times >= g->least);
        }
    }
    return g->collects && g->lengths && g->made;
}

/* Sets the hashes. False if out of memory. */
static bool hash_sequence(struct body_folding *g)
{
    g->hashes = calloc(g->from->count + 1, sizeof *g->hashes);
    for (size_t i = 0; i < g->from->count && g->hashes; i++)
        g->hashes[i + 1] = g->hashes[i] * MULTIPLIER + g->from->what[i] + 1;
    return g->hashes != NULL;
}

bool sequence_fold(const struct sequence *from, uint32_t least, struct sequence *to)
{
    struct folded folded;
    struct body_folding g = {.folded = &folded, .from = from, .least = least};
    const size_t loops = from->numbers - from->calls;
    if (!folded_make(from->what, from->count, &folded))
        return false;
    g.to.what = malloc((from->count + 1) * sizeof *g.to.what);
    g.to.call = malloc((from->count + 1) * sizeof *g.to.call);
    g.out_of_memory = !g.to.what || !g.to.call || !measure_bodies(&g) || !hash_sequence(&g);
    if (!g.out_of_memory)
        collect_bodies(&g, folded.whole);
    for (size_t i = 0; i < from->count && !g.out_of_memory;) {
        uint32_t length = 1, what = from->what[i];
        for (size_t k = 0; k < g.known_count && i + g.known[k] <= from->count; k++) {
            const uint32_t number = map_get(&g.bodies, hash_at(&g, i, k));
            if (number == MAP_NONE)
                continue;
            length = g.known[k];
            what = from->numbers + number;
            break;
        }
        put_symbol(&g, what, from->call[i]);
        i += length;
    }
    g.to.bodies = malloc((loops + g.bodies.count + 1) * sizeof *g.to.bodies);
    g.out_of_memory |= !g.to.bodies;
    if (!g.out_of_memory) {
        if (loops > 0)
            memcpy(g.to.bodies, from->bodies, loops * sizeof *g.to.bodies);
        memcpy(g.to.bodies + loops, g.made, g.bodies.count * sizeof *g.made);
        g.to.call[g.to.count] = from->call[from->count];
        g.to.numbers = from->numbers + (uint32_t)g.bodies.count;
        g.to.calls = from->calls;
    }
    map_clear(&g.bodies);
    free(g.collects);
    free(g.lengths);
    free(g.made);
    free(g.hashes);
    folded_clear(&folded);
    if (g.out_of_memory)
        sequence_clear(&g.to);
    *to = g.to;
    return !g.out_of_memory;
}

bool sequence_begin(const struct rank_calls *rank, enum likeness likeness,
                    struct sequence *sequence)
{
    *sequence = (struct sequence){.what = malloc((rank->count + 1) * sizeof *sequence->what),
                                  .call = malloc((rank->count + 1) * sizeof *sequence->call),
                                  .count = rank->count,
                                  .numbers = rank->numbers[likeness],
                                  .calls = rank->numbers[likeness]};
    if (!sequence->what || !sequence->call)
        return false;
    memcpy(sequence->what, rank->which[likeness], rank->count * sizeof *sequence->what);
    for (size_t i = 0; i <= rank->count; i++)
        sequence->call[i] = (uint32_t)i;
    return true;
}
