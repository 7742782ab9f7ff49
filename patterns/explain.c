/* Waits of one kind at one call path are explained together. Each of them hands its time back to
 * what has delayed its culprit since the two were last synchronised (delays.c, causes.c): to the
 * culprit's delays and its own waits, in proportion. These waits hand their share back in the same
 * way. What finally reaches a delay is the part of the waiting that it has caused, directly or
 * through other waits. */
#include "patterns/explain.h"

#include "base/mpi/mail.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct explaining {
    const struct search_rank *ranks;
    const struct causes *causes;
    const struct sync_points *points;
    const struct trace *trace;
    struct host_memory paths; /* int64_t [wait]: its call path + 1, 0: outside all regions */
    double *amount;           /* [wait] ticks to be handed back */
    double *blame;            /* [owned rank * paths + path] */
};

/* --- what there is to explain --------------------------------------------------------------- */

static uint32_t path_of(const struct explaining *work, uint32_t wait)
{
    int64_t path = ((const int64_t *)work->paths.data)[wait];
    return path == 0 ? CALLPATH_NONE : (uint32_t)(path - 1);
}

/* Collective: only a rank's owner knows the call paths of its waits. */
static enum status find_paths(struct explaining *work, struct error *error)
{
    const struct trace *trace = work->trace;
    const struct sync_points *points = work->points;
    const struct host_group *group = &points->group;
    enum status status = host_memory_open(group, ((size_t)points->wait_count + 1) * sizeof(int64_t),
                                          "explanations", &work->paths, error);
    if (status != STATUS_OK)
        return status;
    int64_t *paths = work->paths.data;
    const uint32_t last = points->first_wait[trace->first_rank + trace->owned_count];
    for (uint32_t wait = points->first_wait[trace->first_rank]; wait < last; wait++) {
        const struct sync_end *end = sync_wait_end(points, wait);
        const struct search_rank *rank = search_rank_owned(work->ranks, trace, end->rank);
        const uint32_t path = sync_end_path(rank->stream, end);
        paths[wait] = path == CALLPATH_NONE ? 0 : (int64_t)path + 1;
    }
    status = host_group_agree(group, true, "explanations", error);
    host_memory_sum(group, paths, points->wait_count);
    return status;
}

static int longest_first(const void *a, const void *b)
{
    const struct explanation *x = a, *y = b;
    return ORDER(y->ticks, x->ticks) ?: ORDER(x->path, y->path) ?: ORDER(x->kind, y->kind);
}

/* Adds up all waits by kind and call path; the longest go into `explanations`. */
static bool find_symptoms(const struct explaining *work, struct explanations *explanations)
{
    ARRAY(struct explanation) all = {0};
    struct map places = {0};
    bool complete = true;
    for (uint32_t wait = 0; wait < work->points->wait_count && complete; wait++) {
        const uint32_t path = path_of(work, wait);
        if (path == CALLPATH_NONE)
            continue;
        const struct sync_end *end = sync_wait_end(work->points, wait);
        struct explanation fresh = {.kind = sync_kind_of(work->points, end),
                                    .path = path,
                                    .last.path = CALLPATH_NONE,
                                    .region = INDEX_NONE,
                                    .saving = NAN};
        uint64_t key = (uint64_t)fresh.path << 8 | fresh.kind;
        uint32_t *place = map_at(&places, key, (uint32_t)all.count);
        complete = place && (*place < all.count || array_push(&all, fresh));
        if (!complete)
            break;
        struct explanation *symptom = &all.items[*place];
        symptom->ticks += end->wait;
        symptom->waits++;
    }
    if (complete && all.count)
        qsort(all.items, all.count, sizeof *all.items, longest_first);
    explanations->count = 0;
    for (size_t i = 0; complete && i < all.count && i < EXPLAINED_WAITS; i++)
        explanations->items[explanations->count++] = all.items[i];
    map_clear(&places);
    free(all.items);
    return complete;
}

static bool belongs(const struct explaining *work, const struct explanation *explanation,
                    uint32_t wait)
{
    return path_of(work, wait) == explanation->path &&
           sync_kind_of(work->points, sync_wait_end(work->points, wait)) == explanation->kind;
}

/* --- handing back --------------------------------------------------------------------------- */

/* Hands back one wait's amount to its culprit's delays and waits. */
static void hand_back(struct explaining *work, uint32_t wait)
{
    const struct sync_points *points = work->points;
    const struct causes *causes = work->causes;
    const struct interval *interval = &causes->intervals[wait];
    const struct sync_end *end = sync_wait_end(points, wait);
    double share = work->amount[wait] * wait_scale(causes, wait) / (double)end->wait;
    const struct search_rank *culprit =
        search_rank_owned(work->ranks, work->trace, sync_culprit(points, end)->rank);
    for (uint32_t i = 0; i < interval->cause_count; i++) {
        uint32_t cause = interval->first_cause + i;
        work->amount[cause] += share * (double)sync_wait_end(points, cause)->wait;
    }
    if (!culprit)
        return;
    size_t row = (size_t)culprit->index * work->trace->calltree.paths.count;
    const unsigned char *list = delays_of(&causes->delays, wait);
    for (struct delay delay; delay_list_next(&list, &delay);)
        work->blame[row + delay.path] += share * (double)delay.ticks;
}

