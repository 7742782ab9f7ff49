/* Regions in which ranks compute for different times. With c[r, k] the computation of rank r in its
 * k-th visit of the region:
 *
 *   in total         the ranks' sums differ: G = max over r of C[r] - mean of C, C[r] = sum over k
 *   visit by visit   they differ at each visit, also if the sums are equal:
 *                    U = sum over k of (max over r of c[r, k] - mean over r of c[r, k])
 *
 * U is also large if single visits are slow now and then, because the machine has disturbed them;
 * balancing these would not repeat. So U counts only if it is a good part of it that the median
 * visit is so uneven, too. */
#include "advise/candidates/families.h"
#include "base/sort.h"
#include "patterns/explain.h"

#include <stdlib.h>

enum { REGIONS_MOST = 60, VISITS_FEW = 20 };
static const double good_part = 0.25;

struct place {
    uint32_t region;
    int64_t computation;
};

static int most_first(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return ORDER(y->computation, x->computation) ?: ORDER(x->region, y->region);
}

/* Regions that could matter, those with most computation first. */
static size_t find_places(const struct facts *facts, struct place *places)
{
    size_t count = 0;
    for (uint32_t r = 0; r < facts->trace->definitions->region_count; r++) {
        const struct region_facts *of = &facts->regions[r];
        if (of->ranks > 1 && region_is_own(facts->trace, r) &&
            facts_matters(facts, of->computation / of->ranks))
            places[count++] = (struct place){r, of->computation};
    }
    if (count)
        qsort(places, count, sizeof *places, most_first);
    return count < REGIONS_MOST ? count : REGIONS_MOST;
}

static bool add_total(const struct facts *facts, struct candidate_list *list, uint32_t region)
{
    const struct region_facts *of = &facts->regions[region];
    const char *name = candidate_region(list, facts->trace, region);
    const double mean = (double)of->computation / of->ranks;
    return name &&
           candidate_add(
               list,
               (struct candidate){
                   .kind = "imbalance",
                   .effort = EFFORT_LARGE,
                   .path = CALLPATH_NONE,
                   .region = region,
                   .ranks = of->ranks,
                   .cause = candidate_text(list, "balance %u", region),
                   .sections = candidate_text(list, "[balance work]\nregion = %s\n", name),
                   .change = candidate_text(list,
                                            "Give all ranks as much to do in %s: the rank with "
                                            "most computes %.0f %% longer than the mean.",
                                            name, 100 * ((double)of->longest / mean - 1)),
                   .check = "The work must be divisible, and moving it may need further messages.",
                   .narrows = true,
               });
}

static bool add_by_visits(const struct facts *facts, struct candidate_list *list, uint32_t region)
{
    const struct region_facts *of = &facts->regions[region];
    const char *name = candidate_region(list, facts->trace, region);
    return name &&
           candidate_add(
               list,
               (struct candidate){
                   .kind = "imbalance-by-visits",
                   .effort = EFFORT_LARGE,
                   .path = CALLPATH_NONE,
                   .region = region,
                   .ranks = of->ranks,
                   .cause = candidate_text(list, "balance %u", region),
                   .sections =
                       candidate_text(list, "[balance work]\nregion = %s\nmode = instance\n", name),
                   .change = candidate_text(list,
                                            "Let %s take as long on all ranks at each visit: a "
                                            "different rank is slow from visit to visit, so equal "
                                            "sums do not help.",
                                            name),
                   .check = "Work must be divided anew within the visit, or the ranks must not "
                            "wait for each other after each.",
                   .narrows = true,
               });
}

/* False when memory is out. */
static bool add_region(const struct facts *facts, struct candidate_list *list, uint32_t region,
                       const struct unevenness *uneven)
{
    const struct region_facts *of = &facts->regions[region];
    const double total = (double)of->longest - (double)of->computation / of->ranks;
    const bool repeats =
        uneven->visits < VISITS_FEW || uneven->typical >= good_part * uneven->by_visits;
    if (facts_matters(facts, (int64_t)total) && !add_total(facts, list, region))
        return false;
    return uneven->visits < 2 || !repeats || uneven->by_visits < 1.1 * total ||
           !facts_matters(facts, (int64_t)uneven->by_visits) || add_by_visits(facts, list, region);
}

static enum status propose(const struct facts *facts, struct candidate_list *list,
                           struct error *error)
{
    struct place *places = calloc(facts->trace->definitions->region_count + 1ul, sizeof *places);
    bool complete = true;
    enum status status =
        processes_agree_memory(facts->trace->processes, places != NULL, "the advice", error);
    size_t count = status == STATUS_OK ? find_places(facts, places) : 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct unevenness uneven = {0};
        status = region_unevenness(facts->trace, places[i].region, &uneven, error);
        complete =
            complete && status == STATUS_OK && add_region(facts, list, places[i].region, &uneven);
    }
    free(places);
    return status == STATUS_OK && !complete ? error_memory(error, "the advice") : status;
}

const struct candidate_family candidates_imbalance = {
    .name = "imbalance",
    .description = "computation that takes different times on the ranks",
    .propose = propose,
};
