#include "replay/memory/share_study.h"

#include "base/sort.h"
#include "replay/model/fluid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTS = 8,                /* of the visits, for the jackknife */
    COARSE = 50,              /* first 1 / COARSE is the step between shares that are tried, */
    FINE = 20,                /* then 1 / (COARSE * FINE), near the best of them */
    GROUP_VISITS_LEAST = 4,   /* smaller groups are left out: their median says little */
    VISITS_LEAST = 4 * PARTS, /* in all groups: each part has some */
    ROUNDS =
        3, /* if several shares are estimated: each with the others' shares of the round before */
};

/* 97.5 % of Student's t with PARTS - 1 degrees of freedom. */
static const double student_t = 2.365;
/* Recordings with less contrast, or a wider interval, do not show the share (doc/methods.md). */
static const double contrast_least = 0.02, width_most = 0.3;
/* Relative deviations up to which the loss is nearly quadratic. */
static const double quadratic_up_to = 0.1;
/* A share replaces another one only if its loss is smaller by at least this fraction. Rounding does
 * not decide between equal shares then. */
static const double better_by = 1e-9;

struct studied_visit {
    uint32_t rank, path;
    size_t place; /* in the order of the recording */
};

/* The visits of one class, in groups of comparable ones. */
struct study {
    const struct observed_pieces *observed;
    struct fluid_piece *pieces; /* of all classes */
    size_t *first;              /* [rank + 1]: piece */
    struct fluid fluid;
    struct fluid_history *history;
    double *works;                /* [piece] */
    size_t *visit_of;             /* [piece]: place of its visit; SIZE_MAX: of another class */
    struct studied_visit *visits; /* sorted by group */
    size_t count;
    double *work, *length; /* [place] */
    double *sorted;        /* values of a group */
};

/* Sums over groups and visits, of each part of the visits. */
struct spread {
    double apart[PARTS], loss[PARTS], median[PARTS];
};

ORDER_BY(compare_visits, struct studied_visit,
         ASCENDING(rank) ?: ASCENDING(path) ?: ASCENDING(place))

/* Chooses the visits of a class. */
static void study_choose(struct study *study, uint32_t class)
{
    const struct observed_piece *last = NULL;
    study->count = 0;
    for (size_t p = 0; p < study->observed->count; p++) {
        const struct observed_piece *piece = &study->observed->pieces[p];
        study->visit_of[p] = SIZE_MAX;
        if (piece->class != class)
            continue;
        if (!last || last->rank != piece->rank || last->visit != piece->visit) {
            study->visits[study->count] =
                (struct studied_visit){piece->rank, piece->path, study->count};
            study->length[study->count++] = 0;
        }
        study->visit_of[p] = study->count - 1;
        study->length[study->count - 1] += (double)piece->length;
        last = piece;
    }
    qsort(study->visits, study->count, sizeof *study->visits, compare_visits);
}

/* The place after the last visit of the group that begins at `begin`. */
static size_t group_end(const struct study *study, size_t begin)
{
    size_t end = begin + 1;
    while (end < study->count && study->visits[end].rank == study->visits[begin].rank &&
           study->visits[end].path == study->visits[begin].path)
        end++;
    return end;
}

/* Adds the deviations of the values [place] of one group. */
static void spread_add_group(struct spread *spread, const struct study *study, size_t begin,
                             size_t end, const double *values)
{
    size_t count = end - begin;
    for (size_t i = 0; i < count; i++)
        study->sorted[i] = values[study->visits[begin + i].place];
    qsort(study->sorted, count, sizeof *study->sorted, order_double);
    double median = (study->sorted[(count - 1) / 2] + study->sorted[count / 2]) / 2;
    for (size_t i = 0; i < count; i++) {
        size_t part = i % PARTS; /* interleaved: each part has visits of all times of the run */
        double deviation = values[study->visits[begin + i].place] - median;
        double limit = quadratic_up_to * median;
        spread->apart[part] += fabs(deviation);
        spread->loss[part] += median > 0 ? limit * (hypot(1, deviation / limit) - 1) : 0;
        spread->median[part] += median;
    }
}

static struct spread study_spread(const struct study *study, const double *values)
{
    struct spread spread = {{0}, {0}, {0}};
    for (size_t begin = 0, end; begin < study->count; begin = end) {
        end = group_end(study, begin);
        if (end - begin >= GROUP_VISITS_LEAST)
            spread_add_group(&spread, study, begin, end, values);
    }
    return spread;
}

