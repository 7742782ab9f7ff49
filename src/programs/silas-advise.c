/* silas-advise: what to change in a program. It proposes changes, tries them, and ranks them by
 * what they bring. */
#include "advice/advice.h"
#include "advice/format.h"
#include "base/log.h"
#include "base/names.h"
#include "job/replay_session.h"
#include "programs/plugin_option.h"
#include "programs/program_main.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP = 5, MOST = 100 };

static const char *format_name, *engine_name, *keep_text, *region;
static struct advice_options advice_options;

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text (default) or json", &format_name, NULL},
    {'e', "engine", "ENGINE", "model: compute only", &engine_name, NULL},
    {'k', "keep", "NUMBER", "so many pieces of advice at most; default 5", &keep_text, NULL},
    {'r', "region", "NAMES", "only changes at these regions (name patterns, with commas)", &region,
     NULL},
    PLUGIN_OPTION,
    {0},
};

static const struct program program = {
    .name = "silas-advise",
    .summary = "Says what to change in a program: proposes changes, tries them, and ranks them.",
    .usage = "[mpirun -np ANY] silas-advise [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. The outcome does "
               "not depend on the\nnumber of processes. doc/advice.md explains each kind of "
               "advice.",
    .options = options,
    .least = 1,
    .most = 1,
    PLUGIN_PROGRAM,
};

static int check(const struct program *used)
{
    char *end;
    advice_options = (struct advice_options){.keep = KEEP, .region = region};
    if (format_name && strcmp(format_name, "text") != 0 && strcmp(format_name, "json") != 0)
        return options_usage_error(used, "--format is text or json, not %s", format_name);
    if (engine_name && strcmp(engine_name, "model") != 0)
        return options_usage_error(used, "--engine is model, not %s", engine_name);
    if (keep_text) {
        long keep = strtol(keep_text, &end, 10);
        if (*end || end == keep_text || keep < 1 || keep > MOST)
            return options_usage_error(used, "--keep is a number from 1 to %d, not %s", MOST,
                                       keep_text);
        advice_options.keep = (size_t)keep;
    }
    return 0;
}

static enum status read_config(const char *trace, struct replay_config **config,
                               struct error *error)
{
    struct ini *ini = NULL;
    char *text = NULL;
    int length = asprintf(&text, "[trace]\npath = %s\n\n[replay]\nengine = model\n", trace);
    if (length < 0)
        return error_memory(error, "the configuration");
    enum status status = ini_parse_text(trace, text, (size_t)length, &ini, error);
    free(text);
    return status == STATUS_OK ? replay_config_from_ini(ini, engine_find("model"), config, error)
                               : status;
}

static enum status write_advice(const struct advice *advice, struct error *error)
{
    const bool json = format_name && strcmp(format_name, "json") == 0;
    bool written = json ? advice_write_json(advice, stdout) : advice_write_text(advice, stdout);
    if (!written || fflush(stdout) != 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot write standard output");
    return STATUS_OK;
}

static enum status advise(char **operands, struct processes *processes, struct error *error)
{
    struct replay_config *config = NULL;
    struct replay_session *session = NULL;
    struct advice advice = {.arena = NULL};
    /* What-ifs need the same arrays one after the other: do not return them to the system. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    enum status status =
        processes_agree(processes, read_config(operands[0], &config, error), error);
    if (status == STATUS_OK)
        status = replay_session_open(config, config->trace_paths[0], processes, &session, error);
    if (status == STATUS_OK)
        status = advice_find(session, &advice_options, &advice, error);
    if (status == STATUS_OK && processes->rank == 0)
        status = write_advice(&advice, error);
    status = processes_agree(processes, status, error);
    advice_clear(&advice);
    replay_session_close(session);
    replay_config_destroy(config);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){&program, check, advise}, argc, argv);
}
