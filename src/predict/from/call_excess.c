#include "predict/from/call_excess.h"

#include "predict/hardware.h"
#include "predict/predicted.h"
#include "replay/costs/call_costs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void add_costs(struct excess_of_calls *excess, const struct call_costs *costs)
{
    for (size_t c = 0; c < costs->list.count; c++)
        excess->calls[c].ticks += costs->costs[c];
}

/* The machine knows nothing of calls that neither post nor wait: those have a view's length
 * unchanged. */
static void subtract_costs(struct excess_of_calls *excess, const struct call_costs *costs)
{
    for (size_t c = 0; c < costs->list.count; c++) {
        const struct listed_call *call = &costs->list.calls.items[c];
        if (call[1].first_post > call->first_post || call[1].first_wait > call->first_wait)
            excess->calls[c].ticks -= costs->costs[c];
    }
}

static bool open_excess(struct excess_of_calls *excess, const struct call_costs *costs)
{
    size_t ranks = costs->trace->owned_count + 1ul;
    excess->calls = calloc(costs->list.count + 1, sizeof *excess->calls);
    excess->first = malloc(ranks * sizeof *excess->first);
    if (!excess->calls || !excess->first)
        return false;
    memcpy(excess->first, costs->list.first, ranks * sizeof *excess->first);
    for (size_t c = 0; c < costs->list.count; c++)
        excess->calls[c].enter = costs->list.calls.items[c].enter;
    return true;
}

/* Collective. */
static enum status compare_costs(struct call_costs *costs, const char *path,
                                 struct machine *machine, struct excess_of_calls *excess,
                                 struct error *error)
{
    const struct trace *trace = costs->trace;
    struct prediction_outcome outcome = {0};
    struct trace *view = NULL;
    enum status status = call_costs_measure(costs, trace, machine, error);
    if (status != STATUS_OK)
        return status;
    add_costs(excess, costs);
    status = predict_view(trace, path, &view, &outcome, error);
    machine->limit_is_assumed = true; /* as in the prediction */
    if (status == STATUS_OK)
        status = call_costs_measure(costs, view, machine, error);
    if (status == STATUS_OK)
        subtract_costs(excess, costs);
    free(outcome.approximations);
    trace_destroy(view);
    return status;
}

enum status call_excess_measure(const struct trace *trace, const char *path,
                                struct excess_of_calls *excess, struct error *error)
{
    assert(trace->matched && path);
    struct hardware hardware;
    struct call_costs costs;
    *excess = (struct excess_of_calls){0};
    enum status status =
        processes_agree(trace->processes, hardware_load(path, &hardware, error), error)
            ?: call_costs_open(trace, 0, &costs, error);
    if (status != STATUS_OK)
        return status;
    status = processes_agree_memory(trace->processes, open_excess(excess, &costs),
                                    "the costs of calls", error);
    if (status == STATUS_OK)
        status = compare_costs(&costs, path, &hardware.machine, excess, error);
    call_costs_close(&costs);
    if (status != STATUS_OK)
        call_excess_clear(excess);
    return status;
}

void call_excess_clear(struct excess_of_calls *excess)
{
    free(excess->calls);
    free(excess->first);
    *excess = (struct excess_of_calls){0};
}
