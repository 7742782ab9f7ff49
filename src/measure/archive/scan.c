#include "measure/archive/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets the line through the two clock comparisons. If the second is missing, because the program
 * did not reach its end, the rate of the rank's clock gives the slope. */
static void set_clock(struct scan_rank *rank, const struct rank_definitions *definitions,
                      const struct rank_location *location, double ticks_per_second)
{
    struct scan_clock *clock = &rank->clock;
    size_t count = definitions->offsets.count;
    if (count == 0)
        return;
    const struct rank_clock_offset *offsets = definitions->offsets.items;
    clock->time[0] = offsets[0].time;
    clock->offset[0] = offsets[0].offset;
    if (count > 1) {
        clock->time[1] = offsets[count - 1].time;
        clock->offset[1] = offsets[count - 1].offset;
        return;
    }
    clock->time[1] = location->last_time > clock->time[0] ? location->last_time : clock->time[0];
    clock->offset[1] = clock->offset[0];
    if (clock->offset[0] == 0)
        return;
    double own = record_rate(&location->first, &location->last);
    double later = (double)(clock->time[1] - clock->time[0]);
    clock->offset[1] += own > 0 ? llround(later * (ticks_per_second / own - 1)) : 0;
}

/* Corrects a time as readers of the archive do. */
static uint64_t correct(const struct scan_clock *clock, uint64_t time)
{
    if (clock->time[1] == clock->time[0])
        return time + (uint64_t)clock->offset[0];
    double slope =
        (double)(clock->offset[1] - clock->offset[0]) / (double)(clock->time[1] - clock->time[0]);
    double later = (double)time - (double)clock->time[0];
    return time + (uint64_t)(clock->offset[0] + llround(slope * later));
}

static enum status add_locations(struct archive_scan *scan, uint32_t number,
                                 const struct rank_definitions *definitions, struct error *error)
{
    struct scan_rank *rank = &scan->ranks[number];
    for (uint32_t thread = 0; thread < definitions->locations.count; thread++) {
        const struct rank_location *location = &definitions->locations.items[thread];
        struct scan_location added = {number, thread, location->events};
        if (!array_push(&scan->locations, added))
            return error_memory(error, "locations");
        scan->bytes += location->bytes;
        if (location->events == 0)
            continue;
        uint64_t begin = correct(&rank->clock, location->first_time);
        uint64_t end = correct(&rank->clock, location->last_time);
        if (begin < scan->begin)
            scan->begin = begin;
        if (end > scan->end)
            scan->end = end;
    }
    return STATUS_OK;
}

static enum status add_rank(struct archive_scan *scan, uint32_t number,
                            const struct rank_definitions *definitions, struct error *error)
{
    struct scan_rank *rank = &scan->ranks[number];
    const char *host = definitions->present ? definitions->host : "unknown";
    rank->host = name_set_text(&scan->hosts, host, NULL);
    rank->cpus = strdup(definitions->cpus);
    rank->ended = definitions->ended;
    if (rank->host == MAP_NONE || !rank->cpus)
        return error_memory(error, "ranks");
    if (definitions->locations.count == 0) {
        struct scan_location none = {number, 0, 0};
        return array_push(&scan->locations, none) ? STATUS_OK : error_memory(error, "locations");
    }
    const struct rank_location *master = &definitions->locations.items[0];
    if (scan->first.ticks == 0) {
        scan->first = master->first;
        double rate = definitions->tsc ? record_rate(&master->first, &master->last) : 0;
        scan->ticks_per_second = rate > 0 ? rate : 1e9;
    }
    set_clock(rank, definitions, master, scan->ticks_per_second);
    return add_locations(scan, number, definitions, error);
}

enum status archive_scan_read(struct archive_scan *scan, const char *directory, uint32_t size,
                              struct error *error)
{
    *scan = (struct archive_scan){.size = size, .begin = UINT64_MAX, .ticks_per_second = 1e9};
    scan->ranks = calloc(size, sizeof *scan->ranks);
    if (!scan->ranks) {
        archive_scan_free(scan);
        return error_memory(error, "ranks");
    }
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; rank < size && !status; rank++) {
        struct rank_definitions definitions;
        status = rank_definitions_read(directory, rank, &definitions, error);
        if (status)
            break;
        status = add_rank(scan, rank, &definitions, error);
        rank_definitions_free(&definitions);
    }
    if (scan->begin == UINT64_MAX)
        scan->begin = scan->end = scan->first.ticks;
    if (status)
        archive_scan_free(scan);
    return status;
}

void archive_scan_free(struct archive_scan *scan)
{
    for (uint32_t rank = 0; scan->ranks && rank < scan->size; rank++)
        free(scan->ranks[rank].cpus);
    free(scan->ranks);
    free(scan->locations.items);
    name_set_clear(&scan->hosts);
    *scan = (struct archive_scan){0};
}
