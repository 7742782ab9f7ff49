/* The CPUs (hardware threads) that a process may run on, and the cores that they belong to. Cheaper
 * than base/topology.h and without hwloc, because every program needs them at its start. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdbool.h>

enum { CPUS_MAX = 1 << 15 }; /* CPUs of a host; further ones are not counted */

/* One bit per CPU, numbered as the system does: the same on all processes of a host. */
struct cpu_mask {
    unsigned char bits[CPUS_MAX / 8];
};

/* Where the system describes its CPUs. */
#define CPUS_FOLDER "/sys/devices/system/cpu"

/* The CPUs on which the calling thread may run. */
void cpus_of_process(struct cpu_mask *mask);
bool cpus_has(const struct cpu_mask *mask, int cpu); /* `cpu` < CPUS_MAX */

/* The number of cores that the CPUs of the mask belong to. A CPU that `folder` does not describe
 * counts as one core. */
int cpus_count_cores(const struct cpu_mask *mask, const char *folder);

#endif
