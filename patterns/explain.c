/* Waits of one kind at one call path are explained together. The time of each wait is divided among
 * the causes for which its culprit was late since the two ranks were last synchronised (delays.c,
 * causes.c): the culprit's delays and its own waits, in proportion. The share of such a wait is
 * divided among its own causes in the same way. The sum of the shares of a delay is the part of the
 * waiting that it has caused, directly or through other waits. */
#include "patterns/explain.h"

#include "base/map.h"
#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "patterns/pass_back.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct explaining {
    const struct search_rank *ranks;
    const struct causes *causes;
    const struct sync_points *points;
    const struct trace *trace;
    const struct explanation *explained; /* whose causes are searched */
    double *blame;                       /* [owned rank * paths + path] */
};

/* The call path of an own wait. */
static uint32_t wait_path(const struct explaining *work, uint32_t wait)
{
    const struct sync_end *end = sync_wait_end(work->points, wait);
    return sync_end_path(search_rank_owned(work->ranks, work->trace, end->rank)->stream, end);
}

/* All waits of a kind at a call path. */
struct symptom {
    int64_t ticks;
    uint32_t path, waits;
    enum sync_kind kind;
};

struct symptoms {
    ARRAY(struct symptom) all;
    struct map places; /* path and kind -> `all` */
};

static bool add_symptom(struct symptoms *symptoms, struct symptom symptom)
{
    const struct symptom fresh = {0, symptom.path, 0, symptom.kind};
    const uint64_t key = (uint64_t)symptom.path << 8 | symptom.kind;
    uint32_t *place = map_at(&symptoms->places, key, (uint32_t)symptoms->all.count);
    if (!place || (*place == symptoms->all.count && !array_push(&symptoms->all, fresh)))
        return false;
    symptoms->all.items[*place].ticks += symptom.ticks;
    symptoms->all.items[*place].waits += symptom.waits;
    return true;
}

/* Adds up the own waits by kind and call path. */
static bool add_own_symptoms(const struct explaining *work, struct symptoms *symptoms)
{
    bool allocated = true;
    for (uint32_t wait = 0; wait < work->points->wait_count && allocated; wait++) {
        const struct sync_end *end = sync_wait_end(work->points, wait);
        const uint32_t path = wait_path(work, wait);
        if (path != CALLPATH_NONE)
            allocated = add_symptom(
                symptoms, (struct symptom){end->wait, path, 1, sync_kind_of(work->points, end)});
    }
    return allocated;
}

ORDER_BY(longest_first, struct symptom, DESCENDING(ticks) ?: ASCENDING(path) ?: ASCENDING(kind))

/* The longest go into `explanations`. */
static void choose_symptoms(struct symptoms *symptoms, struct explanations *explanations)
{
    if (symptoms->all.count)
        qsort(symptoms->all.items, symptoms->all.count, sizeof *symptoms->all.items, longest_first);
    explanations->count = 0;
    for (size_t i = 0; i < symptoms->all.count && i < EXPLAINED_WAITS; i++) {
        const struct symptom *symptom = &symptoms->all.items[i];
        explanations->items[explanations->count++] =
            (struct explanation){.kind = symptom->kind,
                                 .path = symptom->path,
                                 .ticks = symptom->ticks,
                                 .waits = symptom->waits,
                                 .last.path = CALLPATH_NONE,
                                 .region = INDEX_NONE,
                                 .saving = NAN};
    }
}

static void clear_symptoms(struct symptoms *symptoms)
{
    free(symptoms->all.items);
    map_clear(&symptoms->places);
    memset(symptoms, 0, sizeof *symptoms);
}

/* Collective. Adds up the waits of all processes. */
static enum status find_symptoms(const struct explaining *work, struct explanations *explanations,
                                 struct error *error)
{
    const struct processes *processes = work->trace->processes;
    struct symptoms own = {0}, whole = {0};
    char *received = NULL;
    size_t size = 0;
    enum status status =
        processes_agree_memory(processes, add_own_symptoms(work, &own), "explanations", error);
    if (status == STATUS_OK)
        status = exchange_gather(processes, own.all.items, own.all.count * sizeof *own.all.items,
                                 &received, &size, NULL, error);
    bool allocated = true;
    const struct symptom *all = (const struct symptom *)received;
    for (size_t i = 0; status == STATUS_OK && i < size / sizeof *all && allocated; i++)
        allocated = add_symptom(&whole, all[i]);
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, allocated, "explanations", error);
    if (status == STATUS_OK) {
        choose_symptoms(&whole, explanations);
        processes_broadcast(processes, explanations, sizeof *explanations);
    }
    free(received);
    clear_symptoms(&own);
    clear_symptoms(&whole);
    return status;
}

static bool belongs(const struct explaining *work, const struct explanation *explanation,
                    uint32_t wait)
{
    return wait_path(work, wait) == explanation->path &&
           sync_kind_of(work->points, sync_wait_end(work->points, wait)) == explanation->kind;
}

