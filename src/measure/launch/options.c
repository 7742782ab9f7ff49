#include "measure/launch/launch.h"

#include "base/log.h"
#include "base/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_BUFFER = 64 << 10 };
static const uint64_t largest_buffer = UINT64_C(1) << 40;

/* Reads "64K", "1.5g" or a number of bytes. */
static bool parse_buffer_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "kmg";
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool number = !errno && end != text;
    const char *unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    if (unit) {
        value *= (double)(UINT64_C(1) << 10 * (unit - units + 1));
        end++;
    }
    if (!number || *end || !(value >= SMALLEST_BUFFER && value <= (double)largest_buffer))
        return false;
    *bytes = (uint64_t)value;
    return true;
}

static bool parse_world(const char *text, uint32_t *first)
{
    char *end;
    errno = 0;
    const unsigned long rank = strtoul(text, &end, 10);
    *first = (uint32_t)rank;
    return !errno && end != text && !*end && rank > 0 && rank < UINT32_MAX;
}

/* Whether this is the first process, of the job or of its host. The launchers of PMI, PMIx and
 * Slurm set the number of a process in a variable; without such a variable this is the only
 * process. */
static bool is_first(const char *const *variables)
{
    for (; *variables; variables++) {
        const char *number = getenv(*variables);
        if (number)
            return strcmp(number, "0") == 0;
    }
    return true;
}

static const char *const rank_variables[] = {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
                                             "OMPI_COMM_WORLD_RANK", NULL};
static const char *const host_variables[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                             "SLURM_LOCALID", NULL};

static const char *default_output(const char *program)
{
    static char name[4096];
    const char *slash = strrchr(program, '/');
    snprintf(name, sizeof name, "silas-trace-%s", slash ? slash + 1 : program);
    return name;
}

bool launch_parse(int argc, char **argv, struct launch_options *options, int *exit_code)
{
    assert(argc > 0);
    const char *buffer = NULL, *assume = NULL, *machine = NULL, *world = NULL;
    struct error error;
    *options = (struct launch_options){
        .first_rank = is_first(rank_variables),
        .first_on_host = is_first(host_variables),
    };
    const struct option_spec specs[] = {
        {'o', "output", "DIR", "folder of the archive (default: silas-trace-PROGRAM)",
         &options->output, NULL},
        {0, "overwrite", NULL, "replace an existing archive", NULL, &options->overwrite},
        {0, "buffer", "SIZE", "memory for events per rank, such as 64K, 32M (default) or 1G",
         &buffer, NULL},
        {0, "filter", "FILE", "patterns of functions and regions not to record", &options->filter,
         NULL},
        {0, "every-test", NULL,
         "record every test and probe of polling loops, not only the first and last", NULL,
         &options->every_test},
        {0, "call-sites", NULL,
         "record the places that call MPI, also in programs whose functions are recorded", NULL,
         &options->call_sites},
        {0, "no-call-sites", NULL,
         "record MPI calls without the places in the program that make them", NULL,
         &options->no_call_sites},
        {0, "openmp", NULL, "record the threads of parallel regions of OpenMP (needs libomp)", NULL,
         &options->openmp},
        {0, "pthread", NULL, "record the threads that pthread_create makes", NULL,
         &options->pthreads},
        {0, "python", NULL, "record the functions of a Python program", NULL, &options->python},
        {0, "compatible", "TOOL", "leave out records that this tool cannot read: scalasca-2.6",
         &options->compatible, NULL},
        {0, "estimate", NULL,
         "write no archive; print its size per region, and write a filter of short functions", NULL,
         &options->estimate},
        {0, "reduce", NULL,
         "while the program runs, keep only events that the assumptions may change", NULL,
         &options->reduce},
        {0, "assume", "TEXT", "with --reduce: \"waits at_least=1ms\", \"scale region=NAME\"",
         &assume, NULL},
        {0, "machine", "FILE",
         "with --reduce: latency and bandwidth of messages (default: no delay)", &machine, NULL},
        {0, "recover", "DIR", "write the archive of a run that was killed", &options->recover,
         NULL},
        {0, "spawned", "RANK", "given by the tracer to programs that MPI_Comm_spawn starts", &world,
         NULL},
        {0, NULL, NULL, NULL, NULL, NULL},
    };
    const struct program program = {
        .name = "silas-trace",
        .summary = "Runs an MPI program and records its MPI calls in an OTF2 archive.",
        .usage = "mpirun -np N silas-trace [OPTION]... PROGRAM [ARGUMENT]...\n"
                 "silas-trace --recover DIR",
        .options = specs,
        .least = 0,
        .most = -1,
        .command = true,
    };
    *exit_code = STATUS_OK;
    if (options_list(&program, argc, argv))
        return false;
    log_open(program.name, options->first_rank);
    int first = options_parse(&program, argc, argv, exit_code);
    if (first < 0)
        return false;
    if (buffer && !parse_buffer_size(buffer, &options->buffer))
        *exit_code = options_usage_error(
            &program, "option \"--buffer\": \"%s\" is not a size from 64K to 1024G", buffer);
    else if (options->compatible && strcmp(options->compatible, "scalasca-2.6") != 0)
        *exit_code = options_usage_error(
            &program, "option \"--compatible\": \"%s\" is not known; known: scalasca-2.6",
            options->compatible);
    else if (world && !parse_world(world, &options->world))
        *exit_code = options_usage_error(
            &program, "option \"--spawned\": \"%s\" is not the first rank of a spawned world",
            world);
    else if (options->recover && first < argc)
        *exit_code = options_usage_error(
            &program, "option \"--recover\" takes no program; unexpected argument \"%s\"",
            argv[first]);
    else if (!options->recover && first == argc)
        *exit_code = options_usage_error(&program, "the program to run is missing");
    else if ((assume || machine) && !options->reduce)
        *exit_code = options_usage_error(&program, "option \"--%s\" needs --reduce",
                                         assume ? "assume" : "machine");
    else if (options->call_sites && options->no_call_sites)
        *exit_code = options_usage_error(
            &program, "options \"--call-sites\" and \"--no-call-sites\" exclude each other");
    else if (options->reduce && options->estimate)
        *exit_code = options_usage_error(&program, "options \"--reduce\" and \"--estimate\" "
                                                   "exclude each other");
    else if (options->reduce &&
             run_assumptions_read(assume, machine, &options->assumptions, &error))
        *exit_code = log_error(&error);
    if (*exit_code)
        return false;
    log_open(program.name, true);
    options->program = argv + first;
    if (!options->recover && !options->output)
        options->output = default_output(argv[first]);
    return true;
}
