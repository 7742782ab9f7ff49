#include "base/mpi/host_memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- groups ----------------------------------------------------------------------------------- */

static int64_t group_reduce(const struct host_group *group, int64_t value, MPI_Op op)
{
    MPI_Request request;
    if (group->size == 1)
        return value;
    PMPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, op, group->comm, &request);
    processes_wait(group->processes, &request);
    return value;
}

/* What the others need to open the leader's file. */
struct file_name {
    int64_t process, descriptor; /* descriptor -1: there is none */
    uint64_t device, inode;      /* in another process namespace, the same name is another file */
};

/* Opens the leader's file on the other processes. -1 if that fails. */
static int open_file(const struct host_group *group, int made)
{
    char path[64];
    struct stat status = {0};
    struct file_name name = {.process = getpid(), .descriptor = made};
    MPI_Request request;
    if (group->size == 1)
        return made;
    if (group->leads && made >= 0 && fstat(made, &status) == 0) {
        name.device = status.st_dev;
        name.inode = status.st_ino;
    }
    PMPI_Ibcast(&name, sizeof name, MPI_BYTE, 0, group->comm, &request);
    processes_wait(group->processes, &request);
    if (group->leads || name.descriptor < 0)
        return made;
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)name.process,
             (long long)name.descriptor);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &status) != 0 || status.st_dev != name.device ||
                      status.st_ino != name.inode)) {
        close(file);
        file = -1;
    }
    return file;
}

/* Maps memory of the group; NULL if a process of the group cannot. */
static void *map(const struct host_group *group, size_t size)
{
    int made = -1;
    if (group->leads) {
        made = memfd_create("silas", MFD_CLOEXEC);
        if (made >= 0 && ftruncate(made, (off_t)size) != 0) {
            close(made);
            made = -1;
        }
    }
    int file = open_file(group, made);
    void *data = MAP_FAILED;
    if (file >= 0)
        data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const bool all = group_reduce(group, data != MAP_FAILED, MPI_MIN) == 1;
    if (file >= 0)
        close(file);
    if (all)
        return data;
    if (data != MAP_FAILED)
        munmap(data, size);
    return NULL;
}

static void split_up(struct host_group *group)
{
    if (group->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&group->comm);
    group->comm = MPI_COMM_NULL;
    group->leads = true;
    group->index = 0;
    group->size = 1;
}

enum status host_group_open(const struct processes *processes, struct host_group *group,
                            struct error *error)
{
    enum { TRIAL = 4096 }; /* bytes */
    memset(group, 0, sizeof *group);
    group->processes = processes;
    group->comm = MPI_COMM_NULL;
    split_up(group);
    group->only = processes->size == 1;
    if (processes->size == 1)
        return STATUS_OK;
    enum status status = STATUS_OK;
    if (PMPI_Comm_split(processes->comm, processes->host, processes->rank, &group->comm) !=
        MPI_SUCCESS)
        status = error_set(error, STATUS_ENVIRONMENT, "MPI cannot divide the communicator");
    status = processes_agree(processes, status, error);
    if (status != STATUS_OK)
        return status;
    PMPI_Comm_rank(group->comm, &group->index);
    PMPI_Comm_size(group->comm, &group->size);
    group->leads = group->index == 0;
    void *trial = map(group, TRIAL);
    if (!trial)
        split_up(group);
    else
        munmap(trial, TRIAL);
    int64_t smallest = group->size;
    processes_min(processes, &smallest, 1);
    group->only = smallest == processes->size;
    return STATUS_OK;
}

void host_group_close(struct host_group *group)
{
    if (group->processes)
        split_up(group);
}

size_t host_group_slice(const struct host_group *group, int index, size_t count)
{
    return count / (size_t)group->size * (size_t)index +
           count % (size_t)group->size * (size_t)index / (size_t)group->size;
}

enum status host_group_agree(const struct host_group *group, bool complete, const char *what,
                             struct error *error)
{
    return processes_agree_memory(group->processes, complete, what, error);
}

/* --- memory ----------------------------------------------------------------------------------- */

enum status host_memory_open(const struct host_group *group, size_t size, const char *what,
                             struct host_memory *memory, struct error *error)
{
    memory->size = size + !size;
    if (group->size > 1) {
        memory->data = map(group, memory->size);
    } else {
        memory->data = calloc(memory->size, 1);
        memory->size = 0;
    }
    return processes_agree_memory(group->processes, memory->data, what, error);
}

void host_memory_adopt(struct host_memory *memory, void *data)
{
    *memory = (struct host_memory){.data = data};
}

void host_memory_close(struct host_memory *memory)
{
    if (memory->size && memory->data)
        munmap(memory->data, memory->size);
    else
        free(memory->data);
    memset(memory, 0, sizeof *memory);
}

/* --- exchange --------------------------------------------------------------------------------- */

/* What each process sends and receives: arguments of MPI_Alltoallv. */
struct gathering {
    int *sent, *received, *from, *places; /* [process]; `from` is all 0 */
};

/* `told` has room for two numbers of each process: whether it leads, and its number of items. */
static void plan(const struct host_group *group, size_t count, int64_t *told,
                 struct gathering *gathering)
{
    const struct processes *processes = group->processes;
    int64_t place = 0;
    told[2 * processes->rank] = group->leads;
    told[2 * processes->rank + 1] = (int64_t)count;
    processes_sum(processes, told, 2 * (size_t)processes->size);
    for (int p = 0; p < processes->size; p++) {
        gathering->sent[p] = told[2 * p] ? (int)count : 0;
        gathering->received[p] = group->leads ? (int)told[2 * p + 1] : 0;
        gathering->places[p] = (int)place;
        place += gathering->received[p];
    }
    assert(place <= INT_MAX);
}

enum status host_memory_gather(const struct host_group *group, const void *items, size_t count,
                               size_t size, void *all, const char *what, struct error *error)
{
    const struct processes *processes = group->processes;
    const size_t n = (size_t)processes->size;
    if (n == 1) {
        if (count)
            memcpy(all, items, count * size);
        return STATUS_OK;
    }
    int64_t *told = calloc(2 * n, sizeof *told);
    int *numbers = calloc(4 * n, sizeof *numbers);
    enum status status = processes_agree_memory(processes, told && numbers, what, error);
    if (status == STATUS_OK) {
        struct gathering g = {numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
        MPI_Datatype record;
        MPI_Request request;
        plan(group, count, told, &g);
        PMPI_Type_contiguous((int)size, MPI_BYTE, &record);
        PMPI_Type_commit(&record);
        PMPI_Ialltoallv(items, g.sent, g.from, record, all, g.received, g.places, record,
                        processes->comm, &request);
        processes_wait(processes, &request);
        PMPI_Type_free(&record);
    }
    free(told);
    free(numbers);
    return status;
}

void host_memory_sum(const struct host_group *group, int64_t *values, size_t count)
{
    const struct processes *processes = group->processes;
    MPI_Comm leaders;
    MPI_Request request;
    assert(count <= INT_MAX);
    if (group->only)
        return;
    PMPI_Comm_split(processes->comm, group->leads ? 0 : MPI_UNDEFINED, processes->rank, &leaders);
    if (group->leads) {
        PMPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, MPI_SUM, leaders, &request);
        processes_wait(processes, &request);
        PMPI_Comm_free(&leaders);
    }
    processes_barrier(processes);
}