/* The explained waits start with their own time. */
static bool begin_amount(void *data, uint32_t wait, double *amount)
{
    const struct explaining *work = data;
    if (!belongs(work, work->explained, wait))
        return false;
    *amount = (double)sync_wait_end(work->points, wait)->wait;
    return true;
}

/* The part of an amount for each tick of the culprit's delays and waits. */
static double share_of(const struct causes *causes, uint32_t caused, double amount)
{
    return amount * caused_scale(causes, caused) / (double)caused_end(causes, caused)->wait;
}

/* Divides the amount of a wait: a share goes to each of its culprit's waits, */
static void pass_to_waits(void *data, uint32_t caused, const double *amount,
                          struct passing *passing)
{
    const struct explaining *work = data;
    const struct caused_wait *wait = &work->causes->caused.all[caused];
    const double share = amount ? share_of(work->causes, caused, *amount) : 0;
    for (uint32_t i = 0; amount && i < wait->cause_count; i++) {
        const uint32_t cause = wait->first_cause + i;
        *passed_to(passing, cause) += share * (double)sync_wait_end(work->points, cause)->wait;
    }
}

/* and to each of its delays. */
static void blame(void *data, uint32_t caused, const double *amount)
{
    const struct explaining *work = data;
    const struct search_rank *culprit = caused_culprit(work->causes, work->ranks, caused);
    const size_t row = (size_t)culprit->index * work->trace->calltree.paths.count;
    const double share = share_of(work->causes, caused, *amount);
    const unsigned char *list = caused_delays(work->causes, caused);
    for (struct delay delay; delay_list_next(&list, &delay);)
        work->blame[row + delay.path] += share * (double)delay.ticks;
}

ORDER_BY(largest_first, struct explained_cause,
         DESCENDING(ticks) ?: ASCENDING(rank) ?: ASCENDING(path))

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
    enum status status = exchange_gather(work->trace->processes, kept, count * sizeof *kept,
                                         &received, &size, NULL, error);
    const struct explained_cause *all = (const struct explained_cause *)received;
    for (size_t i = 0; status == STATUS_OK && i < size / sizeof *all; i++)
        keep_cause(explanation->causes, &explanation->cause_count, all[i]);
    free(received);
    return status;
}

static enum status find_causes(struct explaining *work, struct explanation *explanation,
                               struct error *error)
{
    const size_t paths = work->trace->calltree.paths.count;
    const struct pass_back rules = {.causes = work->causes,
                                    .data = work,
                                    .width = 1,
                                    .begin = begin_amount,
                                    .pass = pass_to_waits,
                                    .spend = blame};
    memset(work->blame, 0, work->trace->owned_count * paths * sizeof *work->blame);
    work->explained = explanation;
    enum status status = pass_back(&rules, error);
    return status == STATUS_OK ? gather_causes(work, explanation, error) : status;
}

/* A step on the way back, as the owner of its rank sends it to all processes. */
struct way_step {
    struct explained_step step;
    uint32_t caused; /* at the culprit's owner */
};

/* The longest of the culprit's own waits, INDEX_NONE if it has none or its delays are longer. */
static uint32_t step_back(const struct explaining *work, uint32_t caused)
{
    const struct caused_wait *wait = &work->causes->caused.all[caused];
    int64_t longest = 0;
    uint32_t next = INDEX_NONE;
    for (uint32_t i = 0; i < wait->cause_count; i++) {
        int64_t ticks = sync_wait_end(work->points, wait->first_cause + i)->wait;
        if (ticks > longest) {
            longest = ticks;
            next = wait->first_cause + i;
        }
    }
    return longest > wait->delay ? next : INDEX_NONE;
}

