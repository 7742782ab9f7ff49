#include "programs/program_main.h"

#include "base/command_line.h"
#include "base/files.h"
#include "base/installation.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mpi/apart.h"
#include "base/mpi/start.h"
#include "base/mpi_kind.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fails if the standard output is incomplete, for example because a disk is full. */
static enum status check_output(struct error *error)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return error_set(error, STATUS_ENVIRONMENT, "cannot write standard output: %s",
                     strerror(files_stream_failure(stdout)));
}

/* Reads the command line. Returns the operands, or NULL if the program ends with `*exit_code`. */
static char **read_command(const struct program_main *main, int argc, char **argv, int *exit_code)
{
    int first = options_parse(main->program, argc, argv, exit_code);
    if (first < 0)
        return NULL;
    *exit_code = main->check ? main->check(main->program) : 0;
    return *exit_code == 0 ? argv + first : NULL;
}

/* The exit code of the program on processes that are there. */
static int run_on(const struct program_main *main, char **operands, struct processes *processes)
{
    struct error error = {STATUS_OK, ""};
    enum status status = processes_check_together(processes, &error);
    if (status == STATUS_OK)
        status = main->run(operands, processes, &error);
    status = status ?: processes_agree(processes, check_output(&error), &error);
    return status == STATUS_OK ? 0 : log_error(&error);
}

static int run_parallel(const struct program_main *main, char **operands)
{
    struct processes processes;
    struct error error = {STATUS_OK, ""};
    if (processes_open_world(&processes, &error) != STATUS_OK)
        return log_error(&error);
    const int exit_code = run_on(main, operands, &processes);
    processes_close(&processes);
    return exit_code;
}

/* Without MPI. */
static int run_forked(const struct program_main *main, int argc, char **argv)
{
    struct processes processes;
    struct error error = {STATUS_OK, ""};
    int exit_code;
    if (!main->measures)
        memory_begin();
    log_open(main->program->name, true);
    command_line_set(main->program->name, argc, argv, 1);
    char **operands = read_command(main, argc, argv, &exit_code);
    if (!operands)
        return exit_code;
    const int jobs = main->jobs ? main->jobs(operands) : 1;
    if (processes_fork(&processes, jobs, &error) != STATUS_OK)
        return log_error(&error);
    if (processes.rank > 0)
        log_open(main->program->name, false);
    interrupt_install();
    exit_code = run_on(main, operands, &processes);
    processes_join(&processes, exit_code);
    processes_close(&processes);
    mpi_end();
    return exit_code;
}

/* How MPI starts for this command line. */
static enum mpi_start start_wanted(const struct program_main *main, int argc, char **argv)
{
    if (main->threads && main->threads(argc, argv))
        return MPI_START_THREADS;
    return main->measures ? MPI_START_DEFAULT : MPI_START_QUICK;
}

int program_main_parallel(const struct program_main *main, int argc, char **argv)
{
    assert(main->program && main->run);
    struct error error = {STATUS_OK, ""};
    int size, rank, exit_code;
    if (options_list(main->program, argc, argv))
        return 0;
    installation_become_part(main->program->name, argv);
    if (!main->needs_mpi && !mpi_is_launched())
        return run_forked(main, argc, argv);
    if (mpi_start(start_wanted(main, argc, argv), &size, &rank, &error) != STATUS_OK) {
        log_open(main->program->name, launcher_processes(&rank) == 0 || rank == 0);
        return log_error(&error);
    }
    command_line_set(main->program->name, argc, argv, size);
    log_open(main->program->name, rank == 0);
    interrupt_install();
    char **operands = read_command(main, argc, argv, &exit_code);
    if (operands)
        exit_code = run_parallel(main, operands);
    mpi_end();
    return exit_code;
}
