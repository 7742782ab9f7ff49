/* Joins the stretches that are found in one slice after the other. A slice ends anywhere in an
 * iteration, and its last iterations may belong to something else that the next slice shows. So the
 * last stretch is left open, with LEFT iterations less, and the next slice begins where it ends. If
 * the next slice finds iterations of about the same length there, these continue the stretch. */
#include "structure/in_slices.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* In periods: iterations may continue after the slice if less than this part of the next one is in
 * it; and they do so if the next ones begin as near to their end as this, and last about as long.
 */
static const double MAY_CONTINUE = 1.75, NEAR = 1, SHORTER = 0.75;

/* If the iterations of the next slice begin with another call, and its first one is shorter than
 * this part of the period, that is the rest of an iteration. */
static const double WHOLE = 0.9;

/* Iterations of this slice with which the next one begins, so that they are found there, too. */
enum { LEFT = 4 };

struct slice_joining {
    ARRAY(struct stretch) list; /* of the slices up to now */
    size_t left;                /* iterations of the last stretch that are left out because it may
                                   continue; their boundaries still follow the others */
    double rest; /* of an iteration: the parts in the last stretch that were not counted */
};

static double stretch_length(const struct stretch *stretch)
{
    return (double)(stretch->end - stretch->begin);
}

/* Moves the end; sums change in proportion. */
static void set_end(struct stretch *stretch, uint64_t end)
{
    assert(end >= stretch->begin);
    double before = stretch_length(stretch);
    stretch->end = end;
    double factor = before > 0 ? stretch_length(stretch) / before : 0;
    stretch->metrics.mpi_s *= factor;
    stretch->metrics.bytes_sent = (int64_t)(factor * (double)stretch->metrics.bytes_sent + 0.5);
}

static void set_begin(struct stretch *stretch, uint64_t begin)
{
    uint64_t end = stretch->end;
    set_end(stretch, stretch->begin + (end - begin));
    stretch->begin = begin;
    stretch->end = end;
}

static void add_shares(struct stretch *stretch, const struct stretch *more)
{
    struct part_metrics *metrics = &stretch->metrics;
    double all = stretch_length(stretch) + stretch_length(more);
    double part = all > 0 ? stretch_length(more) / all : 0;
    stretch->mpi += part * (more->mpi - stretch->mpi);
    stretch->point_to_point += part * (more->point_to_point - stretch->point_to_point);
    stretch->collective += part * (more->collective - stretch->collective);
    metrics->parallel += part * (more->metrics.parallel - metrics->parallel);
    metrics->communication += part * (more->metrics.communication - metrics->communication);
    metrics->load_balance =
        metrics->communication > 0 ? metrics->parallel / metrics->communication : 0;
    metrics->mpi_s += more->metrics.mpi_s;
    metrics->bytes_sent += more->metrics.bytes_sent;
}

/* How many iterations of `more`, which continues the last stretch, do not count: 1 if the first one
 * is only the rest of an iteration, because those of `more` begin with another call. Adds it to
 * joining->rest; rests that fill half an iteration or more count as one. */
static size_t leave_out_rest(struct slice_joining *joining, const struct stretch *more)
{
    const struct stretch *last = &joining->list.items[joining->list.count - 1];
    const double part = (double)(more->bounds[1] - more->bounds[0]) / more->period;
    if (more->path == last->path || part >= WHOLE)
        return 0;
    joining->rest += part;
    if (joining->rest < 0.5)
        return 1;
    joining->rest -= 1;
    return 0;
}

/* Appends the iterations of `more` from number `from` on; the last one before ends there. False if
 * out of memory; then the stretch is unchanged. */
static bool join_iterations(struct stretch *stretch, const struct stretch *more, size_t from)
{
    assert(from < more->iterations);
    size_t n = stretch->iterations, m = more->iterations - from;
    uint64_t *bounds = realloc(stretch->bounds, (n + m + 1) * sizeof *bounds);
    if (bounds)
        stretch->bounds = bounds;
    bool *flushed = realloc(stretch->flushed, (n + m) * sizeof *flushed);
    if (flushed)
        stretch->flushed = flushed;
    if (!bounds || !flushed)
        return false;
    memcpy(bounds + n, more->bounds + from, (m + 1) * sizeof *bounds);
    memcpy(flushed + n, more->flushed + from, m * sizeof *flushed);
    add_shares(stretch, more);
    free(stretch->kinds); /* which of them are the same in both slices is unknown */
    stretch->kinds = NULL;
    stretch->kind_count = 1;
    stretch->iterations = n + m;
    stretch->end = more->end;
    return true;
}

/* Whether the iterations of `more` are further ones of `stretch`. */
static bool continues_in(const struct stretch *stretch, const struct stretch *more)
{
    double away = (double)more->begin - (double)stretch->end;
    return more->iterations > 1 && more->period >= SHORTER * stretch->period &&
           stretch->period >= SHORTER * more->period && away <= NEAR * stretch->period &&
           -away <= NEAR * stretch->period;
}