/* Collective. Finds the longest delay of the wait's culprit. */
static void find_last(const struct explaining *work, const struct way_step *way,
                      struct explained_cause *last)
{
    int64_t found[2] = {-1, -1}; /* ticks, path */
    last->rank = way->step.culprit;
    if (sync_owns(work->points, last->rank)) {
        const unsigned char *list = caused_delays(work->causes, way->caused);
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

/* Collective. The rank with the longest of the explained waits, the first of several; the wait's
 * number at its owner, INDEX_NONE elsewhere. */
static uint32_t find_longest(const struct explaining *work, const struct explanation *explanation,
                             uint32_t *rank)
{
    const struct sync_points *points = work->points;
    uint32_t longest = INDEX_NONE;
    for (uint32_t i = 0; i < points->wait_count; i++)
        if (belongs(work, explanation, i) &&
            (longest == INDEX_NONE ||
             sync_wait_end(points, i)->wait > sync_wait_end(points, longest)->wait))
            longest = i;
    const int64_t own = longest == INDEX_NONE ? -1 : sync_wait_end(points, longest)->wait;
    int64_t most = own, first = INT64_MAX;
    processes_max(work->trace->processes, &most, 1);
    if (own == most)
        first = sync_wait_end(points, longest)->rank;
    processes_min(work->trace->processes, &first, 1);
    *rank = (uint32_t)first;
    return sync_owns(points, *rank) ? longest : INDEX_NONE;
}

/* Collective. Makes the step at a wait for all processes. `wait`: its number, on the owner of the
 * rank only. */
static void share_step(const struct explaining *work, uint32_t rank, uint32_t wait,
                       struct way_step *way)
{
    const struct sync_points *points = work->points;
    int64_t values[6];
    for (size_t i = 0; i < 6; i++)
        values[i] = INT64_MIN;
    if (sync_owns(points, rank)) {
        const struct sync_end *end = sync_wait_end(points, wait);
        values[0] = end->wait;
        values[1] = points->points[end->point].time - end->wait;
        values[2] = sync_culprit(points, end)->rank;
        values[3] = wait_path(work, wait);
        values[4] = sync_kind_of(points, end);
        values[5] = work->causes->culprits[wait];
    }
    processes_max(work->trace->processes, values, 6); /* the others have the least */
    *way = (struct way_step){.step = {.wait = values[0],
                                      .at = values[1],
                                      .rank = rank,
                                      .culprit = (uint32_t)values[2],
                                      .path = (uint32_t)values[3],
                                      .kind = (enum sync_kind)values[4]},
                             .caused = (uint32_t)values[5]};
}

/* Collective. */
static void find_way(const struct explaining *work, struct explanation *explanation)
{
    uint32_t rank, wait = find_longest(work, explanation, &rank);
    struct way_step way;
    for (;;) {
        int64_t continues = 0;
        share_step(work, rank, wait, &way);
        explanation->steps[explanation->step_count++] = way.step;
        rank = way.step.culprit;
        wait = sync_owns(work->points, rank) ? step_back(work, way.caused) : INDEX_NONE;
        continues = wait != INDEX_NONE;
        processes_max(work->trace->processes, &continues, 1);
        if (!continues)
            break;
        if (explanation->step_count == EXPLAINED_STEPS) {
            explanation->cut_off = true;
            break;
        }
    }
    find_last(work, &way, &explanation->last);
}

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
    *of_messages = !mpi_class_is_collective(mpi_call_infos[callpath_call(trace, path)].class);
    return own_region(trace, path);
}

/* Collective. Finds the region that a hypothesis would have to change. */
static enum status find_test_region(const struct explaining *work, struct explanation *explanation,
                                    struct error *error)
{
    bool of_messages;
    int64_t count = 0;
    int64_t values[2] = {what_to_test(work->trace, explanation, &of_messages), of_messages};
    processes_broadcast(work->trace->processes, values, sizeof values);
    if (values[0] == (int64_t)INDEX_NONE)
        return STATUS_OK;
    explanation->region = (uint32_t)values[0];
    explanation->of_messages = values[1];
    for (uint32_t i = 0; i < work->trace->owned_count; i++)
        count += executes(&work->ranks[i], explanation->region);
    processes_sum(work->trace->processes, &count, 1);
    explanation->region_ranks = (uint32_t)count;
    return explanation->of_messages ? STATUS_OK
                                    : balance_by_visits(work->trace, explanation->region,
                                                        &explanation->by_visits, error);
}

/* Collective. */
static void count_ranks(const struct explaining *work, struct explanation *explanation)
{
    uint32_t last = INDEX_NONE; /* waits are in order of ranks */
    int64_t ranks = 0;
    for (uint32_t wait = 0; wait < work->points->wait_count; wait++) {
        uint32_t rank = sync_wait_end(work->points, wait)->rank;
        if (rank != last && belongs(work, explanation, wait)) {
            ranks++;
            last = rank;
        }
    }
    processes_sum(work->trace->processes, &ranks, 1);
    explanation->ranks = (uint32_t)ranks;
}

enum status explain_waits(const struct search_rank *ranks, const struct causes *causes,
                          struct explanations *explanations, struct error *error)
{
    const struct trace *trace = causes->trace;
    assert(causes->culprits); /* causes_find has succeeded */
    const size_t values = trace->owned_count * trace->calltree.paths.count;
    struct explaining work = {.ranks = ranks,
                              .causes = causes,
                              .points = &causes->points,
                              .trace = trace,
                              .blame = malloc((values + 1) * sizeof *work.blame)};
    enum status status =
        processes_agree_memory(trace->processes, work.blame, "explanations", error);
    if (status == STATUS_OK)
        status = find_symptoms(&work, explanations, error);
    for (uint32_t i = 0; status == STATUS_OK && i < explanations->count; i++) {
        count_ranks(&work, &explanations->items[i]);
        status = find_causes(&work, &explanations->items[i], error);
        if (status != STATUS_OK)
            break;
        find_way(&work, &explanations->items[i]);
        status = find_test_region(&work, &explanations->items[i], error);
    }
    free(work.blame);
    return status;
}
