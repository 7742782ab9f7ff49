#include "structure/loop_search.h"

#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

/* Calls that this part of the iterations make are the core, which all iterations must have. */
static const double CORE = 0.8;

/* An iteration may have this many other calls, for each one of the core: on average. */
static const double OTHERS = 1;

/* The iterations are regular if this part of them is of the same kind as the one a few before, or
 * if they have this part of their calls in common and more than a few. */
static const double SAME_KIND = 0.7, COMMON = 0.8;

/* The part of a part's iterations whose kind occurs more than once. */
static const double RECURRING = 0.6;

/* Calls that occur only in one iteration end the loop if they are this part of an iteration. */
static const double FOREIGN = 0.5;

/* An iteration at an edge that makes more than this many times the calls of the others contains
 * another loop. */
static const double LONGER = 2;

enum {
    LAGS = 16,      /* a cycle of kinds of iterations is not longer */
    RECURS = 3,     /* iterations of a kind that recurs */
    COMMON_FEW = 4, /* calls of a core */
    KINDS = 8,      /* of iterations in any order, each */
    KIND_OF = 4,    /* iterations, on average */
};

/* Counts in how many segments each symbol is. */
static void count_symbols(struct loop_search *f)
{
    for (uint32_t i = 0; i < f->sequence.numbers; i++)
        f->symbols[i].within = f->symbols[i].stamp = 0;
    const size_t path_count = f->trace->calltree.paths.count;
    for (size_t i = 0; i < path_count; i++)
        f->paths[i] = (struct path_use){0};
    f->stamp = 0;
    for (size_t j = 0; j < f->segment_count; j++) {
        f->stamp++;
        for (uint32_t i = f->segments[j].at; i < f->segments[j + 1].at; i++) {
            struct symbol *symbol = &f->symbols[f->sequence.what[i]];
            struct path_use *path = &f->paths[symbol->path];
            symbol->within += symbol->stamp != f->stamp;
            path->within += path->stamp != f->stamp;
            path->stamp = symbol->stamp = f->stamp;
        }
    }
    f->core = 0;
    for (uint32_t i = 0; i < f->sequence.numbers; i++) {
        struct symbol *symbol = &f->symbols[i];
        const uint32_t within = symbol->within;
        symbol->core = within > 0 && (double)within >= CORE * (double)f->segment_count;
        const uint32_t paths = f->paths[symbol->path].within;
        symbol->foreign = within == 0 || (within == 1 && f->segment_count >= RECURS);
        symbol->ends = paths == 0 || (paths == 1 && f->segment_count >= RECURS);
        symbol->fits = !symbol->foreign &&
                       (symbol->core || symbol->role != CALL_SEPARATES || within >= RECURS);
        f->core += symbol->core;
    }
}

/* Takes the call path of a symbol of the segment. */
static void describe_path(struct loop_search *f, struct segment *segment, uint32_t what)
{
    struct path_use *path = &f->paths[f->symbols[what].path];
    const bool folded = what >= f->sequence.calls;
    if (!folded && path->stamp == f->stamp)
        return;
    segment->form += folded ? map_mix(what) : map_mix(~(uint64_t)f->symbols[what].path);
    path->stamp = f->stamp;
}

static void describe_segment(struct loop_search *f, size_t j, double usual)
{
    struct segment *segment = &f->segments[j];
    const uint32_t before = f->stamp++;
    double foreign = 0;
    for (uint32_t i = segment->at; i < segment_end(f, j); i++) {
        const uint32_t what = f->sequence.what[i];
        struct symbol *symbol = &f->symbols[what];
        if (symbol->core)
            segment->core_calls += sequence_calls_at(&f->sequence, i);
        if (symbol->ends)
            foreign += sequence_calls_at(&f->sequence, i);
        segment->ends |= !symbol->fits && symbol->role == CALL_SEPARATES;
        if (symbol->stamp == f->stamp)
            continue;
        segment->distinct++;
        segment->core += symbol->core;
        segment->common += j > 0 && symbol->stamp == before;
        describe_path(f, segment, what);
        segment->kind += map_mix(what + 1);
        symbol->stamp = f->stamp;
    }
    segment->sequence =
        sequence_hash(f->sequence.what + segment->at, segment_end(f, j) - segment->at);
    segment->kind = f->exact ? segment->sequence : segment->kind;
    segment->ends |= foreign > FOREIGN * usual;
}

void segments_describe(struct loop_search *f)
{
    count_symbols(f);
    const struct sequence *sequence = &f->sequence;
    const double usual = (double)(sequence->call[f->segments[f->segment_count].at] -
                                  sequence->call[f->segments[0].at]) /
                         (double)f->segment_count;
    f->stamp = 0;
    for (uint32_t i = 0; i < sequence->numbers; i++) {
        f->symbols[i].stamp = 0;
        f->paths[f->symbols[i].path].stamp = 0;
    }
    f->stamp = 1;
    for (size_t j = 0; j < f->segment_count; j++)
        describe_segment(f, j, usual);
}

