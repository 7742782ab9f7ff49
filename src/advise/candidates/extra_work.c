/* Work that only some ranks do, or that the ranks do at different times, while other ranks wait for
 * them. It cannot be balanced between the ranks that do it; it has to be shared by all ranks, done
 * elsewhere, or avoided. The hypothesis removes it, which is the largest saving of these changes.
 *
 * It is not enough that some ranks do not execute a region: they may do other work meanwhile. The
 * region is extra work if
 *   - the ranks that execute it compute more altogether than the others, and this excess is at
 * least half of their work in the region; or
 *   - more than half of the ranks execute it, in different numbers of visits, and other ranks wait
 *     for it at least half of the time that it takes: the rank that executes it works alone. */
#include "advise/candidates/families.h"
#include "trace/threads.h"

static const double EXCESS_PART = 0.5; /* of the work in the region that must be excess */
static const double WAITED_PART =
    0.5; /* of the work in the region that other ranks must wait for */
/* If ranks execute the region at different times, at least one more rank is idle meanwhile. */
static const double SHARED_BY_TWO = 0.5;

/* By how many ticks the ranks that execute the region compute longer than the others, per rank. */
static double excess(const struct facts *facts, const struct region_facts *of)
{
    const double others = (double)(facts->trace->rank_count - of->ranks);
    const double rest = (double)(facts->computation - of->computation_of_executing);
    return (double)of->computation_of_executing / of->ranks - rest / others;
}

static bool is_extra(const struct facts *facts, const struct region_facts *of)
{
    const uint32_t ranks = facts->trace->rank_count;
    if (of->ranks == 0 || !facts_matters(facts, of->delay) ||
        !facts_matters(facts, of->computation / of->ranks))
        return false;
    if (of->ranks < ranks && excess(facts, of) >= EXCESS_PART * (double)of->computation / of->ranks)
        return true;
    return 2 * of->ranks > ranks && of->ranks > 1 &&
           (of->ranks < ranks || of->least_visits != of->most_visits) &&
           (double)of->delay >= WAITED_PART * (double)of->computation &&
           2 * of->computation < facts->computation;
}

/* "Only rank 0 executes check", "Ranks execute check at different times". */
static const char *who_executes(struct candidate_list *list, const struct facts *facts,
                                const struct region_facts *of, const char *name)
{
    const uint32_t ranks = facts->trace->rank_count;
    char rank[RANK_NAME_SIZE];
    if (of->ranks == ranks)
        return candidate_text(list, "The ranks execute %s at different times", name);
    if (of->ranks == 1)
        return candidate_text(list, "Only %s executes %s",
                              rank_name(facts->trace->definitions, of->first_rank, rank), name);
    if (of->last_rank - of->first_rank + 1 == of->ranks)
        return candidate_text(list, "Only ranks %u to %u execute %s", of->first_rank, of->last_rank,
                              name);
    return candidate_text(list, "Only %u of the %u ranks execute %s", of->ranks, ranks, name);
}

static void add_extra_work(const struct facts *facts, struct candidate_list *list, uint32_t region)
{
    const struct region_facts *of = &facts->regions[region];
    const uint32_t ranks = facts->trace->rank_count;
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    const char *who = who_executes(list, facts, of, name);
    const double shared = of->ranks < ranks ? (double)of->ranks / ranks : SHARED_BY_TWO;
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "extra-work",
            .effort = EFFORT_LARGE,
            .cause = candidate_text(list, "extra %u", region),
            .sections = candidate_text(list, "[scale work]\nregion = %s\nfactor = 0\n", value),
            .least =
                candidate_text(list, "[scale work]\nregion = %s\nfactor = %g\n", value, shared),
            .change = candidate_text(list,
                                     "%s, and other ranks wait for it: share the work among "
                                     "all ranks, do it while no rank waits, or avoid it.",
                                     who),
            .check = "The saving is the gain of avoiding this work; the lower end is the gain of "
                     "sharing it evenly.",
            .narrows = true,
        });
}

static enum status propose_extra_work(const struct facts *facts, struct candidate_list *list,
                                      struct error *error)
{
    (void)error;
    for (uint32_t r = 0; r < facts->trace->definitions->region_count; r++)
        if (region_is_program(facts->trace, r) && is_extra(facts, &facts->regions[r]))
            add_extra_work(facts, list, r);
    return STATUS_OK;
}

const struct candidate_family candidates_extra_work = {
    .name = "extra work",
    .description = "work of some ranks for which other ranks wait",
    .propose = propose_extra_work,
};
