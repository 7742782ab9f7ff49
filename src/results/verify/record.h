/* Records the really changed program, so that a prediction can be verified in one command. */
#ifndef VERIFY_RECORD_H
#define VERIFY_RECORD_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct recording_job {
    const char *program;  /* with its arguments, as for a shell */
    const char *launcher; /* see launcher_put (base/launcher.h); NULL: the one that is found */
    const char *folder;   /* the recordings become the folders truth-1, truth-2, ... of it */
    uint32_t ranks;
    size_t count; /* so many recordings, one after the other */
};

/* Runs silas-trace, which is in the folder of this program or in PATH. What the program prints goes
 * to standard error. Earlier recordings of these names are replaced. `paths` has room for `count`
 * folders, which the caller frees; those that were not reached are NULL. Fails with STATUS_INPUT if
 * the program ends with an error, and with STATUS_ENVIRONMENT if it cannot be started. Not
 * collective: for programs with one process. */
enum status record_truths(const struct recording_job *job, char **paths, struct error *error);

#endif
