/* What a replay must know of the machine and the job to compare itself with the recording. */
#ifndef MEASURE_MACHINE_H
#define MEASURE_MACHINE_H

#include <stdint.h>

/* Defines this process: rank, host, CPUs it is bound to, command line. */
void machine_define_process(uint32_t rank, uint32_t size);

/* Defines the properties of the archive that are the same on all ranks (base/otf2_attributes.h). */
void machine_define_properties(void);

/* Equal on processes that read the same clock, however the job is laid out. */
uint64_t machine_clock_identity(void);

#endif
