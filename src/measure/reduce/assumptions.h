/* What may be asked of an archive that is reduced while the program runs, and the machine that
 * gives the times at which messages arrive. */
#ifndef RUNNING_ASSUMPTIONS_H
#define RUNNING_ASSUMPTIONS_H

#include "measure/archive/run_machine.h"
#include "reduce/rules/assumptions.h"

struct run_assumptions {
    struct assumptions list; /* waits, and computation in regions */
    char *text;              /* the list's text form, for the archive */
    bool regions;            /* the computation in some regions may change */
    struct run_machine machine;
};

#define ASSUMED_BY_DEFAULT "waits at_least=1ms"

/* Reads the texts of --assume and the file of --machine; both may be NULL. Fails with STATUS_USAGE
 * at a bad text and with STATUS_INPUT at a bad file; then nothing is left to free. Otherwise free
 * with run_assumptions_clear. */
enum status run_assumptions_read(const char *text, const char *machine,
                                 struct run_assumptions *assumptions, struct error *error);
void run_assumptions_clear(struct run_assumptions *assumptions);

/* Whether the computation in a region may change. Sets `*no_memory` if out of memory. */
bool run_assumptions_choose(const struct run_assumptions *assumptions, const char *name,
                            const char *canonical, bool *no_memory);

#endif
