#include "trace/save/save_private.h"

#include "base/mpi/handles.h"

#include <otf2/OTF2_MPI_Collectives.h>

OTF2_ErrorCode save_set_processes(OTF2_Archive *archive, const struct processes *processes)
{
    if (processes->size == 1)
        return OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    if (processes->local)
        return save_set_forked(archive, processes);
    return OTF2_MPI_Archive_SetCollectiveCallbacks(archive, processes_comm(processes),
                                                   MPI_COMM_NULL);
}
