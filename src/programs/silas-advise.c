/* silas-advise: proposes changes of a program, tries them, and ranks them by their savings. */
#include "advise/advice.h"
#include "advise/format.h"
#include "advise/trial.h"
#include "base/memory.h"
#include "base/mpi/job_output.h"
#include "base/mpi/start.h"
#include "job/replay_session.h"
#include "programs/option_values.h"
#include "programs/output_format.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "reduce/assumptions.h"
#include "report/report_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 5, MOST = 100, MOST_ROUNDS = 1000 };

static const char *format_name, *engine_name, *keep_text, *repeat_text, *budget_text, *region,
    *output, *machine;
static enum {
    ENGINE_BY_PROCESSES = -1,
    ENGINE_REALTIME,
    ENGINE_MODEL
} engine = ENGINE_BY_PROCESSES;
static struct advice_options advice_options = {.keep = KEEP};
static bool writes_configs; /* --output is a directory */
static int format;          /* number in format_names */

static bool print_text(const void *advice, FILE *stream)
{
    return advice_write_text(advice, stream);
}

static bool print_json(const void *advice, FILE *stream)
{
    return advice_write_json(advice, stream);
}

static bool print_html(const void *advice, FILE *stream)
{
    return advice_write_html(advice, stream);
}

static const char *const format_names[] = {"text", "json", "html", NULL};
static report_writer *const writers[] = {print_text, print_json, print_html};
static const char *const engines[] = {
    [ENGINE_REALTIME] = "realtime", [ENGINE_MODEL] = "model", NULL};

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text, json or html; default: as OUTPUT ends, or text", &format_name,
     NULL},
    {'o', "output", "OUTPUT",
     "FILE.html, FILE.json or FILE.txt: write the advice there; any other name: also write each\n"
     "configuration into this new directory",
     &output, NULL},
    {'e', "engine", "ENGINE",
     "realtime: replay the best changes; model: only predict them; default: replay if there is "
     "one\n"
     "process per rank",
     &engine_name, NULL},
    {'k', "keep", "NUMBER", "show at most NUMBER proposals; default: 5", &keep_text, NULL},
    {0, "repeat", "ROUNDS", "number of rounds of replays; default: enough for significance",
     &repeat_text, NULL},
    {0, "budget", "SECONDS", "time for all replays together; default: no limit", &budget_text,
     NULL},
    {'r', "region", "NAMES", "only changes at these regions (name patterns, separated by commas)",
     &region, NULL},
    {'m', "machine", "FILE", "costs of messages between and within nodes (from silas-calibrate)",
     &machine, NULL},
    PLUGIN_OPTION,
    {0},
};

static const char *advise_choices(const char *option)
{
    if (option && strcmp(option, "engine") == 0)
        return "realtime model";
    return option && strcmp(option, "format") == 0 ? "text json html" : NULL;
}

static const struct program program = {
    .name = "silas-advise",
    .summary = "Proposes changes of a program, tries them, and ranks them by their savings.",
    .usage = "silas-advise [options] TRACE\nmpirun -np RANKS silas-advise [options] TRACE",
    .details =
        "TRACE is the anchor file of an OTF2 archive, or its directory. The model predicts each\n"
        "change; with one process per rank, the best changes are then replayed with real MPI\n"
        "calls. doc/advice.md explains each kind of advice.",
    .options = options,
    .least = 1,
    .most = 1,
    PLUGIN_PROGRAM,
    .choices = advise_choices,
};

static int check_advise_options(const struct program *used)
{
    const char *dot = output ? strrchr(output, '.') : NULL;
    uint64_t keep = KEEP, rounds = 0;
    int choice = ENGINE_BY_PROCESSES;
    const int code =
        output_format_choose(used, format_name, output, format_names, &format)
            ?: option_choice(used, "--engine", engine_name, engines, &choice)
            ?: option_whole(used, "--keep", keep_text, 1, MOST, &keep)
            ?: option_whole(used, "--repeat", repeat_text, 1, MOST_ROUNDS, &rounds)
            ?: option_seconds(used, "--budget", budget_text, false, &advice_options.budget_s);
    engine = choice;
    advice_options.keep = (size_t)keep;
    advice_options.rounds = (size_t)rounds;
    advice_options.region = region;
    writes_configs = output && (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".json") != 0 &&
                                         strcmp(dot, ".txt") != 0));
    return code;
}

/* On process 0: writes a configuration for each proposal into `folder`. */
static enum status write_advised_configs(const struct advice *advice, const char *folder,
                                         struct error *error)
{
    for (size_t i = 0; i < advice->item_count; i++) {
        char name[200], path[PATH_MAX];
        snprintf(name, sizeof name, "%zu-%s.ini", i + 1, advice->items[i].parts[0]->kind);
        enum status status = output_path(folder, name, path, error);
        if (status != STATUS_OK)
            return status;
        FILE *file = fopen(path, "w");
        bool written = file && fputs(advice->items[i].config, file) >= 0;
        if (file && fclose(file) != 0)
            written = false;
        if (!written)
            return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path,
                             strerror(errno));
    }
    return STATUS_OK;
}

/* Collective. Decides whether the proposals are replayed. */
static enum status choose_engine(const struct replay_session *session, struct error *error)
{
    const uint32_t ranks = session->original->rank_count;
    const bool fits = (uint32_t)session->processes->size == ranks;
    if (engine == ENGINE_REALTIME && !fits)
        return error_set(error, STATUS_USAGE,
                         "--engine realtime needs one process per rank of the trace: "
                         "mpirun -np %u silas-advise ...",
                         ranks);
    advice_options.replays =
        engine == ENGINE_REALTIME || (engine == ENGINE_BY_PROCESSES && fits && ranks > 1);
    return STATUS_OK;
}

static enum status run_advise(char **operands, struct processes *processes, struct error *error)
{
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct job_output configs = {.processes = NULL};
    struct advice advice = {.arena = NULL};
    if (mpi_is_running())
        memory_keep_freed();
    else /* without a launcher, the model computes */
        memory_begin();
    enum status status = processes_agree(
        processes, trial_base_config("silas-advise", operands[0], machine, &config, error), error);
    if (status == STATUS_OK && writes_configs)
        status = job_output_open(processes, output, false, "", NULL, &configs, error);
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &session, error);
    status = status ?: assumptions_check_request(session->original, "silas-advise", error)
                 ?: choose_engine(session, error)
                 ?: advice_find(session, &advice_options, &advice, error);
    if (status == STATUS_OK && writes_configs && processes->rank == 0)
        status = write_advised_configs(&advice, configs.directory, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = report_file_write(writes_configs ? NULL : output, writers[format], &advice, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && writes_configs)
        status = job_output_commit(&configs, error);
    else
        job_output_discard(&configs);
    advice_clear(&advice);
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){.program = &program,
                                                        .check = check_advise_options,
                                                        .run = run_advise,
                                                        .measures = true},
                                 argc, argv);
}