/* A sum over all parts but one (PARTS: over all), relative to that of the medians. */
static double spread_relative(const struct spread *spread, const double *summand, int without)
{
    double sum = 0, medians = 0;
    for (int part = 0; part < PARTS; part++)
        if (part != without) {
            sum += summand[part];
            medians += spread->median[part];
        }
    return medians > 0 ? sum / medians : 0;
}

static double spread_apart(const struct spread *spread)
{
    return spread_relative(spread, spread->apart, PARTS);
}

/* The share of all threads of the rank, if one has `share`. */
static double share_of_threads(const struct study *study, size_t piece, double share)
{
    return fmin(1, share * study->observed->pieces[piece].threads);
}

/* Sets the works of the visits if the class had this share. */
static void study_find_works(struct study *study, double share)
{
    for (size_t p = 0; p < study->observed->count; p++)
        if (study->visit_of[p] != SIZE_MAX)
            study->pieces[p].share = share_of_threads(study, p, share);
    fluid_history_works(study->history, study->works);
    memset(study->work, 0, study->count * sizeof *study->work);
    for (size_t p = 0; p < study->observed->count; p++)
        if (study->visit_of[p] != SIZE_MAX)
            study->work[study->visit_of[p]] += study->works[p];
}

/* The best share so far without each part; the last one is that of all parts. */
struct share_search {
    double share[PARTS + 1], loss[PARTS + 1];
    double apart; /* of the best share */
};

static void share_search_try(struct share_search *search, struct study *study, double share)
{
    study_find_works(study, share);
    const struct spread spread = study_spread(study, study->work);
    for (int part = 0; part <= PARTS; part++) {
        double loss = spread_relative(&spread, spread.loss, part);
        if (loss < search->loss[part] * (1 - better_by)) {
            search->loss[part] = loss;
            search->share[part] = share;
            if (part == PARTS)
                search->apart = spread_apart(&spread);
        }
    }
}

/* How far the slowdowns of comparable visits would be apart if the class needed the whole
 * bandwidth. Small if the other ranks compute for the same part of the time of all of them. */
static double study_contrast(struct study *study)
{
    study_find_works(study, 1);
    for (size_t v = 0; v < study->count; v++)
        study->work[v] = study->work[v] > 0 ? study->length[v] / study->work[v] : 1;
    const struct spread spread = study_spread(study, study->work);
    return spread_apart(&spread);
}

/* Half the width of the jackknife's interval, at least half a step between shares. */
static double half_width(const struct share_search *search)
{
    const double half_step = 0.5 / COARSE / FINE;
    double mean = 0, squares = 0;
    for (int part = 0; part < PARTS; part++)
        mean += search->share[part] / PARTS;
    for (int part = 0; part < PARTS; part++)
        squares += (search->share[part] - mean) * (search->share[part] - mean);
    double half = student_t * sqrt(squares * (PARTS - 1) / PARTS);
    return half < half_step ? half_step : half;
}

static struct share_estimate study_estimate(struct study *study)
{
    struct share_search search = {.apart = 0};
    for (int part = 0; part <= PARTS; part++)
        search.loss[part] = INFINITY;
    for (int i = 0; i <= COARSE; i++)
        share_search_try(&search, study, (double)i / COARSE);
    double center = search.share[PARTS];
    for (int i = -FINE; i <= FINE; i++) {
        double share = center + (double)i / COARSE / FINE;
        if (share >= 0 && share <= 1)
            share_search_try(&search, study, share);
    }
    const double half = half_width(&search), share = search.share[PARTS];
    const struct spread recorded = study_spread(study, study->length);
    return (struct share_estimate){.share = share,
                                   .low = share > half ? share - half : 0,
                                   .high = share + half < 1 ? share + half : 1,
                                   .visits = study->count,
                                   .apart = spread_apart(&recorded),
                                   .apart_left = search.apart};
}

/* Whether the visits of the class can show its share. */
static struct share_verdict study_check_visits(struct study *study, uint32_t class)
{
    size_t comparable = 0;
    for (size_t begin = 0, end; begin < study->count; begin = end) {
        end = group_end(study, begin);
        if (end - begin >= GROUP_VISITS_LEAST)
            comparable += end - begin;
    }
    if (comparable < VISITS_LEAST)
        return (struct share_verdict){SHARE_FEW_VISITS, class, (double)comparable};
    const double contrast = study_contrast(study);
    if (contrast < contrast_least)
        return (struct share_verdict){SHARE_NO_CONTRAST, class, contrast};
    return (struct share_verdict){SHARE_FOUND, class, 0};
}

