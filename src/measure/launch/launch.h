/* The steps by which silas-trace starts a program under the tracer. */
#ifndef MEASURE_LAUNCH_H
#define MEASURE_LAUNCH_H

#include "base/mpi_kind.h"
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
    bool call_sites;        /* each call site of MPI is a region, also if functions are recorded */
    bool no_call_sites;     /* an MPI function is one region, whatever calls it */
    bool every_test;        /* failed tests and probes of polling loops are not folded */
    bool python;            /* Python's functions are regions */
    const char *compatible; /* the archive must be readable for this tool; NULL: not given */
    bool reduce;            /* while the program runs, for these assumptions: */
    struct run_assumptions assumptions;
    uint32_t world;                 /* first rank of its world; 0: the launcher has started it */
    bool first_rank, first_on_host; /* decide which of the job's launchers prints messages */
    char **program;                 /* argv of the program, NULL-terminated */
};

/* Reads the command line. Returns false if silas-trace must end with `*exit_code`: after --help,
 * --version, --list-options or a usage error, which was printed. */
bool launch_parse(int argc, char **argv, struct launch_options *options, int *exit_code);

/* The program that is traced. */
struct launch_target {
    char path[4096];
    char library[4200];          /* the tracer, which is preloaded */
    const struct mpi_kind *kind; /* the MPI that both use */
};

/* Finds program[0] as execvp does, and the tracer of its MPI: the MPI whose library the program
 * loads when it starts, otherwise (a script, or a program that loads MPI later) that of the
 * launcher, otherwise the one that this is built for. Fails with STATUS_INPUT if the program does
 * not exist or cannot be traced: because it is linked statically, or with an MPI for which no
 * tracer is installed, or with a library of the tracer's MPI that has another name, so that two
 * copies would be loaded, or because it defines MPI functions itself. Fails with STATUS_USAGE if it
 * is a launcher of MPI programs, and with STATUS_ENVIRONMENT if the tracer is not installed. */
enum status launch_find_target(char **program, struct launch_target *target, struct error *error);

/* The functions named MPI_* that a program or library defines and exports. */
struct own_mpi_functions {
    unsigned count, below; /* below: functions named PMPI_* */
    char example[64];
};
struct own_mpi_functions launch_own_mpi_functions(const char *path);

/* Fails with STATUS_INPUT under the launcher of another MPI than the program's. It does not connect
 * the processes: each would be rank 0 of a separate job, and all would write one archive. */
enum status launch_check_launcher(const struct launch_target *target, struct error *error);

/* Fails with STATUS_INPUT if the filter file cannot be read. */
enum status launch_check_filter(const struct launch_options *options, struct error *error);

/* Makes the output folder and writes its absolute path into `path`. Fails with STATUS_INPUT if the
 * folder has an archive or a run that was not recovered, unless --overwrite is given. */
enum status launch_prepare_directory(const struct launch_options *options, char *path, size_t size,
                                     struct error *error);

/* Sets the environment of a traced process. `command`: argv of silas-trace up to the program. */
enum status launch_set_environment(const struct launch_options *options, char *const *command,
                                   const struct launch_target *target, const char *directory,
                                   struct error *error);

/* Starts the keeper of this process. An environment variable passes the keeper's socket to the
 * program, which this process becomes afterwards. */
enum status launch_keeper(const struct launch_options *options, const struct launch_target *target,
                          const char *directory, struct error *error);

/* Replaces this process, which MPI_Comm_spawn has started, by its program. The records go to the
 * run that has spawned it. What hinders that must not stop the program, which runs without the
 * tracer then. Returns only if the program cannot be run. */
enum status launch_run_spawned(const struct launch_options *options, char *const *command,
                               struct error *error);

/* Whether the launcher accepts a request to end the job: it uses MPICH's protocol, and the job has
 * several processes. */
bool launch_can_end_job(void);

/* Called by a process that cannot start its program. Ends the other processes of the job where the
 * launcher accepts that; the launcher then ends with `exit_code`. */
void launch_end_job(int exit_code);

#endif
