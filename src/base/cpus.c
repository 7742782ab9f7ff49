#include "base/cpus.h"

#include <assert.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bytes of a cpu_set_t are in order");

void cpus_of_process(struct cpu_mask *mask)
{
    memset(mask, 0, sizeof *mask);
    sched_getaffinity(0, sizeof *mask, (cpu_set_t *)mask);
}

bool cpus_has(const struct cpu_mask *mask, int cpu)
{
    assert(cpu >= 0 && cpu < CPUS_MAX);
    return mask->bits[cpu / 8] >> cpu % 8 & 1;
}

/* The first CPU of the core that `cpu` belongs to; `cpu` if the core is unknown. */
static int first_of_core(int cpu, const char *folder)
{
    char path[PATH_MAX];
    int first = cpu;
    snprintf(path, sizeof path, "%s/cpu%d/topology/thread_siblings_list", folder, cpu);
    FILE *file = fopen(path, "r"); /* "4,68" or "4-5" */
    if (!file)
        return cpu;
    if (fscanf(file, "%d", &first) != 1 || first < 0 || first >= CPUS_MAX)
        first = cpu;
    fclose(file);
    return first;
}

int cpus_count_cores(const struct cpu_mask *mask, const char *folder)
{
    struct cpu_mask cores = {{0}};
    int count = 0;
    for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!cpus_has(mask, cpu))
            continue;
        int core = first_of_core(cpu, folder);
        count += !cpus_has(&cores, core);
        cores.bits[core / 8] |= (unsigned char)(1 << core % 8);
    }
    return count;
}
