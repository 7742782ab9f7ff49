/* Call sites: the places in the program that call MPI. Each has its own region. */
#ifndef MEASURE_CALL_SITES_H
#define MEASURE_CALL_SITES_H

#include "base/mpi_call.h"

#include <stdbool.h>
#include <stdint.h>

/* Call sites are recorded: unless functions of the program are, or the user wants something else.
 */
extern bool call_sites_recorded __attribute__((visibility("hidden")));

/* The region of an MPI call, by the return address and the canonical frame address of MPI's
 * function (__builtin_return_address, __builtin_dwarf_cfa). If the tracer or MPI has called it, as
 * MPI's functions for Fortran do, the site is the program's call of these. USER_REGION_EXCLUDED if
 * the site is not known. Sets `*direct` if all calls that return to the address have this result.
 */
uint32_t call_site_region(enum mpi_call call, const void *return_address, const void *frame,
                          bool *direct);

#endif
