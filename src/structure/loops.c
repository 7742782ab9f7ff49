#include "structure/loops.h"

#include "base/map.h"
#include "base/sort.h"
#include "structure/prediction.h"
#include "structure/sequence.h"
#include "structure/shortening.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Calls that this part of the iterations make are the core, which all iterations must have. */
static const double CORE = 0.8;

/* An iteration may have this many other calls, for each one of the core: on average. */
static const double OTHERS = 1;

/* The iterations are regular if this part of them is of the same kind as the one a few before, or
 * if they have this part of their calls in common and more than a few. */
static const double SAME_KIND = 0.7, COMMON = 0.8;

/* The part of a part's iterations whose kind occurs more than once. */
static const double RECURRING = 0.6;

/* A loop has this part of the rank's calls, or is ignored; more if it has few iterations. */
static const double EXPLAINED = 0.04, EXPLAINED_BY_FEW = 0.15;

/* Calls that occur only in one iteration end the loop if they are this part of an iteration. */
static const double FOREIGN = 0.5;

/* A core call made this often in each iteration is itself in a loop. */
static const double REPEATED = 2.5;

/* Iterations that are told by sizes or tags have this part of the rank's calls. */
static const double VALUES_EXPLAIN = 0.5;

/* An outer loop has this many folded loops in each iteration, at least: kinds of iterations. */
static const double SPREAD_LEAST = 1.8;

/* A loop's own calls are few if so many times their number is at most that of the call paths in the
 * loop inside it. */
static const double FEW_OWN = 4;

/* If such a loop has this part of the calls, repetitions of two tell no others. */
static const double EXPLAINS_MOST = 0.9;

/* A long sequence is folded again only if folding leaves this part of it at most: calls in other
 * orders are not searched twice. */
static const double SHORTER = 0.9;

/* Exact repetitions are required of sequences of calls. */
static const double EXACT = 0.8;

enum {
    LAGS = 16,         /* a cycle of kinds of iterations is not longer */
    RECURS = 3,        /* iterations of a kind that recurs */
    COMMON_FEW = 4,    /* calls of a core */
    FEWEST_VALUES = 8, /* iterations that are told by sizes or tags */
    FEWEST = 3,        /* iterations of a loop */
    KINDS = 8,         /* of iterations in any order, each */
    KIND_OF = 4,       /* of so many iterations, on average */
    SHORT = 3,         /* of fewer iterations, or as many, all must be alike */
    FEW = 8,      /* of fewer iterations half must be exactly the same, and of SHORT ones all */
    ROUNDS = 4,   /* of folding, while the sequences are together less than this times as long */
    FOLDED = 2,   /* as the calls, */
    SMALL = 4096, /* or this */
    HEADS = 3,    /* heads with the same number of visits that are tried, beside the last one, */
    GROUPS = 24,  /* and numbers of visits */
    LONGEST = 4,  /* calls of a head */
    VISITS = 8,   /* of each symbol by a search for heads of one length: so it is linear */
};

/* What a search knows about a number. */
struct symbol {
    uint32_t within; /* segments, and */
    uint32_t stamp;  /* of the last segment that had it */
    uint32_t path;   /* of its first call */
    enum phase_role role;
    bool core;    /* in most of the segments */
    bool foreign; /* not in several of them */
    bool ends;    /* neither is its call path */
    bool fits;    /* may be inside of an iteration */
};

/* Segments in which a call path is, and the last of them. */
struct path_use {
    uint32_t within, stamp;
};

/* From one head to the next. */
struct segment {
    uint32_t at; /* in the sequence */
    uint32_t distinct, core, common;
    uint32_t core_calls; /* calls of the core */
    uint64_t kind;
    bool ends; /* contains what ends the loop */
};

