/* silas-advise: what to change in a program. It proposes changes, tries them, and ranks them by
 * what they bring. */
#include "advise/advice.h"
#include "advise/format.h"
#include "advise/trial.h"
#include "base/mpi/job_output.h"
#include "job/replay_session.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"
#include "reduce/assumptions.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 5, MOST = 100, MOST_ROUNDS = 1000 };

static const char *format_name, *engine_name, *keep_text, *repeat_text, *budget_text, *region,
    *directory, *machine;
static bool wants_replays, wants_model;
static struct advice_options advice_options;

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text (default), json or html", &format_name, NULL},
    {'o', "output", "DIR", "also write each configuration into this new directory", &directory,
     NULL},
    {'e', "engine", "ENGINE",
     "realtime: replay the best; model: compute only; default: replay if there is a process for\n"
     "each rank",
     &engine_name, NULL},
    {'k', "keep", "NUMBER", "so many pieces of advice at most; default 5", &keep_text, NULL},
    {0, "repeat", "ROUNDS", "so many rounds of replays; default: as many as significance needs",
     &repeat_text, NULL},
    {0, "budget", "SECONDS", "for all replays together; default: no limit", &budget_text, NULL},
    {'r', "region", "NAMES", "only changes at these regions (name patterns, with commas)", &region,
     NULL},
    {'m', "machine", "FILE", "what messages cost between nodes and within one (silas-calibrate)",
     &machine, NULL},
    PLUGIN_OPTION,
    {0},
};

static const char *choices(const char *option)
{
    if (option && strcmp(option, "engine") == 0)
        return "realtime model";
    return option && strcmp(option, "format") == 0 ? "text json" : NULL;
}

static const struct program program = {
    .name = "silas-advise",
    .summary = "Says what to change in a program: proposes changes, tries them, and ranks them.",
    .usage = "silas-advise [options] TRACE\nmpirun -np RANKS silas-advise [options] TRACE",
    .details =
        "TRACE is the anchor file of an OTF2 archive, or its directory. Changes are computed "
        "by the model; with a\nprocess for each rank, the best are then replayed for real. "
        "doc/advice.md explains each kind of advice.",
    .options = options,
    .least = 1,
    .most = 1,
    PLUGIN_PROGRAM,
    .choices = choices,
};

/* A whole number from 1 to `most`; 0 for anything else. */
static size_t read_count(const char *text, long most)
{
    char *end;
    long number = strtol(text, &end, 10);
    return *end || end == text || number < 1 || number > most ? 0 : (size_t)number;
}

static int check(const struct program *used)
{
    char *end = NULL;
    advice_options = (struct advice_options){.keep = KEEP, .region = region};
    if (format_name && strcmp(format_name, "text") != 0 && strcmp(format_name, "json") != 0 &&
        strcmp(format_name, "html") != 0)
        return options_usage_error(used, "--format is text, json or html, not %s", format_name);
    wants_replays = engine_name && strcmp(engine_name, "realtime") == 0;
    wants_model = engine_name && strcmp(engine_name, "model") == 0;
    if (engine_name && !wants_replays && !wants_model)
        return options_usage_error(used, "--engine is realtime or model, not %s", engine_name);
    if (keep_text && !(advice_options.keep = read_count(keep_text, MOST)))
        return options_usage_error(used, "--keep is a number from 1 to %d, not %s", MOST,
                                   keep_text);
    if (repeat_text && !(advice_options.rounds = read_count(repeat_text, MOST_ROUNDS)))
        return options_usage_error(used, "--repeat is a number from 1 to %d, not %s", MOST_ROUNDS,
                                   repeat_text);
    advice_options.budget_s = budget_text ? strtod(budget_text, &end) : 0;
    if (budget_text && (*end || end == budget_text || !(advice_options.budget_s > 0)))
        return options_usage_error(used, "--budget is a time in seconds, not %s", budget_text);
    return 0;
}

static enum status write_advice(const struct advice *advice, struct error *error)
{
    const char *format = format_name ? format_name : "text";
    const bool written = strcmp(format, "json") == 0   ? advice_write_json(advice, stdout)
                         : strcmp(format, "html") == 0 ? advice_write_html(advice, stdout)
                                                       : advice_write_text(advice, stdout);
    if (!written || fflush(stdout) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write standard output");
    return STATUS_OK;
}

/* On process 0. */
static enum status write_configs(const struct advice *advice, const char *folder,
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

/* Collective. Decides whether advice is replayed. */
static enum status choose_engine(const struct replay_session *session, struct error *error)
{
    const uint32_t ranks = session->original->rank_count;
    const bool fits = (uint32_t)session->processes->size == ranks;
    if (wants_replays && !fits)
        return error_set(error, STATUS_USAGE,
                         "--engine realtime needs a process for each of the %u ranks: "
                         "mpirun -np %u silas-advise ...",
                         ranks, ranks);
    advice_options.replays = wants_replays || (!wants_model && fits && ranks > 1);
    return STATUS_OK;
}

static enum status advise(char **operands, struct processes *processes, struct error *error)
{
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct job_output output = {.processes = NULL};
    struct advice advice = {.arena = NULL};
    /* What-ifs need the same arrays one after the other: do not return them to the system. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    enum status status = processes_agree(
        processes, trial_base_config("silas-advise", operands[0], machine, &config, error), error);
    if (status == STATUS_OK && directory)
        status = job_output_open(processes, directory, false, "", NULL, &output, error);
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &session, error);
    if (status == STATUS_OK)
        status = assumptions_check_request(session->original, "silas-advise", error);
    if (status == STATUS_OK)
        status = choose_engine(session, error);
    if (status == STATUS_OK)
        status = advice_find(session, &advice_options, &advice, error);
    if (status == STATUS_OK && directory && processes->rank == 0)
        status = write_configs(&advice, output.directory, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = write_advice(&advice, error);
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK && directory)
        status = job_output_commit(&output, error);
    else
        job_output_discard(&output);
    advice_clear(&advice);
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(
        &(struct program_main){
            .program = &program, .check = check, .run = advise, .measures = true},
        argc, argv);
}
