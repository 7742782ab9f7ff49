#include "structure/loop_search.h"

#include "base/map.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

/* A loop has this part of the rank's calls, or is ignored. */
static const double EXPLAINED = 0.04;

enum {
    HEADS = 3,    /* heads that are tried for a number of visits, plus the last one, */
    GROUPS = 24,  /* and numbers of visits */
    LONGEST = 4,  /* calls of a head */
    CORE_FEW = 4, /* calls that all iterations have: of fewer, one may lack most by chance */
    VISITS = 8,   /* of each symbol by a search for heads of one length: so it is linear */
};

/* Lets n iterations that begin with a folded loop, which also follows the last one, begin after it
 * if only the first of these has another number of iterations: it is a separate loop. */
static void begin_after_folded(const struct sequence *sequence, uint32_t *at, size_t n)
{
    assert(n > 0 && at[0] < sequence->count);
    const uint32_t first = sequence->what[at[0]];
    if (first < sequence->calls || at[n] >= sequence->count)
        return;
    bool same = sequence_calls_at(sequence, at[0]) != sequence_calls_at(sequence, at[1]);
    for (size_t i = 1; i <= n && same; i++)
        same = sequence->what[at[i]] == first && at[i] > at[i - 1] + 1 &&
               sequence_calls_at(sequence, at[i]) == sequence_calls_at(sequence, at[1]);
    for (size_t i = 0; i <= n && same; i++)
        at[i]++;
}

/* Adds the loop of a part whose iterations are regular. */
static void add_loop(struct loop_search *f, struct part part, size_t change, uint32_t length)
{
    const struct sequence *sequence = &f->sequence;
    uint32_t *at = malloc((part.b - part.a + 5) * sizeof *at);
    if (!at) {
        f->out_of_memory = true;
        return;
    }
    const size_t n = part_place_iterations(f, part, at);
    begin_after_folded(sequence, at, n);
    const uint32_t from = at[0], to = at[n];
    struct loop loop = {.iterations = n,
                        .visits = n,
                        .likeness = f->likeness,
                        .sparse = f->sparse,
                        .lacks_end = f->lacks_end,
                        .change = (uint32_t)change,
                        .begin = at};
    const double least = n < FEW ? EXPLAINED_BY_FEW : EXPLAINED;
    const bool explains = n >= FEWEST && (double)(sequence->call[to] - sequence->call[from]) >=
                                             least * (double)f->rank->count;
    loop.random = explains && !part.same && f->cycle < EXACT &&
                  !calls_are_predictable(&f->prediction, sequence->call[from], sequence->call[to]);
    if (!explains || (loop.random && !loop_begins_each(f, from, to, n)) || f->out_of_memory) {
        free(at);
        return;
    }
    loop.at_path =
        length == 1 && from == f->segments[part.a].at && sequence->what[from] < sequence->calls;
    loop.open = !part.closed && to == f->segments[part.b].at;
    if (loop.open)
        at[n + loop.open] = part_open_end(f, part);
    for (size_t i = 0; i <= n + loop.open; i++)
        at[i] = sequence->call[at[i]];
    loop.depth = callpath_depth(f->trace, call_path(f->rank, loop.begin[0]));
    if (n <= SHORT && at[1] - at[0] != at[2] - at[1]) { /* more may happen to be alike */
        free(at);
        return;
    }
    uint32_t inner_paths = 0;
    f->out_of_memory |= !loop_characterise(f, &loop, &inner_paths);
    loop.decorates |= loop_decorates_folded(f, n, from, to, loop_calls_vary(&loop), inner_paths);
    if (!part.same && !part.closed && !loop.open && loop_calls_vary(&loop))
        loop_extend_last(f, &loop);
    else if (!loop.open)
        loop_begin_later(f, &loop);
    loop.iterations += loop.open;
    f->out_of_memory |= !shortened_calls_undo(&f->shortened, &loop.begin, &loop.iterations);
    loop.iterations -= loop.open;
    loop.region = loop_visits_region(f, &loop);
    loop_keep(f, loop);
}

/* Adds the loop of a part if its iterations are regular. */
static void add_regular_part(struct loop_search *f, struct part part, size_t change,
                             uint32_t length)
{
    struct part trimmed = part;
    if (part.a < part.b && part_is_regular(f, &trimmed))
        add_loop(f, trimmed, change < part.b ? change - part.a : 0, length);
}

/* Adds the loops of a part: of the whole, and of the segments between two changes. */
static void add_loops_of_part(struct loop_search *f, struct part part, uint32_t length)
{
    size_t change = part.a < part.b ? part_first_change(f, part) : part.b;
    add_regular_part(f, part, change, length);
    while (change < part.b && !f->out_of_memory) {
        add_regular_part(f, (struct part){.a = part.a, .b = change, .closed = true}, change,
                         length);
        part.a = change;
        change = part_first_change(f, part);
        if (change == part.b)
            add_regular_part(f, part, change, length);
    }
}

/* Whether a segment has less than half of the core, and of the calls of each other one. */
static bool is_stub(const struct loop_search *f, struct part part, size_t j)
{
    const uint64_t calls = segment_calls(f, j);
    bool shorter = f->core >= CORE_FEW && 2 * f->segments[j].core < f->core;
    for (size_t i = part.a; i < part.b && shorter; i++)
        shorter = i == j || 2 * calls < segment_calls(f, i);
    return shorter;
}

/* Leaves stubs out at the edges: they are no iterations. */
static void leave_out_stubs(const struct loop_search *f, struct part *part)
{
    while (part->a < part->b && is_stub(f, *part, part->a))
        part->a++;
    while (part->a < part->b && is_stub(f, *part, part->b - 1))
        part->b--;
}

