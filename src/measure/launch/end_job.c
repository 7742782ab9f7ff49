/* Ends the job if one of its processes cannot start. MPICH's launcher takes an exit before MPI_Init
 * for the end of a program without MPI, and the other processes would wait forever in MPI_Init. So
 * the process sends it an abort, in the protocol of the MPI library (PMI-1, simple wire format: one
 * line per command, on a socket whose number is in the environment). */
#include "measure/launch/launch.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static bool send_to_launcher(int launcher, const char *command)
{
    return send(launcher, command, strlen(command), MSG_NOSIGNAL) == (ssize_t)strlen(command);
}

bool launch_can_end_job(void)
{
    const char *size = getenv("PMI_SIZE"), *number = getenv("PMI_FD");
    return size && atoi(size) > 1 && number && atoi(number) > 2;
}

void launch_end_job(int exit_code)
{
    assert(exit_code != STATUS_OK);
    char command[64], answer[256];
    if (!launch_can_end_job())
        return;
    struct pollfd launcher = {.fd = atoi(getenv("PMI_FD")), .events = POLLIN};
    if (!send_to_launcher(launcher.fd, "cmd=init pmi_version=1 pmi_subversion=1\n") ||
        poll(&launcher, 1, 2000) != 1 ||
        recv(launcher.fd, answer, sizeof answer, MSG_DONTWAIT) <= 0)
        return;
    snprintf(command, sizeof command, "cmd=abort exitcode=%d\n", exit_code);
    send_to_launcher(launcher.fd, command);
}
