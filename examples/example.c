#include "examples/example.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_OPTIONS = 8, OPTION_HELP = 256, OPTION_ITERATIONS, OPTION_TIME, OPTION_FIX, OPTION_OWN };

double clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void compute_until(double end_s)
{
    while (clock_s() < end_s)
        ;
}

int part_begin(int n, int parts, int part)
{
    return (int)((long long)n * part / parts);
}

double *allocate_doubles(size_t count)
{
    double *doubles = calloc(count > 0 ? count : 1, sizeof *doubles);
    if (!doubles)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return doubles;
}

void compute(double seconds)
{
    compute_until(clock_s() + seconds);
}

static void print_usage(const struct example *example)
{
    printf("Usage: mpirun -np N %s [options]\n%s\n\n", example->name, example->description);
    if (example->fix)
        printf("  --%-18s %s\n", example->fix, example->fix_description);
    printf("  --iterations N       number of iterations (%d)\n", example->iterations);
    if (example->work_s > 0)
        printf("  --time SECONDS       mean computation of a rank in one iteration (%g)\n",
               example->work_s);
    for (const struct example_option *option = example->options; option && option->name; option++)
        printf("  --%-10s N       %s (%d)\n", option->name, option->description, *option->value);
    printf("  --help               this text\n");
}

/* A whole number of at least `lowest`. */
static bool read_integer(const char *text, int lowest, int *value)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < lowest || number > 1000000000)
        return false;
    *value = (int)number;
    return true;
}

static bool read_seconds(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= 0 && number <= 3600))
        return false;
    *value = number;
    return true;
}

/* Applies one option; false if its value makes no sense. */
static bool apply_option(struct example *example, int option, const char *text)
{
    switch (option) {
    case OPTION_ITERATIONS:
        return read_integer(text, 1, &example->iterations);
    case OPTION_TIME:
        return read_seconds(text, &example->work_s);
    case OPTION_FIX:
        example->fixed = true;
        return true;
    default: {
        const struct example_option *own = &example->options[option - OPTION_OWN];
        return read_integer(text, own->lowest, own->value);
    }
    }
}

/* Returns -1 to continue, otherwise the exit code. Every rank reads the same; rank 0 speaks. */
static int read_command_line(struct example *example, int argc, char **argv)
{
    struct option known[4 + MAX_OPTIONS + 1] = {
        {"help", no_argument, NULL, OPTION_HELP},
        {"iterations", required_argument, NULL, OPTION_ITERATIONS},
    };
    int count = 2;
    if (example->work_s > 0)
        known[count++] = (struct option){"time", required_argument, NULL, OPTION_TIME};
    if (example->fix)
        known[count++] = (struct option){example->fix, no_argument, NULL, OPTION_FIX};
    for (int i = 0; i < MAX_OPTIONS && example->options && example->options[i].name; i++)
        known[count++] =
            (struct option){example->options[i].name, required_argument, NULL, OPTION_OWN + i};

    opterr = example->rank == 0;
    int option, index;
    while ((option = getopt_long(argc, argv, "", known, &index)) != -1) {
        if (option == OPTION_HELP) {
            if (example->rank == 0)
                print_usage(example);
            return EXIT_SUCCESS;
        }
        if (option == '?')
            return 2;
        if (!apply_option(example, option, optarg)) {
            if (example->rank == 0)
                fprintf(stderr, "%s: --%s %s: not a sensible value\n", example->name,
                        known[index].name, optarg);
            return 2;
        }
    }
    if (optind < argc) {
        if (example->rank == 0)
            fprintf(stderr, "%s: unexpected argument \"%s\"\n", example->name, argv[optind]);
        return 2;
    }
    return -1;
}

bool example_begin(struct example *example, int argc, char **argv, int *exit_code)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &example->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &example->size);
    *exit_code = read_command_line(example, argc, argv);
    if (*exit_code >= 0) {
        MPI_Finalize();
        return false;
    }
    example_restart(example);
    return true;
}

void example_restart(struct example *example)
{
    MPI_Barrier(MPI_COMM_WORLD);
    example->begin_s = clock_s();
}

int example_refuse(const struct example *example, const char *reason)
{
    if (example->rank == 0)
        fprintf(stderr, "%s: %s\n", example->name, reason);
    MPI_Finalize();
    return 2;
}

void example_report(const struct example *example)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double time_s = clock_s() - example->begin_s;
    if (example->rank == 0) {
        printf("%s: %d ranks, %d iterations%s%s\n", example->name, example->size,
               example->iterations, example->fixed ? ", " : "", example->fixed ? example->fix : "");
        printf("time: %.6f s\n", time_s);
        fflush(stdout);
    }
}

int example_end(const struct example *example, bool correct)
{
    if (!correct)
        fprintf(stderr, "%s: rank %d: wrong result\n", example->name, example->rank);
    MPI_Finalize();
    return correct ? EXIT_SUCCESS : EXIT_FAILURE;
}