struct loop_search {
    const struct trace *trace;
    const struct rank_calls *all;
    struct shortened_calls shortened;
    const struct rank_calls *rank;     /* the calls that are left */
    struct call_prediction prediction; /* of these */
    enum likeness likeness;
    struct sequence sequence;
    struct symbol *symbols;
    struct path_use *paths;   /* [call path] */
    struct segment *segments; /* the last one is open */
    size_t segment_count;     /* without that */
    uint32_t core, stamp;
    bool pairs;    /* bodies that are repeated once are folded, too */
    bool exact;    /* kinds are the exact sequence */
    double cycle;  /* part of its iterations that are of the same kind as the one a few before */
    bool sparse;   /* the part that was last found regular has little in common */
    size_t visits; /* of symbols by the search for heads of this length */
    loop_list *loops;
    bool out_of_memory;
};

void rank_loops_clear(loop_list *loops)
{
    for (size_t i = 0; i < loops->count; i++)
        free(loops->items[i].begin);
    free(loops->items);
    memset(loops, 0, sizeof *loops);
}

static uint32_t path_depth(const struct trace *trace, uint32_t path)
{
    uint32_t depth = 0;
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent)
        depth++;
    return depth;
}

static uint32_t segment_end(const struct loop_search *f, size_t j)
{
    return j < f->segment_count ? f->segments[j + 1].at : (uint32_t)f->sequence.count;
}

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

static void describe_segment(struct loop_search *f, size_t j, double usual)
{
    struct segment *segment = &f->segments[j];
    const uint32_t before = f->stamp++;
    double foreign = 0;
    for (uint32_t i = segment->at; i < segment_end(f, j); i++) {
        const uint32_t what = f->sequence.what[i];
        struct symbol *symbol = &f->symbols[what];
        if (f->exact)
            segment->kind = map_mix(segment->kind + what + 1);
        if (symbol->core)
            segment->core_calls += f->sequence.call[i + 1] - f->sequence.call[i];
        if (symbol->ends)
            foreign += f->sequence.call[i + 1] - f->sequence.call[i];
        segment->ends |= !symbol->fits && symbol->role == CALL_SEPARATES;
        if (symbol->stamp == f->stamp)
            continue;
        segment->distinct++;
        segment->core += symbol->core;
        segment->common += j > 0 && symbol->stamp == before;
        segment->kind += f->exact ? 0 : map_mix(what + 1);
        symbol->stamp = f->stamp;
    }
    segment->ends |= foreign > FOREIGN * usual;
}

/* A part of the segments: a <= j < b. */
struct part {
    size_t a, b;
    bool closed; /* the segment b begins another loop */
    bool same;   /* nearly all iterations are exactly the same */
};

/* Iterations of a kind. */
struct kind {
    size_t first, last, count;
};

