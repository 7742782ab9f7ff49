#include "prediction/from/machine_shown.h"

#include "replay/costs/recorded.h"
#include "replay/engine.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ranks on the first rank's host, if ranks are placed block by block. */
static uint32_t ranks_of_node(const struct platform *platform, uint32_t rank_count)
{
    uint32_t count = 1;
    while (count < rank_count && platform->host[count] == platform->host[0])
        count++;
    return count;
}

static enum status write_machine(const struct platform *platform, uint32_t rank_count,
                                 const char *path, struct error *error)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary)
        return error_set(error, STATUS_INPUT, "%s: the path is too long", path);
    FILE *file = fopen(temporary, "w");
    bool written = file;
    if (file) {
        fprintf(file, "# LogGPS parameters that a recording of %u ranks shows.\n\n[machine]\n",
                rank_count);
        uint32_t ranks = ranks_of_node(platform, rank_count);
        if (ranks < rank_count)
            fprintf(file, "\n[nodes]\nranks = %u\n", ranks);
        bool any = false;
        for (int d = 0; d < DISTANCE_COUNT; d++)
            if (platform->machine.distances[d].known) {
                fputs("\n", file);
                machine_print_distance(&platform->machine, (enum distance)d, file);
                fputs("\n", file);
                any = true;
            }
        if (!any)
            fputs("\n# It has no messages; these are assumed.\n[distance node]\n"
                  "latency = 500 ns\nper_byte = 0.1\n",
                  file);
        written = !ferror(file);
        written = fclose(file) == 0 && written;
    }
    if (written && rename(temporary, path) == 0)
        return STATUS_OK;
    enum status status =
        error_set(error, STATUS_ENVIRONMENT, "%s: cannot be written: %s", path, strerror(errno));
    unlink(temporary);
    return status;
}

enum status machine_shown_write(const struct trace *trace, const char *path, struct error *error)
{
    struct recorded recorded;
    enum status status = recorded_make(trace, NULL, ENGINE_POLL_GAP_S, &recorded, error);
    if (status != STATUS_OK)
        return status;
    if (trace->processes->rank == 0)
        status = write_machine(&recorded.platform, trace->rank_count, path, error);
    recorded_clear(&recorded);
    return processes_agree(trace->processes, status, error);
}
