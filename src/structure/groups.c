#include "structure/groups.h"

#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_LEAST = 3, LONG_LEAST = 2 /* long iterations of a group */ };

/* An iteration is long from this many times the median on. */
static const double LONG = 2;

/* This part of the long iterations recurs in the next group, less than this many times as long. */
static const double RECURS = 0.9, ALIKE = 1.5;

/* Comparisons of long iterations, for each iteration: so sizes are tried in linear time. */
enum { COMPARED = 32 };

struct length_pattern {
    const uint64_t *lengths;
    size_t count;  /* without the last iteration, which ends with its last call */
    double least;  /* of a long one */
    size_t *longs; /* the long ones */
    size_t long_count;
};

static bool is_long(const struct length_pattern *pattern, size_t i)
{
    return (double)pattern->lengths[i] >= pattern->least;
}

static bool recurs_after(const struct length_pattern *pattern, size_t size)
{
    size_t both = 0, either = 0;
    for (size_t k = 0; k < pattern->long_count; k++) {
        const size_t i = pattern->longs[k];
        const bool follows = i + size < pattern->count && is_long(pattern, i + size);
        const double a = (double)pattern->lengths[i];
        const double b = follows ? (double)pattern->lengths[i + size] : 0;
        either += (i + size < pattern->count) + (i >= size) - follows;
        both += follows && a < ALIKE * b && b < ALIKE * a;
    }
    /* The last long iteration of all is the one that ends with its last call. */
    return either + 1 >= LONG_LEAST * (GROUPS_LEAST - 1) && (double)both >= RECURS * (double)either;
}

/* The place in a group with the longest iterations. Sets `ends`, for groups that begin with the
 * first iteration, and the number of long places. */
static size_t longest_place(const struct length_pattern *pattern, size_t size, bool *ends,
                            size_t *places)
{
    size_t longest = 0;
    double most = 0;
    *places = 0;
    for (size_t place = 0; place < size; place++) {
        size_t all = 0, number = 0;
        double sum = 0;
        for (size_t i = place; i < pattern->count; i += size) {
            number += is_long(pattern, i);
            sum += (double)pattern->lengths[i];
            all++;
        }
        ends[place] = 2 * number > all;
        *places += ends[place];
        if (all > 0 && sum > most * (double)all) {
            most = sum / (double)all;
            longest = place;
        }
    }
    return longest;
}

/* The smallest size with which long iterations recur; 0 if there is none. One of them is that far
 * behind the first one. */
static size_t find_group_size(const struct length_pattern *pattern, size_t iterations)
{
    size_t compared = 0;
    for (size_t k = 1; k < pattern->long_count && compared <= COMPARED * iterations; k++) {
        const size_t size = pattern->longs[k] - pattern->longs[0];
        if (size * GROUPS_LEAST > iterations)
            break;
        if (size >= LONG_LEAST && recurs_after(pattern, size))
            return size;
        compared += pattern->long_count;
    }
    return 0;
}

/* Moves the end of the last group behind its computation. Returns it for one rank. */
static uint64_t end_of_last(const uint64_t *own, size_t count, uint64_t latest)
{
    const uint64_t end = own[count - 1] + (own[count - 1] - own[count - 2]);
    return end < own[count] ? own[count] : end < latest ? end : latest;
}

/* Collective. Makes groups of the iterations, which become `groups->inner`. */
static enum status form_groups(const struct trace *trace, const struct cut_range *parts,
                               struct iterations *iterations, struct iteration_groups *groups,
                               struct error *error)
{
    const size_t size = groups->size, first = groups->first,
                 count = (iterations->count - first) / size;
    struct iterations made = {.count = count,
                              .path = iterations->path,
                              .calls = iterations->calls,
                              .begin = malloc((count + 1) * sizeof *made.begin),
                              .own =
                                  malloc((trace->owned_count + 1) * (count + 1) * sizeof *made.own),
                              .kinds = calloc(count, sizeof *made.kinds),
                              .kind_count = 1};
    enum status status = processes_agree_memory(
        trace->processes, made.begin && made.own && made.kinds, "the structure of a trace", error);
    if (status != STATUS_OK) {
        iterations_clear(&made);
        return status;
    }
    for (size_t i = 0; i <= count; i++)
        made.begin[i] = iterations->begin[first + i * size];
    int64_t end = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        uint64_t *own = made.own + s * (count + 1);
        for (size_t i = 0; i <= count; i++)
            own[i] = iterations_of(iterations, s)[first + i * size];
        if (first + count * size == iterations->count)
            own[count] = end_of_last(own, count, parts[s].end);
        end = (int64_t)own[count] > end ? (int64_t)own[count] : end;
    }
    processes_max(trace->processes, &end, 1);
    if (first + count * size == iterations->count)
        made.begin[count] = (uint64_t)end;
    groups->inner = *iterations;
    *iterations = made;
    return STATUS_OK;
}

/* Sets the size, the first group and its long places; the size stays 0 if there are no groups.
 * False if out of memory. */
static bool choose_groups(const struct iterations *iterations, struct iteration_groups *groups)
{
    const size_t n = iterations->count;
    uint64_t *lengths = malloc(2 * n * sizeof *lengths);
    if (!lengths)
        return false;
    for (size_t i = 0; i < n; i++)
        lengths[i] = lengths[n + i] = iterations->begin[i + 1] - iterations->begin[i];
    qsort(lengths + n, n - 1, sizeof *lengths, order_uint64);
    struct length_pattern pattern = {.lengths = lengths,
                                     .count = n - 1,
                                     .least = LONG * (double)lengths[n + (n - 1) / 2],
                                     .longs = malloc(n * sizeof *pattern.longs)};
    if (!pattern.longs) {
        free(lengths);
        return false;
    }
    for (size_t i = 0; i + 1 < n; i++)
        if (is_long(&pattern, i))
            pattern.longs[pattern.long_count++] = i;
    const size_t size = pattern.least > 0 ? find_group_size(&pattern, n) : 0;
    bool *of_place = size > 0 ? malloc(2 * size * sizeof *of_place) : NULL;
    if (of_place) {
        size_t places;
        groups->first = (longest_place(&pattern, size, of_place, &places) + 1) % size;
        memcpy(of_place + size, of_place, size * sizeof *of_place);
        memmove(of_place, of_place + groups->first, size * sizeof *of_place);
        groups->ends = of_place;
        groups->size = places >= LONG_LEAST && n - groups->first >= size * GROUPS_LEAST ? size : 0;
    }
    free(lengths);
    free(pattern.longs);
    return size == 0 || of_place;
}

enum status iteration_groups_find(const struct trace *trace, const struct cut_range *parts,
                                  struct iterations *iterations, struct iteration_groups *groups,
                                  struct error *error)
{
    *groups = (struct iteration_groups){0};
    if (iterations->kind_count != 1 || iterations->count < LONG_LEAST * GROUPS_LEAST)
        return STATUS_OK;
    enum status status = processes_agree_memory(trace->processes, choose_groups(iterations, groups),
                                                "the structure of a trace", error);
    if (status == STATUS_OK && groups->size > 0)
        status = form_groups(trace, parts, iterations, groups, error);
    if (status != STATUS_OK)
        iteration_groups_clear(groups);
    return status;
}

void iteration_groups_clear(struct iteration_groups *groups)
{
    free(groups->ends);
    iterations_clear(&groups->inner);
    *groups = (struct iteration_groups){0};
}