/* The stretch of a slice that continues the last one: it is one of the first two. NULL: none. */
static struct stretch *continuing(const struct slice_joining *joining, const struct stretch *slice)
{
    const struct stretch *last = &joining->list.items[joining->list.count - 1];
    for (size_t i = 0; i < 2 && i < slice->child_count; i++)
        if (continues_in(last, &slice->children[i]))
            return &slice->children[i];
    return NULL;
}

/* Adds the left-out iterations to the last stretch again, if no others have followed. Stretches
 * that the slice has found in their time are dropped. */
static void close_last(struct slice_joining *joining, struct stretch *slice)
{
    assert(joining->list.count > 0 && joining->left > 0);
    struct stretch *last = &joining->list.items[joining->list.count - 1];
    uint64_t end = last->bounds[last->iterations + joining->left];
    size_t i = 0;
    while (i < slice->child_count && slice->children[i].end <= end)
        i++;
    if (i < slice->child_count && slice->children[i].begin < end && slice->children[i].bounds)
        return;
    for (size_t k = 0; k < i; k++)
        slice->children[k].end = slice->children[k].begin;
    if (i < slice->child_count && slice->children[i].begin < end)
        set_begin(&slice->children[i], end);
    set_end(last, end);
    last->iterations += joining->left;
}

/* Moves the stretch to the end of the list, or joins it with the last one. False if out of memory.
 */
static bool append_stretch(struct slice_joining *joining, struct stretch *stretch)
{
    struct stretch *last = joining->list.count ? &joining->list.items[joining->list.count - 1] : 0;
    bool moved = true;
    if (stretch->begin >= stretch->end)
        return true;
    if (last && last->iterations == 1 && !last->bounds && stretch->iterations == 1 &&
        last->flushing == stretch->flushing) {
        add_shares(last, stretch);
        last->end = stretch->end;
        return true;
    }
    if (stretch->bounds)
        joining->rest = 0;
    moved = array_push(&joining->list, *stretch);
    if (moved)
        *stretch = (struct stretch){0};
    return moved;
}

/* Moves the stretches of a slice to the list. False if out of memory. */
static bool join_slice(struct slice_joining *joining, struct stretch *slice)
{
    size_t i = 0;
    bool allocated = true;
    if (joining->left > 0) {
        struct stretch *last = &joining->list.items[joining->list.count - 1];
        const struct stretch *more = continuing(joining, slice);
        if (more) {
            i = (size_t)(more - slice->children) + 1;
            allocated = join_iterations(last, more, leave_out_rest(joining, more));
        } else {
            close_last(joining, slice);
        }
    }
    for (; i < slice->child_count && allocated; i++)
        allocated = append_stretch(joining, &slice->children[i]);
    return allocated;
}

/* How many iterations of the stretch the next slice may begin with; 0 if no others follow. */
static size_t left_of(const struct stretch *stretch, const struct trace *slice)
{
    if (!stretch->bounds ||
        (double)slice->end - (double)stretch->end >= MAY_CONTINUE * stretch->period)
        return 0;
    size_t left = stretch->iterations / 2 < LEFT ? stretch->iterations / 2 : LEFT;
    while (left > 0 && stretch->bounds[stretch->iterations - left] <= slice->begin)
        left--;
    return left;
}

/* Leaves out the end of the list, which the next slice decides; returns where that begins. */
static uint64_t leave_open_end(struct slice_joining *joining, const struct trace *slice)
{
    struct stretch *last = &joining->list.items[joining->list.count - 1];
    uint64_t middle = slice->begin + (slice->end - slice->begin) / 2;
    joining->left = 0;
    if (!last->bounds &&
        !last->flushing) { /* may be the beginning of one more iteration, or of others */
        if (joining->list.count > 1 && left_of(&last[-1], slice) > 0)
            last--;
        else if (last->begin <= middle)
            return last->end;
        joining->list.count--;
        if (!last->bounds)
            return last->begin;
    }
    joining->left = left_of(last, slice);
    if (joining->left == 0)
        return slice->end;
    last->iterations -= joining->left;
    set_end(last, last->bounds[last->iterations]);
    return last->end;
}

/* Sets the lengths from all iterations. False if out of memory. */
static bool set_lengths(struct stretch *stretch)
{
    const size_t n = stretch->iterations;
    if (n < 2)
        return true;
    if (!stretch->kinds) {
        stretch->kinds = calloc(n, sizeof *stretch->kinds);
        free(stretch->perturbed);
        stretch->perturbed = malloc(n * sizeof *stretch->perturbed);
    }
    return stretch->kinds && stretch->perturbed && stretch_measure_lengths(stretch);
}

