/* silas-structure: finds what repeats in a trace, with any number of processes. */
#include "programs/program_main.h"
#include "programs/structure_output.h"
#include "trace/load/load.h"

#include <stdlib.h>
#include <string.h>

static const char *format = "text", *output, *signal_wanted, *shortest, *levels;

static const struct option_spec options[] = {
    {'f', "format", "FORMAT", "text (default) or json", &format, NULL},
    {'o', "output", "FILE", "write to FILE instead of standard output", &output, NULL},
    {'s', "signal", "NAME", "point-to-point, collective, computation or a region's name",
     &signal_wanted, NULL},
    {0, "shortest", "SECONDS", "shorter stretches and periods are of no use", &shortest, NULL},
    {0, "levels", "N", "look for periods in periods down to level N (default: all)", &levels, NULL},
    {0},
};

static const struct program program = {
    .name = "silas-structure",
    .summary = "Finds what repeats in a trace: iterations, and iterations inside of them.",
    .usage = "silas-structure [options] TRACE\nmpirun -np M silas-structure [options] TRACE",
    .details = "TRACE is the anchor file of an OTF2 archive, or its directory. M is any number.",
    .options = options,
    .least = 1,
    .most = 1,
};

static struct structure_options wanted;

static int check(const struct program *used)
{
    char *end;
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return options_usage_error(used, "there is no format %s; say text or json", format);
    if (shortest) {
        wanted.shortest_s = strtod(shortest, &end);
        if (*end || end == shortest || !(wanted.shortest_s > 0))
            return options_usage_error(used, "--shortest is a time in seconds above 0, not %s",
                                       shortest);
    }
    if (levels) {
        long number = strtol(levels, &end, 10);
        if (*end || end == levels || number < 1 || number > 100)
            return options_usage_error(used, "--levels is a number from 1 to 100, not %s", levels);
        wanted.levels = (int)number;
    }
    wanted.signal = signal_wanted;
    return 0;
}

static enum status write(const struct trace *trace, const struct stretch *whole,
                         struct error *error)
{
    FILE *stream = output ? fopen(output, "w") : stdout;
    enum status status = STATUS_OK;
    if (!stream)
        return error_set(error, STATUS_ENVIRONMENT, "%s cannot be written: %m", output);
    if (strcmp(format, "json") == 0)
        status = structure_write_json(trace, whole, stream, error);
    else
        structure_write_text(trace, whole, stream);
    bool failed = ferror(stream) || fflush(stream) != 0;
    if (output)
        failed |= fclose(stream) != 0;
    if (status == STATUS_OK && failed)
        status = error_set(error, STATUS_ENVIRONMENT, "%s cannot be written completely",
                           output ? output : "standard output");
    return status;
}

static enum status run(char **operands, struct processes *processes, struct error *error)
{
    struct trace *trace = NULL;
    struct stretch *whole = NULL;
    enum status status = trace_load(operands[0], processes, &trace, error);
    if (status == STATUS_OK)
        status = structure_find(trace, &wanted, &whole, error);
    if (status == STATUS_OK)
        status = processes_agree(
            processes, processes->rank == 0 ? write(trace, whole, error) : STATUS_OK, error);
    structure_destroy(whole);
    trace_destroy(trace);
    return status;
}

int main(int argc, char **argv)
{
    return program_main_parallel(&(struct program_main){&program, check, run}, argc, argv);
}
