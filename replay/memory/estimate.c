/* Finds how much of the bandwidth a class of computation needs, from a recording alone.
 *
 * Like visits do like work: the visits of a region on one rank by one call path. In the recording
 * they do not take equally long, because others compute beside some of them and not beside others.
 * With the right share, the work that the recording leaves of them is equal again. So the share is
 * the one that minimises
 *
 *   sum over groups of like visits, sum over visits, |work - median work of the group|
 *   -------------------------------------------------------------------------------
 *   sum over groups, sum over visits, median work of the group
 *
 * The median and the absolute value keep visits that something else has disturbed from deciding.
 * The interval is that of a jackknife which leaves out one of BLOCKS parts of the visits at a time.
 */
#include "replay/memory/memory_private.h"

#include "base/mpi/mail.h"
#include "replay/model/fluid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 8,
    COARSE = 50, /* steps of 1 / COARSE, and finer ones around the best of them */
    FINE = 20,
    LEAST_VISITS = 4, /* of a group */
    LEAST_IN_ALL = 4 * BLOCKS,
    ROUNDS = 3, /* if several shares are wanted, each is found beside the others' */
};

static const double student_7 =
    2.365; /* 97.5 % of Student's t with BLOCKS - 1 degrees of freedom */
static const double least_contrast = 0.02, widest = 0.3;
static const double bend = 0.1; /* relative deviations up to which the loss is quadratic */

/* A piece, and the visit that it belongs to. */
struct seen {
    int64_t begin, length;
    uint32_t rank, class;
    uint32_t visit, path; /* number of the visit on its rank, from 1 on, and its call path */
};

struct seen_list {
    ARRAY(struct seen) list;
};

/* Walks through the visits of all classes up to a row. */
struct visit_walk {
    const struct trace *trace;
    const struct stream *stream;
    const struct memory_sharing *sharing;
    uint32_t row;
    uint32_t *visits, *paths; /* [class]: the last visit */
};

static void walk_to(struct visit_walk *walk, uint32_t row)
{
    const struct stream *stream = walk->stream;
    for (; walk->row <= row; walk->row++) {
        if (!event_opens(stream->kind[walk->row]))
            continue;
        uint32_t path = stream->arg[walk->row];
        for (size_t c = 0; c < walk->sharing->section_count; c++)
            if (marks_of(&walk->sharing->marks[c], path) & CALLPATH_VISIT) {
                walk->visits[c]++;
                walk->paths[c] = path;
            }
    }
}

/* False when memory is out. */
static bool see_stream(const struct trace *trace, const struct stream *stream,
                       const struct memory_sharing *sharing, struct seen_list *seen)
{
    struct pieces found = {0};
    uint32_t *numbers = calloc(2 * sharing->section_count + 1, sizeof *numbers);
    struct visit_walk walk = {.trace = trace,
                              .stream = stream,
                              .sharing = sharing,
                              .visits = numbers,
                              .paths = numbers + sharing->section_count};
    bool room = numbers && pieces_find(trace, stream, &sharing->sharing, &found);
    for (size_t p = 0; room && p < found.list.count; p++) {
        const struct piece *piece = &found.list.items[p];
        walk_to(&walk, piece->first);
        const struct seen one = {
            .begin = (int64_t)(stream->time[piece->first] - trace->begin),
            .length = (int64_t)(stream->time[piece->last] - stream->time[piece->first]),
            .rank = stream->rank,
            .class = piece->class,
            .visit = walk.visits[piece->class],
            .path = walk.paths[piece->class]};
        room = array_push(&seen->list, one);
    }
    free(numbers);
    free(found.list.items);
    return room;
}

struct visit {
    uint32_t rank, path;
    size_t place; /* in the order of the recording */
};

/* The visits of a class, in groups of like ones. */
struct study {
    struct fluid_piece *pieces; /* of all classes */
    size_t piece_count;
    struct fluid_history *history;
    double *works;        /* [piece] */
    size_t *visit_of;     /* [piece]: place of its visit; SIZE_MAX: of another class */
    struct visit *visits; /* sorted by group */
    size_t count;
    double *work, *length, *sorted; /* [place]; the last is room for a group */
    const struct seen *seen;
    uint32_t class;
};

