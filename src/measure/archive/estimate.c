/* Estimates which regions make the archive large, and what a filter would save. */
#include "measure/archive/archive_private.h"
#include "measure/archive/unify.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct region_row {
    const char *name;
    bool filterable; /* a function or region of the program; MPI calls must be recorded */
    uint64_t visits, events;
    double seconds;
};

struct size_estimate {
    struct name_set names;
    ARRAY(struct region_row) rows;
    struct function_symbols *symbols;
    uint64_t events, bytes;
    double longest; /* seconds */
};

static const char *name_of(struct size_estimate *estimate,
                           const struct rank_definitions *definitions,
                           const struct rank_region *region)
{
    struct function_symbol symbol;
    if (region->name)
        return region->name;
    return function_symbols_find(estimate->symbols, rank_object_path(definitions, region),
                                 region->address, &symbol)
               ? symbol.name
               : "unknown";
}

static bool estimate_add_region(struct size_estimate *estimate,
                                const struct rank_definitions *definitions, uint32_t id,
                                double rate)
{
    const struct rank_region *region = &definitions->regions.items[id];
    const struct rank_region_visits *visits = &definitions->visits[id];
    bool added;
    if (visits->events == 0)
        return true;
    const char *name = name_of(estimate, definitions, region);
    uint32_t at = name_set_text(&estimate->names, name, &added);
    if (at == MAP_NONE)
        return false;
    struct region_row row = {estimate->names.items.items[at].data,
                             !region->name || region->paradigm != OTF2_PARADIGM_MPI, 0, 0, 0};
    if (added && !array_push(&estimate->rows, row))
        return false;
    estimate->rows.items[at].visits += visits->visits;
    estimate->rows.items[at].events += visits->events;
    estimate->rows.items[at].seconds += (double)visits->own_ticks / rate;
    return true;
}

static enum status estimate_add_rank(struct size_estimate *estimate,
                                     const struct rank_definitions *definitions,
                                     struct error *error)
{
    double rate = 1e9;
    for (size_t i = 0; i < definitions->locations.count; i++) {
        const struct rank_location *location = &definitions->locations.items[i];
        if (i == 0 && record_rate(&location->first, &location->last) > 0)
            rate = record_rate(&location->first, &location->last);
        estimate->events += location->events;
        estimate->bytes += location->bytes;
        double seconds = (double)(location->last_time - location->first_time) / rate;
        if (seconds > estimate->longest)
            estimate->longest = seconds;
    }
    for (uint32_t i = 0; i < definitions->visit_count && i < definitions->regions.count; i++) {
        if (!estimate_add_region(estimate, definitions, i, rate))
            return error_memory(error, "regions");
    }
    return STATUS_OK;
}

static int by_events(const void *left, const void *right)
{
    const struct region_row *a = left, *b = right;
    if (a->events != b->events)
        return a->events < b->events ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* Recording a very short function costs more than the function itself, and the trace shows its time
 * in its caller anyway. */
static bool worth_filtering(const struct region_row *row)
{
    const double short_visit = 1e-6;
    return row->filterable && row->visits && row->seconds / (double)row->visits < short_visit;
}

static void print_estimate(const struct size_estimate *estimate, FILE *output)
{
    enum { MOST_ROWS = 40 };
    double event_bytes = estimate->events ? (double)estimate->bytes / (double)estimate->events : 0;
    uint64_t saved = 0;
    fprintf(output, "archive: %.3f MB, %llu events in %.3f s\n", (double)estimate->bytes * 1e-6,
            (unsigned long long)estimate->events, estimate->longest);
    fprintf(output, "%12s %12s %10s %12s  %s\n", "events", "visits", "MB", "us/visit", "region");
    for (size_t i = 0; i < estimate->rows.count; i++) {
        const struct region_row *row = &estimate->rows.items[i];
        bool filter = worth_filtering(row);
        saved += filter ? row->events : 0;
        if (i >= MOST_ROWS)
            continue;
        fprintf(output, "%12llu %12llu %10.3f %12.3f  %s%s\n", (unsigned long long)row->events,
                (unsigned long long)row->visits, (double)row->events * event_bytes * 1e-6,
                row->visits ? row->seconds / (double)row->visits * 1e6 : 0, row->name,
                filter ? "  (filter)" : "");
    }
    if (estimate->rows.count > MOST_ROWS)
        fprintf(output, "%12s and %zu more\n", "...", estimate->rows.count - MOST_ROWS);
    if (saved)
        fprintf(output,
                "a filter with the functions marked (filter), each shorter than 1 us per visit, "
                "saves %.3f MB of %.3f (%.0f %%)\n",
                (double)saved * event_bytes * 1e-6, (double)estimate->bytes * 1e-6,
                100.0 * (double)saved / (double)estimate->events);
    fflush(output);
}

enum status archive_estimate(const char *directory, uint32_t size, FILE *output,
                             struct error *error)
{
    assert(size > 0);
    struct size_estimate estimate = {.symbols = function_symbols_open()};
    enum status status = STATUS_OK;
    if (!estimate.symbols)
        status = error_memory(error, "the estimate");
    for (uint32_t rank = 0; rank < size && !status; rank++) {
        struct rank_definitions definitions;
        status = rank_definitions_read(directory, rank, &definitions, error);
        if (status)
            break;
        status = estimate_add_rank(&estimate, &definitions, error);
        rank_definitions_free(&definitions);
    }
    if (!status) {
        if (estimate.rows.count)
            qsort(estimate.rows.items, estimate.rows.count, sizeof estimate.rows.items[0],
                  by_events);
        print_estimate(&estimate, output);
        status = archive_remove_tree(record_path(directory, "").text, error);
    }
    free(estimate.rows.items);
    name_set_clear(&estimate.names);
    function_symbols_close(estimate.symbols);
    return status;
}
