#include "job/pace_check.h"

#include "base/log.h"
#include "replay/memory/memory.h"
#include "base/names.h"
#include "base/otf2_attributes.h"
#include "base/sort.h"
#include "trace/environment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The check looks at each visit some hundred times. Longer traces are not checked: before a replay
 * in real time it may take half a second, before a computed prediction a tenth of that. */
static const int64_t MOST_EVENTS_REPLAYED = 200000, MOST_EVENTS_COMPUTED = 20000;
/* Sharing must explain a third of the differences between similar visits, and these must matter. */
static const double EXPLAINED = 0.67, LEAST_APART = 0.01;

static bool changes_computation(const struct hypothesis *hypothesis)
{
    return hypothesis->kind->subject == SUBJECT_COMPUTATION &&
           callpath_marks_wanted(hypothesis->section);
}

/* The largest number of ranks on one host; 0 if out of memory. */
static uint32_t most_ranks_of_host(const struct trace *trace)
{
    uint32_t most = 0;
    uint32_t *hosts = malloc((trace->rank_count + 1ul) * sizeof *hosts);
    uint32_t *ranks = calloc(trace->rank_count + 1ul, sizeof *ranks);
    if (hosts && ranks && environment_number_hosts(trace, hosts))
        for (uint32_t rank = 0; rank < trace->rank_count; rank++)
            most = ++ranks[hosts[rank]] > most ? ranks[hosts[rank]] : most;
    free(hosts);
    free(ranks);
    return most;
}

static void warn_of_pace(const struct ini_section *section, const char *region,
                         const struct share_estimate *estimate)
{
    char title[100];
    section_title(section, title, sizeof title);
    log_warning(
        "[%s]: %s takes longer while other ranks compute, as if each rank needed %.0f %% (%.0f .. "
        "%.0f) of the bandwidth of memory; after the change, other ranks compute at other times. "
        "To take this into account, add \"[memory pace] region = %s\" to the configuration",
        title, region, 100 * estimate->share, 100 * estimate->low, 100 * estimate->high, region);
}

/* Computation of a region itself in the calls that a hypothesis changes. */
struct inner_region {
    uint32_t region;
    int64_t ticks; /* of all ranks */
};

ORDER_BY(order_by_ticks, struct inner_region, DESCENDING(ticks) ?: ASCENDING(region))

/* Collective. The regions of the program with most computation in the calls that the section
 * chooses. Returns their number, at most `most`; -1 if out of memory, or if it chooses none. */
static int find_inner_regions(const struct trace *trace, const struct ini_section *section,
                              struct inner_region *found, int most)
{
    struct callpath_marks marks = {0};
    struct error unread;
    const uint32_t count = trace->definitions->region_count;
    int64_t *ticks = calloc(count + 1ul, sizeof *ticks);
    struct inner_region *all = calloc(count + 1ul, sizeof *all);
    int kept = -1;
    int64_t fails = !ticks || !all || callpath_marks_create(section, trace, &marks, &unread);
    processes_max(trace->processes, &fails, 1);
    for (uint32_t s = 0; s < trace->owned_count && !fails; s++) {
        const struct stream *stream = &trace->streams[s];
        uint32_t path = CALLPATH_NONE;
        for (uint32_t row = 0; row < stream->count; row++) {
            if (row > 0 && marks_computes(&marks, path, CALLPATH_INSIDE))
                ticks[trace->calltree.paths.items[path].region] +=
                    (int64_t)(stream->time[row] - stream->time[row - 1]);
            path = callpath_after(&trace->calltree, stream, row, path);
        }
    }
    if (!fails) {
        processes_sum(trace->processes, ticks, count);
        for (uint32_t r = 0; r < count; r++)
            all[r] = (struct inner_region){r, ticks[r]};
        qsort(all, count, sizeof *all, order_by_ticks);
        for (kept = 0; kept < most && kept < (int)count && all[kept].ticks > 0; kept++)
            found[kept] = all[kept];
    }
    callpath_marks_clear(&marks);
    free(ticks);
    free(all);
    return kept;
}

/* Collective. Warns if visits of a region share bandwidth. `*shared`: they do. */
static enum status check_region(const struct replay_session *session,
                                const struct ini_section *section, uint32_t region,
                                uint32_t neighbours, bool *shared, struct error *error)
{
    struct ini *ini = NULL;
    struct memory_config *config = NULL;
    struct memory *memory = NULL;
    char *text = NULL;
    char *pattern = name_to_pattern(session->original->definitions->regions[region].name);
    enum status status = pattern && asprintf(&text, "[memory pace]\nregion = %s\n", pattern) >= 0
                             ? ini_parse_text("pace", text, strlen(text), &ini, error)
                             : error_memory(error, "the check of the pace");
    status = processes_agree(session->processes, status, error);
    if (status == STATUS_OK)
        status = memory_config_read(ini, &config, error)
                     ?: memory_open(config, session->original, &memory, error);
    if (status == STATUS_OK) {
        const struct share_estimate *estimate = &memory->classes[0].estimate;
        *shared = estimate->low * neighbours > 1 && estimate->apart >= LEAST_APART &&
                  estimate->apart_left <= EXPLAINED * estimate->apart;
        if (*shared)
            warn_of_pace(section, pattern, estimate);
    }
    memory_close(memory);
    ini_destroy(ini);
    free(text);
    free(pattern);
    return status == STATUS_INPUT ? STATUS_OK : status; /* the recording does not show a share */
}

/* Collective. */
static enum status check_section(const struct replay_session *session,
                                 const struct ini_section *section, uint32_t neighbours,
                                 struct error *error)
{
    enum { MOST_REGIONS = 3 };
    struct inner_region regions[MOST_REGIONS];
    const int count = find_inner_regions(session->original, section, regions, MOST_REGIONS);
    enum status status = STATUS_OK;
    bool shared = false;
    for (int i = 0; i < count && status == STATUS_OK && !shared; i++)
        status = check_region(session, section, regions[i].region, neighbours, &shared, error);
    return status;
}

/* Whether there is something to check, and in reasonable time. */
static bool is_worth_checking(const struct replay_config *config, const struct trace *trace)
{
    size_t wanted = 0;
    for (size_t i = 0; i < config->hypothesis_count; i++)
        wanted += changes_computation(&config->hypotheses[i]);
    return wanted > 0 && !config->memory &&
           !definitions_property(trace->definitions, SILAS_PROPERTY_ASSUMED) &&
           trace_count_events(trace) <=
               (config->engine->computes ? MOST_EVENTS_COMPUTED : MOST_EVENTS_REPLAYED);
}

enum status pace_check(const struct replay_session *session, struct error *error)
{
    assert(session->original);
    const struct replay_config *config = session->config;
    const struct trace *trace = session->original;
    if (!is_worth_checking(config, trace))
        return STATUS_OK;
    const uint32_t neighbours = most_ranks_of_host(trace);
    enum status status =
        processes_agree_memory(trace->processes, neighbours > 0, "the check of the pace", error);
    for (size_t i = 0; i < config->hypothesis_count && status == STATUS_OK && neighbours > 1; i++)
        if (changes_computation(&config->hypotheses[i]))
            status = check_section(session, config->hypotheses[i].section, neighbours, error);
    return status;
}
