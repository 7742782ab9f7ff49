#include "structure/iterations.h"

#include "base/progress.h"
#include "base/sort.h"
#include "structure/visits.h"
#include "trace/calls/regions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The last iteration lasts until the next call if that is not further away than this, in periods.
 */
static const double FURTHEST = 1.75;

/* The period of a signal may be this much longer than the iterations. */
static const double NEAREST_IN_SIGNAL = 0.6;

/* Of equally many iterations those that begin this much earlier are better, in periods. */
static const double EARLIER = 0.05;

/* A candidate covers at least this part of the stretch. Its region encloses the iteration if it
 * takes this part of it. */
static const double MOST = 0.8, ENCLOSES = 0.7;

enum {
    LONGEST = 256,    /* sequence */
    NEAR = 1 << 16,   /* calls of a rank that are all searched; of more calls only those in the */
    NEAR_PERIODS = 64 /* first periods of the stretch, with which the others are compared */
};

struct iteration_search {
    struct visit_search visits;
    struct visit_lists *ranks; /* [owned rank] */
};

/* The result of the search: which visits of each rank begin iterations. */
struct iteration_choice {
    size_t count;   /* iterations; 0: none */
    uint64_t first; /* when they begin */
    uint32_t path, length;
    bool sizes;
    uint32_t *heads; /* [owned rank]: place of one visit in the rank's calls */
};

/* Iterations that begin with visits of one key: on one rank, and then on several. Ranks have
 * different partners, so the hashes of their sequences differ; the sequences of several ranks are
 * one candidate if they are equally many. Single visits are those of one call path. */
struct iteration_head {
    uint64_t name;        /* call path, or number of iterations */
    uint32_t path, ranks; /* path: of the first visit */
    uint64_t first;       /* its time */
    uint64_t least, most; /* iterations on a rank */
    double covered;       /* the least part of the stretch on a rank */
    bool open;            /* on all ranks they continue to the end of the searched part, which may
                             hide the last one of some ranks */
};

typedef ARRAY(struct iteration_head) candidate_list;

/* `least` is 0 if the visits are not a candidate. */
static struct iteration_head candidate_of(const struct iteration_search *search, uint32_t s,
                                          const struct visits *visits)
{
    const struct visit_search *wanted = &search->visits;
    size_t iterations = visits_iterations(wanted, s, visits);
    if (iterations == 0)
        return (struct iteration_head){0};
    const uint32_t *calls = visits->calls.items;
    uint64_t first = call_time(wanted->calls, s, calls[visits->run_begin]);
    uint64_t last = call_time(wanted->calls, s, calls[visits->run_end - 1]);
    uint32_t path = call_path(wanted->calls, s, calls[0]);
    return (struct iteration_head){
        .name = wanted->length == 1 ? path : iterations,
        .path = path,
        .ranks = 1,
        .first = first,
        .least = iterations,
        .most = iterations,
        .covered = ((double)(last - first) + wanted->ticks) / (double)(wanted->to - wanted->from),
        .open = (double)(wanted->calls->end - last) <= FURTHEST * wanted->ticks};
}

/* For sequences, which are named by their number: the candidate without the last iteration, which
 * other ranks may not have. `least` is 0 if there is no such candidate. */
static struct iteration_head without_last(const struct iteration_search *search,
                                          struct iteration_head candidate)
{
    if (search->visits.length == 1 || !candidate.open || candidate.least < 3)
        return (struct iteration_head){0};
    candidate.name = candidate.least = candidate.most = candidate.least - 1;
    return candidate;
}

/* The visits of rank s that begin iterations: those nearest to the first rank's, so that all ranks
 * have the same iterations and few messages cross their edges. */
static const struct visits *best_visits(const struct iteration_search *search, uint32_t s,
                                        const struct iteration_head *chosen)
{
    const struct visit_lists *rank = &search->ranks[s];
    const struct visits *best = NULL;
    uint64_t nearest = 0;
    for (size_t i = 0; i < rank->all.count; i++) {
        const struct visits *visits = &rank->all.items[i];
        struct iteration_head candidate = candidate_of(search, s, visits);
        struct iteration_head fewer = without_last(search, candidate);
        bool is_it = (candidate.least > 0 && candidate.name == chosen->name) ||
                     (fewer.least > 0 && fewer.name == chosen->name);
        uint64_t distance = candidate.first < chosen->first ? chosen->first - candidate.first
                                                            : candidate.first - chosen->first;
        if (is_it && (!best || distance < nearest))
            best = visits, nearest = distance;
    }
    return best;
}

static int by_head_name(const void *a, const void *b)
{
    const struct iteration_head *x = a, *y = b;
    return ORDER(x->name, y->name) ?: ORDER(x->first, y->first);
}

