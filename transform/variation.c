/* [variation LABEL]: like computation takes the same time (doc/methods.md, section 2).
 *
 * Like intervals are intervals of computation in the same call path, after and before events of the
 * same call paths: a rank computes the same thing in them again. Let x(r, c, k) be the length of
 * the k-th interval of kind c on rank r.
 *
 *   remove = ranks        x becomes its mean over the ranks that have a k-th interval of kind c
 *   remove = iterations   x becomes its mean over k
 *   remove = noise        x becomes its median over k
 *
 * With `rank` or `node`, only these ranks change; with remove = ranks, they get the mean of the
 * other ranks, as if another node ran them. All means are of integers, whose remainders are
 * carried, so the result does not depend on the number of processes. */
#include "base/map.h"
#include "base/sort.h"
#include "transform/choose.h"
#include "transform/even.h"
#include "transform/kinds.h"
#include "transform/rewrite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { REMOVE_RANKS, REMOVE_ITERATIONS, REMOVE_NOISE };
static const char *const removals[] = {
    [REMOVE_RANKS] = "ranks", [REMOVE_ITERATIONS] = "iterations", [REMOVE_NOISE] = "noise", NULL};

struct variation {
    const struct ini_section *section;
    int remove; /* index into removals */
    struct ranges rank;
    const char *node; /* name patterns, NULL: any */
};

static const struct ini_key variation_keys[] = {
    WHERE_KEYS,
    INI_KEY(variation, remove, CHOICE, .choices = removals, .required = true),
    INI_KEY(variation, rank, RANGES),
    INI_KEY(variation, node, STRING),
    INI_KEYS_END,
};

struct like_interval {
    uint32_t kind; /* of the stream; later its place in the list of all kinds */
    uint64_t length;
};

/* The computation of a rank, interval by interval. */
struct rank_intervals {
    bool chosen;
    ARRAY(struct like_interval) list;
    ARRAY(uint32_t) counts; /* [kind] */
};

/* A kind of intervals, as all processes know it. */
struct interval_kind {
    uint64_t key;
    int64_t most; /* intervals on one rank */
};

struct variation_study {
    const struct variation *variation;
    struct trace *trace;
    struct callpath_marks marks;
    enum callpath_mark wanted;
    struct rank_intervals *ranks; /* [owned stream] */
    struct map numbers;           /* key -> kind */
    ARRAY(struct interval_kind) kinds;
};

/* The call path of the region that a row enters or leaves. */
static uint32_t path_at(const struct stream *stream, uint32_t row)
{
    if (event_opens(stream->kind[row]))
        return stream->arg[row];
    return event_closes(stream->kind[row]) ? stream->arg[stream->arg[row]] : CALLPATH_NONE;
}

static uint64_t key_of_interval(const struct stream *stream, uint32_t row, uint32_t path)
{
    return map_mix(map_mix(map_mix(path) ^ path_at(stream, row - 1)) ^ path_at(stream, row));
}

/* Adds the interval before a row. */
static bool add_interval(struct variation_study *study, struct rank_intervals *intervals,
                         const struct stream *stream, uint32_t row, uint32_t path)
{
    const uint64_t key = key_of_interval(stream, row, path);
    const struct interval_kind new_kind = {key, 0};
    const uint32_t *number = map_at(&study->numbers, key, (uint32_t)study->kinds.count);
    if (!number || (*number == study->kinds.count && !array_push(&study->kinds, new_kind)))
        return false;
    const struct like_interval interval = {*number, stream->time[row] - stream->time[row - 1]};
    while (intervals->counts.count <= *number)
        if (!array_push(&intervals->counts, 0))
            return false;
    const int64_t count = ++intervals->counts.items[*number];
    if (count > study->kinds.items[*number].most)
        study->kinds.items[*number].most = count;
    return array_push(&intervals->list, interval);
}

static bool measure_intervals(struct variation_study *study, struct rank_intervals *intervals,
                              const struct stream *stream)
{
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        if (row > 0 && marks_computes(&study->marks, path, study->wanted) &&
            !add_interval(study, intervals, stream, row, path))
            return false;
        path = callpath_after(&study->trace->calltree, stream, row, path);
    }
    return true;
}

ORDER_BY(order_by_key, struct interval_kind, ASCENDING(key) ?: DESCENDING(most))

