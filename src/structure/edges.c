#include "structure/loop_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    INNER_LONGEST = 64, /* calls of a loop inside that continues at an edge */
    SORTS = 10,         /* a part of an iteration with more sorts of calls is nothing else */
    REST = 2,           /* calls of an iteration after a call that is not part of it, at least */
};

/* A last iteration is nearly complete if it has this part of the calls of the one before. */
static const double NEARLY = 0.75;

/* The end of calls that iterations make now and then, after the end of the last one. */
static uint32_t extras_end(const struct loop_search *f, uint32_t end)
{
    while (end < f->sequence.count && !f->symbols[f->sequence.what[end]].core &&
           f->symbols[f->sequence.what[end]].fits)
        end++;
    return end;
}

/* Whether the symbol is one call that may interrupt an iteration: it does not end a phase. */
static bool may_interrupt(const struct loop_search *f, uint32_t what)
{
    return what < f->sequence.calls && f->symbols[what].role != CALL_SEPARATES;
}

/* The end of an iteration that begins at segment b and makes all calls of the one before in the
 * same order, but also one other call, after nearly all of these: such as a sum in the last
 * iteration. 0 if it does not. */
static uint32_t interrupted_end(const struct loop_search *f, struct part part)
{
    const uint32_t *what = f->sequence.what, *call = f->sequence.call;
    const uint32_t at = f->segments[part.b].at, previous = f->segments[part.b - 1].at;
    const uint32_t usual = at - previous, limit = segment_end(f, part.b);
    uint32_t same = 0;
    while (same < usual && at + same < limit && what[at + same] == what[previous + same])
        same++;
    const uint32_t rest = call[at] - call[previous + same];
    if (rest < REST || at + same >= limit || !may_interrupt(f, what[at + same]) ||
        call[previous + same] - call[previous] < NEARLY * (call[at] - call[previous]))
        return 0;
    while (same < usual && at + same + 1 < limit && what[at + same + 1] == what[previous + same])
        same++;
    return same == usual ? at + same + 1 : 0;
}

/* The end of a complete iteration that begins at segment b; 0 if it is not complete. */
static uint32_t last_end(struct loop_search *f, struct part part)
{
    const uint32_t *what = f->sequence.what, at = f->segments[part.b].at;
    const uint32_t previous = f->segments[part.b - 1].at, usual = at - previous;
    const size_t longest = part_longest_segment(f, part) * (part.same ? 1 : 2);
    const uint32_t limit = segment_end(f, part.b);
    uint32_t end = at, found = 0;
    bool same = true;
    f->stamp++;
    for (; end < limit && end < at + longest; end++) {
        struct symbol *symbol = &f->symbols[what[end]];
        if (!symbol->fits || (part.same && same && end == at + usual))
            break;
        same = same && what[end] == what[previous + (end - at)];
        found += symbol->stamp != f->stamp && symbol->core;
        symbol->stamp = f->stamp;
    }
    if (found < f->core || (part.same && end - at < usual))
        return part.same ? interrupted_end(f, part) : 0;
    return extras_end(f, end);
}

/* Whether the same calls come immediately before and after this place: then a loop inside continues
 * there, and no iteration begins. */
static bool repeats_at(const struct loop_search *f, uint32_t at)
{
    const uint32_t *what = f->sequence.what + at;
    const uint32_t behind = (uint32_t)f->sequence.count - at, both = at < behind ? at : behind;
    for (uint32_t n = 1; n <= both && n <= INNER_LONGEST; n++)
        if (memcmp(what, what - n, n * sizeof *what) == 0)
            return true;
    return false;
}

