#include "config.h" /* asprintf, and the version */

#include "measure/launch.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: mpirun -np N silas-trace [OPTION]... PROGRAM [ARGUMENT]...\n"
    "       silas-trace --recover DIR\n"
    "Runs an MPI program and writes what it does into an OTF2 archive.\n"
    "\n"
    "  -o, --output DIR    folder of the archive (default: silas-trace-PROGRAM)\n"
    "      --overwrite     replace an archive that is there\n"
    "      --buffer SIZE   memory for events per rank, with suffix K, M or G (default: 32M);\n"
    "                      a full one is exchanged while the program waits\n"
    "      --filter FILE   patterns of functions and regions that are not recorded\n"
    "      --estimate      write no archive; say how large it would be, by region\n"
    "      --recover DIR   write the archive of a run that was ended from outside\n"
    "  -h, --help          print this and end\n"
    "  -V, --version       print the version and end\n";

enum { OPTION_OVERWRITE = 256, OPTION_BUFFER, OPTION_FILTER, OPTION_ESTIMATE, OPTION_RECOVER };

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"overwrite", no_argument, NULL, OPTION_OVERWRITE},
    {"buffer", required_argument, NULL, OPTION_BUFFER},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"estimate", no_argument, NULL, OPTION_ESTIMATE},
    {"recover", required_argument, NULL, OPTION_RECOVER},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

enum { SMALLEST_BUFFER = 64 << 10 };
static const uint64_t largest_buffer = UINT64_C(1) << 40;

static enum status parse_size(const char *text, uint64_t *bytes, struct error *error)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    double unit = *end == 'K' || *end == 'k'   ? 1 << 10
                  : *end == 'M' || *end == 'm' ? 1 << 20
                  : *end == 'G' || *end == 'g' ? 1 << 30
                                               : 1;
    end += unit > 1;
    value *= unit;
    if (errno || end == text || *end ||
        !(value >= SMALLEST_BUFFER && value <= (double)largest_buffer))
        return error_set(error, STATUS_USAGE, "--buffer %s: expected a size from 64K to 1024G",
                         text);
    *bytes = (uint64_t)value;
    return STATUS_OK;
}

/* Launchers of PMI, PMIx and Slurm tell their processes their number, in the job and on the host;
 * without them this is the only process. */
static bool is_first(const char *const *variables)
{
    for (; *variables; variables++) {
        const char *number = getenv(*variables);
        if (number)
            return strcmp(number, "0") == 0;
    }
    return true;
}

static const char *const rank_variables[] = {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID", NULL};
static const char *const host_variables[] = {"MPI_LOCALRANKID", "SLURM_LOCALID", NULL};

static char *default_directory(const char *program)
{
    const char *slash = strrchr(program, '/');
    char *name = NULL;
    if (asprintf(&name, "silas-trace-%s", slash ? slash + 1 : program) < 0)
        return NULL;
    return name;
}

static enum status parse_option(int option, struct launch_options *options, struct error *error)
{
    switch (option) {
    case 'o':
        free((char *)options->directory);
        options->directory = strdup(optarg);
        return options->directory ? STATUS_OK : error_memory(error, "options");
    case OPTION_OVERWRITE:
        options->overwrite = true;
        return STATUS_OK;
    case OPTION_BUFFER:
        return parse_size(optarg, &options->buffer, error);
    case OPTION_FILTER:
        options->filter = optarg;
        return STATUS_OK;
    case OPTION_ESTIMATE:
        options->estimate = true;
        return STATUS_OK;
    case OPTION_RECOVER:
        options->recover = optarg;
        return STATUS_OK;
    case 'h':
        if (options->first_rank)
            fputs(usage, stdout);
        exit(STATUS_OK);
    case 'V':
        if (options->first_rank)
            puts("silas-trace (SILAS) " PACKAGE_VERSION);
        exit(STATUS_OK);
    }
    return STATUS_OK;
}

enum status launch_parse(int argc, char **argv, struct launch_options *options, struct error *error)
{
    enum status status = STATUS_OK;
    int option;
    *options = (struct launch_options){
        .first_rank = is_first(rank_variables),
        .first_on_host = is_first(host_variables),
    };
    opterr = 0;
    while (!status && (option = getopt_long(argc, argv, "+:o:hV", long_options, NULL)) != -1) {
        if (option == '?' || option == ':')
            status = error_set(error, STATUS_USAGE, "%s: %s; try --help", argv[optind - 1],
                               option == ':' ? "a value is missing" : "no such option");
        else
            status = parse_option(option, options, error);
    }
    if (status)
        return status;
    options->program = argv + optind;
    if (options->recover && optind < argc)
        return error_set(error, STATUS_USAGE, "--recover runs no program: %s is too much",
                         argv[optind]);
    if (!options->recover && optind == argc)
        return error_set(error, STATUS_USAGE, "which program? Try --help");
    if (!options->recover && !options->directory) {
        options->directory = default_directory(argv[optind]);
        if (!options->directory)
            return error_memory(error, "options");
    }
    return STATUS_OK;
}

void launch_free(struct launch_options *options)
{
    free((char *)options->directory);
}
