/* The placement of a replay against that of the recording: which ranks share a host. The names of
 * hosts do not matter. */
#include "sweep/queue/queue.h"

#include "base/log.h"

#include <stdlib.h>
#include <unistd.h>

/* The first rank whose neighbours differ; the number of ranks if none does. Not collective. */
static int64_t first_moved(const struct processes *processes, const uint32_t *lowest)
{
    return lowest[processes->rank] == (uint32_t)processes->host ? processes->size : processes->rank;
}

static uint32_t count_hosts(const uint32_t *lowest, uint32_t ranks)
{
    uint32_t hosts = 0;
    for (uint32_t i = 0; i < ranks; i++)
        hosts += lowest[i] == i;
    return hosts;
}

/* Collective. Compares, with what is known of the recording. */
static enum status compare(const struct trace *trace, const uint32_t *lowest, struct error *error)
{
    const struct processes *processes = trace->processes;
    int64_t moved = first_moved(processes, lowest), hosts = processes->host == processes->rank;
    processes_min(processes, &moved, 1);
    processes_sum(processes, &hosts, 1);
    if (moved == processes->size)
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT,
                     "the ranks were recorded on %u host%s, and run on %lld here; rank %lld is the "
                     "first that shares its host with other ranks than in the recording. Change "
                     "the job (srun --distribution, [slurm] nodes), or say placement = any in "
                     "[launcher]: the result is then for this placement",
                     count_hosts(lowest, trace->rank_count),
                     count_hosts(lowest, trace->rank_count) == 1 ? "" : "s", (long long)hosts,
                     (long long)moved);
}

/* Whether the placement matters: the sweep is on a queue, as its script shows, and the user has not
 * allowed another one. */
static enum status is_required(const struct sweep_folder *folder, bool *required,
                               struct error *error)
{
    char *slurm = sweep_folder_path(folder, "sweep.sbatch");
    char *other = sweep_folder_path(folder, "sweep.sh");
    struct launcher launcher = {0};
    enum status status = slurm && other ? STATUS_OK : error_memory(error, "the placement of ranks");
    bool by_slurm = slurm && access(slurm, F_OK) == 0;
    *required = by_slurm || (other && access(other, F_OK) == 0);
    if (status == STATUS_OK && *required)
        status =
            launcher_read(folder->sweep, by_slurm ? QUEUE_SLURM : QUEUE_LAUNCHER, &launcher, error);
    *required &= launcher.placement == PLACEMENT_RECORDED;
    free(slurm);
    free(other);
    return status;
}

enum status queue_check_placement(const struct sweep_folder *folder, const struct trace *trace,
                                  struct error *error)
{
    const struct processes *processes = trace->processes;
    bool required = false;
    int known = 0;
    enum status status = processes_agree(processes, is_required(folder, &required, error), error);
    if (status != STATUS_OK || !required || (uint32_t)processes->size != trace->rank_count)
        return status;
    uint32_t *lowest = calloc((size_t)trace->rank_count + 1, sizeof *lowest);
    if (lowest)
        known = definitions_placement(trace->definitions, lowest);
    status = processes_agree_memory(processes, lowest != NULL && known >= 0,
                                    "the placement of ranks", error);
    if (status == STATUS_OK && known > 0)
        status = compare(trace, lowest, error);
    free(lowest);
    return status;
}