/* Collective. Makes the list of kinds the same on all processes, and numbers the kinds by it. */
static enum status unite_kinds(struct variation_study *study, struct error *error)
{
    const struct processes *processes = study->trace->processes;
    uint32_t *places = malloc((study->kinds.count + 1) * sizeof *places);
    uint64_t *keys = malloc((study->kinds.count + 1) * sizeof *keys);
    const size_t own = study->kinds.count;
    enum status status = processes_agree_memory(processes, places && keys, "the intervals", error);
    for (size_t i = 0; i < own && status == STATUS_OK; i++)
        keys[i] = study->kinds.items[i].key;
    if (status == STATUS_OK)
        status = processes_share(processes, &study->kinds, "the intervals", error);
    size_t count = 0;
    struct interval_kind *kinds = study->kinds.items;
    if (status == STATUS_OK && study->kinds.count > 0)
        qsort(kinds, study->kinds.count, sizeof *kinds, order_by_key);
    for (size_t i = 0; i < study->kinds.count && status == STATUS_OK; i++)
        if (count == 0 || kinds[count - 1].key != kinds[i].key)
            kinds[count++] = kinds[i];
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (map_get(&study->numbers, kinds[i].key) != MAP_NONE)
            map_set(&study->numbers, kinds[i].key, (uint32_t)i);
    for (size_t i = 0; i < own && status == STATUS_OK; i++)
        places[i] = map_get(&study->numbers, keys[i]);
    study->kinds.count = status == STATUS_OK ? count : 0;
    for (uint32_t s = 0; s < study->trace->owned_count && status == STATUS_OK; s++)
        for (size_t i = 0; i < study->ranks[s].list.count; i++)
            study->ranks[s].list.items[i].kind = places[study->ranks[s].list.items[i].kind];
    free(keys);
    free(places);
    return status;
}

/* The place of each interval among all kinds and repetitions: place[kind] of the next one. */
static size_t *first_places(const struct variation_study *study)
{
    size_t *places = malloc((study->kinds.count + 1) * sizeof *places), sum = 0;
    for (size_t i = 0; places && i < study->kinds.count; i++) {
        places[i] = sum;
        sum += (size_t)study->kinds.items[i].most;
    }
    if (places)
        places[study->kinds.count] = sum;
    return places;
}

/* The sums over ranks of like intervals, by first_places. Those of chosen ranks are left out if
 * there are other ranks. */
struct interval_sums {
    size_t *first;
    int64_t *ticks, *ranks;
};

static void add_intervals(const struct variation_study *study, const struct rank_intervals *rank,
                          size_t *next, struct interval_sums *sums)
{
    memcpy(next, sums->first, study->kinds.count * sizeof *next);
    for (size_t i = 0; i < rank->list.count; i++) {
        const size_t place = next[rank->list.items[i].kind]++;
        sums->ticks[place] += (int64_t)rank->list.items[i].length;
        sums->ranks[place]++;
    }
}

static void take_means(const struct variation_study *study, struct rank_intervals *rank,
                       size_t *next, const struct interval_sums *sums)
{
    memcpy(next, sums->first, study->kinds.count * sizeof *next);
    for (size_t i = 0; i < rank->list.count; i++) {
        const size_t place = next[rank->list.items[i].kind]++;
        if (sums->ranks[place] > 0)
            rank->list.items[i].length = (uint64_t)sums->ticks[place];
    }
}

/* Collective. Replaces intervals of the chosen ranks by means over ranks. `all`: every rank is
 * chosen. */
