/* Memory of the processes of a host: seen by all of them, filled with what all processes have, and
 * apart where they may not open each other's files. The hosts are made up. */
#include "base/mpi/host_memory.h"

#include "tests/mpi_check.h"

#include <stdlib.h>
#include <sys/resource.h>

struct item {
    int64_t value, process;
};

enum { VALUES = 5000 };

static const char purpose[] = "the test";

/* Each process has as many items as its number + 1. */
static void check_gathered(const struct host_group *group, struct host_memory *memory)
{
    const struct processes *processes = group->processes;
    const int rank = processes->rank, size = processes->size;
    const size_t total = (size_t)(size * (size + 1) / 2);
    struct item own[16];
    struct error error;
    for (int i = 0; i <= rank; i++)
        own[i] = (struct item){i, rank};
    const enum status opened =
        host_memory_open(group, total * sizeof *own, purpose, memory, &error);
    mpi_check(opened == STATUS_OK, "memory for all items");
    const enum status gathered = host_memory_gather(group, own, (size_t)rank + 1, sizeof *own,
                                                    memory->data, purpose, &error);
    mpi_check(gathered == STATUS_OK && host_group_agree(group, true, purpose, &error) == STATUS_OK,
              "items are gathered");
    const struct item *all = memory->data;
    bool right = true;
    for (int process = 0; process < size; process++)
        for (int i = 0; i <= process; i++, all++)
            right = right && all->value == i && all->process == process;
    mpi_check(right, "each process sees all items, in order of processes");
    host_memory_close(memory);
}

/* Each value is written by one process of each group. */
static void check_sums(const struct host_group *group, int groups, struct host_memory *memory)
{
    struct error error;
    const enum status opened =
        host_memory_open(group, VALUES * sizeof(int64_t), purpose, memory, &error);
    int64_t *values = memory->data;
    bool zero = opened == STATUS_OK, right = true;
    for (int i = 0; i < VALUES && zero; i++)
        zero = values[i] == 0;
    host_group_agree(group, true, purpose, &error);
    mpi_check(zero, "new memory is zero");
    const size_t last = host_group_slice(group, group->index + 1, VALUES);
    for (size_t i = host_group_slice(group, group->index, VALUES); i < last; i++)
        values[i] = (int64_t)i;
    host_group_agree(group, true, purpose, &error);
    for (int i = 0; i < VALUES; i++)
        right = right && values[i] == i;
    mpi_check(right, "the slices of a group's processes are all of it");
    host_group_agree(group, true, purpose, &error);
    host_memory_sum(group, values, VALUES);
    for (int i = 0; i < VALUES; i++)
        right = right && values[i] == (int64_t)i * groups;
    mpi_check(right, "sums over the groups");
    mpi_check(host_group_agree(group, group->processes->rank != 0, purpose, &error) ==
                  STATUS_ENVIRONMENT,
              "a process without memory is an error on all");
    host_memory_close(memory);
}

/* Sets how many files this process may have open. Returns what it was before. */
static rlim_t limit_files(rlim_t files)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = files;
    setrlimit(RLIMIT_NOFILE, &limit);
    return before;
}

/* `refuses`: this process can open no file while groups are made. */
static void check(const struct processes *processes, int groups, bool refuses, const char *what)
{
    struct host_group group;
    struct host_memory memory = {0};
    struct error error;
    const rlim_t files = refuses ? limit_files(0) : 0;
    const enum status opened = host_group_open(processes, &group, &error);
    if (refuses)
        limit_files(files);
    mpi_check(opened == STATUS_OK, what);
    int64_t leaders = group.leads;
    processes_sum(processes, &leaders, 1);
    mpi_check(leaders == groups, "one process of each group leads");
    mpi_check(group.only == (groups == 1), "whether there are other groups");
    check_gathered(&group, &memory);
    check_sums(&group, groups, &memory);
    host_group_close(&group);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    mpi_check_begin(&argc, &argv);
    processes_open(&processes, MPI_COMM_WORLD, &error);
    const bool last = processes.rank == processes.size - 1;
    processes.host = 0;
    check(&processes, 1, false, "one host");
    processes.host = processes.rank / 2 * 2;
    check(&processes, (processes.size + 1) / 2, false, "two processes on each host");
    processes.host = processes.rank;
    check(&processes, processes.size, false, "each process on a host of its own");
    processes.host = 0;
    check(&processes, processes.size, last,
          "one host, where a process may not open the leader's file");
    processes_close(&processes);
    return mpi_check_end();
}
