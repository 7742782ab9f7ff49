/* Compares the placement of a replay with that of the recording: which ranks share a host. The
 * names of the hosts do not matter. */
#include "sweep/queue/queue.h"

#include "base/plural.h"

#include <stdlib.h>

/* This rank if it shares its host with other ranks than in the recording, otherwise the number of
 * ranks. Not collective. */
static int64_t moved_rank(const struct processes *processes, const uint32_t *lowest)
{
    return lowest[processes->rank] == (uint32_t)processes->host ? processes->size : processes->rank;
}

static uint32_t count_recorded_hosts(const uint32_t *lowest, uint32_t ranks)
{
    uint32_t hosts = 0;
    for (uint32_t i = 0; i < ranks; i++)
        hosts += lowest[i] == i;
    return hosts;
}

/* Collective. Fails if the placement differs. `lowest`: of the recording, [rank] the lowest rank on
 * the same host. */
static enum status check_hosts(const struct trace *trace, const uint32_t *lowest,
                               struct error *error)
{
    const struct processes *processes = trace->processes;
    int64_t moved = moved_rank(processes, lowest), hosts = processes->host == processes->rank;
    processes_min(processes, &moved, 1);
    processes_sum(processes, &hosts, 1);
    if (moved == processes->size)
        return STATUS_OK;
    const uint32_t recorded = count_recorded_hosts(lowest, trace->rank_count);
    return error_set(error, STATUS_ENVIRONMENT,
                     "the ranks were recorded on %u host%s, and run on %lld here; rank %lld is the "
                     "first that shares its host with other ranks than in the recording. Change "
                     "the job (srun --distribution, [slurm] nodes), or set placement = any in "
                     "[launcher]: the result is then for this placement",
                     recorded, plural(recorded), (long long)hosts, (long long)moved);
}

/* Sets `*required` if the placement matters: the sweep is on a queue, as its script shows, and the
 * user has not allowed another placement. */
static enum status requires_placement(const struct sweep_folder *folder, bool *required,
                                      struct error *error)
{
    struct queue_launcher launcher = {0};
    const bool by_slurm = sweep_folder_has(folder, launcher_script(QUEUE_SLURM));
    *required = false;
    if (!by_slurm && !sweep_folder_has(folder, launcher_script(QUEUE_LAUNCHER)))
        return STATUS_OK;
    enum status status =
        launcher_read(folder->sweep, by_slurm ? QUEUE_SLURM : QUEUE_LAUNCHER, &launcher, error);
    *required = launcher.placement == PLACEMENT_RECORDED;
    return status;
}

enum status queue_check_placement(const struct sweep_folder *folder, const struct trace *trace,
                                  struct error *error)
{
    const struct processes *processes = trace->processes;
    bool required = false;
    int known = 0;
    enum status status =
        processes_agree(processes, requires_placement(folder, &required, error), error);
    if (status != STATUS_OK || !required || (uint32_t)processes->size != trace->rank_count)
        return status;
    uint32_t *lowest = calloc((size_t)trace->rank_count + 1, sizeof *lowest);
    if (lowest)
        known = definitions_placement(trace->definitions, lowest);
    status = processes_agree_memory(processes, lowest != NULL && known >= 0,
                                    "the placement of ranks", error);
    if (status == STATUS_OK && known > 0)
        status = check_hosts(trace, lowest, error);
    free(lowest);
    return status;
}