/* Iterations of a kind. */
struct kind {
    size_t first, last, count;
};

/* Numbers the kinds of the segments in `of`, or their forms. */
static bool list_kinds(const struct loop_search *f, struct part part, bool forms, uint32_t *of,
                       struct kind **kinds)
{
    struct map map = {0};
    ARRAY(struct kind) list = {0};
    bool allocated = true;
    for (size_t j = part.a; j < part.b && allocated; j++) {
        uint32_t *number =
            map_at(&map, forms ? f->segments[j].form : f->segments[j].kind, (uint32_t)map.count);
        allocated =
            number && (*number < list.count || array_push(&list, ((struct kind){.first = j})));
        if (!allocated)
            break;
        of[j - part.a] = *number;
        list.items[*number].last = j;
        list.items[*number].count++;
    }
    map_clear(&map);
    *kinds = list.items;
    return allocated;
}

/* Whether enough of the segments from <= j < to are of kinds that recur. */
static bool recurs(const struct kind *kinds, const uint32_t *of, size_t from, size_t to)
{
    size_t recurring = 0;
    for (size_t i = from; i < to; i++)
        recurring += kinds[of[i]].count >= RECURS;
    return to - from >= RECURS && (double)recurring >= RECURRING * (double)(to - from);
}

/* The first place at which the kinds of iterations change for good: two loops in a row, which have
 * the same head. `part.b` if there is none. */
static size_t first_change(const struct kind *kinds, const uint32_t *of, struct part part,
                           size_t from)
{
    size_t inside_until = from; /* a kind that recurs is on both sides up to here */
    for (size_t j = from; j < part.b; j++) {
        if (j > from && j > inside_until && recurs(kinds, of, from - part.a, j - part.a) &&
            recurs(kinds, of, j - part.a, part.b - part.a))
            return j;
        const struct kind *kind = &kinds[of[j - part.a]];
        if (kind->count >= RECURS && kind->last > inside_until)
            inside_until = kind->last;
    }
    return part.b;
}

/* The number of iterations that are exactly the same as one of them, at most. */
static size_t most_alike(const struct loop_search *f, struct part part)
{
    size_t most = 0;
    for (size_t i = part.a; i < part.b; i++) {
        size_t same = 0;
        for (size_t j = part.a; j < part.b; j++)
            same += f->segments[i].sequence == f->segments[j].sequence;
        most = same > most ? same : most;
    }
    return most;
}

/* Finds in how many iterations after the first one each call occurs as often as in the first one.
 */
static void count_equally_often(struct loop_search *f, struct part part)
{
    struct symbol *symbols = f->symbols;
    const uint32_t *what = f->sequence.what;
    for (uint32_t i = f->segments[part.a].at; i < segment_end(f, part.b - 1); i++)
        symbols[what[i]].first = symbols[what[i]].now = symbols[what[i]].equal = 0;
    for (uint32_t i = f->segments[part.a].at; i < segment_end(f, part.a); i++)
        symbols[what[i]].first++;
    for (size_t j = part.a + 1; j < part.b; j++) {
        for (uint32_t i = f->segments[j].at; i < segment_end(f, j); i++)
            symbols[what[i]].now++;
        for (uint32_t i = f->segments[j].at; i < segment_end(f, j); i++) {
            struct symbol *symbol = &symbols[what[i]];
            symbol->equal += symbol->now > 0 && symbol->now == symbol->first;
            symbol->now = 0;
        }
    }
}

/* Whether the calls that all iterations make equally often come in the same order in all of them,
 * and are more than a few: the iterations differ only in the loops inside. */
static bool are_alike_around_loops(struct loop_search *f, struct part part)
{
    const size_t others = part.b - part.a - 1;
    uint64_t first = 0;
    size_t calls = 0;
    count_equally_often(f, part);
    for (size_t j = part.a; j < part.b; j++) {
        uint64_t hash = 0;
        for (uint32_t i = f->segments[j].at; i < segment_end(f, j); i++) {
            const struct symbol *symbol = &f->symbols[f->sequence.what[i]];
            if (symbol->equal != others)
                continue;
            hash = map_mix(hash + f->sequence.what[i] + 1);
            calls += j == part.a;
        }
        first = j == part.a ? hash : first;
        if (hash != first)
            return false;
    }
    return calls >= COMMON_FEW;
}

