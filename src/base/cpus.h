/* The CPUs (hardware threads) that a process may run on, and the cores that they belong to. Cheaper
 * than base/topology.h, and without hwloc: every program asks when it starts. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdbool.h>

enum { CPUS_MAX = 1 << 15 }; /* of one host; those beyond are not counted */

/* A bit for each CPU, as the system numbers them: the same layout on all processes of a host. */
struct cpu_mask {
    unsigned char bits[CPUS_MAX / 8];
};

/* Where the system describes its CPUs. */
#define CPUS_FOLDER "/sys/devices/system/cpu"

/* The CPUs on which the calling thread may run. */
void cpus_of_process(struct cpu_mask *mask);
bool cpus_has(const struct cpu_mask *mask, int cpu); /* `cpu` < CPUS_MAX */

/* To how many cores the CPUs of the mask belong. CPUs of which `folder` says nothing count as
 * a core each. */
int cpus_count_cores(const struct cpu_mask *mask, const char *folder);

#endif