/* Looks for loops whose iterations begin with these heads: f->segments[].at. */
static void try_heads(struct loop_search *f, size_t heads, uint32_t length)
{
    if (heads < 2)
        return;
    f->segment_count = heads - 1;
    segments_describe(f);
    struct part part = {0};
    for (size_t j = 0; j <= f->segment_count; j++) {
        if (j < f->segment_count && !f->segments[j].ends)
            continue;
        part.b = j;
        struct part trimmed = part;
        while (trimmed.a < trimmed.b && f->segments[trimmed.a].core < f->core)
            trimmed.a++;
        while (trimmed.a < trimmed.b && f->segments[trimmed.b - 1].core < f->core)
            trimmed.b--;
        add_loops_of_part(f, trimmed, length);
        leave_out_stubs(f, &part);
        if (trimmed.a > part.a || trimmed.b < part.b)
            add_loops_of_part(f, part, length);
        part.a = j + 1;
    }
}

/* A head: a symbol, or a few in a row. */
struct head {
    uint32_t count, first, last, number;
};

static int by_count(const void *a, const void *b)
{
    const struct head *x = a, *y = b;
    return ORDER(x->count, y->count) ?: ORDER(x->first, y->first);
}

/* Numbers the sequences of `length` symbols that begin at each place. */
static bool number_heads(const struct sequence *sequence, uint32_t length, uint32_t *numbers,
                         struct head **heads, size_t *count)
{
    struct map map = {0};
    ARRAY(struct head) list = {0};
    bool allocated = true;
    for (size_t i = 0; i < sequence->count && allocated; i++) {
        uint64_t key = sequence->what[i];
        for (uint32_t k = 1; k < length; k++)
            key = map_mix(key + 1) ^
                  (i + k < sequence->count ? sequence->what[i + k] + UINT64_C(1) : 0);
        uint32_t *number = map_at(&map, key, (uint32_t)map.count);
        allocated =
            number && (*number < list.count ||
                       array_push(&list, ((struct head){.first = (uint32_t)i, .number = *number})));
        if (!allocated)
            break;
        list.items[*number].count++;
        list.items[*number].last = (uint32_t)i;
        numbers[i] = *number;
    }
    map_clear(&map);
    *heads = list.items;
    *count = list.count;
    return allocated;
}

/* True if more than half of the iterations of a loop that has been found, but not all of them,
 * begin with such a head. */
static bool is_known(const struct loop_search *f, uint32_t count)
{
    for (size_t i = 0; i < f->loops->count; i++) {
        const struct loop *loop = &f->loops->items[i];
        if (loop->likeness == f->likeness && loop->visits < 2 * (size_t)count &&
            loop->visits + 1 >= count)
            return true;
    }
    return false;
}

/* Tries the heads of one length: for each number of visits the first few. */
static void try_length(struct loop_search *f, uint32_t length, uint32_t *numbers)
{
    struct head *heads;
    size_t count, several = 0;
    f->out_of_memory = !number_heads(&f->sequence, length, numbers, &heads, &count);
    for (size_t h = 0; h < count; h++) /* most numbers of large traces may occur once */
        if (heads[h].count > 1)
            heads[several++] = heads[h];
    if (!f->out_of_memory && several > 0)
        qsort(heads, several, sizeof *heads, by_count);
    f->exact = length > 1;
    int groups = 0, alike = 0;
    f->visits = 0;
    for (size_t h = 0; h < several && groups < GROUPS && !f->out_of_memory &&
                       f->visits <= VISITS * f->sequence.count;
         h++) {
        alike = h > 0 && heads[h - 1].count == heads[h].count ? alike + 1 : 0;
        const bool last = h + 1 == several || heads[h + 1].count != heads[h].count;
        if ((alike >= HEADS && !last) ||
            EXPLAINED * (double)f->sequence.count > heads[h].last - heads[h].first ||
            (length > 1 && is_known(f, heads[h].count)))
            continue;
        groups += alike == 0;
        size_t found = 0;
        for (size_t i = heads[h].first; i < f->sequence.count; i++)
            if (numbers[i] == heads[h].number)
                f->segments[found++] = (struct segment){.at = (uint32_t)i};
        f->visits += heads[h].last - heads[h].first;
        try_heads(f, found, length);
    }
    free(heads);
}

void loop_heads_search(struct loop_search *f)
{
    const struct sequence *sequence = &f->sequence;
    uint32_t *numbers = malloc((sequence->count + 1) * sizeof *numbers);
    f->symbols = calloc((size_t)sequence->numbers + 1, sizeof *f->symbols);
    f->segments = malloc((sequence->count + 1) * sizeof *f->segments);
    f->paths = malloc((f->trace->calltree.paths.count + 1) * sizeof *f->paths);
    f->out_of_memory = !numbers || !f->symbols || !f->segments || !f->paths;
    for (size_t i = 0; i < sequence->count && !f->out_of_memory; i++)
        f->symbols[sequence->what[i]].path = call_path(f->rank, sequence->call[i]);
    for (size_t i = 0; i < sequence->count && !f->out_of_memory; i++)
        if (sequence->what[i] < sequence->calls)
            f->symbols[sequence->what[i]].role =
                call_phase_role(f->trace, f->rank, sequence->call[i]);
    for (uint32_t length = 1; length <= LONGEST && !f->out_of_memory; length *= 2)
        try_length(f, length, numbers);
    free(numbers);
    free(f->symbols);
    free(f->segments);
    free(f->paths);
}
