/* Records the changed program, so that one command verifies a prediction. */
#ifndef VERIFY_RECORD_H
#define VERIFY_RECORD_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct recording_job {
    const char *program;  /* with its arguments, as typed in a shell */
    const char *launcher; /* see launcher_put (base/launcher.h); NULL: the default */
    const char *folder;   /* gets the recordings as folders truth-1, truth-2, ... */
    uint32_t ranks;
    size_t count; /* number of recordings, made one after the other */
    /* How the unchanged program was recorded (trace/load/load.h); NULL: without */
    const char *filter, *options;
};

/* Runs silas-trace from the folder of this program, or else from PATH. The program's output goes to
 * standard error. Earlier recordings of these names are replaced. The filter is
 * written to the file truth.filter in the folder. `paths` has room for `count`
 * folders, which the caller frees; after a failure they are NULL. Fails with
 * STATUS_INPUT if the program ends with an error, with STATUS_ENVIRONMENT if it cannot be started.
 * Not collective. */
enum status record_truths(const struct recording_job *job, char **paths, struct error *error);

#endif
