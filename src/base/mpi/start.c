/* MPICH passes these settings to hwloc, which reads the topology of the machine, and to UCX, which
 * transfers messages (`ucx_info -c -f` lists its settings). The settings halve the time of
 * MPI_Init. */
#include "base/mpi/start.h"

#include "base/arena.h"
#include "base/mpi_kind.h"

#include <assert.h>
#include <mpi.h>
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

static void init_quickly(int *argc, char ***argv)
{
    bool here = !getenv("UCX_TLS") && all_are_here() && access("/dev/shm", W_OK) == 0;
    bool ours[SETTINGS] = {false};
    for (int i = 0; i < SETTINGS; i++)
        if (here || !settings[i].one_host)
            ours[i] = !getenv(settings[i].variable) &&
                      setenv(settings[i].variable, settings[i].value, 0) == 0;
    MPI_Init(argc, argv);
    for (int i = 0; i < SETTINGS; i++)
        if (ours[i])
            unsetenv(settings[i].variable); /* not for programs that this one starts */
}

#else

static void init_quickly(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
}

#endif

bool mpi_is_running(void)
{
    int started = 0, ended = 0;
    PMPI_Initialized(&started);
    PMPI_Finalized(&ended);
    return started && !ended;
}

int mpi_start(enum mpi_start how, int *argc, char ***argv, int *rank)
{
    assert(argc && argv && rank);
    int size, level;
    if (how == MPI_START_QUICK) {
        memory_begin_huge();
        init_quickly(argc, argv);
    } else if (how == MPI_START_THREADS) {
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    } else {
        MPI_Init(argc, argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

void mpi_end(void)
{
    assert(mpi_is_running());
    MPI_Finalize();
}
