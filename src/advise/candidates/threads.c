/* Changes of parallel regions: loops and regions whose threads wait for the last one, critical
 * sections that threads wait for, and serial parts during which worker threads are idle. */
#include "advise/candidates/families.h"
#include "threads/teams.h"

#include <stdlib.h>

static int64_t thread_count(const struct facts *facts)
{
    return facts->trace->rank_count + facts->workers;
}

static void add_thread_imbalance(const struct facts *facts, struct candidate_list *list,
                                 uint32_t region, bool is_loop)
{
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "thread-imbalance",
            .effort = is_loop ? EFFORT_SMALL : EFFORT_MEDIUM,
            .cause = candidate_text(list, "threads of %u", region),
            .sections = candidate_text(list,
                                       is_loop ? "[threads loop]\nregion = %s\nschedule = dynamic\n"
                                               : "[balance threads]\nregion = %s\n",
                                       value),
            .change = candidate_text(
                list,
                is_loop ? "Use schedule(dynamic) in %s, so that free threads take the next "
                          "iterations: now they wait for the slowest thread."
                        : "Divide the work in %s evenly: its threads wait for the last one.",
                name),
            .check = is_loop ? "Each chunk costs time; a larger chunk costs less, and "
                               "balances less."
                             : "The work must be divisible.",
            .narrows = true,
        });
}

static void add_contended_lock(const struct facts *facts, struct candidate_list *list,
                               uint32_t region)
{
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "contended-lock",
            .effort = EFFORT_MEDIUM,
            .cause = candidate_text(list, "lock %u", region),
            .sections =
                candidate_text(list, "[critical section]\nregion = %s\nremove = yes\n", value),
            .least = candidate_text(list, "[critical section]\nregion = %s\nfactor = 0.5\n", value),
            .change = candidate_text(list,
                                     "Let threads wait less for %s: do less while the lock "
                                     "is held, or use a reduction, an atomic operation or "
                                     "several locks.",
                                     name),
            .check = "The lock protects data that threads share.",
            .narrows = true,
        });
}

static void add_serial_part(const struct facts *facts, struct candidate_list *list, uint32_t region)
{
    const char *name = candidate_region(list, facts->trace, region);
    const char *value = candidate_region_pattern(list, facts->trace, region);
    const int64_t workers = facts->workers / facts->trace->rank_count;
    const double threads = (double)thread_count(facts) / (double)facts->trace->rank_count;
    candidate_add_region(
        list, facts, region,
        (struct advice_candidate){
            .kind = "serial-part",
            .effort = EFFORT_MEDIUM,
            .cause = candidate_text(list, "serial %u", region),
            .sections = candidate_text(
                list, "[scale serial]\nregion = %s\nmode = exclusive\nfactor = %.6g\n", value,
                1 / threads),
            .change = candidate_text(list,
                                     "Run %s in parallel: %lld worker thread%s per rank %s "
                                     "idle while its master computes there.",
                                     name, (long long)workers, workers == 1 ? "" : "s",
                                     workers == 1 ? "is" : "are"),
            .check = "The work must be divisible among threads.",
            .narrows = true,
        });
}

/* Ticks of all threads by region. */
struct region_waits {
    int64_t barrier, lock, idle; /* barrier: in a barrier of this loop or parallel region */
};

/* Adds up the waits of call paths in their regions. */
static void sum_thread_waits(const struct facts *facts, struct region_waits *waits)
{
    const struct trace *trace = facts->trace;
    for (uint32_t path = 0; path < trace->calltree.paths.count; path++) {
        const struct path_facts *of = &facts->paths[path];
        const struct callpath *own = &trace->calltree.paths.items[path];
        const enum omp_construct construct = region_construct(callpath_region(trace, path));
        const bool barrier = construct == OMP_BARRIER || construct == OMP_IMPLICIT_BARRIER;
        if (barrier && own->parent != CALLPATH_NONE)
            waits[trace->calltree.paths.items[own->parent].region].barrier += of->thread_wait;
        else if (!barrier)
            waits[own->region].lock += of->thread_wait;
        if (!callpath_communicates(trace, path))
            waits[own->region].idle += of->idle;
    }
}

static void add_region(const struct facts *facts, struct candidate_list *list, uint32_t region,
                       const struct region_waits *waits)
{
    const struct region *of = &facts->trace->definitions->regions[region];
    const int64_t threads = thread_count(facts);
    if (facts_matters(facts, waits->barrier / threads))
        add_thread_imbalance(facts, list, region, region_construct(of) == OMP_LOOP);
    if (facts_matters(facts, waits->lock / threads))
        add_contended_lock(facts, list, region);
    if (facts_matters(facts, waits->idle / threads) && region_is_program(facts->trace, region) &&
        !region_is_library_call(of))
        add_serial_part(facts, list, region);
}

static enum status propose_threads(const struct facts *facts, struct candidate_list *list,
                                   struct error *error)
{
    const struct trace *trace = facts->trace;
    const uint32_t regions = trace->definitions->region_count;
    if (facts->workers == 0 || trace->rank_count == 0)
        return STATUS_OK;
    struct region_waits *waits = calloc((size_t)regions + 1, sizeof *waits);
    enum status status =
        processes_agree_memory(trace->processes, waits != NULL, "the advice", error);
    if (status == STATUS_OK)
        sum_thread_waits(facts, waits);
    for (uint32_t r = 0; r < regions && status == STATUS_OK; r++)
        add_region(facts, list, r, &waits[r]);
    free(waits);
    return status;
}

const struct candidate_family candidates_threads = {
    .name = "threads",
    .description = "parallel regions: uneven loops, serial parts, contended locks",
    .propose = propose_threads,
};
