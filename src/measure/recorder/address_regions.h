/* Regions by an address in the code: functions, and the places of OpenMP's constructs and of MPI
 * calls. Finding a known one takes no lock. Their names are looked up when the archive is written.
 */
#ifndef MEASURE_ADDRESS_REGIONS_H
#define MEASURE_ADDRESS_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of regions. An address may have a region of each kind. */
enum address_kind {
    ADDRESS_OF_FUNCTION,
    ADDRESS_OF_CONSTRUCT,   /* plus the number of the construct, which is above 0 */
    ADDRESS_OF_CALL = 1024, /* plus enum mpi_call */
};

/* Defines the region of an address, given as linked in an object file (RECORD_NONE: unknown).
 * Returns its id, or another value that is kept for the address. */
typedef uint32_t address_definer(unsigned kind, uint32_t object, uint64_t address,
                                 const void *data);

/* The region of an address, which `define` defines at its first use; USER_REGION_EXCLUDED in a
 * signal handler that interrupts a definition. `data` is passed to `define`. */
uint32_t address_region(unsigned kind, const void *address, address_definer *define,
                        const void *data);

/* Sets the region of an address. False if out of memory. */
bool address_region_set(unsigned kind, const void *address, uint32_t region);

#endif