/* The best candidate of each name on each rank. */
static bool list_rank_candidates(const struct iteration_search *search, candidate_list *list)
{
    for (uint32_t s = 0; s < search->visits.calls->trace->owned_count; s++) {
        const struct visit_lists *rank = &search->ranks[s];
        size_t first = list->count, kept = first;
        for (size_t i = 0; i < rank->all.count; i++) {
            struct iteration_head candidate = candidate_of(search, s, &rank->all.items[i]);
            struct iteration_head fewer = without_last(search, candidate);
            if ((candidate.least > 0 && !array_push(list, candidate)) ||
                (fewer.least > 0 && !array_push(list, fewer)))
                return false;
        }
        if (list->count > first)
            qsort(list->items + first, list->count - first, sizeof *list->items, by_head_name);
        for (size_t i = first; i < list->count; i++)
            if (i == first || list->items[i].name != list->items[kept - 1].name)
                list->items[kept++] = list->items[i];
        list->count = kept;
    }
    return true;
}

static size_t unite_candidates(struct iteration_head *all, size_t count)
{
    size_t united = 0;
    if (count > 0)
        qsort(all, count, sizeof *all, by_head_name);
    for (size_t i = 0; i < count; i++) {
        struct iteration_head *last = united > 0 ? &all[united - 1] : NULL;
        if (!last || last->name != all[i].name) {
            all[united++] = all[i];
            continue;
        }
        last->least = all[i].least < last->least ? all[i].least : last->least;
        last->most = all[i].most > last->most ? all[i].most : last->most;
        last->covered = all[i].covered < last->covered ? all[i].covered : last->covered;
        last->ranks += all[i].ranks;
        last->open = last->open && all[i].open;
    }
    return united;
}

static uint32_t depth_of(const struct trace *trace, uint32_t path)
{
    uint32_t depth = 0;
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent)
        depth++;
    return depth;
}

/* More iterations are better, then a call path nearer to the root, then the earlier one. */
static bool is_better_head(const struct trace *trace, const struct iteration_head *a,
                           const struct iteration_head *b)
{
    uint32_t depth_a = depth_of(trace, a->path), depth_b = depth_of(trace, b->path);
    if (a->least != b->least)
        return a->least > b->least;
    return depth_a != depth_b ? depth_a < depth_b : a->first < b->first;
}

/* Collective. The best one that all ranks have equally often; `least` is 0 if there is none. */
static enum status choose_candidate(const struct iteration_search *search,
                                    struct iteration_head *chosen, struct error *error)
{
    const struct trace *trace = search->visits.calls->trace;
    candidate_list all = {0};
    bool allocated = list_rank_candidates(search, &all);
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK) {
        all.count = unite_candidates(all.items, all.count);
        status = processes_share(trace->processes, &all, "iterations", error);
    }
    *chosen = (struct iteration_head){0};
    all.count = status == STATUS_OK ? unite_candidates(all.items, all.count) : 0;
    for (size_t i = 0; i < all.count; i++) {
        const struct iteration_head *head = &all.items[i];
        if (head->ranks == trace->rank_count && head->most - head->least <= head->open &&
            head->covered >= MOST && (chosen->least == 0 || is_better_head(trace, head, chosen)))
            *chosen = *head;
    }
    free(all.items);
    return status;
}

/* The end of the last iteration if no visit follows: right after the region's end if the region
 * encloses iterations; or at the next call, unless that is far; or after the median length of an
 * iteration. `gaps` has room for `count` values. */
static uint64_t last_iteration_end(const struct calls *calls, uint32_t s, const uint32_t *visits,
                                   size_t count, uint64_t *gaps)
{
    const struct stream *stream = &calls->trace->streams[s];
    const struct rank_calls *rank = &calls->ranks[s];
    assert(count > 1);
    for (size_t i = 0; i + 1 < count; i++)
        gaps[i] = call_time(calls, s, visits[i + 1]) - call_time(calls, s, visits[i]);
    qsort(gaps, count - 1, sizeof *gaps, order_uint64);
    uint64_t usual = gaps[(count - 1) / 2], last = call_time(calls, s, visits[count - 1]);
    uint64_t leave = stream->time[region_leave(stream, rank->rows[visits[count - 1]])];
    if ((double)(leave - last) >= ENCLOSES * (double)usual)
        return leave < calls->end ? leave + 1 : calls->end;
    uint64_t end = last + usual;
    size_t next = visits[count - 1] + (visits[count - 1] - visits[count - 2]);
    if (next < rank->count &&
        (double)(call_time(calls, s, next) - last) <= FURTHEST * (double)usual)
        end = call_time(calls, s, next);
    return end < calls->end ? end : calls->end;
}