static bool set_all_lengths(struct slice_joining *joining)
{
    bool allocated = true;
    for (size_t i = 0; i < joining->list.count && allocated; i++)
        allocated = set_lengths(&joining->list.items[i]);
    return allocated;
}

static void forget_own(struct stretch *stretch)
{
    for (size_t i = 0; i < stretch->sample_count; i++) {
        free(stretch->samples[i].own);
        stretch->samples[i].own = NULL;
    }
    for (size_t i = 0; i < stretch->child_count; i++)
        forget_own(&stretch->children[i]);
}

/* Whether only the last stretch, which continues, repeats in the slice. */
static bool is_more_of_the_same(const struct slice_joining *joining, const struct stretch *slice)
{
    const struct stretch *last = &joining->list.items[joining->list.count - 1];
    size_t others = 0;
    for (size_t i = 0; i < slice->child_count; i++)
        others += slice->children[i].iterations > 1 && !continues_in(last, &slice->children[i]);
    return others == 0;
}

/* Collective. Searches the outermost level of a slice that may continue the last stretch. If
 * nothing does, the slice may have too few of its iterations, and others were found instead: then
 * iterations that are as long are searched, for which `options` are set. */
static enum status search_outermost(const struct trace *slice, struct structure_options *options,
                                    const struct slice_joining *joining, struct stretch **part,
                                    struct error *error)
{
    struct structure_options outermost = *options;
    struct stretch *other = NULL;
    outermost.levels = 1;
    enum status status = structure_find(slice, &outermost, part, error);
    if (status != STATUS_OK || continuing(joining, *part))
        return status;
    outermost.period = joining->list.items[joining->list.count - 1].period;
    status = structure_find(slice, &outermost, &other, error);
    if (status == STATUS_OK && !continuing(joining, other)) {
        structure_destroy(other);
        return status;
    }
    structure_destroy(*part);
    *part = other;
    options->period = outermost.period;
    return status;
}

/* Collective. Iterations in an iteration are searched once. */
static enum status search_slice(const struct trace *slice, const struct structure_options *options,
                                const struct slice_joining *joining, struct stretch **part,
                                struct error *error)
{
    struct structure_options wanted = *options;
    if (joining->left == 0)
        return structure_find(slice, options, part, error);
    enum status status = search_outermost(slice, &wanted, joining, part, error);
    if (status != STATUS_OK || is_more_of_the_same(joining, *part))
        return status;
    structure_destroy(*part);
    return structure_find(slice, &wanted, part, error);
}

/* Collective: searches the slices one after the other. */
static enum status search_slices(struct trace_slices *slices,
                                 const struct structure_options *options,
                                 struct slice_joining *joining, struct trace **trace,
                                 uint64_t *begin, struct error *error)
{
    const struct processes *processes = NULL;
    enum status status = STATUS_OK;
    uint64_t from = 0;
    bool last = false, allocated = true;
    *trace = NULL;
    while (status == STATUS_OK && !last) {
        struct stretch *part = NULL;
        status = trace_slices_next(slices, from, trace, &last, error);
        if (status != STATUS_OK)
            break;
        processes = (*trace)->processes;
        *begin = from == 0 ? (*trace)->begin : *begin;
        if (from > 0 && (*trace)->end == (*trace)->begin) /* no events are left */
            break;
        status = search_slice(*trace, options, joining, &part, error);
        if (status == STATUS_OK) {
            forget_own(part);
            allocated = join_slice(joining, part);
            structure_destroy(part);
            from = last ? (*trace)->end : leave_open_end(joining, *trace);
            status =
                processes_agree_memory(processes, allocated, "the structure of a trace", error);
        }
    }
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, set_all_lengths(joining),
                                        "the structure of a trace", error);
    return status;
}

enum status structure_find_in_slices(struct trace_slices *slices,
                                     const struct structure_options *options,
                                     const struct trace **trace, struct stretch **whole,
                                     struct error *error)
{
    struct slice_joining joining = {0};
    struct trace *slice = NULL;
    uint64_t begin = 0;
    *trace = NULL;
    *whole = NULL;
    enum status status = search_slices(slices, options, &joining, &slice, &begin, error);
    struct stretch *found = calloc(1, sizeof *found);
    if (status == STATUS_OK)
        status = processes_agree_memory(slice->processes, found != NULL, "the structure of a trace",
                                        error);
    if (found)
        *found = (struct stretch){.iterations = 1,
                                  .path = CALLPATH_NONE,
                                  .children = joining.list.items,
                                  .child_count = joining.list.count};
    if (status != STATUS_OK) {
        structure_destroy(found);
        return status;
    }
    slice->begin = found->begin = found->end = begin;
    for (size_t i = 0; i < found->child_count; i++) {
        add_shares(found, &found->children[i]);
        found->end = found->children[i].end;
    }
    *trace = slice;
    *whole = found;
    return STATUS_OK;
}