/* The beginning of an iteration that ends with the first head; UINT32_MAX if there is none. */
static uint32_t lead_begin(struct loop_search *f, struct part part)
{
    const uint32_t *what = f->sequence.what, at = f->segments[part.a].at;
    const size_t longest = part_longest_segment(f, part);
    const uint32_t limit = part.a > 0 ? f->segments[part.a - 1].at + 1 : 0;
    const uint32_t usual = f->segments[part.a + 1].at - at;
    uint32_t begin = UINT32_MAX, found = 1;
    if (f->core < 2 || at + 1 >= f->sequence.count)
        return begin;
    f->stamp++;
    f->symbols[what[at]].stamp = f->stamp;
    for (uint32_t i = at; i-- > limit && at - i < longest;) {
        struct symbol *symbol = &f->symbols[what[i]];
        if (!symbol->fits)
            break;
        found += symbol->stamp != f->stamp && symbol->core;
        symbol->stamp = f->stamp;
        if (found == f->core && what[i] == what[at + 1] && (!part.same || at + 1 - i >= usual))
            begin = i;
    }
    return begin != UINT32_MAX && repeats_at(f, begin) ? UINT32_MAX : begin;
}

/* The symbols before head a that are before each of the next heads, too, after the previous head:
 * iterations may begin there. */
static uint32_t match_before_all(const struct loop_search *f, struct part part)
{
    const uint32_t *what = f->sequence.what, first = f->segments[part.a].at;
    uint32_t least = first;
    assert(part.a < part.b && part.b <= f->segment_count);
    for (size_t j = part.a + 1; j <= part.b && least > 0; j++) {
        const uint32_t at = f->segments[j].at, length = at - f->segments[j - 1].at;
        uint32_t same = 0;
        while (same < least && same < length && what[first - 1 - same] == what[at - 1 - same])
            same++;
        least = same;
    }
    return least;
}

/* The symbols before head a, and from head b on, that are those of the neighbouring iteration. */
static void match_edges(const struct loop_search *f, struct part part, uint32_t *before,
                        uint32_t *behind)
{
    const uint32_t *what = f->sequence.what;
    const uint32_t first = f->segments[part.a].at, next = f->segments[part.a + 1].at;
    const uint32_t last = f->segments[part.b].at, previous = f->segments[part.b - 1].at;
    for (*before = 0; *before < first && *before < next - first &&
                      what[first - 1 - *before] == what[next - 1 - *before];)
        ++*before;
    for (*behind = 0; last + *behind < f->sequence.count && *behind < last - previous &&
                      what[last + *behind] == what[previous + *behind];)
        ++*behind;
}

/* The end of a last iteration that makes nearly all calls of the one before, the first `behind` of
 * them; 0 if these are too few. */
static uint32_t nearly_last_end(struct loop_search *f, struct part part, uint32_t behind)
{
    const uint32_t at = f->segments[part.b].at, usual = at - f->segments[part.b - 1].at;
    uint32_t sorts = 0;
    f->stamp++;
    for (uint32_t i = at; i < at + behind; i++) {
        struct symbol *symbol = &f->symbols[f->sequence.what[i]];
        sorts += symbol->stamp != f->stamp;
        symbol->stamp = f->stamp;
    }
    return behind >= NEARLY * usual && sorts > SORTS ? extras_end(f, at + behind) : 0;
}

/* The places in the sequence at which the iterations of a part begin, and where they end: from head
 * to head if the last iteration is complete; else from as far before the head as the first
 * iteration is, if it is there; also with incomplete first and last iterations, if they lack less
 * than half; or from the end of a head to the end of the next one; or from head to head with a last
 * iteration that is nearly complete; or only complete ones. Returns their number; `at` has room for
 * the part's segments and 3 more. */