static struct share_verdict check_width(const struct share_estimate *estimate, uint32_t class)
{
    const double width = estimate->high - estimate->low;
    if (estimate->share > 0 && width > width_most)
        return (struct share_verdict){SHARE_UNCERTAIN, class, width};
    return (struct share_verdict){SHARE_FOUND, class, 0};
}

/* Estimates the share of one class with the current shares of the others. */
static struct share_verdict study_class(struct study *study, uint32_t class, double *shares,
                                        struct share_estimate *estimate)
{
    for (size_t p = 0; p < study->observed->count; p++)
        study->pieces[p].share =
            share_of_threads(study, p, shares[study->observed->pieces[p].class]);
    study_choose(study, class);
    const struct share_verdict verdict = study_check_visits(study, class);
    if (verdict.obstacle == SHARE_FOUND) {
        *estimate = study_estimate(study);
        shares[class] = estimate->share;
    }
    return verdict;
}

static void study_close(struct study *study)
{
    fluid_history_destroy(study->history);
    free(study->pieces);
    free(study->first);
    free(study->works);
    free(study->visit_of);
    free(study->visits);
    free(study->work);
    free(study->length);
    free(study->sorted);
}

/* On failure nothing is left to free. */
static enum status study_open(struct study *study, const struct observed_pieces *observed,
                              struct error *error)
{
    const size_t count = observed->count, ranks = observed->rank_count;
    *study = (struct study){
        .observed = observed,
        .pieces = malloc((count + 1) * sizeof *study->pieces),
        .first = calloc(ranks + 1, sizeof *study->first),
        .works = malloc((count + 1) * sizeof *study->works),
        .visit_of = malloc((count + 1) * sizeof *study->visit_of),
        .visits = malloc((count + 1) * sizeof *study->visits),
        .work = malloc((count + 1) * sizeof *study->work),
        .length = malloc((count + 1) * sizeof *study->length),
        .sorted = malloc((count + 1) * sizeof *study->sorted),
    };
    study->fluid = (struct fluid){.pieces = study->pieces,
                                  .first = study->first,
                                  .domains = observed->domains,
                                  .rank_count = observed->rank_count,
                                  .domain_count = observed->domain_count};
    bool allocated = study->pieces && study->first && study->works && study->visit_of &&
                     study->visits && study->work && study->length && study->sorted;
    for (size_t p = 0; p < count && allocated; p++) {
        const struct observed_piece *piece = &observed->pieces[p];
        assert(piece->rank < ranks && (p == 0 || piece->rank >= piece[-1].rank));
        study->pieces[p] = (struct fluid_piece){.begin = piece->begin, .length = piece->length};
        study->first[piece->rank + 1]++;
    }
    for (size_t rank = 0; rank < ranks && allocated; rank++)
        study->first[rank + 1] += study->first[rank];
    enum status status = allocated ? fluid_history_create(&study->fluid, &study->history, error)
                                   : error_memory(error, "the shares of bandwidth");
    if (status != STATUS_OK)
        study_close(study);
    return status;
}

enum status shares_estimate(const struct observed_pieces *observed, size_t class_count,
                            const bool *wanted, double *shares, struct share_estimate *estimates,
                            struct share_verdict *verdict, struct error *error)
{
    assert(class_count > 0);
    struct study study;
    size_t wanted_count = 0;
    *verdict = (struct share_verdict){SHARE_FOUND, 0, 0};
    enum status status = study_open(&study, observed, error);
    if (status != STATUS_OK)
        return status;
    for (size_t c = 0; c < class_count; c++) {
        wanted_count += wanted[c];
        if (wanted[c])
            shares[c] = 0;
    }
    const int rounds = wanted_count > 1 ? ROUNDS : 1;
    for (int round = 0; round < rounds; round++)
        for (uint32_t c = 0; c < class_count && verdict->obstacle == SHARE_FOUND; c++) {
            if (!wanted[c])
                continue;
            *verdict = study_class(&study, c, shares, &estimates[c]);
            if (verdict->obstacle == SHARE_FOUND && round + 1 == rounds)
                *verdict = check_width(&estimates[c], c);
        }
    study_close(&study);
    return STATUS_OK;
}
