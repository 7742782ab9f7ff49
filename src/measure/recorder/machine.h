/* Defines the facts about machine and job that a replay compares with its own. */
#ifndef MEASURE_MACHINE_H
#define MEASURE_MACHINE_H

#include <stdint.h>

/* Defines this process: rank, host, CPUs it is bound to, command line. */
void machine_define_process(uint32_t rank, uint32_t size);

/* Defines the properties of the archive that are the same on all ranks (base/otf2_attributes.h). */
void machine_define_properties(void);

/* A number that is equal on processes that read the same clock. */
uint64_t machine_clock_identity(void);

#endif