static bool is_regular(struct loop_search *f, struct part part, const uint32_t *of)
{
    const size_t n = part.b - part.a;
    size_t kinds = 0; /* numbered from 0 in order */
    double core = 0, core_calls = 0, common = 0, best = 0, same_as_before = 0;
    const double calls =
        f->sequence.call[f->segments[part.b].at] - f->sequence.call[f->segments[part.a].at];
    for (size_t j = part.a; j < part.b; j++) {
        const struct segment *segment = &f->segments[j];
        core += (double)segment->core / segment->distinct;
        core_calls += segment->core_calls;
        kinds = of[j - part.a] >= kinds ? of[j - part.a] + 1 : kinds;
        if (j > part.a) /* Jaccard's coefficient */
            common += (double)segment->common /
                      (segment->distinct + f->segments[j - 1].distinct - segment->common);
    }
    for (size_t lag = 1; lag <= LAGS && 2 * lag <= n; lag++) {
        size_t same = 0;
        for (size_t i = lag; i < n; i++)
            same += of[i] == of[i - lag];
        const double part_of = (double)same / (double)(n - lag);
        same_as_before = lag == 1 ? (double)same : same_as_before;
        best = part_of > best ? part_of : best;
    }
    f->cycle = best;
    if (n < 2)
        return true;
    common /= (double)(n - 1);
    f->sparse = f->pairs || core * (1 + OTHERS) < (double)n || core_calls * (1 + OTHERS) < calls;
    if (f->exact)
        return same_as_before >= EXACT * (double)(n - 1);
    if (n < FEW && most_alike(f, part) < (n <= SHORT ? n : (n + 1) / 2) &&
        (n <= SHORT || !are_alike_around_loops(f, part)))
        return false;
    if (n <= SHORT)
        return common >= COMMON;
    return !f->sparse || best >= SAME_KIND || (kinds <= KINDS && kinds * KIND_OF <= n) ||
           (common >= COMMON && f->core >= COMMON_FEW);
}

size_t part_longest_segment(const struct loop_search *f, struct part part)
{
    uint32_t longest = 0;
    for (size_t j = part.a; j < part.b; j++) {
        const uint32_t length = f->segments[j + 1].at - f->segments[j].at;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The largest number of calls of the iterations that are exactly the same as this one. */
static uint32_t most_calls(const struct loop_search *f, struct part part, uint64_t sequence)
{
    uint32_t most = 0;
    for (size_t j = part.a; j < part.b; j++)
        if (segment_calls(f, j) > most && f->segments[j].sequence == sequence)
            most = segment_calls(f, j);
    return most;
}

/* Whether the first segment comes before the loop (loop_first_is_less). */
static bool first_is_less(struct loop_search *f, struct part part)
{
    uint32_t *begin = malloc((part.b - part.a + 1) * sizeof *begin);
    f->out_of_memory |= !begin;
    for (size_t j = part.a; j <= part.b && begin; j++)
        begin[j - part.a] = f->sequence.call[f->segments[j].at];
    const bool less = begin && loop_first_is_less(f, begin, part.b - part.a);
    free(begin);
    return less;
}

/* If nearly all iterations are exactly the same, leaves those out at the edges that are shorter,
 * or much longer: similar calls, or other loops, before and after the loop. In any case leaves out
 * a first one that is only a part of each other one. */
static void trim_part(struct loop_search *f, struct part *part)
{
    const size_t middle = part->a + (part->b - part->a) / 2;
    const uint64_t usual = f->segments[middle].sequence;
    const uint32_t length = f->segments[middle + 1].at - f->segments[middle].at;
    size_t same = 0;
    for (size_t j = part->a; j < part->b; j++)
        same += f->segments[j].sequence == usual;
    part->same = (double)same >= EXACT * (double)(part->b - part->a);
    part->preceded = first_is_less(f, *part);
    part->a += part->preceded;
    if (!part->same)
        return;
    while (part->a + 1 < part->b && f->segments[part->a + 1].at - f->segments[part->a].at < length)
        part->a++;
    while (part->a + 1 < part->b &&
           f->segments[part->b].at - f->segments[part->b - 1].at < length) {
        part->b--;
        part->closed = false;
    }
    const double most = LONGER * most_calls(f, *part, usual);
    while (part->a + 1 < part->b && segment_calls(f, part->a) > most)
        part->a++;
    while (part->a + 1 < part->b && segment_calls(f, part->b - 1) > most)
        part->b--;
}

/* Sets `of` [part.b - part.a] and `kinds`, which the caller frees. */
static bool read_kinds(struct loop_search *f, struct part part, bool forms, uint32_t **of,
                       struct kind **kinds)
{
    assert(part.a < part.b);
    *kinds = NULL;
    *of = malloc((part.b - part.a) * sizeof **of);
    f->out_of_memory |= !*of || !list_kinds(f, part, forms, *of, kinds);
    return !f->out_of_memory;
}

size_t part_first_change(struct loop_search *f, struct part part)
{
    size_t change = part.b;
    for (int forms = 1; forms >= 0 && change == part.b; forms--) {
        uint32_t *of;
        struct kind *kinds;
        if (read_kinds(f, part, forms, &of, &kinds))
            change = first_change(kinds, of, part, part.a);
        if (!forms && change < part.b && first_change(kinds, of, part, change) < part.b)
            change = part.b;
        free(of);
        free(kinds);
    }
    return change;
}

bool part_is_regular(struct loop_search *f, struct part *part)
{
    uint32_t *of;
    struct kind *kinds;
    const bool regular = read_kinds(f, *part, false, &of, &kinds) && is_regular(f, *part, of);
    if (regular)
        trim_part(f, part);
    free(of);
    free(kinds);
    return regular;
}
