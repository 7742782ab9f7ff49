#include "structure/loop_search.h"

#include <assert.h>
#include <stdlib.h>

/* A core call made this often in each iteration is itself in a loop. */
static const double REPEATED = 2.5;

/* If an outer loop has this many folded loops in each iteration, at least, and these have this many
 * times the outer loop's own calls, these only make kinds of iterations. */
static const double SPREAD_LEAST = 1.8, INSIDE = 3;

/* A loop's own calls are few if this many times their number is at most the number of call paths in
 * the loop inside it. */
static const double FEW_OWN = 4;

/* How often a call is made in a loop. */
struct use {
    uint32_t total, call;
    uint32_t runs; /* how often it is made, with such calls in a row as one */
    bool repeats;  /* more than once in each iteration; of calls that output, `runs` counts */
};

/* The nearest region above a call path that is in `repeated_paths`; CALLPATH_NONE: there is none.
 */
static uint32_t repeated_above(const struct loop_search *f, const bool *repeated_paths,
                               uint32_t path)
{
    const struct callpath *paths = f->trace->calltree.paths.items;
    path = paths[path].parent;
    while (path != CALLPATH_NONE && !repeated_paths[path])
        path = paths[path].parent;
    return path;
}

static bool is_below_path(const struct trace *trace, uint32_t path, uint32_t above)
{
    while (path != CALLPATH_NONE && path != above)
        path = trace->calltree.paths.items[path].parent;
    return path != CALLPATH_NONE;
}

/* Whether a call that the loop makes once is an addition to a visit of a region that it visits
 * repeatedly: most calls of the visit are those of the other visits. If they are not, the visits
 * are different steps of an iteration, such as the levels of a multigrid cycle. */
static bool is_added_to_repeated(const struct loop_search *f, const struct loop *loop,
                                 const struct use *uses, const bool *repeated_paths,
                                 uint32_t number)
{
    const uint32_t *which = f->rank->which[f->likeness];
    const uint32_t call = uses[number].call;
    const uint32_t region = repeated_above(f, repeated_paths, call_path(f->rank, call));
    size_t repeated = 0, others = 0;
    if (region == CALLPATH_NONE)
        return false;
    uint32_t visit = call;
    while (visit > loop->begin[0] && call_path(f->rank, visit) != region)
        visit--;
    for (uint32_t c = visit + 1; c < loop->begin[loop->iterations]; c++) {
        const uint32_t path = call_path(f->rank, c);
        if (path == region || !is_below_path(f->trace, path, region))
            break;
        repeated += uses[which[c]].repeats;
        others += !uses[which[c]].repeats;
    }
    return repeated > others;
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
bool loop_characterise(const struct loop_search *f, struct loop *loop, uint32_t *inner_paths)
{
    const uint32_t numbers = f->rank->numbers[f->likeness], *which = f->rank->which[f->likeness];
    struct use *uses = calloc((size_t)numbers + 1, sizeof *uses);
    bool *paths = calloc(f->trace->calltree.paths.count + 1, sizeof *paths);
    bool *encloses = calloc(f->trace->calltree.paths.count + 1, sizeof *encloses);
    const double repeated = REPEATED * (double)loop->iterations;
    bool outputs = false, others = false;
    for (uint32_t c = loop->begin[0]; uses && c < loop->begin[loop->iterations]; c++) {
        uses[which[c]].total++;
        uses[which[c]].runs += c == loop->begin[0] || which[c] != which[c - 1];
        uses[which[c]].call = c;
    }
    for (uint32_t i = 0; uses && paths && i < numbers; i++) {
        uint32_t times = uses[i].total;
        if (times >= repeated && call_phase_role(f->trace, f->rank, uses[i].call) == CALL_OUTPUTS)
            times = uses[i].runs;
        uses[i].repeats = times >= repeated;
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
        loop->decorates |= is_added_to_repeated(f, loop, uses, paths, i);
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
bool loop_decorates_folded(const struct loop_search *f, size_t n, uint32_t from, uint32_t to,
                           bool varies, uint32_t inner_paths)
{
    const struct sequence *sequence = &f->sequence;
    uint32_t loop = UINT32_MAX, after = UINT32_MAX; /* the symbol after it */
    double own = 0, inside = 0, loops = 0, alike = 0;
    for (uint32_t i = from; i < to; i++) {
        const uint32_t what = sequence->what[i];
        if (what < sequence->calls) {
            own++;
            continue;
        }
        loops++;
        inside += sequence_calls_at(sequence, i);
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
        return inside >= INSIDE * own; /* else there is a loop between both */
    const struct loop_body *body = &sequence->bodies[loop - sequence->calls];
    if (body->nested && n >= FEW)
        return false;
    return !varies && FEW_OWN * own <= (double)n * inner_paths;
}

bool loop_visits_region(const struct loop_search *f, const struct loop *loop)
{
    const uint32_t *begin = loop->begin, region = call_path(f->rank, begin[0]);
    bool visits = callpath_call(f->trace, region) == MPI_CALL_NONE;
    for (size_t i = 0; i < loop->iterations && visits; i++)
        for (uint32_t c = begin[i]; c < begin[i + 1] && visits; c++) {
            const uint32_t path = call_path(f->rank, c);
            visits = c == begin[i] ? path == region
                                   : path != region && is_below_path(f->trace, path, region);
        }
    return visits;
}

bool loop_calls_vary(const struct loop *loop)
{
    const size_t n = loop->iterations;
    const uint32_t *begin = loop->begin, usual = begin[n / 2 + 1] - begin[n / 2];
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
        same += begin[i + 1] - begin[i] == usual;
    return (double)same < EXACT * (double)(n - 1); /* the last one may be cut off */
}

void loop_extend_last(struct loop_search *f, struct loop *loop)
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

/* How many calls at the beginning of all iterations, and after the last one, are the same. */
static uint32_t common_beginning(const struct loop_search *f, const struct loop *loop)
{
    const uint32_t *which = f->rank->which[f->likeness], *begin = loop->begin;
    uint32_t same = (uint32_t)f->rank->count - begin[loop->iterations];
    for (size_t i = 0; i < loop->iterations && same > 0; i++) {
        const uint32_t length = begin[i + 1] - begin[i];
        uint32_t k = 0;
        while (k < same && k + 1 < length && which[begin[i] + k] == which[begin[i + 1] + k])
            k++;
        same = k;
    }
    return same;
}

void loop_begin_later(struct loop_search *f, struct loop *loop)
{
    const uint32_t *which = f->rank->which[f->likeness], first = loop->begin[0];
    const uint32_t same = common_beginning(f, loop);
    bool *before = same > 0 ? calloc((size_t)f->rank->numbers[f->likeness] + 1, 1) : NULL;
    uint32_t shift = 0;
    f->out_of_memory |= same > 0 && !before;
    for (uint32_t c = 0; c < first && before; c++)
        before[which[c]] = true;
    while (before && shift < same && before[which[first + shift]])
        shift++;
    for (size_t i = 0; i <= loop->iterations; i++)
        loop->begin[i] += shift;
    free(before);
}

bool loop_begins_each(const struct loop_search *f, uint32_t from, uint32_t to, size_t n)
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
