/* Regions in which ranks compute for different times. Let c[r, k] be the computation of rank r in
 * its k-th visit of the region, and C[r] the sum over k:
 *
 *   in total         the sums differ: G = max over r of C[r] - mean over r of C[r]
 *   visit by visit   the visits differ, even if the sums are equal:
 *                    U = sum over k of (max over r of c[r, k] - mean over r of c[r, k])
 *
 * U is also large if a few visits were slow because the machine was disturbed, which would not
 * happen again. So U only counts if the typical visit, by the median, is uneven, too. Otherwise the
 * advice is to find the disturbance. */
#include "advise/candidates/families.h"
#include "base/sort.h"
#include "patterns/explain.h"

#include <stdlib.h>

enum {
    REGIONS_MOST = 60, /* with the most computation; each needs an exchange between processes */
    VISITS_FEW = 20,   /* too few to tell disturbed visits from typical ones */
};
static const double TYPICAL_PART = 0.25;  /* of U that the typical visit must explain */
static const double MORE_BY_VISITS = 1.1; /* U above G by less is the imbalance in total */

struct busy_region {
    uint32_t region;
    int64_t computation;
};

ORDER_BY(order_by_computation, struct busy_region, DESCENDING(computation) ?: ASCENDING(region))

/* Finds the regions that could matter, those with most computation first. Returns their number. */
static size_t find_busy_regions(const struct facts *facts, struct busy_region *busy)
{
    size_t count = 0;
    for (uint32_t r = 0; r < facts->trace->definitions->region_count; r++) {
        const struct region_facts *of = &facts->regions[r];
        if (of->ranks > 1 && region_is_program(facts->trace, r) &&
            facts_matters(facts, of->computation / of->ranks))
            busy[count++] = (struct busy_region){r, of->computation};
    }
    if (count)
        qsort(busy, count, sizeof *busy, order_by_computation);
    return count < REGIONS_MOST ? count : REGIONS_MOST;
}

static void add_imbalance(const struct facts *facts, struct candidate_list *list, uint32_t region)
{
    const struct region_facts *of = &facts->regions[region];
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    const double mean = (double)of->computation / of->ranks;
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "imbalance",
            .effort = EFFORT_LARGE,
            .cause = candidate_text(list, "balance %u", region),
            .sections = candidate_text(list, "[balance work]\nregion = %s\n", value),
            .change = candidate_text(list,
                                     "Balance %s among the ranks: the slowest rank "
                                     "computes %.0f %% longer in it than the mean.",
                                     name, 100 * ((double)of->longest / mean - 1)),
            .check = "The work must be divisible, and moving it may need more messages.",
            .narrows = true,
        });
}

static void add_imbalance_by_visits(const struct facts *facts, struct candidate_list *list,
                                    uint32_t region)
{
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "imbalance-by-visits",
            .effort = EFFORT_LARGE,
            .cause = candidate_text(list, "balance %u", region),
            .sections =
                candidate_text(list, "[balance work]\nregion = %s\nmode = instance\n", value),
            .change = candidate_text(list,
                                     "Balance %s within each visit: the slowest rank changes from "
                                     "visit to visit, so balancing the totals does not help.",
                                     name),
            .check = "Divide the work anew in each visit, or do not synchronise the ranks after "
                     "each visit.",
            .narrows = true,
        });
}

static void add_noise(const struct facts *facts, struct candidate_list *list, uint32_t region)
{
    const char *name = candidate_region(list, facts->trace, region);
    candidate_add(list, (struct advice_candidate){
                            .kind = "noise",
                            .effort = EFFORT_SMALL,
                            .path = CALLPATH_NONE,
                            .region = INDEX_NONE,
                            .ranks = facts->trace->rank_count,
                            .cause = "noise",
                            .sections = "[variation noise]\nremove = noise\n",
                            .change = candidate_text(list,
                                                     "Find what disturbs the ranks: a few visits "
                                                     "of %s take much longer than the others.",
                                                     name),
                            .check = "Possible reasons: other programs, services of the system, "
                                     "ranks that share a core, or more work in these visits.",
                        });
}

/* Adds the candidates of a region. */
static void add_uneven_region(const struct facts *facts, struct candidate_list *list,
                              uint32_t region, const struct unevenness *uneven, bool repeats)
{
    const struct region_facts *of = &facts->regions[region];
    const double total = (double)of->longest - (double)of->computation / of->ranks;
    if (facts_matters(facts, (int64_t)total))
        add_imbalance(facts, list, region);
    if (uneven->visits >= 2 && repeats && uneven->by_visits >= MORE_BY_VISITS * total &&
        facts_matters(facts, (int64_t)uneven->by_visits))
        add_imbalance_by_visits(facts, list, region);
}

static enum status propose_imbalance(const struct facts *facts, struct candidate_list *list,
                                     struct error *error)
{
    struct busy_region *busy = calloc(facts->trace->definitions->region_count + 1ul, sizeof *busy);
    uint32_t disturbed = INDEX_NONE;
    double most = 0; /* ticks that disturbed visits of this region cost */
    enum status status =
        processes_agree_memory(facts->trace->processes, busy != NULL, "the advice", error);
    size_t count = status == STATUS_OK ? find_busy_regions(facts, busy) : 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct unevenness uneven = {0};
        status = region_unevenness(facts->trace, busy[i].region, &uneven, error);
        const bool repeats =
            uneven.visits < VISITS_FEW || uneven.typical >= TYPICAL_PART * uneven.by_visits;
        if (status == STATUS_OK)
            add_uneven_region(facts, list, busy[i].region, &uneven, repeats);
        if (!repeats && uneven.by_visits > most) {
            most = uneven.by_visits;
            disturbed = busy[i].region;
        }
    }
    free(busy);
    if (status == STATUS_OK && facts_matters(facts, (int64_t)most))
        add_noise(facts, list, disturbed);
    return status;
}

const struct candidate_family candidates_imbalance = {
    .name = "imbalance",
    .description = "computation that takes different times on the ranks",
    .propose = propose_imbalance,
};
