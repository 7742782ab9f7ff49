#include "measure/reduce/host_clocks.h"

#include "measure/reduce/clock_exchange.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The comparison at the end counts if it is this time after the one before, in seconds: a short
 * piece would have a wrong slope. */
static const double APART = 0.5;

void host_clock_open(struct host_clock *clock, const char *directory, const char *boot_id,
                     uint32_t rank)
{
    *clock = (struct host_clock){.directory = directory, .rank = rank, .file = -1};
    snprintf(clock->boot_id, sizeof clock->boot_id, "%s", boot_id);
}

void host_clock_close(struct host_clock *clock)
{
    if (clock->file >= 0)
        close(clock->file);
    clock->file = -1;
    free(clock->line.items);
    clock->line = (clock_line){0};
}

/* Reads what MPI_Init and MPI_Finalize have compared so far. */
static enum status read_mpi_comparisons(const struct host_clock *clock, struct clock_point *points,
                                        size_t *count, struct error *error)
{
    struct rank_definitions definitions;
    enum status status = rank_definitions_read(clock->directory, clock->rank, &definitions, error);
    *count = 0;
    if (status)
        return status;
    const clock_line *own = &definitions.clock;
    if (own->count > 0) {
        points[0] = own->items[0];
        points[1] = own->items[own->count - 1];
        *count = own->count > 1 ? 2 : 1;
    }
    rank_definitions_free(&definitions);
    return STATUS_OK;
}

static bool begin_line(struct host_clock *clock, enum status *status, struct error *error)
{
    struct clock_point points[2];
    size_t count = 0;
    if (clock->line.count > 0)
        return true;
    *status = read_mpi_comparisons(clock, points, &count, error);
    if (*status == STATUS_OK && count > 0 && !array_push(&clock->line, points[0]))
        *status = error_memory(error, "the hosts' clocks");
    return *status == STATUS_OK && count > 0;
}

enum status host_clock_update(struct host_clock *clock, struct error *error)
{
    struct clock_point point;
    enum status status = STATUS_OK;
    if (clock->ended || !begin_line(clock, &status, error))
        return status;
    if (clock->file < 0)
        clock->file =
            open(clock_exchange_path(clock->directory, clock->boot_id).text, O_RDONLY | O_CLOEXEC);
    while (clock->file >= 0 && read(clock->file, &point, sizeof point) == sizeof point)
        if (point.time > clock->line.items[clock->line.count - 1].time) {
            clock->compared = true;
            if (!array_push(&clock->line, point))
                return error_memory(error, "the hosts' clocks");
        }
    return STATUS_OK;
}

enum status host_clock_finish(struct host_clock *clock, uint64_t last_time, double own_rate,
                              double rate_of_rank_0, struct error *error)
{
    struct clock_point points[2], last;
    size_t count = 0;
    assert(!clock->ended);
    enum status status = host_clock_update(clock, error);
    if (status == STATUS_OK)
        status = read_mpi_comparisons(clock, points, &count, error);
    clock->ended = true;
    if (status || clock->line.count == 0)
        return status;
    const struct clock_point before = clock->line.items[clock->line.count - 1];
    if (count > 1)
        last = points[1];
    else
        last = clock_line_end(before, last_time, own_rate, rate_of_rank_0);
    const double apart = clock->line.count > 1 ? APART * rate_of_rank_0 : 0;
    if (last.time > before.time && (double)(last.time - before.time) >= apart &&
        !array_push(&clock->line, last))
        return error_memory(error, "the hosts' clocks");
    return STATUS_OK;
}

enum status host_clock_define(const struct host_clock *clock, uint32_t rank, struct error *error)
{
    assert(clock->ended);
    const struct record_path path = record_path_of_rank(clock->directory, rank, "definitions");
    const uint32_t count = (uint32_t)clock->line.count;
    const uint32_t head[] = {DEFINITION_CLOCK_LINE,
                             (uint32_t)(sizeof count + count * sizeof clock->line.items[0]), count};
    FILE *file = fopen(path.text, "abe");
    if (file) {
        fwrite(head, sizeof head, 1, file);
        fwrite(clock->line.items, sizeof clock->line.items[0], count, file);
        if (!(ferror(file) | fclose(file)))
            return STATUS_OK;
    }
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path.text, strerror(errno));
}