size_t part_place_iterations(struct loop_search *f, struct part part, uint32_t *at)
{
    uint32_t end = part.closed ? 0 : last_end(f, part);
    const uint32_t lead = end > 0 || part.preceded ? UINT32_MAX : lead_begin(f, part);
    const size_t n = part.b - part.a;
    size_t k = 0;
    uint32_t before = 0, behind = 0;
    const uint32_t first = f->segments[part.a + 1].at - f->segments[part.a].at;
    const uint32_t last = f->segments[part.b].at - f->segments[part.b - 1].at;
    const uint32_t usual = first < last ? first : last;
    if (end == 0 && !part.closed)
        match_edges(f, part, &before, &behind);
    if (part.preceded || (before > 0 && repeats_at(f, f->segments[part.a].at - before)))
        before = 0;
    const bool edges = 2 * before > usual && 2 * behind > usual && before + behind > usual;
    if (!edges && before > 0)
        before = match_before_all(f, part);
    f->lacks_end = false;
    if (edges || (before > 0 && before + behind >= usual)) {
        for (size_t j = part.a; j <= part.b; j++)
            at[k++] = f->segments[j].at - (edges ? 0 : before);
        at[k++] = extras_end(f, f->segments[part.b].at + (edges ? behind : usual - before));
        if (!edges)
            return n + 1;
        memmove(at + 1, at, k * sizeof *at);
        at[0] -= before;
        return n + 2;
    }
    if (end == 0 && lead == UINT32_MAX && !part.closed) {
        end = nearly_last_end(f, part, behind);
        f->lacks_end = end > 0;
    }
    if (lead != UINT32_MAX)
        at[k++] = lead;
    for (size_t j = part.a; j <= part.b; j++)
        at[k++] = f->segments[j].at + (lead != UINT32_MAX);
    if (end > 0)
        at[k++] = end;
    return k - 1;
}

uint32_t part_open_end(const struct loop_search *f, struct part part)
{
    const uint32_t at = f->segments[part.b].at, limit = segment_end(f, part.b);
    const size_t longest = part_longest_segment(f, part);
    uint32_t end = at;
    while (end < limit && end < at + longest && f->symbols[f->sequence.what[end]].fits)
        end++;
    return end;
}

/* How often a call is made in the first iteration, and least often in one of the others; how many
 * of these make it, and so often. */
struct frequency {
    uint32_t first, fewest;
    size_t within, at_fewest;
};

static void add_frequency(void *data, size_t i, uint32_t number, uint32_t count)
{
    struct frequency *call = &((struct frequency *)data)[number];
    if (i == 0) {
        call->first = count;
        return;
    }
    if (call->within == 0 || count < call->fewest) {
        call->fewest = count;
        call->at_fewest = 0;
    }
    call->within++;
    call->at_fewest += count == call->fewest;
}

/* A real first iteration may lack what iterations begin with, but it does not look so: the loop is
 * found to begin with a call that it makes, and only the last iteration lacks something then. If
 * the others make the operation in a loop inside, more or less often each, the first one may make
 * it least often by chance. */
bool loop_first_is_less(struct loop_search *f, const uint32_t *begin, size_t n)
{
    const uint32_t *which = f->rank->which[f->likeness];
    bool shorter = n > FEW;
    for (size_t i = 1; i < n && shorter; i++)
        shorter = begin[1] - begin[0] < begin[i + 1] - begin[i];
    if (!shorter)
        return false;
    struct frequency *calls = calloc((size_t)f->rank->numbers[f->likeness] + 1, sizeof *calls);
    const size_t others = n - 1;
    bool part = calls && rank_calls_count(f->rank, f->likeness, begin, n, add_frequency, calls);
    bool less = false;
    f->out_of_memory |= !part;
    for (uint32_t c = begin[0]; c < begin[1] && part; c++) {
        const struct frequency *call = &calls[which[c]];
        part = call->within == others && call->first <= call->fewest;
    }
    for (uint32_t c = begin[1]; c < begin[2] && part && !less; c++) {
        const struct frequency *call = &calls[which[c]];
        const enum mpi_call sort = callpath_call(f->trace, call_path(f->rank, c));
        less = call->within == others && call->first < call->fewest &&
               2 * call->at_fewest >= others && mpi_call_infos[sort].class == MPI_CLASS_COLLECTIVE;
    }
    free(calls);
    return less;
}
