/* The hardware that a prediction is for: a machine file (replay/costs/machine.h: LogGPS per
 * distance) with two more kinds of sections, written by silas-calibrate --operations or by hand for
 * machines that do not exist:
 *
 *   [operations]                    seconds of one operation of each class (operation.h)
 *   flop_add = 0.31 ns
 *   load_memory = 92 ns
 *   ...
 *
 *   [file]                          file input and output
 *   latency = 30 us                 of a call
 *   per_byte = 0.5                  ns
 *
 *   [nodes]
 *   ranks = 48                      ranks of one node; ranks are placed block by block. Default:
 *                                   all on one node
 *   [call]
 *   overhead = 80 ns                what any other MPI call costs; default 0
 */
#ifndef PREDICTION_HARDWARE_H
#define PREDICTION_HARDWARE_H

#include "base/status.h"
#include "replay/costs/machine.h"
#include "replay/costs/operation.h"

struct hardware {
    struct machine machine;
    bool has_operation[OPERATION_COUNT];
    double operation[OPERATION_COUNT];  /* seconds of one */
    bool has_file;                      /* the file says what files cost */
    double file_latency, file_per_byte; /* seconds; 0 where the file says nothing */
    uint32_t ranks_per_node;            /* UINT32_MAX: all on one */
    bool has_call_overhead;
    double call_overhead; /* seconds; 0 where the file says nothing */
};

/* Reads a hardware file. Fails with file, line and the expected input. Not collective. Operations
 * that the file does not price are an error only where a script uses them. */
enum status hardware_load(const char *path, struct hardware *hardware, struct error *error);

/* The same, but a distance that the file does not name stays unknown. The file may have no distance
 * if it has another section. */
enum status hardware_load_known(const char *path, struct hardware *hardware, struct error *error);

/* Comments after the lines of a hardware file, without ';': for example the interval of a measured
 * figure. NULL: none. */
struct hardware_remarks {
    const char *operation[OPERATION_COUNT];
    const char *file_latency, *file_per_byte, *call_overhead;
};

/* Prints those of the sections [operations], [file], [nodes] and [call] that say something.
 * `remarks` NULL: none. */
void hardware_print(const struct hardware *hardware, const struct hardware_remarks *remarks,
                    FILE *file);

/* How the costs of a resource vector become its time. */
enum vector_rule {
    VECTOR_SUM,     /* added, as CHIP3S does: as if a core did one thing at a time */
    VECTOR_OVERLAP, /* the longest of what the parts of a core do at the same time (streaming;
                       arithmetic of doubles; loads and stores of L1; integers and branches), plus
                       what stops them all (loads beyond L1, mispredictions, calls) */
};

/* Seconds of a resource vector: counts[OPERATION_COUNT]. What has no price must not be counted. */
double hardware_vector_seconds(const struct hardware *hardware, const double *counts,
                               enum vector_rule rule);

#endif