/* How far like visits are apart, for each block of visits. */
struct spread {
    double apart[BLOCKS], loss[BLOCKS], median[BLOCKS];
};

static int compare_visits(const void *a, const void *b)
{
    const struct visit *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Chooses the visits of a class. */
static void study_class(struct study *study, uint32_t class)
{
    const struct seen *last = NULL;
    study->class = class;
    study->count = 0;
    for (size_t p = 0; p < study->piece_count; p++) {
        const struct seen *seen = &study->seen[p];
        study->visit_of[p] = SIZE_MAX;
        if (seen->class != class)
            continue;
        if (!last || last->rank != seen->rank || last->visit != seen->visit) {
            study->visits[study->count] = (struct visit){seen->rank, seen->path, study->count};
            study->length[study->count++] = 0;
        }
        study->visit_of[p] = study->count - 1;
        study->length[study->count - 1] += (double)seen->length;
        last = seen;
    }
    qsort(study->visits, study->count, sizeof *study->visits, compare_visits);
}

/* The group that begins with a visit ends behind the one returned. */
static size_t group_end(const struct study *study, size_t begin)
{
    size_t end = begin + 1;
    while (end < study->count && study->visits[end].rank == study->visits[begin].rank &&
           study->visits[end].path == study->visits[begin].path)
        end++;
    return end;
}

/* Adds what the values [place] of one group are apart. */
static void add_group(const struct study *study, size_t begin, size_t end, const double *values,
                      struct spread *spread)
{
    size_t count = end - begin;
    for (size_t i = 0; i < count; i++)
        study->sorted[i] = values[study->visits[begin + i].place];
    qsort(study->sorted, count, sizeof *study->sorted, compare_doubles);
    double median = (study->sorted[(count - 1) / 2] + study->sorted[count / 2]) / 2;
    for (size_t i = 0; i < count; i++) {
        /* blocks that stand for like times of the run */
        size_t block = i % BLOCKS;
        double deviation = values[study->visits[begin + i].place] - median;
        double bent = bend * median;
        spread->apart[block] += fabs(deviation);
        spread->loss[block] += median > 0 ? bent * (hypot(1, deviation / bent) - 1) : 0;
        spread->median[block] += median;
    }
}

static struct spread spread_of(const struct study *study, const double *values)
{
    struct spread spread = {{0}, {0}, {0}};
    for (size_t begin = 0, end; begin < study->count; begin = end) {
        end = group_end(study, begin);
        if (end - begin >= LEAST_VISITS)
            add_group(study, begin, end, values, &spread);
    }
    return spread;
}

/* A sum over the blocks but one (BLOCKS: over all), relative to the medians'. */
static double relative(const struct spread *spread, const double *summand, int without)
{
    double sum = 0, medians = 0;
    for (int b = 0; b < BLOCKS; b++)
        if (b != without) {
            sum += summand[b];
            medians += spread->median[b];
        }
    return medians > 0 ? sum / medians : 0;
}

static double apart(const struct spread *spread)
{
    return relative(spread, spread->apart, BLOCKS);
}

/* The visits' work if the class had a share. */
static void find_work(struct study *study, double share)
{
    for (size_t p = 0; p < study->piece_count; p++)
        if (study->visit_of[p] != SIZE_MAX)
            study->pieces[p].share = share;
    fluid_history_works(study->history, study->works);
    memset(study->work, 0, study->count * sizeof *study->work);
    for (size_t p = 0; p < study->piece_count; p++)
        if (study->visit_of[p] != SIZE_MAX)
            study->work[study->visit_of[p]] += study->works[p];
}

/* Shares that were tried, and the best one without each block; the last is of all blocks. */
struct search {
    double share[BLOCKS + 1], loss[BLOCKS + 1];
    double apart; /* of the best share */
};

static void try_share(struct study *study, double share, struct search *search)
{
    find_work(study, share);
    const struct spread spread = spread_of(study, study->work);
    for (int b = 0; b <= BLOCKS; b++) {
        double here = relative(&spread, spread.loss, b);
        if (here < search->loss[b] * (1 - 1e-9)) {
            search->loss[b] = here;
            search->share[b] = share;
            if (b == BLOCKS)
                search->apart = apart(&spread);
        }
    }
}

/* How differently others compute beside like visits: how far they would be apart in slowdown if
 * the class needed the whole bandwidth. */
static double contrast(struct study *study)
{
    find_work(study, 1);
    for (size_t v = 0; v < study->count; v++)
        study->work[v] = study->work[v] > 0 ? study->length[v] / study->work[v] : 1;
    const struct spread spread = spread_of(study, study->work);
    return apart(&spread);
}

static void estimate_class(struct study *study, struct memory_class *class)
{
    struct search search = {.apart = 0};
    for (int b = 0; b <= BLOCKS; b++)
        search.loss[b] = INFINITY;
    for (int i = 0; i <= COARSE; i++)
        try_share(study, (double)i / COARSE, &search);
    double center = search.share[BLOCKS];
    for (int i = -FINE; i <= FINE; i++) {
        double share = center + (double)i / COARSE / FINE;
        if (share >= 0 && share <= 1)
            try_share(study, share, &search);
    }
    double mean = 0, squares = 0;
    for (int b = 0; b < BLOCKS; b++)
        mean += search.share[b] / BLOCKS;
    for (int b = 0; b < BLOCKS; b++)
        squares += (search.share[b] - mean) * (search.share[b] - mean);
    double half = student_7 * sqrt(squares * (BLOCKS - 1) / BLOCKS);
    if (half < 0.5 / COARSE / FINE)
        half = 0.5 / COARSE / FINE; /* no finer than what was tried */
    const struct spread recorded = spread_of(study, study->length);
    class->estimated = true;
    class->share = search.share[BLOCKS];
    class->low = class->share > half ? class->share - half : 0;
    class->high = class->share + half < 1 ? class->share + half : 1;
    class->visits = study->count;
    class->apart = apart(&recorded);
    class->apart_left = search.apart;
}

static enum status not_told(const struct memory_section *section, const char *why, double value,
                            struct error *error)
{
    char reason[200];
    snprintf(reason, sizeof reason, why, value);
    return section_error(error, section->section, "share",
                         "the recording does not tell how much bandwidth this computation needs: "
                         "%s. State it (share = 0.9), or name a recording that tells it "
                         "(recording = PATH): one in which others compute beside some of its "
                         "visits and not beside others",
                         reason);
}

static enum status check_class(const struct memory_section *section, struct study *study,
                               const struct memory_class *class, struct error *error)
{
    size_t useful = 0;
    for (size_t begin = 0, end; begin < study->count; begin = end) {
        end = group_end(study, begin);
        if (end - begin >= LEAST_VISITS)
            useful += end - begin;
    }
    if (useful < LEAST_IN_ALL)
        return not_told(section, "it has %.0f visits that others are like", (double)useful, error);
    double differs = contrast(study);
    if (differs < least_contrast)
        return not_told(section,
                        "others compute beside all like visits for about the same part of their "
                        "time (it would make a difference of %.1f %% at most)",
                        100 * differs, error);
    if (class && class->share > 0 && class->high - class->low > widest)
        return not_told(section, "the interval is %.2f wide", class->high - class->low, error);
    return STATUS_OK;
}

static bool study_open(struct study *study, const struct seen *seen, size_t count)
{
    *study = (struct study){
        .pieces = malloc((count + 1) * sizeof *study->pieces),
        .piece_count = count,
        .works = malloc((count + 1) * sizeof *study->works),
        .visit_of = malloc((count + 1) * sizeof *study->visit_of),
        .visits = malloc((count + 1) * sizeof *study->visits),
        .work = malloc((count + 1) * sizeof *study->work),
        .length = malloc((count + 1) * sizeof *study->length),
        .sorted = malloc((count + 1) * sizeof *study->sorted),
        .seen = seen,
    };
    return study->pieces && study->works && study->visit_of && study->visits && study->work &&
           study->length && study->sorted;
}

static void study_close(struct study *study)
{
    fluid_history_destroy(study->history);
    free(study->pieces);
    free(study->works);
    free(study->visit_of);
    free(study->visits);
    free(study->work);
    free(study->length);
    free(study->sorted);
}

static enum status estimate_all(const struct memory_config *config, struct study *study,
                                const bool *wanted, double *shares, struct memory_class *classes,
                                struct error *error)
{
    int several = 0;
    enum status status = STATUS_OK;
    for (size_t c = 0; c < config->count; c++)
        several += wanted[c];
    for (size_t c = 0; c < config->count; c++)
        if (wanted[c])
            shares[c] = 0;
    for (int round = 0; round < (several > 1 ? ROUNDS : 1); round++)
        for (uint32_t c = 0; c < config->count && status == STATUS_OK; c++) {
            if (!wanted[c])
                continue;
            for (size_t p = 0; p < study->piece_count; p++)
                study->pieces[p].share = shares[study->seen[p].class];
            study_class(study, c);
            status = check_class(&config->sections[c], study, NULL, error);
            if (status != STATUS_OK)
                break;
            estimate_class(study, &classes[c]);
            shares[c] = classes[c].share;
            if (round + 1 == (several > 1 ? ROUNDS : 1))
                status = check_class(&config->sections[c], study, &classes[c], error);
        }
    return status;
}

static enum status estimate_on_first(const struct memory_config *config, const struct trace *trace,
                                     const struct seen *seen, size_t count, const bool *wanted,
                                     struct memory_sharing *sharing, struct memory_class *classes,
                                     struct error *error)
{
    struct study study;
    size_t *first = calloc((size_t)trace->rank_count + 1, sizeof *first);
    bool room = study_open(&study, seen, count) && first;
    struct fluid fluid = {.pieces = study.pieces,
                          .first = first,
                          .domains = sharing->domains,
                          .rank_count = trace->rank_count,
                          .domain_count = sharing->sharing.domain_count};
    enum status status = room ? STATUS_OK : error_memory(error, "the shares of bandwidth");
    for (size_t p = 0; room && p < count; p++) {
        study.pieces[p] = (struct fluid_piece){.begin = seen[p].begin, .length = seen[p].length};
        first[seen[p].rank + 1]++;
    }
    for (uint32_t rank = 0; room && rank < trace->rank_count; rank++)
        first[rank + 1] += first[rank];
    if (room)
        status = fluid_history_create(&fluid, &study.history, error);
    if (status == STATUS_OK)
        status = estimate_all(config, &study, wanted, sharing->shares, classes, error);
    study_close(&study);
    free(first);
    return status;
}

enum status memory_estimate(const struct memory_config *config, const struct trace *trace,
                            const bool *wanted, struct memory_sharing *sharing,
                            struct memory_class *classes, struct error *error)
{
    struct processes *processes = trace->processes;
    struct seen_list own = {0};
    char *all = NULL;
    size_t size = 0;
    bool room = true;
    for (uint32_t s = 0; s < trace->owned_count && room; s++)
        room = see_stream(trace, &trace->streams[s], sharing, &own);
    enum status status = processes_agree_memory(processes, room, "the shares of bandwidth", error);
    if (status == STATUS_OK)
        status = mail_gather(processes, own.list.items, own.list.count * sizeof(struct seen), &all,
                             &size, NULL, error);
    if (status == STATUS_OK) {
        enum status found = STATUS_OK;
        if (processes->rank == 0)
            found = estimate_on_first(config, trace, (const struct seen *)(void *)all,
                                      size / sizeof(struct seen), wanted, sharing, classes, error);
        status = processes_agree(processes, found, error);
    }
    for (size_t c = 0; status == STATUS_OK && c < config->count; c++) {
        struct memory_class class = classes[c];
        processes_broadcast(processes, &class, sizeof class);
        class.section = config->sections[c].section;
        if (wanted[c]) {
            classes[c] = class;
            sharing->shares[c] = class.share;
        }
    }
    free(own.list.items);
    free(all);
    return status;
}
