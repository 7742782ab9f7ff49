#include "measure/wrappers/handles.h"

#include "measure/wrappers/threads.h"

#include <stdlib.h>

/* Programs have few of these at a time: a list will do. */
struct handle {
    struct handle *next;
    uintptr_t value;
    uint32_t comm;
};

static struct handle *files;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void add(struct handle **list, uintptr_t value, uint32_t comm)
{
    struct handle *handle = malloc(sizeof *handle);
    if (!handle)
        return;
    threads_lock(&mutex);
    *handle = (struct handle){*list, value, comm};
    *list = handle;
    threads_unlock(&mutex);
}

static struct handle **find(struct handle **list, uintptr_t value)
{
    while (*list && (*list)->value != value)
        list = &(*list)->next;
    return list;
}

static uint32_t comm_of(struct handle **list, uintptr_t value)
{
    threads_lock(&mutex);
    const struct handle *handle = *find(list, value);
    const uint32_t comm = handle ? handle->comm : COMM_UNKNOWN;
    threads_unlock(&mutex);
    return comm;
}

static uint32_t take(struct handle **list, uintptr_t value)
{
    threads_lock(&mutex);
    struct handle **place = find(list, value), *handle = *place;
    if (handle)
        *place = handle->next;
    threads_unlock(&mutex);
    const uint32_t comm = handle ? handle->comm : COMM_UNKNOWN;
    free(handle);
    return comm;
}

void file_opened(int result, const MPI_File *file, uint32_t comm)
{
    if (result == MPI_SUCCESS)
        add(&files, (uintptr_t)*file, comm);
}

uint32_t file_comm(MPI_File file)
{
    return comm_of(&files, (uintptr_t)file);
}

uint32_t file_closed(const MPI_File *file)
{
    return take(&files, (uintptr_t)*file);
}
