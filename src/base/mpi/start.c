/* MPICH passes these settings to hwloc, which reads the topology of the machine, and to UCX, which
 * transfers messages (`ucx_info -c -f` lists its settings). The settings halve the time of
 * MPI_Init. */
#include "base/mpi/start.h"

#include "base/memory.h"
#include "base/mpi/handles.h"
#include "base/mpi/load.h"
#include "base/mpi_kind.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool mpi_is_launched(void)
{
    static const char *const variables[] = {
        "PMI_SIZE", "MPI_LOCALNRANKS",      "PMI_FD",     "PMI_PORT", "PMIX_RANK", "PMIX_NAMESPACE",
        "PMI_ID",   "OMPI_COMM_WORLD_SIZE", "PALS_RANKID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return true;
    return launcher_processes(NULL) > 1;
}

#ifdef MPICH_NUMVERSION

static const struct start_setting {
    const char *variable, *value;
    bool one_host; /* only where all processes are on one host */
} settings[] = {
    /* hwloc finds only the number of processors. */
    {"HWLOC_COMPONENTS", "no_os,stop", false},
    /* UCX opens no network. Messages within a host do not change. */
    {"UCX_TLS", "shm,self", true},
    /* UCX allocates receive buffers when it needs them, and not 4 MiB at once. */
    {"UCX_POSIX_RX_BUFS_GROW", "64", true},
    {"UCX_SYSV_RX_BUFS_GROW", "64", true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* True if all processes of the job are on this host: a process that no launcher has started is
 * alone, and MPICH's launcher tells how many processes it has started on the host. */
static bool all_are_here(void)
{
    const char *all = getenv("PMI_SIZE"), *here = getenv("MPI_LOCALNRANKS");
    return !mpi_is_launched() || (all && here && strcmp(all, here) == 0);
}

static void init_quickly(void)
{
    bool here = !getenv("UCX_TLS") && all_are_here() && access("/dev/shm", W_OK) == 0;
    bool ours[SETTINGS] = {false};
    for (int i = 0; i < SETTINGS; i++)
        if (here || !settings[i].one_host)
            ours[i] = !getenv(settings[i].variable) &&
                      setenv(settings[i].variable, settings[i].value, 0) == 0;
    MPI_Init(NULL, NULL);
    for (int i = 0; i < SETTINGS; i++)
        if (ours[i])
            unsetenv(settings[i].variable); /* not for programs that this one starts */
}

#else

static void init_quickly(void)
{
    MPI_Init(NULL, NULL);
}

#endif

bool mpi_is_running(void)
{
    int started = 0, ended = 0;
    if (!mpi_is_loaded())
        return false;
    PMPI_Initialized(&started);
    PMPI_Finalized(&ended);
    return started && !ended;
}

enum status mpi_start(enum mpi_start how, int *size, int *rank, struct error *error)
{
    assert(size && rank && !mpi_is_running());
    int level;
    if (how == MPI_START_QUICK)
        memory_begin();
    const enum status status = mpi_load(error);
    if (status != STATUS_OK)
        return status;
    if (how == MPI_START_QUICK)
        init_quickly();
    else if (how == MPI_START_THREADS)
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return STATUS_OK;
}

enum status mpi_start_alone(struct processes *processes, struct error *error)
{
    assert(processes->size == 1);
    int size, rank;
    if (mpi_is_running())
        return STATUS_OK;
    return mpi_start(MPI_START_DEFAULT, &size, &rank, error)
               ?: processes_open(processes, MPI_COMM_SELF, error);
}

void mpi_end(void)
{
    if (mpi_is_running())
        MPI_Finalize();
}