static int largest_first(const void *a, const void *b)
{
    const struct explained_cause *x = a, *y = b;
    return ORDER(y->ticks, x->ticks) ?: ORDER(x->rank, y->rank) ?: ORDER(x->path, y->path);
}

/* Inserts a cause if it is among the largest. */
static void keep_cause(struct explained_cause *kept, uint32_t *count, struct explained_cause cause)
{
    if (cause.ticks <= 0)
        return;
    if (*count < EXPLAINED_CAUSES)
        kept[(*count)++] = cause;
    else if (largest_first(&cause, &kept[EXPLAINED_CAUSES - 1]) < 0)
        kept[EXPLAINED_CAUSES - 1] = cause;
    else
        return;
    qsort(kept, *count, sizeof *kept, largest_first);
}

/* Collective. Gathers the largest causes of all processes on process 0. */
static enum status gather_causes(const struct explaining *work, struct explanation *explanation,
                                 struct error *error)
{
    struct explained_cause kept[EXPLAINED_CAUSES];
    uint32_t count = 0;
    size_t paths = work->trace->calltree.paths.count, size = 0;
    for (uint32_t rank = 0; rank < work->trace->owned_count; rank++)
        for (uint32_t path = 0; path < paths; path++)
            keep_cause(kept, &count,
                       (struct explained_cause){work->blame[rank * paths + path],
                                                work->trace->first_rank + rank, path});
    char *received = NULL;
    enum status status = mail_gather(work->trace->processes, kept, count * sizeof *kept, &received,
                                     &size, NULL, error);
    const struct explained_cause *all = (const struct explained_cause *)received;
    for (size_t i = 0; status == STATUS_OK && i < size / sizeof *all; i++)
        keep_cause(explanation->causes, &explanation->cause_count, all[i]);
    free(received);
    return status;
}

static enum status find_causes(struct explaining *work, struct explanation *explanation,
                               struct error *error)
{
    const struct sync_points *points = work->points;
    size_t paths = work->trace->calltree.paths.count;
    memset(work->blame, 0, work->trace->owned_count * paths * sizeof *work->blame);
    for (uint32_t wait = 0; wait < points->wait_count; wait++)
        work->amount[wait] =
            belongs(work, explanation, wait) ? (double)sync_wait_end(points, wait)->wait : 0;
    for (uint32_t i = points->wait_count; i-- > 0;) /* a wait comes after those it hands back to */
        if (work->amount[points->by_time[i]] > 0)
            hand_back(work, points->by_time[i]);
    return gather_causes(work, explanation, error);
}

/* --- the way of one wait -------------------------------------------------------------------- */

/* The longest of the culprit's own waits, INDEX_NONE if it has none or its delays are longer. */
static uint32_t step_back(const struct explaining *work, uint32_t wait)
{
    const struct interval *interval = &work->causes->intervals[wait];
    int64_t longest = 0;
    uint32_t next = INDEX_NONE;
    for (uint32_t i = 0; i < interval->cause_count; i++) {
        int64_t ticks = sync_wait_end(work->points, interval->first_cause + i)->wait;
        if (ticks > longest) {
            longest = ticks;
            next = interval->first_cause + i;
        }
    }
    return longest > work->causes->delays.total[wait] ? next : INDEX_NONE;
}

/* Collective. Finds the longest delay of the wait's culprit. */
static void find_last(const struct explaining *work, uint32_t wait, struct explained_cause *last)
{
    int64_t found[2] = {-1, -1}; /* ticks, path */
    last->rank = sync_culprit(work->points, sync_wait_end(work->points, wait))->rank;
    if (search_rank_owned(work->ranks, work->trace, last->rank)) {
        const unsigned char *list = delays_of(&work->causes->delays, wait);
        for (struct delay delay; delay_list_next(&list, &delay);)
            if (delay.ticks > found[0]) {
                found[0] = delay.ticks;
                found[1] = (int64_t)delay.path;
            }
    }
    processes_max(work->trace->processes, found, 2); /* all others have -1 */
    last->ticks = (double)found[0];
    last->path = found[1] < 0 ? CALLPATH_NONE : (uint32_t)found[1];
}

static void find_way(const struct explaining *work, struct explanation *explanation)
{
    const struct sync_points *points = work->points;
    uint32_t wait = INDEX_NONE;
    for (uint32_t i = 0; i < points->wait_count; i++)
        if (belongs(work, explanation, i) &&
            (wait == INDEX_NONE ||
             sync_wait_end(points, i)->wait > sync_wait_end(points, wait)->wait))
            wait = i;
    for (;;) {
        const struct sync_end *end = sync_wait_end(points, wait);
        const struct sync_end *culprit = sync_culprit(points, end);
        explanation->steps[explanation->step_count++] =
            (struct explained_step){.wait = end->wait,
                                    .at = points->points[end->point].time - end->wait,
                                    .rank = end->rank,
                                    .culprit = culprit->rank,
                                    .path = path_of(work, wait),
                                    .kind = sync_kind_of(points, end)};
        uint32_t next = step_back(work, wait);
        if (next == INDEX_NONE)
            break;
        if (explanation->step_count == EXPLAINED_STEPS) {
            explanation->cut_off = true;
            break;
        }
        wait = next;
    }
    find_last(work, wait, &explanation->last);
}

