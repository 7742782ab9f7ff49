/* Work that only some ranks do, or that each does at other times, while others wait for them. It
 * cannot be balanced between those that do it; it would have to be shared by all, done elsewhere or
 * left out. The hypothesis takes it away, which is the most that any of these can bring.
 *
 * That a region runs on some ranks only proves nothing: producers produce, and consumers consume.
 * It is extra work if
 *   - the ranks that execute it have more to do altogether than the others, and at least half of
 *     what they do in it is this excess; or
 *   - more than half of the ranks execute it, in different numbers of visits, and what others wait
 *     for it is at least half of the time in it: whoever is there works alone. */
#include "advise/candidates/families.h"

static const double half = 0.5;

/* The excess of the ranks that execute the region over the others, per rank and in ticks. */
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
    if (of->ranks < ranks && excess(facts, of) >= half * (double)of->computation / of->ranks)
        return true;
    return 2 * of->ranks > ranks && of->ranks > 1 &&
           (of->ranks < ranks || of->least_visits != of->most_visits) &&
           (double)of->delay >= half * (double)of->computation &&
           2 * of->computation < facts->computation;
}

static bool add(const struct facts *facts, struct candidate_list *list, uint32_t region)
{
    const struct region_facts *of = &facts->regions[region];
    const char *name = candidate_region(list, facts->trace, region);
    const bool some = of->ranks < facts->trace->rank_count;
    return name &&
           candidate_add(
               list,
               (struct candidate){
                   .kind = "extra-work",
                   .effort = EFFORT_LARGE,
                   .path = CALLPATH_NONE,
                   .region = region,
                   .ranks = of->ranks,
                   .cause = candidate_text(list, "extra %u", region),
                   .sections =
                       candidate_text(list, "[scale work]\nregion = %s\nfactor = 0\n", name),
                   .least =
                       candidate_text(list, "[scale work]\nregion = %s\nfactor = %g\n", name,
                                      some ? (double)of->ranks / facts->trace->rank_count : half),
                   .change =
                       some ? candidate_text(list,
                                             "Do without %s on the critical path: %u of %u ranks "
                                             "execute it, and others wait for them. Share it "
                                             "between all ranks, do it where nobody waits, or "
                                             "leave it out.",
                                             name, of->ranks, facts->trace->rank_count)
                            : candidate_text(list,
                                             "Do without %s on the critical path: ranks execute "
                                             "it at different times, and others wait for them. "
                                             "Share it between the ranks, do it where nobody "
                                             "waits, or leave it out.",
                                             name),
                   .check = "The saving is that of leaving it out; its lower end, that of sharing "
                            "it evenly.",
                   .narrows = true,
               });
}

static enum status propose(const struct facts *facts, struct candidate_list *list,
                           struct error *error)
{
    bool complete = true;
    for (uint32_t r = 0; r < facts->trace->definitions->region_count && complete; r++)
        if (region_is_own(facts->trace, r) && is_extra(facts, &facts->regions[r]))
            complete = add(facts, list, r);
    return complete ? STATUS_OK : error_memory(error, "the advice");
}

const struct candidate_family candidates_extra_work = {
    .name = "extra work",
    .description = "work of some ranks for which others wait",
    .propose = propose,
};
