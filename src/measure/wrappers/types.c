#include "measure/wrappers/types.h"

#include "measure/wrappers/call.h"

struct type_size type_sizes[TYPE_SLOTS];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Caches a size in its slot if that is free. A used slot never changes, because other threads may
 * be reading it. */
static void keep(MPI_Datatype type, uint32_t size)
{
    struct type_size *slot = type_slot(type);
    threads_lock(&mutex);
    if (!slot->type) {
        slot->size = size;
        __atomic_store_n(&slot->type, type, __ATOMIC_RELEASE);
    }
    threads_unlock(&mutex);
}

uint64_t type_size_ask(MPI_Datatype type)
{
    MPI_Count size;
    int integers, addresses, datatypes, combiner;
    if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner) == MPI_SUCCESS &&
        combiner == MPI_COMBINER_NAMED)
        keep(type, (uint32_t)size);
    return (uint64_t)size;
}
