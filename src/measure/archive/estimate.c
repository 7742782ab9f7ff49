/* Estimates which regions make the archive large, and what a filter would save. */
#include "measure/archive/archive_private.h"
#include "measure/archive/unify.h"

#include "base/mpi_call.h"

#include <assert.h>
#include <errno.h>
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
    return region_symbols_find(estimate->symbols, definitions, region, &symbol) ? symbol.name
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
                             region->name ? region->paradigm != OTF2_PARADIGM_MPI
                                          : region->call == MPI_CALL_NONE,
                             0, 0, 0};
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
    double event_bytes = estimate->events ? (double)estimate->bytes / (double)estimate->events : 0;
    uint64_t saved = 0;
    fprintf(output, "archive: %.3f MB, %llu events in %.3f s\n", (double)estimate->bytes * 1e-6,
            (unsigned long long)estimate->events, estimate->longest);
    fprintf(output, "%12s %12s %10s %12s  %s\n", "events", "visits", "MB", "us/visit", "region");
    for (size_t i = 0; i < estimate->rows.count; i++) {
        const struct region_row *row = &estimate->rows.items[i];
        bool filter = worth_filtering(row);
        saved += filter ? row->events : 0;
        fprintf(output, "%12llu %12llu %10.3f %12.3f  %s%s\n", (unsigned long long)row->events,
                (unsigned long long)row->visits, (double)row->events * event_bytes * 1e-6,
                row->visits ? row->seconds / (double)row->visits * 1e6 : 0, row->name,
                filter ? "  (filter)" : "");
    }
    if (saved)
        fprintf(output,
                "a filter with the functions marked (filter), each shorter than 1 us per visit, "
                "saves %.3f MB of %.3f (%.0f %%)\n",
                (double)saved * event_bytes * 1e-6, (double)estimate->bytes * 1e-6,
                100.0 * (double)saved / (double)estimate->events);
    fflush(output);
}

/* Writes the names that are worth filtering to a file, if there are any. */
static enum status write_filter(const struct size_estimate *estimate, const char *path,
                                bool *written, struct error *error)
{
    FILE *file = NULL;
    for (size_t i = 0; i < estimate->rows.count; i++) {
        if (!worth_filtering(&estimate->rows.items[i]))
            continue;
        if (!file && !(file = fopen(path, "we")))
            return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path,
                             strerror(errno));
        if (!*written)
            fputs("# Functions shorter than 1 us per visit, most events first: for silas-trace "
                  "--filter.\n",
                  file);
        *written = true;
        fprintf(file, "%s\n", estimate->rows.items[i].name);
    }
    if (file && (ferror(file) | fclose(file)))
        return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    return STATUS_OK;
}

/* Reads ranks from `first` up to, but without, `end`; rows become sorted by their events. */
static enum status estimate_make(const char *directory, uint32_t first, uint32_t end,
                                 struct size_estimate *estimate, struct error *error)
{
    enum status status = STATUS_OK;
    *estimate = (struct size_estimate){.symbols = function_symbols_open()};
    if (!estimate->symbols)
        status = error_memory(error, "the estimate");
    for (uint32_t rank = first; rank < end && !status; rank++) {
        struct rank_definitions definitions;
        status = rank_definitions_read(directory, rank, &definitions, error);
        if (status)
            break;
        status = estimate_add_rank(estimate, &definitions, error);
        rank_definitions_free(&definitions);
    }
    if (estimate->rows.count)
        qsort(estimate->rows.items, estimate->rows.count, sizeof estimate->rows.items[0],
              by_events);
    return status;
}

static void estimate_clear(struct size_estimate *estimate)
{
    free(estimate->rows.items);
    name_set_clear(&estimate->names);
    function_symbols_close(estimate->symbols);
}

enum status archive_estimate(const char *directory, const char *filter, bool *written, FILE *output,
                             struct error *error)
{
    struct size_estimate estimate = {0};
    uint32_t size;
    enum status status = archive_rank_count(directory, &size, error);
    if (!status)
        status = estimate_make(directory, 0, size, &estimate, error);
    *written = false;
    if (!status) {
        print_estimate(&estimate, output);
        status = filter ? write_filter(&estimate, filter, written, error) : STATUS_OK;
    }
    if (!status)
        status = archive_remove_tree(record_path(directory, "").text, error);
    estimate_clear(&estimate);
    return status;
}

void archive_name_costly(const char *directory, uint32_t rank, char *text, size_t size)
{
    assert(size > 0);
    enum { NAMED = 3 };
    struct size_estimate estimate;
    struct error ignored; /* the message that names them is only shorter then */
    size_t used = 0;
    int named = 0;
    text[0] = '\0';
    if (!estimate_make(directory, rank, rank + 1, &estimate, &ignored))
        for (size_t i = 0; i < estimate.rows.count && named < NAMED && used < size; i++) {
            const struct region_row *row = &estimate.rows.items[i];
            const double share = (double)row->events / (double)estimate.events;
            if (row->filterable && share >= 0.01 && ++named)
                used += (size_t)snprintf(text + used, size - used, "%s%s (%.0f %% of its events)",
                                         used ? ", " : "", row->name, 100 * share);
        }
    estimate_clear(&estimate);
}
