/* The hardware that a prediction is for: a machine file (replay/costs/machine.h: LogGPS per
 * distance) with further sections, written by silas-calibrate --operations or by hand for
 * machines that do not exist:
 *
 *   [operations]                    seconds of one operation of each class (operation.h)
 *   flop_add = 0.31 ns
 *   load_memory = 92 ns
 *   ...
 *
 *   [chain]                         seconds of one operation in a chain, in which each needs the
 *   flop_add = 1.3 ns               result of the one before (operation_chains)
 *
 *   [operation fft_butterfly]       an operation that scripts declare
 *   cost = 3 ns
 *
 *   [footprint 256k]                seconds of a byte in order, and of a load with an unpredictable
 *   byte = 0.02 ns                  address, in a loop that works on this many bytes
 *   load = 5 ns
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

enum { HARDWARE_FOOTPRINTS = 32, HARDWARE_OWN = 64, HARDWARE_NAME = 64 /* bytes of a name */ };

/* What bytes and loads cost in a loop that works on `bytes`. */
struct footprint_cost {
    double bytes;
    double byte, load; /* seconds */
};

/* An operation that scripts declare. */
struct own_operation {
    char name[HARDWARE_NAME];
    double cost; /* seconds */
};

struct hardware {
    struct machine machine;
    bool has_operation[OPERATION_COUNT], has_chain[OPERATION_COUNT];
    double operation[OPERATION_COUNT];                     /* seconds of one */
    double chain[OPERATION_COUNT];                         /* seconds of one in a chain */
    struct footprint_cost footprints[HARDWARE_FOOTPRINTS]; /* ascending */
    uint32_t footprint_count;
    struct own_operation own[HARDWARE_OWN];
    uint32_t own_count;
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
    const char *operation[OPERATION_COUNT], *chain[OPERATION_COUNT];
    const char *file_latency, *file_per_byte, *call_overhead;
};

/* Prints the sections other than [machine], [distance] and [links] that say something. `remarks`
 * NULL: none. */
void hardware_print(const struct hardware *hardware, const struct hardware_remarks *remarks,
                    FILE *file);

/* Adds the costs of a footprint that is larger than those before; false if there are too many. */
bool hardware_add_footprint(struct hardware *hardware, const struct footprint_cost *cost);

/* Finds an operation that the file prices by its name; NULL: there is none. */
const struct own_operation *hardware_own_operation(const struct hardware *hardware,
                                                   const char *name);

/* How the costs of a resource vector become its time. */
enum vector_rule {
    VECTOR_SUM,     /* added, as CHIP3S does: as if a core did one thing at a time */
    VECTOR_OVERLAP, /* the longest of what the parts of a core do at the same time (streaming;
                       arithmetic of doubles; loads and stores of L1; integers and branches) and of
                       the chain, plus what stops them all (loads beyond L1, mispredictions, calls,
                       own operations) */
};

/* The operations of a piece of computation. All zero: none. */
struct resource_vector {
    double counts[OPERATION_COUNT];
    double chain[OPERATION_COUNT]; /* those of `counts` of which each needs the result of the one
                                      before */
    double own_s;                  /* seconds of operations that scripts declare */
    double footprint;              /* bytes that the loop works on again and again; 0: `byte` is
                                      from memory, and `load` has its own cost */
};

/* Seconds of a resource vector. Between two footprints of the file, costs are interpolated over the
 * logarithm of the size. What has no cost must not be counted (hardware_prices, has_chain). */
double hardware_vector_seconds(const struct hardware *hardware,
                               const struct resource_vector *vector, enum vector_rule rule);

/* Whether the file has the cost of an operation, in a loop with this footprint. */
bool hardware_prices(const struct hardware *hardware, enum operation operation, double footprint);

#endif
