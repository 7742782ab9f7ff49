#include "measure/wrappers/files.h"

#include "base/map.h"

/* Marks a closed file: a map cannot remove entries, but MPI reuses handles. */
enum { CLOSED = MAP_NONE - 1 };

static struct map comms; /* file handle -> communicator */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void file_opened(int result, const MPI_File *file, uint32_t comm)
{
    if (result != MPI_SUCCESS || comm == COMM_UNKNOWN)
        return;
    threads_lock(&mutex);
    uint32_t *place = map_at(&comms, (uintptr_t)*file, comm);
    if (place)
        *place = comm;
    threads_unlock(&mutex);
}

uint32_t file_comm(MPI_File file)
{
    threads_lock(&mutex);
    const uint32_t comm = map_get(&comms, (uintptr_t)file);
    threads_unlock(&mutex);
    return comm == CLOSED || comm == MAP_NONE ? COMM_UNKNOWN : comm;
}

uint32_t file_closed(const MPI_File *file)
{
    const uint32_t comm = file_comm(*file);
    if (comm != COMM_UNKNOWN) {
        threads_lock(&mutex);
        uint32_t *place = map_at(&comms, (uintptr_t)*file, CLOSED);
        if (place)
            *place = CLOSED;
        threads_unlock(&mutex);
    }
    return comm;
}