static enum status even_ranks(struct variation_study *study, bool all, struct error *error)
{
    const struct trace *trace = study->trace;
    struct interval_sums sums = {.first = first_places(study)};
    const size_t count = sums.first ? sums.first[study->kinds.count] : 0;
    size_t *next = malloc((study->kinds.count + 1) * sizeof *next);
    sums.ticks = calloc(count + 1, sizeof *sums.ticks);
    sums.ranks = calloc(count + 1, sizeof *sums.ranks);
    enum status status =
        processes_agree_memory(trace->processes, sums.first && next && sums.ticks && sums.ranks,
                               "the means of the intervals", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (all || !study->ranks[s].chosen)
            add_intervals(study, &study->ranks[s], next, &sums);
    if (status == STATUS_OK) {
        processes_sum(trace->processes, sums.ticks, count);
        processes_sum(trace->processes, sums.ranks, count);
    }
    for (size_t i = 0; i < study->kinds.count && status == STATUS_OK; i++)
        means_round(sums.ticks + sums.first[i], sums.ranks + sums.first[i],
                    sums.first[i + 1] - sums.first[i]);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (study->ranks[s].chosen)
            take_means(study, &study->ranks[s], next, &sums);
    free(sums.ranks);
    free(sums.ticks);
    free(sums.first);
    free(next);
    return status;
}

/* Makes the lengths of one kind on a rank their mean, whose sum is exact, or their median. */
static void even_lengths(uint64_t *lengths, size_t count, bool median)
{
    uint64_t sum = 0, middle = 0;
    if (count == 0)
        return;
    if (median) {
        qsort(lengths, count, sizeof *lengths, order_uint64);
        middle = lengths[(count - 1) / 2] + (lengths[count / 2] - lengths[(count - 1) / 2]) / 2;
    }
    for (size_t k = 0; k < count; k++)
        sum += lengths[k];
    const uint64_t part = sum / count, rest = sum % count;
    for (size_t k = 0; k < count; k++)
        lengths[k] = median ? middle : part + ((k + 1) * rest / count - k * rest / count);
}

/* Replaces the intervals of one rank by means or medians over its like intervals. */
static bool even_rank(const struct variation_study *study, struct rank_intervals *rank)
{
    const size_t kinds = study->kinds.count;
    uint64_t *lengths = malloc((rank->list.count + 1) * sizeof *lengths);
    size_t *begin = calloc(kinds + 2, sizeof *begin);
    if (!lengths || !begin) {
        free(lengths);
        free(begin);
        return false;
    }
    for (size_t i = 0; i < rank->list.count; i++)
        begin[rank->list.items[i].kind + 2]++;
    for (size_t kind = 2; kind <= kinds; kind++)
        begin[kind] += begin[kind - 1];
    for (size_t i = 0; i < rank->list.count; i++) /* begin[kind + 1] becomes the kind's end */
        lengths[begin[rank->list.items[i].kind + 1]++] = rank->list.items[i].length;
    for (size_t kind = 0; kind < kinds; kind++)
        even_lengths(lengths + begin[kind], begin[kind + 1] - begin[kind],
                     study->variation->remove == REMOVE_NOISE);
    for (size_t i = 0; i < rank->list.count; i++)
        rank->list.items[i].length = lengths[begin[rank->list.items[i].kind]++];
    free(lengths);
    free(begin);
    return true;
}

static enum status write_evened(void *data, const struct stream *stream, uint64_t *times,
                                struct error *error)
{
    (void)error;
    const struct variation_study *study = data;
    const struct rank_intervals *rank = &study->ranks[stream - study->trace->streams];
    uint32_t path = CALLPATH_NONE;
    size_t next = 0;
    for (uint32_t row = 0; row < stream->count; row++) {
        uint64_t length = row > 0 ? stream->time[row] - stream->time[row - 1] : 0;
        if (row > 0 && marks_computes(&study->marks, path, study->wanted))
            length = rank->list.items[next++].length;
        times[row] = row > 0 ? times[row - 1] + length : stream->time[0];
        path = callpath_after(&study->trace->calltree, stream, row, path);
    }
    assert(next == rank->list.count);
    return STATUS_OK;
}

/* Measures the intervals of all ranks, and chooses ranks. */
static enum status open_study(struct variation_study *study, int64_t *chosen, struct error *error)
{
    const struct variation *variation = study->variation;
    const struct trace *trace = study->trace;
    const bool where = callpath_marks_wanted(variation->section);
    study->wanted = where ? CALLPATH_INSIDE : 0;
    study->ranks = calloc(trace->owned_count + 1ul, sizeof *study->ranks);
    enum status status =
        study->ranks ? callpath_marks_create(variation->section, trace, &study->marks, error)
                     : error_memory(error, "the intervals");
    if (status == STATUS_OK && where)
        status = callpath_marks_need_computation(&study->marks, CALLPATH_INSIDE, variation->section,
                                                 error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        struct rank_intervals *rank = &study->ranks[s];
        status = choose_rank(&variation->rank, variation->node, trace, trace->streams[s].rank,
                             &rank->chosen, error);
        *chosen += rank->chosen;
        if (status == STATUS_OK && !measure_intervals(study, rank, &trace->streams[s]))
            status = error_memory(error, "the intervals");
    }
    return processes_agree(trace->processes, status, error);
}

static void close_study(struct variation_study *study)
{
    for (uint32_t s = 0; study->ranks && s < study->trace->owned_count; s++) {
        free(study->ranks[s].list.items);
        free(study->ranks[s].counts.items);
    }
    free(study->ranks);
    free(study->kinds.items);
    map_clear(&study->numbers);
    callpath_marks_clear(&study->marks);
}

static enum status even_study(struct variation_study *study, int64_t chosen, struct error *error)
{
    const struct trace *trace = study->trace;
    enum status status = STATUS_OK;
    if (study->variation->remove == REMOVE_RANKS)
        return unite_kinds(study, error)
                   ?: even_ranks(study, chosen == (int64_t)trace->rank_count, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (study->ranks[s].chosen && !even_rank(study, &study->ranks[s]))
            status = error_memory(error, "the intervals");
    return processes_agree(trace->processes, status, error);
}

static enum status variation_apply(const void *state, struct trace *trace,
                                   struct hypothesis_outcome *outcome, struct error *error)
{
    (void)outcome;
    struct variation_study study = {.variation = state, .trace = trace};
    int64_t chosen = 0;
    enum status status = open_study(&study, &chosen, error);
    if (status == STATUS_OK)
        processes_sum(trace->processes, &chosen, 1);
    if (status == STATUS_OK && chosen == 0)
        status = refuse_ranks(study.variation->section, study.variation->node, trace, error);
    if (status == STATUS_OK)
        status = even_study(&study, chosen, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        if (study.ranks[s].chosen)
            status = rewrite_stream(trace, &trace->streams[s], write_evened, &study, error);
    close_study(&study);
    return processes_agree(trace->processes, status, error);
}

const struct hypothesis_kind hypothesis_variation = {
    .name = "variation",
    .subject = SUBJECT_COMPUTATION,
    .description = "remove variation of computation times: slow ranks, slow iterations or noise",
    .state_size = sizeof(struct variation),
    .keys = variation_keys,
    .apply = variation_apply,
};
