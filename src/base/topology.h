/* The cores this process may use; the only place that includes hwloc. */
#ifndef BASE_TOPOLOGY_H
#define BASE_TOPOLOGY_H

#include "base/status.h"

#include <stddef.h>

struct topology;

/* Reads the topology of this host. Fails with STATUS_ENVIRONMENT. */
enum status topology_open(struct topology **topology, struct error *error);
void topology_close(struct topology *topology); /* NULL is allowed */

/* The numbers of the host's cores that this process may run on, ascending; all processes of a host
 * number cores alike. Hardware threads of one core count once. Writes the first `capacity` and
 * returns how many there are. */
int topology_cores(const struct topology *topology, int *cores, int capacity);

/* Bytes of the largest cache that a core uses, and how many of the cores that this process may run
 * on share it; 0 and 1 if unknown. */
size_t topology_cache(const struct topology *topology, int core, int *sharers);

/* Bytes of the data cache of this level (1, 2, 3) that a core uses; 0: it has none, or it is
 * unknown. */
size_t topology_cache_level(const struct topology *topology, int core, unsigned level);

/* How far apart two cores are. */
enum cores_apart { CORES_SHARE_CACHE, CORES_OF_ONE_PACKAGE, CORES_OF_ONE_HOST };
enum cores_apart topology_apart(const struct topology *topology, int a, int b);

/* Binds the calling thread to one core. Fails with STATUS_ENVIRONMENT if the system does not allow
 * it. */
enum status topology_bind(const struct topology *topology, int core, struct error *error);

#endif
