#include "job/report_details.h"

#include "results/efficiency/measure.h"
#include "job/timeline_runs.h"
#include "live/data.h"
#include "replay/model/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 50, ITERATION_ROWS = 200 };

/* Collective. `before` may be NULL. Iterations are found only if time lines show them, because that
 * may take ten times as long as everything else. */
static enum status find_efficiencies(const struct trace *before, const struct trace *after,
                                     bool iterations, struct found_details *found,
                                     struct error *error)
{
    const struct pop_options options = {.regions = true,
                                        .iterations = iterations,
                                        .iteration_rows = ITERATION_ROWS,
                                        .windows = WINDOWS};
    struct report_details *details = &found->details;
    found->arena = arena_create();
    enum status status =
        processes_agree_memory(after->processes, found->arena != NULL, "the efficiencies", error);
    if (status == STATUS_OK && before)
        status = pop_measure(before, &options, found->arena, &details->pop_before, error);
    status = status ?: pop_measure(after, &options, found->arena, &details->pop_after, error);
    return status;
}

enum status report_details_find(const struct trace *before, const struct trace *after,
                                unsigned wants, struct found_details *found, struct error *error)
{
    enum status status = STATUS_OK;
    assert(after);
    memset(found, 0, sizeof *found);
    if (wants & REPORT_WANTS_TIMELINES)
        status = timeline_runs_make(before, after, &found->timelines,
                                    &found->details.timelines_size, error);
    found->details.timelines = found->timelines;
    if (status == STATUS_OK && (wants & REPORT_WANTS_POP))
        status = find_efficiencies(before, after, wants & REPORT_WANTS_TIMELINES, found, error);
    if (status != STATUS_OK)
        report_details_clear(found);
    return status;
}

enum status report_details_add_live(const struct trace *original, const struct trace *changed,
                                    const struct replay_config *config, unsigned wants,
                                    struct found_details *found, struct error *error)
{
    struct report_details *details = &found->details;
    if (!(wants & REPORT_WANTS_LIVE))
        return STATUS_OK;
    char *text = NULL;
    const struct engine_setup setup =
        config ? replay_config_setup(config, &engine_model) : (struct engine_setup){0};
    if (config)
        text = ini_text(config->ini);
    else if (asprintf(&text, "[trace]\npath = %s\n", original->path) < 0)
        text = NULL;
    enum status status =
        processes_agree_memory(original->processes, text != NULL, "the page", error)
            ?: live_data_make(original, changed, &setup, text, &found->live, &details->live_size,
                              error);
    free(text);
    details->live = found->live;
    details->live_module = live_module_text();
    if (status != STATUS_OK)
        report_details_clear(found);
    return status;
}

void report_details_clear(struct found_details *found)
{
    free(found->timelines);
    free(found->live);
    arena_destroy(found->arena);
    memset(found, 0, sizeof *found);
}
