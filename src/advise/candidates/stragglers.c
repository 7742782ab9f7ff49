/* Ranks and hosts that are slow whatever they compute, as by a slow processor or other programs,
 * unlike ranks that have more work in one region (imbalance.c): in every region that matters, they
 * compute longer than the other ranks. */
#include "advise/candidates/families.h"
#include "job/slow_ranks.h"
#include "trace/environment.h"
#include "trace/threads.h"

#include <stdlib.h>

static const double REGION_PART = 0.05; /* of all computation, from which a region matters */
static const double LIKE_PART = 0.5;    /* of the mean excess that each region must have */
enum { LEAST_REGIONS = 2 };             /* one slow region may as well have more work */

/* Computation outside regions that are called, in ticks. */
struct slow_share {
    int64_t slow, all;         /* of the slow ranks; of all */
    int64_t slow_ranks, ranks; /* which execute it */
};

/* Adds the rank to all regions of the program. `seen` is zero. */
static void add_rank_shares(const struct trace *trace, const struct stream *stream, bool is_slow,
                            struct slow_share *shares, bool *seen)
{
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        const uint32_t region =
            row > 0 && path != CALLPATH_NONE && !callpath_communicates(trace, path)
                ? path_program_region(trace, path)
                : INDEX_NONE;
        if (region != INDEX_NONE) {
            const int64_t ticks = (int64_t)(stream->time[row] - stream->time[row - 1]);
            shares[region].all += ticks;
            shares[region].slow += is_slow ? ticks : 0;
            shares[region].ranks += !seen[region];
            shares[region].slow_ranks += is_slow && !seen[region];
            seen[region] = true;
        }
        path = callpath_after(&trace->calltree, stream, row, path);
    }
}

/* Whether the slow ranks take longer in each region that matters. Sets `*longer` to their excess
 * over the others, as a fraction. */
static bool is_slow_everywhere(const struct facts *facts, const struct slow_share *shares,
                               double *longer)
{
    const uint32_t regions = facts->trace->definitions->region_count;
    double own = 0, others = 0, least = 1e9;
    uint32_t count = 0;
    for (uint32_t r = 0; r < regions; r++) {
        const struct slow_share *of = &shares[r];
        if ((double)of->all < REGION_PART * (double)facts->computation)
            continue;
        if (of->slow_ranks == 0 || of->ranks == of->slow_ranks)
            return false;
        const double mine = (double)of->slow / (double)of->slow_ranks;
        const double theirs = (double)(of->all - of->slow) / (double)(of->ranks - of->slow_ranks);
        if (theirs <= 0)
            return false;
        least = mine / theirs - 1 < least ? mine / theirs - 1 : least;
        own += mine;
        others += theirs;
        count++;
    }
    *longer = others > 0 ? own / others - 1 : 0;
    return count >= LEAST_REGIONS && least >= LIKE_PART * *longer;
}

static void add_slow_part(const struct facts *facts, struct candidate_list *list,
                          const struct slow_part *part, bool is_host, int64_t ranks, double longer)
{
    const struct trace *trace = facts->trace;
    char rank[RANK_NAME_SIZE];
    const char *who = is_host ? candidate_text(list, "The ranks of host %s compute",
                                               environment_host(trace, part->rank))
                              : candidate_text(list, "R%s computes",
                                               rank_name(trace->definitions, part->rank, rank) + 1);
    char *sections = arena_adopt(list->arena, slow_part_sections(trace, part, is_host));
    candidate_add(
        list, (struct advice_candidate){
                  .kind = "slow-rank",
                  .effort = EFFORT_SMALL,
                  .path = CALLPATH_NONE,
                  .region = INDEX_NONE,
                  .ranks = (uint32_t)ranks,
                  .cause = "slow rank",
                  .sections = candidate_kept_text(list, sections),
                  .change = candidate_text(list,
                                           "%s %.0f %% longer than the others in all regions: run "
                                           "on other cores or another node, before you change "
                                           "how the work is divided.",
                                           who, 100 * longer),
                  .check = "Record again with the ranks in another order. If the same rank is slow "
                           "again, it has more work.",
              });
}

/* Collective. Proposes the part if it is slow everywhere. */
static enum status propose_part(const struct facts *facts, struct candidate_list *list,
                                const struct slow_part *part, bool is_host, struct error *error)
{
    const struct trace *trace = facts->trace;
    const size_t regions = trace->definitions->region_count;
    struct slow_share *shares = calloc(regions + 1, sizeof *shares);
    bool *seen = calloc(regions + 1, sizeof *seen);
    uint32_t *hosts = malloc((trace->rank_count + 1ul) * sizeof *hosts);
    enum status status = processes_agree_memory(
        trace->processes, shares && seen && hosts && environment_number_hosts(trace, hosts),
        "the advice", error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++) {
        const uint32_t rank = trace->streams[s].rank;
        const bool is_slow = is_host ? hosts[rank] == hosts[part->rank] : rank == part->rank;
        for (size_t r = 0; r < regions; r++)
            seen[r] = false;
        add_rank_shares(trace, &trace->streams[s], is_slow, shares, seen);
    }
    if (status == STATUS_OK) {
        double longer;
        int64_t ranks = 0;
        processes_sum(trace->processes, (int64_t *)shares,
                      regions * sizeof *shares / sizeof(int64_t));
        for (size_t r = 0; r < regions; r++)
            ranks = shares[r].slow_ranks > ranks ? shares[r].slow_ranks : ranks;
        if (is_slow_everywhere(facts, shares, &longer))
            add_slow_part(facts, list, part, is_host, ranks, longer);
    }
    free(hosts);
    free(seen);
    free(shares);
    return status;
}

static enum status propose_stragglers(const struct facts *facts, struct candidate_list *list,
                                      struct error *error)
{
    struct slow_ranks parts;
    enum status status = slow_ranks_find(facts->trace, &parts, error);
    if (status == STATUS_OK && parts.host_count > 0 && facts_matters(facts, parts.hosts[0].excess))
        status = propose_part(facts, list, &parts.hosts[0], true, error);
    if (status == STATUS_OK && parts.rank_count > 0 && facts_matters(facts, parts.ranks[0].excess))
        status = propose_part(facts, list, &parts.ranks[0], false, error);
    return status;
}

const struct candidate_family candidates_stragglers = {
    .name = "stragglers",
    .description = "ranks and hosts that are slow whatever they compute",
    .propose = propose_stragglers,
};
