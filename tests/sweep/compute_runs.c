/* Computes runs of a sweep without a file of a sweep:
 *
 *     compute_runs WORKERS OBJECTIVE BASE.ini RUN.ini...
 *
 * BASE.ini has no hypotheses; each RUN.ini is the same with some. Prints for each run its number,
 * "done" with T and the objective of both traces to the last bit, changes and regions, or "failed"
 * with the message. There is a hypothesis [die LABEL], which kills the process that applies it. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mpi/handles.h"
#include "sweep/compute.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct die {
    const struct ini_section *section;
};

static const struct ini_key die_keys[] = {INI_KEYS_END};

static enum status die_apply(const void *state, struct trace *trace,
                             struct hypothesis_outcome *outcome, struct error *error)
{
    (void)state;
    (void)trace;
    (void)outcome;
    (void)error;
    raise(SIGKILL);
    return STATUS_OK;
}

static const struct hypothesis_kind hypothesis_die = {
    .name = "die",
    .description = "kill the process",
    .keys = die_keys,
    .state_size = sizeof(struct die),
    .apply = die_apply,
};

static enum status print_run(void *data, size_t run, struct run_result *result, struct error *error)
{
    (void)data;
    (void)error;
    if (result->state == RUN_FAILED) {
        printf("%zu failed %s\n", run, result->message);
    } else {
        const struct run_pair *pair = &result->pairs[0];
        printf("%zu done %.17g %.17g %.17g %.17g %zu %zu\n", run, pair->unchanged_s,
               pair->changed_s, pair->objective_unchanged, pair->objective_changed, result->changes,
               result->regions);
    }
    return STATUS_OK;
}

static enum status compute(char **arguments, size_t count, struct processes *processes,
                           struct error *error)
{
    const struct engine *engine = engine_find("model");
    struct sweep_run *runs = calloc(count + 1, sizeof *runs);
    const struct sweep_run **list = calloc(count + 1, sizeof *list);
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct objective objective;
    enum status status = runs && list ? STATUS_OK : error_memory(error, "the runs");
    if (status == STATUS_OK)
        status = objective_find(arguments[1], &objective, error);
    if (status == STATUS_OK)
        status = replay_config_load(arguments[2], NULL, engine, processes, &config, error);
    for (size_t r = 0; r < count && status == STATUS_OK; r++) {
        list[r] = &runs[r];
        status = ini_load(arguments[3 + r], &runs[r].ini, error);
    }
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &session, error);
    if (status == STATUS_OK) {
        const struct compute_input input = {.base = session,
                                            .runs = list,
                                            .count = count,
                                            .objective = &objective,
                                            .workers = atoi(arguments[0]),
                                            .done = print_run};
        status = compute_runs(&input, error);
    }
    replay_session_close(session);
    replay_config_destroy(config);
    for (size_t r = 0; runs && r < count; r++)
        ini_destroy(runs[r].ini);
    free(runs);
    free(list);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error = {0};
    MPI_Init(&argc, &argv);
    if (argc < 4 || processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK ||
        !hypothesis_list_add(&hypothesis_die))
        return STATUS_USAGE;
    log_open("compute_runs", processes.rank == 0);
    interrupt_install();
    enum status status = compute(argv + 1, (size_t)argc - 4, &processes, &error);
    if (status != STATUS_OK)
        log_error(&error);
    processes_close(&processes);
    MPI_Finalize();
    return (int)status;
}