/* --- a test --------------------------------------------------------------------------------- */

/* The path's innermost region that belongs to the program. */
static uint32_t own_region(const struct trace *trace, uint32_t path)
{
    for (; path != CALLPATH_NONE; path = trace->calltree.paths.items[path].parent) {
        uint32_t region = trace->calltree.paths.items[path].region;
        if (trace->definitions->regions[region].mpi_call == MPI_CALL_NONE)
            return region;
    }
    return INDEX_NONE;
}

static bool executes(const struct search_rank *rank, uint32_t region)
{
    const struct calltree *tree = &rank->trace->calltree;
    for (uint32_t path = 0; path < tree->paths.count; path++)
        if (tree->paths.items[path].region == region &&
            findings_get(rank->findings, METRIC_VISITS, rank->index, path) > 0)
            return true;
    return false;
}

static bool is_collective(enum mpi_class class)
{
    return class == MPI_CLASS_COLLECTIVE || class == MPI_CLASS_ICOLLECTIVE ||
           class == MPI_CLASS_NEIGHBOUR || class == MPI_CLASS_INEIGHBOUR;
}

/* The first cause that is computation; if there is none, the messages of the first cause. */
static uint32_t what_to_test(const struct trace *trace, const struct explanation *explanation,
                             bool *of_messages)
{
    *of_messages = false;
    for (uint32_t i = 0; i < explanation->cause_count; i++)
        if (!callpath_communicates(trace, explanation->causes[i].path))
            return own_region(trace, explanation->causes[i].path);
    if (explanation->cause_count == 0)
        return INDEX_NONE;
    uint32_t path = explanation->causes[0].path;
    *of_messages = !is_collective(mpi_call_infos[callpath_call(trace, path)].class);
    return own_region(trace, path);
}

/* Collective. Finds the region that a hypothesis would have to change. */
static enum status find_region(const struct explaining *work, struct explanation *explanation,
                               struct error *error)
{
    bool of_messages;
    int64_t count = 0;
    int64_t told[2] = {what_to_test(work->trace, explanation, &of_messages), of_messages};
    processes_broadcast(work->trace->processes, told, sizeof told);
    if (told[0] == (int64_t)INDEX_NONE)
        return STATUS_OK;
    explanation->region = (uint32_t)told[0];
    explanation->of_messages = told[1];
    for (uint32_t i = 0; i < work->trace->owned_count; i++)
        count += executes(&work->ranks[i], explanation->region);
    processes_sum(work->trace->processes, &count, 1);
    explanation->region_ranks = (uint32_t)count;
    return explanation->of_messages ? STATUS_OK
                                    : balance_by_visits(work->trace, explanation->region,
                                                        &explanation->by_visits, error);
}

/* -------------------------------------------------------------------------------------------- */

static bool open_work(struct explaining *work)
{
    size_t waits = (size_t)work->points->wait_count + 1;
    size_t paths = work->trace->calltree.paths.count;
    work->amount = malloc(waits * sizeof *work->amount);
    work->blame = malloc((work->trace->owned_count * paths + 1) * sizeof *work->blame);
    return work->amount && work->blame;
}

static void count_ranks(const struct explaining *work, struct explanation *explanation)
{
    uint32_t last = INDEX_NONE; /* waits are in order of ranks */
    for (uint32_t wait = 0; wait < work->points->wait_count; wait++) {
        uint32_t rank = sync_wait_end(work->points, wait)->rank;
        if (rank != last && belongs(work, explanation, wait)) {
            explanation->ranks++;
            last = rank;
        }
    }
}

enum status explain_waits(const struct search_rank *ranks, const struct causes *causes,
                          struct explanations *explanations, struct error *error)
{
    const struct processes *processes = causes->trace->processes;
    struct explaining work = {
        .ranks = ranks, .causes = causes, .points = &causes->points, .trace = causes->trace};
    enum status status = processes_agree_memory(processes, open_work(&work), "explanations", error);
    if (status == STATUS_OK)
        status = find_paths(&work, error);
    if (status == STATUS_OK) {
        status = processes_agree_memory(processes, find_symptoms(&work, explanations),
                                        "explanations", error);
    }
    for (uint32_t i = 0; status == STATUS_OK && i < explanations->count; i++) {
        count_ranks(&work, &explanations->items[i]);
        status = find_causes(&work, &explanations->items[i], error);
        status = processes_agree(processes, status, error);
        if (status != STATUS_OK)
            break;
        find_way(&work, &explanations->items[i]);
        status = find_region(&work, &explanations->items[i], error);
    }
    host_memory_close(&work.paths);
    free(work.amount);
    free(work.blame);
    return status;
}