/* `visits` [owned rank] */
static bool set_boundaries(const struct calls *calls, const struct visits *visits,
                           struct iterations *iterations)
{
    size_t count = iterations->count;
    iterations->begin = malloc((count + 1) * sizeof *iterations->begin);
    iterations->own =
        malloc((calls->trace->owned_count + 1) * (count + 1) * sizeof *iterations->own);
    if (!iterations->begin || !iterations->own)
        return false;
    for (uint32_t s = 0; s < calls->trace->owned_count; s++) {
        const uint32_t *run = visits[s].calls.items + visits[s].run_begin;
        assert(visits[s].run_end - visits[s].run_begin >= count);
        uint64_t *own = iterations->own + s * (count + 1);
        if (visits[s].run_end - visits[s].run_begin > count)
            own[count] = call_time(calls, s, run[count]);
        else
            own[count] = last_iteration_end(calls, s, run, count, own);
        for (size_t i = 0; i < count; i++)
            own[i] = call_time(calls, s, run[i]);
    }
    return true;
}

/* Collective. */
static void unite_boundaries(const struct trace *trace, struct iterations *iterations)
{
    size_t count = iterations->count;
    int64_t *begin = (int64_t *)iterations->begin, end = 0;
    for (size_t i = 0; i < count; i++)
        begin[i] = INT64_MAX;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        const uint64_t *own = iterations_of(iterations, s);
        for (size_t i = 0; i < count; i++)
            begin[i] = (int64_t)own[i] < begin[i] ? (int64_t)own[i] : begin[i];
        end = (int64_t)own[count] > end ? (int64_t)own[count] : end;
    }
    processes_min(trace->processes, begin, count);
    processes_max(trace->processes, &end, 1);
    begin[count] = end;
}

/* Whether a listed rank has visits that may become a better choice than one of `least` iterations.
 */
static bool may_be_chosen(const struct iteration_search *search, uint32_t s, size_t least)
{
    const struct visit_lists *rank = &search->ranks[s];
    for (size_t i = 0; i < rank->all.count; i++) {
        const struct iteration_head candidate = candidate_of(search, s, &rank->all.items[i]);
        if (candidate.least > 0 && candidate.least >= least && candidate.covered >= MOST)
            return true;
    }
    return false;
}

/* Collective. Lists the visits of all ranks. Iterations are the same on all ranks, so the list ends
 * at the first rank that cannot have any: then `*hopeful` is false, and ranks are missing. */
static enum status list_all_visits(struct iteration_search *search, size_t least, bool *hopeful,
                                   struct error *error)
{
    const struct trace *trace = search->visits.calls->trace;
    int64_t may_be = 1;
    bool allocated = true;
    for (uint32_t s = 0; s < trace->owned_count && allocated && may_be; s++) {
        allocated = visits_list(&search->visits, s, &search->ranks[s]);
        may_be = allocated && may_be_chosen(search, s, least);
        progress_advance(0);
    }
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK)
        processes_min(trace->processes, &may_be, 1);
    *hopeful = may_be;
    return status;
}

/* Collective: searches for sequences of one length. Keeps the choice if it has more iterations than
 * the one before, or as many that begin earlier and not deeper in the call tree. `all` are the
 * calls of which search->visits.calls are a part. */
static enum status search_length(struct iteration_search *search, const struct calls *all,
                                 struct iteration_choice *choice, struct error *error)
{
    const struct calls *calls = search->visits.calls;
    const struct trace *trace = calls->trace;
    struct iteration_head found = {0};
    bool hopeful;
    enum status status = list_all_visits(search, choice->count, &hopeful, error);
    if (status == STATUS_OK && hopeful)
        status = choose_candidate(search, &found, error);
    bool earlier = choice->count > 0 &&
                   depth_of(trace, found.path) <= depth_of(trace, choice->path) &&
                   (double)found.first + EARLIER * search->visits.ticks <= (double)choice->first;
    if (status != STATUS_OK || found.least + earlier <= choice->count)
        return status;
    choice->count = found.least;
    choice->first = found.first;
    choice->path = found.path;
    choice->length = search->visits.length;
    choice->sizes = search->visits.sizes;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        choice->heads[s] = best_visits(search, s, &found)->head +
                           (uint32_t)(calls->ranks[s].rows - all->ranks[s].rows);
    return STATUS_OK;
}

