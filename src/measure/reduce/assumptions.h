/* What may be asked of an archive that is reduced while the program runs, and the machine that its
 * messages are timed by. */
#ifndef RUNNING_ASSUMPTIONS_H
#define RUNNING_ASSUMPTIONS_H

#include "base/array.h"
#include "base/status.h"

#include <stdint.h>

/* When messages arrive on one host, by LogGPS (doc/methods.md, section 4): all of a sender's costs
 * are part of these. Seconds; without a machine file a message arrives when it is sent. */
struct run_machine {
    double latency, per_byte;
    uint64_t synchronous_from; /* bytes from which an ordinary send waits for its receive */
};

struct run_assumptions {
    const char *text;      /* as given, for the archive */
    double waits_at_least; /* seconds; waits from this length on may shrink; infinite: none */
    ARRAY(char *) regions; /* whose computation may change */
    struct run_machine machine;
};

#define ASSUMED_BY_DEFAULT "waits at_least=1ms"

/* Reads the texts of --assume and the file of --machine; both may be NULL. A failure names the bad
 * part and what was expected. Free with
 * run_assumptions_clear also after a failure. */
enum status run_assumptions_read(const char *text, const char *machine,
                                 struct run_assumptions *assumptions, struct error *error);
void run_assumptions_clear(struct run_assumptions *assumptions);

#endif
