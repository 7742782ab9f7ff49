/* check_rounds TRACE JOURNAL ROUNDS[-at-most] HYPOTHESIS...: replays runs in rounds and prints what
 * came out of them. A hypothesis is the text of sections, with '|' for the end of a line; JOURNAL
 * may be "-". */
#include "base/log.h"
#include "base/mpi/handles.h"
#include "sweep/rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 16 };

static enum status print_result(void *data, size_t run, struct run_result *result,
                                struct error *error)
{
    const struct sweep_run *runs = data;
    (void)error;
    printf("%s: %s, %zu pairs, %zu changes, %zu regions", runs[run].name,
           result->state == RUN_DONE ? "done" : "failed", result->pair_count, result->changes,
           result->regions);
    if (result->message)
        printf(", %s", result->message);
    if (result->pair_count > 0) {
        /* The shortest of each: a busy machine lengthens replays, and never shortens one. */
        double changed_s = result->pairs[0].changed_s;
        double unchanged_s = result->pairs[0].unchanged_s;
        for (size_t i = 1; i < result->pair_count; i++) {
            changed_s = fmin(changed_s, result->pairs[i].changed_s);
            unchanged_s = fmin(unchanged_s, result->pairs[i].unchanged_s);
        }
        printf(", saves %.0f %%", 100 * (1 - changed_s / unchanged_s));
    }
    putchar('\n');
    fflush(stdout);
    return STATUS_OK;
}

static enum status read_config(const char *trace, const char *hypothesis, struct ini **ini,
                               struct error *error)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "[trace]\npath = %s\n[replay]\ntimeout = 20\n%s\n",
                          trace, hypothesis);
    for (char *c = text; *c; c++)
        if (*c == '|')
            *c = '\n';
    return ini_parse_text("check", text, (size_t)length, ini, error);
}

static enum status check(int argc, char **argv, struct processes *processes, struct error *error)
{
    struct sweep_run runs[RUNS_MAX] = {0};
    const struct sweep_run *pointers[RUNS_MAX];
    char names[RUNS_MAX][8];
    struct ini *ini = NULL;
    struct objective objective;
    struct replay_config *config = NULL;
    struct replay_session *base = NULL;
    size_t count = (size_t)argc - 4;
    enum status status = objective_find("T", &objective, error);
    for (size_t i = 0; i < count && i < RUNS_MAX && status == STATUS_OK; i++) {
        snprintf(names[i], sizeof names[i], "r%zu", i + 1);
        runs[i].name = names[i];
        pointers[i] = &runs[i];
        status = read_config(argv[1], argv[4 + i], &runs[i].ini, error);
    }
    if (status == STATUS_OK)
        status = read_config(argv[1], "", &ini, error);
    if (status == STATUS_OK)
        status = replay_config_from_ini(ini, NULL, &config, error);
    if (status == STATUS_OK)
        status = replay_session_open(config, argv[1], processes, &base, error);
    if (status == STATUS_OK) {
        const struct rounds_input input = {.base = base,
                                           .runs = pointers,
                                           .count = count,
                                           .objective = &objective,
                                           .rounds = (size_t)atoi(argv[3]),
                                           .may_stop = strstr(argv[3], "at-most") != NULL,
                                           .seed = 1,
                                           .journal = strcmp(argv[2], "-") == 0 ? NULL : argv[2],
                                           .done = print_result,
                                           .data = runs};
        status = rounds_replay(&input, error);
    }
    replay_session_close(base);
    replay_config_destroy(config);
    for (size_t i = 0; i < RUNS_MAX; i++)
        ini_destroy(runs[i].ini);
    return status;
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error = {STATUS_OK, ""};
    MPI_Init(&argc, &argv);
    enum status status = processes_open(&processes, MPI_COMM_WORLD, &error);
    log_open("check_rounds", processes.rank == 0);
    if (status == STATUS_OK)
        status = check(argc, argv, &processes, &error);
    int code = status == STATUS_OK ? 0 : log_error(&error);
    processes_close(&processes);
    MPI_Finalize();
    return code;
}
