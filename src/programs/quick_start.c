/* MPICH passes these settings on to hwloc, which looks up the machine, and to UCX, which moves the
 * messages (UCX's own names: `ucx_info -c -f`). Together they are half of MPI_Init's time. */
#include "programs/quick_start.h"

#include "base/arena.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef MPICH_NUMVERSION

static const struct setting {
    const char *variable, *value;
    bool one_host; /* only where all processes are on one host */
} settings[] = {
    /* Only the number of processors. */
    {"HWLOC_COMPONENTS", "no_os,stop", false},
    /* No networks. What is left moves messages between processes of one host as before. */
    {"UCX_TLS", "shm,self", true},
    /* Receive buffers are made as they are needed, and not 4 MiB of them at once. */
    {"UCX_POSIX_RX_BUFS_GROW", "64", true},
    {"UCX_SYSV_RX_BUFS_GROW", "64", true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Whether all processes of the job are on this host: a single one that no launcher has started, or
 * as many as MPICH's own launcher says that it has started here. */
static bool all_are_here(void)
{
    const char *all = getenv("PMI_SIZE"), *here = getenv("MPI_LOCALNRANKS");
    bool launched = all || here || getenv("PMI_FD") || getenv("PMI_PORT") || getenv("PMIX_RANK");
    return launched ? all && here && strcmp(all, here) == 0 : true;
}

static void start(int *argc, char ***argv)
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

static void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
}

#endif

void quick_start(int *argc, char ***argv)
{
    memory_begin_huge();
    start(argc, argv);
}