/* Numbers the kinds of the segments in `of`. */
static bool list_kinds(const struct loop_search *f, struct part part, uint32_t *of,
                       struct kind **kinds)
{
    struct map map = {0};
    ARRAY(struct kind) list = {0};
    bool allocated = true;
    for (size_t j = part.a; j < part.b && allocated; j++) {
        uint32_t *number = map_at(&map, f->segments[j].kind, (uint32_t)map.count);
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
static size_t first_change(const struct kind *kinds, const uint32_t *of, struct part part)
{
    size_t inside_until = part.a; /* a kind that recurs is on both sides up to here */
    for (size_t j = part.a; j < part.b; j++) {
        if (j > part.a && j > inside_until && recurs(kinds, of, 0, j - part.a) &&
            recurs(kinds, of, j - part.a, part.b - part.a))
            return j;
        const struct kind *kind = &kinds[of[j - part.a]];
        if (kind->count >= RECURS && kind->last > inside_until)
            inside_until = kind->last;
    }
    return part.b;
}

static uint64_t segment_hash(const struct loop_search *f, size_t j)
{
    const uint32_t at = f->segments[j].at;
    return sequence_hash(f->sequence.what + at, f->segments[j + 1].at - at);
}

/* The number of iterations that are exactly the same as one of them, at most. */
static size_t most_alike(const struct loop_search *f, struct part part)
{
    size_t most = 0;
    for (size_t i = part.a; i < part.b; i++) {
        size_t same = 0;
        for (size_t j = part.a; j < part.b; j++)
            same += segment_hash(f, i) == segment_hash(f, j);
        most = same > most ? same : most;
    }
    return most;
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
        if (j > part.a) /* Jaccard's coefficient of both */
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
    if (n < FEW && most_alike(f, part) < (n <= SHORT ? n : (n + 1) / 2))
        return false;
    if (n <= SHORT)
        return common >= COMMON;
    return !f->sparse || best >= SAME_KIND || (kinds <= KINDS && kinds * KIND_OF <= n) ||
           (common >= COMMON && f->core >= COMMON_FEW);
}

static size_t longest_segment(const struct loop_search *f, struct part part)
{
    uint32_t longest = 0;
    for (size_t j = part.a; j < part.b; j++) {
        const uint32_t length = f->segments[j + 1].at - f->segments[j].at;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* The end of calls that iterations make now and then, after the end of the last one. */
static uint32_t extras_end(const struct loop_search *f, uint32_t end)
{
    while (end < f->sequence.count && !f->symbols[f->sequence.what[end]].core &&
           f->symbols[f->sequence.what[end]].fits)
        end++;
    return end;
}

/* The end of a complete iteration that begins at segment b; 0 if it is not complete. */
static uint32_t last_end(struct loop_search *f, struct part part)
{
    const uint32_t *what = f->sequence.what, at = f->segments[part.b].at;
    const uint32_t previous = f->segments[part.b - 1].at, usual = at - previous;
    const size_t longest = longest_segment(f, part) * (part.same ? 1 : 2);
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
        return 0;
    return extras_end(f, end);
}

/* The beginning of an iteration that ends with the first head; UINT32_MAX if there is none. */
static uint32_t lead_begin(struct loop_search *f, struct part part)
{
    const uint32_t *what = f->sequence.what, at = f->segments[part.a].at;
    const size_t longest = longest_segment(f, part);
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
    return begin;
}

/* How often a call is made in a loop. */
struct use {
    uint32_t total, call;
    bool repeats; /* more than once in each iteration */
};

/* Whether a call that the loop makes once is made inside a region that it enters repeatedly. */
static bool is_inside_repeated(const struct loop_search *f, const struct use *uses,
                               const bool *repeated_paths, uint32_t number)
{
    const struct callpath *paths = f->trace->calltree.paths.items;
    uint32_t path = paths[call_path(f->rank, uses[number].call)].parent;
    while (path != CALLPATH_NONE && !repeated_paths[path])
        path = paths[path].parent;
    return path != CALLPATH_NONE;
}

/* Sets encloses[call path] for all paths above the repeated ones. */
static void mark_enclosing_paths(const struct trace *trace, const bool *repeated_paths,
                                 bool *encloses)
{
    const struct callpath *paths = trace->calltree.paths.items;
    for (uint32_t p = 0; p < trace->calltree.paths.count; p++) {
        uint32_t above = repeated_paths[p] ? paths[p].parent : CALLPATH_NONE;
        for (; above != CALLPATH_NONE && !encloses[above]; above = paths[above].parent) {
            assert(above < trace->calltree.paths.count);
            encloses[above] = true;
        }
    }
}

/* Sets what the calls of the iterations say about the loop: calls that an iteration makes often are
 * in a loop inside it. A loop whose own calls collect output, or are inside a region that the inner
 * loop enters, or in several of its iterations, only decorates that; a region without calls of the
 * inner loop is what its calls are. Sets `*inner_paths` to the
 * number of call paths in loops inside. False if out of memory. */
static bool characterise(const struct loop_search *f, struct loop *loop, uint32_t *inner_paths)
{
    const uint32_t numbers = f->rank->numbers[f->likeness], *which = f->rank->which[f->likeness];
    struct use *uses = calloc((size_t)numbers + 1, sizeof *uses);
    bool *paths = calloc(f->trace->calltree.paths.count + 1, sizeof *paths);
    bool *encloses = calloc(f->trace->calltree.paths.count + 1, sizeof *encloses);
    bool outputs = false, others = false;
    for (uint32_t c = loop->begin[0]; uses && c < loop->begin[loop->iterations]; c++) {
        uses[which[c]].total++;
        uses[which[c]].call = c;
    }
    for (uint32_t i = 0; uses && paths && i < numbers; i++) {
        uses[i].repeats = uses[i].total >= REPEATED * (double)loop->iterations;
        loop->single |= uses[i].total <= loop->iterations && /* an edge may lack it */
                        uses[i].total + 1 >= loop->iterations;
        if (!uses[i].repeats)
            continue;
        bool *known = &paths[call_path(f->rank, uses[i].call)];
        *inner_paths += !*known;
        *known = true;
        loop->nested = true;
    }
    if (paths && encloses)
        mark_enclosing_paths(f->trace, paths, encloses);
    for (uint32_t i = 0; uses && paths && encloses && i < numbers && loop->nested; i++) {
        if (uses[i].repeats || uses[i].total == 0)
            continue;
        const enum phase_role role = call_phase_role(f->trace, f->rank, uses[i].call);
        outputs |= role == CALL_OUTPUTS;
        const uint32_t path = call_path(f->rank, uses[i].call);
        others |= role == CALL_OTHER && 2 * (size_t)uses[i].total > loop->iterations &&
                  (callpath_call(f->trace, path) != MPI_CALL_NONE || encloses[path]);
        loop->decorates |= is_inside_repeated(f, uses, paths, i);
    }
    loop->decorates |= outputs && !others;
    const bool allocated = uses && paths && encloses;
    free(uses);
    free(paths);
    free(encloses);
    return allocated;
}

/* Whether a loop that contains one folded loop, in the symbols from <= i < to, only decorates it:
 * its own calls are few, more so if the number of iterations inside varies, or the folded loop is
 * at both edges. */
static bool decorates_folded(const struct loop_search *f, size_t n, uint32_t from, uint32_t to,
                             bool varies, uint32_t inner_paths)
{
    const struct sequence *sequence = &f->sequence;
    uint32_t loop = UINT32_MAX, after = UINT32_MAX; /* the symbol after it */
    double own = 0, loops = 0, alike = 0;
    for (uint32_t i = from; i < to; i++) {
        const uint32_t what = sequence->what[i];
        if (what < sequence->calls) {
            own++;
            continue;
        }
        loops++;
        alike += i + 1 < to && sequence->what[i + 1] == after;
        after = i + 1 < to ? sequence->what[i + 1] : UINT32_MAX;
        if (loop == UINT32_MAX)
            loop = what;
        else if (loop != what)
            return false;
    }
    if (loop == UINT32_MAX || own == 0)
        return false;
    if (loops >= SPREAD_LEAST * (double)n && 2 * alike < loops)
        return true; /* else there is a loop between both */
    const struct loop_body *body = &sequence->bodies[loop - sequence->calls];
    if (body->nested && n >= FEW)
        return false;
    return !varies && FEW_OWN * own <= (double)n * inner_paths;
}

static size_t calls_of_loop(const struct loop *loop)
{
    return loop->begin[loop->iterations] - loop->begin[0];
}

/* Keeps the better one of two loops with equally many iterations: with more calls, else nearer to
 * the root, else earlier. */
static void keep_loop(struct loop_search *f, struct loop loop)
{
    for (size_t i = 0; i < f->loops->count; i++) {
        struct loop *known = &f->loops->items[i];
        if (known->iterations != loop.iterations || known->likeness != loop.likeness)
            continue;
        const size_t a = calls_of_loop(&loop), b = calls_of_loop(known);
        const bool much = 20 * a > 21 * b, less = 20 * b > 21 * a;
        const bool better =
            loop.random != known->random   ? known->random
            : loop.single != known->single ? loop.single
            : loop.sparse != known->sparse
                ? known->sparse
                : much ||
                      (!less && (loop.depth < known->depth ||
                                 (loop.depth == known->depth && loop.begin[0] < known->begin[0])));
        loop.nested |= known->nested && !much;
        known->nested |= loop.nested && !less;
        loop.decorates |= known->decorates && !much;
        known->decorates |= loop.decorates && !less;
        if (better) {
            struct loop other = *known;
            *known = loop;
            loop = other;
        }
        free(loop.begin);
        return;
    }
    if (!array_push(f->loops, loop)) {
        free(loop.begin);
        f->out_of_memory = true;
    }
}

/* The symbols before head a that are before each of the next heads, too, behind the head before:
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

/* The symbols before head a, and from head b on, that are those of the iteration beside them. */
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

/* The places in the sequence at which the iterations of a part begin, and where they end: from head
 * to head if the last iteration is complete; else from as far before the head as the first
 * iteration is, if it is there; also with incomplete first and last iterations, if they lack less
 * than half; or from behind a head to behind the next one, or only complete ones. Returns their
 * number; `at` has room for the part's segments and 3 more. */
static size_t place_iterations(struct loop_search *f, struct part part, uint32_t *at)
{
    const uint32_t end = part.closed ? 0 : last_end(f, part);
    const uint32_t lead = end > 0 ? UINT32_MAX : lead_begin(f, part);
    const size_t n = part.b - part.a;
    size_t k = 0;
    uint32_t before = 0, behind = 0;
    const uint32_t first = f->segments[part.a + 1].at - f->segments[part.a].at;
    const uint32_t last = f->segments[part.b].at - f->segments[part.b - 1].at;
    const uint32_t usual = first < last ? first : last;
    if (end == 0 && !part.closed)
        match_edges(f, part, &before, &behind);
    const bool edges = 2 * before > usual && 2 * behind > usual && before + behind > usual;
    if (!edges && before > 0)
        before = match_before_all(f, part);
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
    if (lead != UINT32_MAX)
        at[k++] = lead;
    for (size_t j = part.a; j <= part.b; j++)
        at[k++] = f->segments[j].at + (lead != UINT32_MAX);
    if (end > 0)
        at[k++] = end;
    return k - 1;
}

/* The end of the calls after the last head that may be in an iteration. */
static uint32_t open_end(const struct loop_search *f, struct part part)
{
    const uint32_t at = f->segments[part.b].at, limit = segment_end(f, part.b);
    const size_t longest = longest_segment(f, part);
    uint32_t end = at;
    while (end < limit && end < at + longest && f->symbols[f->sequence.what[end]].fits)
        end++;
    return end;
}

/* Whether iterations have different numbers of calls. */
static bool calls_vary(const struct loop *loop)
{
    const size_t n = loop->iterations;
    const uint32_t *begin = loop->begin, usual = begin[n / 2 + 1] - begin[n / 2];
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
        same += begin[i + 1] - begin[i] == usual;
    return (double)same < EXACT * (double)(n - 1); /* the last one may be cut off */
}

/* Moves the end of the last iteration behind calls that iterations make, too, if these have
 * different numbers of calls, but not more than twice as many as the longest one. */
static void extend_last(struct loop_search *f, struct loop *loop)
{
    const uint32_t *which = f->rank->which[f->likeness];
    uint32_t *begin = loop->begin, *end = &begin[loop->iterations], longest = 0;
    bool *made = calloc((size_t)f->rank->numbers[f->likeness] + 1, sizeof *made);
    f->out_of_memory |= !made;
    for (size_t i = 0; i < loop->iterations; i++)
        longest = begin[i + 1] - begin[i] > longest ? begin[i + 1] - begin[i] : longest;
    for (uint32_t c = begin[0]; c < *end && made; c++)
        made[which[c]] = true;
    while (made && *end < f->rank->count && made[which[*end]] &&
           *end - begin[loop->iterations - 1] < 2 * longest)
        ++*end;
    free(made);
}

/* Whether each iteration makes exactly one call with the path of its first call. False if this call
 * sends or receives a message, because other calls answer it in the same iteration. */
static bool begins_each(const struct loop_search *f, uint32_t from, uint32_t to, size_t n)
{
    const uint32_t *what = f->rank->which[ALIKE_IN_PATH], first = f->sequence.call[from];
    const enum mpi_class class =
        mpi_call_infos[callpath_call(f->trace, call_path(f->rank, first))].class;
    size_t made = 0;
    if (mpi_class_is_message(class))
        return false;
    for (uint32_t c = f->sequence.call[from]; c < f->sequence.call[to]; c++)
        made += what[c] == what[f->sequence.call[from]];
    return n >= FEW && made == n;
}

/* Adds the loop of a part whose iterations are regular. */
static void add_loop(struct loop_search *f, struct part part, uint32_t length)
{
    const struct sequence *sequence = &f->sequence;
    uint32_t *at = malloc((part.b - part.a + 5) * sizeof *at);
    if (!at) {
        f->out_of_memory = true;
        return;
    }
    const size_t n = place_iterations(f, part, at);
    const uint32_t from = at[0], to = at[n];
    struct loop loop = {
        .iterations = n, .visits = n, .likeness = f->likeness, .sparse = f->sparse, .begin = at};
    const double least = n < FEW ? EXPLAINED_BY_FEW : EXPLAINED;
    const bool explains = n >= FEWEST && (double)(sequence->call[to] - sequence->call[from]) >=
                                             least * (double)f->rank->count;
    loop.random = explains && !part.same && f->cycle < EXACT &&
                  !calls_are_predictable(&f->prediction, sequence->call[from], sequence->call[to]);
    if (!explains || (loop.random && !begins_each(f, from, to, n)) || f->out_of_memory) {
        free(at);
        return;
    }
    loop.at_path =
        length == 1 && from == f->segments[part.a].at && sequence->what[from] < sequence->calls;
    loop.open = !part.closed && to == f->segments[part.b].at;
    if (loop.open)
        at[n + loop.open] = open_end(f, part);
    for (size_t i = 0; i <= n + loop.open; i++)
        at[i] = sequence->call[at[i]];
    loop.depth = path_depth(f->trace, call_path(f->rank, loop.begin[0]));
    if (n <= SHORT && at[1] - at[0] != at[2] - at[1]) { /* more may happen to be alike */
        free(at);
        return;
    }
    uint32_t inner_paths = 0;
    f->out_of_memory |= !characterise(f, &loop, &inner_paths);
    loop.decorates |= decorates_folded(f, n, from, to, calls_vary(&loop), inner_paths);
    if (!part.same && !part.closed && !loop.open && calls_vary(&loop))
        extend_last(f, &loop);
    loop.iterations += loop.open;
    f->out_of_memory |= !shortened_calls_undo(&f->shortened, &loop.begin, &loop.iterations);
    loop.iterations -= loop.open;
    keep_loop(f, loop);
}

/* If nearly all iterations are exactly the same, leaves shorter ones at the edges out: similar
 * calls before and after the loop. */
static void trim_part(const struct loop_search *f, struct part *part)
{
    const size_t middle = part->a + (part->b - part->a) / 2;
    const uint64_t usual = segment_hash(f, middle);
    const uint32_t length = f->segments[middle + 1].at - f->segments[middle].at;
    size_t same = 0;
    for (size_t j = part->a; j < part->b; j++)
        same += segment_hash(f, j) == usual;
    part->same = (double)same >= EXACT * (double)(part->b - part->a);
    while (part->same && part->a + 1 < part->b &&
           f->segments[part->a + 1].at - f->segments[part->a].at < length)
        part->a++;
    while (part->same && part->a + 1 < part->b &&
           f->segments[part->b].at - f->segments[part->b - 1].at < length) {
        part->b--;
        part->closed = false;
    }
}

/* Divides a part where the kinds of iterations change for good, and adds the loops. */
static void add_divided_part(struct loop_search *f, struct part part, uint32_t length)
{
    while (part.a < part.b && !f->out_of_memory) {
        uint32_t *of = malloc((part.b - part.a) * sizeof *of);
        struct kind *kinds = NULL;
        f->out_of_memory = !of || !list_kinds(f, part, of, &kinds);
        struct part first = part;
        if (!f->out_of_memory) {
            first.b = first_change(kinds, of, part);
            first.closed = part.closed || first.b < part.b;
            const bool regular = is_regular(f, first, of);
            if (regular) {
                trim_part(f, &first);
                add_loop(f, first, length);
            }
        }
        free(of);
        free(kinds);
        part.a = first.b;
    }
}

/* Looks for loops whose iterations begin with these heads: f->segments[].at. */
static void try_heads(struct loop_search *f, size_t heads, uint32_t length)
{
    if (heads < 2)
        return;
    f->segment_count = heads - 1;
    count_symbols(f);
    const struct sequence *sequence = &f->sequence;
    const double usual =
        (double)(sequence->call[f->segments[heads - 1].at] - sequence->call[f->segments[0].at]) /
        (double)f->segment_count;
    f->stamp = 0;
    for (uint32_t i = 0; i < sequence->numbers; i++)
        f->symbols[i].stamp = 0;
    f->stamp = 1;
    for (size_t j = 0; j < f->segment_count; j++)
        describe_segment(f, j, usual);
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
        add_divided_part(f, trimmed, length);
        if (trimmed.a > part.a || trimmed.b < part.b)
            add_divided_part(f, part, length);
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

/* Whether a loop is known of which some iterations, but more than half, begin with such a head. */
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

static void search_sequence(struct loop_search *f)
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

/* Adds the loop whose iterations send messages of another size, or with another tag, each: larger
 * and larger, or smaller and smaller. Ranks may have different parts in it, as in a broadcast along
 * a ring whose root goes around. */
static void find_by_values(struct loop_search *f)
{
    const struct rank_calls *rank = f->all;
    f->rank = rank;
    for (int which = 0; which < 2 && !f->out_of_memory; which++) {
        const uint32_t *values = which == 0 ? rank->bytes : rank->tags;
        ARRAY(uint32_t) begin = {0};
        uint32_t last = 0, end = 0;
        int direction = 0;
        bool monotone = true;
        for (uint32_t c = 0; c < rank->count && monotone && !f->out_of_memory; c++) {
            if (values[c] == CALL_NO_VALUE)
                continue;
            end = c + 1;
            if (begin.count > 0 && values[c] == last)
                continue;
            const int step = begin.count == 0 ? 0 : values[c] > last ? 1 : -1;
            monotone = direction == 0 || step == direction;
            direction = step;
            last = values[c];
            f->out_of_memory = !array_push(&begin, c);
        }
        if (monotone && begin.count >= FEWEST_VALUES && !f->out_of_memory &&
            (double)(end - begin.items[0]) >= VALUES_EXPLAIN * (double)rank->count) {
            f->out_of_memory = !array_push(&begin, end);
            f->likeness = ALIKE_BY_VALUE;
            keep_loop(
                f, (struct loop){.iterations = begin.count - 1,
                                 .likeness = ALIKE_BY_VALUE,
                                 .visits = begin.count - 1,
                                 .nested = true,
                                 .depth = path_depth(f->trace, call_path(f->rank, begin.items[0])),
                                 .begin = begin.items});
        } else {
            free(begin.items);
        }
    }
}

/* Adds the loops of the sense before this one: no calls are alike in this sense only. */
static void copy_loops(struct loop_search *f)
{
    const size_t count = f->loops->count;
    for (size_t i = 0; i < count && !f->out_of_memory; i++) {
        struct loop copy = f->loops->items[i];
        const size_t size = (copy.iterations + 1 + copy.open) * sizeof *copy.begin;
        copy.likeness = f->likeness;
        copy.begin = malloc(size);
        f->out_of_memory = !copy.begin;
        if (!copy.begin)
            break;
        memcpy(copy.begin, f->loops->items[i].begin, size);
        keep_loop(f, copy);
    }
}

/* Adds the loops that were folded when `to` was made from the sequence, and that explain enough
 * calls: their iterations are exactly the same. */
static void add_folded_loops(struct loop_search *f, const struct sequence *to)
{
    const struct sequence *from = &f->sequence;
    size_t at = 0;
    for (size_t i = 0; i < to->count && !f->out_of_memory; i++) {
        const uint32_t calls = to->call[i + 1] - to->call[i];
        if (to->what[i] < from->numbers ||
            (double)calls < EXPLAINED_BY_FEW * (double)f->rank->count)
            continue;
        const struct loop_body *body = &to->bodies[to->what[i] - to->calls];
        at = first_where(at, from->count, k, from->call[k] >= to->call[i]);
        const size_t end = first_where(at, from->count, k, from->call[k] >= to->call[i + 1]);
        const size_t n = (end - at) / body->length;
        if (n < FEWEST)
            continue;
        struct loop loop = {.iterations = n,
                            .visits = n,
                            .likeness = f->likeness,
                            .nested = body->nested,
                            .begin = malloc((n + 1) * sizeof *loop.begin)};
        f->out_of_memory = !loop.begin;
        if (f->out_of_memory)
            break;
        for (size_t k = 0; k <= n; k++)
            loop.begin[k] = from->call[at + k * body->length];
        loop.depth = path_depth(f->trace, call_path(f->rank, loop.begin[0]));
        uint32_t inner_paths = 0;
        f->out_of_memory |= !characterise(f, &loop, &inner_paths) ||
                            !shortened_calls_undo(&f->shortened, &loop.begin, &loop.iterations);
        keep_loop(f, loop);
    }
}

/* Whether a loop whose iterations have much in common has most of the calls. */
static bool explains_most(const struct loop_search *f)
{
    for (size_t i = 0; i < f->loops->count; i++) {
        const struct loop *loop = &f->loops->items[i];
        if (loop->likeness == f->likeness && !loop->sparse && !loop->random &&
            (double)calls_of_loop(loop) >= EXPLAINS_MOST * (double)f->all->count)
            return true;
    }
    return false;
}

/* Replaces the sequence by one in which repetitions of at least `least` iterations are folded, and
 * adds the loops that this finds, if `adds`. Returns whether it became shorter. */
static bool fold_again(struct loop_search *f, uint32_t least, bool adds)
{
    struct sequence next;
    const size_t before = f->sequence.count;
    if (!sequence_fold(&f->sequence, least, &next)) {
        f->out_of_memory = true;
        return false;
    }
    if (adds)
        add_folded_loops(f, &next);
    sequence_clear(&f->sequence);
    f->sequence = next;
    return next.count < before &&
           (next.count <= SMALL || (double)next.count <= SHORTER * (double)before);
}

bool rank_loops_find(const struct trace *trace, const struct rank_calls *rank, loop_list *loops)
{
    struct loop_search f = {.trace = trace, .all = rank, .loops = loops};
    for (int l = 0; l < LIKENESSES && !f.out_of_memory; l++) {
        f.likeness = (enum likeness)l;
        f.pairs = false;
        if (l > 0 && rank->numbers[l] == rank->numbers[l - 1]) {
            if (l == ALIKE_IN_PARTNER)
                copy_loops(&f);
            continue;
        }
        f.out_of_memory = !rank_calls_shorten(rank, f.likeness, &f.shortened);
        f.rank = &f.shortened.rank;
        f.out_of_memory |= !sequence_begin(f.rank, f.likeness, &f.sequence) ||
                           !call_prediction_make(f.rank, &f.prediction);
        size_t searched = 0;
        for (int round = 0; round < ROUNDS && !f.out_of_memory; round++) {
            search_sequence(&f);
            searched += f.sequence.count;
            if (f.out_of_memory || round + 1 == ROUNDS || l == ALIKE_IN_PATH ||
                (searched > SMALL && searched >= FOLDED * f.rank->count))
                break;
            if (fold_again(&f, f.pairs ? 2 : 3, true))
                continue;
            if (f.pairs || f.sequence.count > SMALL || f.out_of_memory || explains_most(&f))
                break;
            f.pairs = true;
            round = 0;
            fold_again(&f, 2, false);
        }
        sequence_clear(&f.sequence);
        call_prediction_clear(&f.prediction);
    }
    shortened_calls_clear(&f.shortened);
    if (!f.out_of_memory)
        find_by_values(&f);
    return !f.out_of_memory;
}
