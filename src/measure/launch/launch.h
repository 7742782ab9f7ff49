/* The steps by which silas-trace starts a program under the tracer. */
#ifndef MEASURE_LAUNCH_H
#define MEASURE_LAUNCH_H

#include "base/status.h"
#include "measure/reduce/assumptions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_options {
    const char *output;  /* folder, as given or the default */
    const char *recover; /* folder of --recover, which runs no program; NULL: not given */
    uint64_t buffer;     /* bytes, 0: the default */
    const char *filter;
    bool estimate, overwrite;
    bool openmp;            /* OpenMP's constructs are recorded */
    bool pthreads;          /* pthread_create and pthread_join are recorded */
    bool every_test;        /* failed tests and probes of polling loops are not folded */
    bool python;            /* Python's functions are regions */
    const char *compatible; /* the archive must be readable for this tool; NULL: not given */
    bool reduce;            /* while the program runs, for these assumptions: */
    struct run_assumptions assumptions;
    bool first_rank, first_on_host; /* decide which of the job's launchers prints messages */
    char **program;                 /* argv of the program, NULL-terminated */
};

/* Reads the command line. Returns false if silas-trace must end with `*exit_code`: after --help,
 * --version, --list-options or a usage error, which was printed. */
bool launch_parse(int argc, char **argv, struct launch_options *options, int *exit_code);

/* Writes the path of the library that is preloaded into programs. Fails with STATUS_ENVIRONMENT if
 * it is not installed. */
enum status launch_find_library(char *path, size_t size, struct error *error);

/* Finds program[0] as execvp does and writes its path into `path`. Fails with STATUS_INPUT if it
 * does not exist or cannot be traced: because it is linked statically, or with another MPI, or with
 * a library of our MPI that has another name, so that two copies would be loaded, or because it
 * defines MPI functions itself. Fails with STATUS_USAGE if it is a launcher of MPI programs. */
enum status launch_check_program(char **program, char *path, size_t size, struct error *error);

/* The functions named MPI_* that a program or library defines and exports. */
struct own_mpi_functions {
    unsigned count, below; /* below: functions named PMPI_* */
    char example[64];
};
struct own_mpi_functions launch_own_mpi_functions(const char *path);

/* Fails with STATUS_INPUT under the launcher of another MPI. It does not connect the processes of
 * our programs: each would be rank 0 of a separate job, and all would write one archive. */
enum status launch_check_launcher(struct error *error);

/* Fails with STATUS_INPUT if the filter file cannot be read. */
enum status launch_check_filter(const struct launch_options *options, struct error *error);

/* Makes the output folder and writes its absolute path into `path`. Fails with STATUS_INPUT if the
 * folder has an archive or a run that was not recovered, unless --overwrite is given. */
enum status launch_prepare_directory(const struct launch_options *options, char *path, size_t size,
                                     struct error *error);

/* Sets the environment of a traced process. */
enum status launch_set_environment(const struct launch_options *options, const char *directory,
                                   struct error *error);

/* Starts the keeper of this process. An environment variable passes the keeper's socket to the
 * program, which this process becomes afterwards. */
enum status launch_keeper(const struct launch_options *options, const char *directory,
                          struct error *error);

/* Whether the launcher accepts a request to end the job: it uses MPICH's protocol, and the job has
 * several processes. */
bool launch_can_end_job(void);

/* Called by a process that cannot start its program. Ends the other processes of the job where the
 * launcher accepts that; the launcher then ends with `exit_code`. */
void launch_end_job(int exit_code);

#endif
