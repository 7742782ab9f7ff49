/* silas TOOL ARGUMENTS runs silas-TOOL ARGUMENTS, which is in the folder of this program or in
 * PATH. */
#include "base/log.h"
#include "base/names.h"
#include "base/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *summary;
} tools[] = {
    {"trace", "trace an MPI program"},
    {"replay", "replay a trace under a hypothesis and report the difference"},
    {"model", "predict the same by a model, on any number of processes"},
    {"init", "write a first configuration for a trace"},
    {"advise", "propose changes of a program, with their savings"},
    {"calibrate", "measure the costs of messages on this machine, for the model"},
    {"analyze", "search a trace for wait states"},
    {"pop", "compute POP's efficiencies, of one or several recordings"},
    {"traffic", "show which ranks send how much to each other, and when"},
    {"structure", "find what repeats in a trace"},
    {"reduce", "write a smaller trace with the same predictions"},
    {"predict", "predict the trace of a program that does not exist yet"},
    {"sweep", "predict many variants of a program, and rank them"},
    {"export", "write a trace for other tools: Perfetto, CSV, flame graphs, simulators"},
    {"report", "show a stored result, or convert it to another format"},
    {"diff", "compare two results"},
    {"verify", "compare a prediction with measured runs"},
    {"selftest", "check this installation"},
};
enum { TOOL_COUNT = sizeof tools / sizeof *tools };

/* The details of --help: the list of tools. */
static const char *describe_tools(void)
{
    static char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "Tools:\n");
    for (int i = 0; i < TOOL_COUNT; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s  %-9s  %s", i ? "\n" : "",
                                 tools[i].name, tools[i].summary);
    return text;
}

static const char *tool_names(const char *option)
{
    static char text[512];
    size_t used = 0;
    if (option)
        return NULL;
    for (int i = 0; i < TOOL_COUNT; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", tools[i].name);
    return text;
}

/* Runs silas-TOOL from the folder of this program; returns only if it is not there. */
static void run_beside(const char *tool, char **argv)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return;
    size_t room = sizeof path - (size_t)(slash + 1 - path);
    if ((size_t)snprintf(slash + 1, room, "silas-%s", tool) < room)
        execv(path, argv);
}

static int unknown_tool(const struct program *program, const char *tool)
{
    const char *names[TOOL_COUNT];
    for (int i = 0; i < TOOL_COUNT; i++)
        names[i] = tools[i].name;
    int nearest = nearest_name(tool, names, TOOL_COUNT);
    if (nearest < 0)
        return options_usage_error(program, "unknown tool \"%s\"", tool);
    return options_usage_error(program, "unknown tool \"%s\"; did you mean \"%s\"?", tool,
                               names[nearest]);
}

int main(int argc, char **argv)
{
    const struct program program = {
        .name = "silas",
        .summary = "Runs a tool of SILAS: `silas TOOL ARGUMENTS` is `silas-TOOL ARGUMENTS`.",
        .usage = "silas TOOL [ARGUMENTS]\nsilas TOOL --help",
        .details = describe_tools(),
        .least = 1,
        .most = -1,
        .command = true,
        .choices = tool_names,
    };
    int exit_code;
    if (options_list(&program, argc, argv))
        return 0;
    log_open("silas", true);
    int first = options_parse(&program, argc, argv, &exit_code);
    if (first < 0)
        return exit_code;
    const char *tool = argv[first];
    char name[256];
    if (strchr(tool, '/') || (size_t)snprintf(name, sizeof name, "silas-%s", tool) >= sizeof name)
        return unknown_tool(&program, tool);
    argv[first] = name;
    run_beside(tool, argv + first);
    execvp(name, argv + first);
    if (errno == ENOENT)
        return unknown_tool(&program, tool);
    struct error error;
    error_set(&error, STATUS_ENVIRONMENT, "cannot run %s: %s", name, strerror(errno));
    return log_error(&error);
}