/* Collective: searches among the given calls. */
static enum status search_calls(struct visit_search visits, const struct calls *all,
                                struct iteration_choice *choice, struct error *error)
{
    const struct trace *trace = all->trace;
    struct iteration_search search = {
        .visits = visits, .ranks = calloc((size_t)trace->owned_count + 1, sizeof *search.ranks)};
    enum status status =
        processes_agree_memory(trace->processes, search.ranks != NULL, "iterations", error);
    for (int sizes = 0; sizes < 2 && status == STATUS_OK; sizes++) {
        search.visits.sizes = sizes;
        for (uint32_t length = 1; length <= LONGEST && status == STATUS_OK; length *= 2) {
            search.visits.length = length;
            status = search_length(&search, all, choice, error);
        }
    }
    for (uint32_t s = 0; s < trace->owned_count && search.ranks; s++)
        visits_clear(&search.ranks[s]);
    free(search.ranks);
    return status;
}

/* How many visits of a key may begin iterations. */
static size_t most_visits(const struct calls *calls, double period)
{
    return (size_t)((double)(calls->end - calls->begin) / period / NEAREST_IN_SIGNAL) + 2;
}

/* Collective: searches only near the beginning of the stretch if there are many calls. */
static enum status search_near(const struct visit_search *visits, struct iteration_choice *choice,
                               struct error *error)
{
    const struct calls *all = visits->calls;
    struct visit_search near = *visits;
    struct calls part;
    int64_t most = 0;
    for (uint32_t s = 0; s < all->trace->owned_count; s++)
        most = (int64_t)all->ranks[s].count > most ? (int64_t)all->ranks[s].count : most;
    processes_max(all->trace->processes, &most, 1);
    if (most <= NEAR)
        return search_calls(*visits, all, choice, error);
    uint64_t length = (uint64_t)(NEAR_PERIODS * visits->ticks);
    near.to = near.to - near.from > length ? near.from + length : near.to;
    uint64_t margin = (uint64_t)(4 * visits->ticks);
    enum status status = calls_part(all, near.from > margin ? near.from - margin : 0,
                                    near.to + margin, &part, error);
    if (status == STATUS_OK) {
        near.calls = &part;
        near.most = most_visits(&part, visits->ticks);
        status = search_calls(near, all, choice, error);
    }
    calls_clear_part(&part);
    return status;
}

/* Collective: lists the iterations of a choice in all calls. Some ranks may have more of them at
 * the end than others; then the smallest number counts. */
static enum status list_iterations(struct visit_search *search,
                                   const struct iteration_choice *choice,
                                   struct iterations *iterations, struct error *error)
{
    const struct trace *trace = search->calls->trace;
    struct visits *visits = calloc((size_t)trace->owned_count + 1, sizeof *visits);
    int64_t fewest = INT64_MAX;
    bool allocated = visits != NULL;
    search->sizes = choice->sizes;
    search->length = choice->length;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++) {
        allocated = visits_list_like(search, s, choice->heads[s], &visits[s]);
        int64_t count = allocated ? (int64_t)visits_iterations(search, s, &visits[s]) : 0;
        fewest = count < fewest ? count : fewest;
        progress_advance(0);
    }
    enum status status = processes_agree_memory(trace->processes, allocated, "iterations", error);
    if (status == STATUS_OK)
        processes_min(trace->processes, &fewest, 1);
    if (status == STATUS_OK && fewest > 0) {
        *iterations = (struct iterations){
            .count = (size_t)fewest, .path = choice->path, .calls = choice->length};
        allocated = set_boundaries(search->calls, visits, iterations);
        status = processes_agree_memory(trace->processes, allocated, "iterations", error);
        if (status == STATUS_OK)
            unite_boundaries(trace, iterations);
    }
    for (uint32_t s = 0; visits && s < trace->owned_count; s++)
        free(visits[s].calls.items);
    free(visits);
    return status;
}

enum status iterations_find(const struct calls *calls, uint64_t from, uint64_t to, double period,
                            double between, struct iterations *iterations, struct error *error)
{
    const struct trace *trace = calls->trace;
    assert(calls->begin < calls->end && from < to && period > 0);
    struct visit_search search = {.calls = calls,
                                  .from = from,
                                  .to = to,
                                  .ticks = period,
                                  .between = between,
                                  .most = most_visits(calls, period)};
    struct iteration_choice choice = {
        .heads = malloc(((size_t)trace->owned_count + 1) * sizeof *choice.heads)};
    memset(iterations, 0, sizeof *iterations);
    enum status status =
        processes_agree_memory(trace->processes, choice.heads != NULL, "iterations", error);
    if (status == STATUS_OK)
        status = search_near(&search, &choice, error);
    if (status == STATUS_OK && choice.count > 0)
        status = list_iterations(&search, &choice, iterations, error);
    free(choice.heads);
    if (status != STATUS_OK)
        iterations_clear(iterations);
    return status;
}

void iterations_clear(struct iterations *iterations)
{
    free(iterations->begin);
    free(iterations->own);
    memset(iterations, 0, sizeof *iterations);
}
