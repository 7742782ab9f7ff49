/* What reads files that others have written, one target each. A target gets a file with any
 * contents and must end: with success, or with an error that says what is wrong. Everything else is
 * a finding: a crash, a hang, undefined behaviour, an allocation out of proportion.
 *
 * tools/fuzz runs them with libFuzzer (fuzz.c), make check runs the corpus (corpus.c). */
#ifndef TESTS_FUZZ_TARGETS_H
#define TESTS_FUZZ_TARGETS_H

#include "base/mpi/processes.h"
#include "base/status.h"

struct fuzz_target {
    const char *name;
    const char *file;   /* the name of the file that the input becomes */
    size_t at_once;     /* bytes that one allocation may have beyond 16 times the file */
    const char *corpus; /* folders in this repository with inputs, separated by blanks, or "" */
    enum status (*run)(const char *path, struct processes *processes, struct error *error);
};

extern const struct fuzz_target fuzz_targets[]; /* ends with a NULL name */

/* NULL if there is none. */
const struct fuzz_target *fuzz_target_find(const char *name);

/* Makes a folder in memory for the inputs of this process. False, with a message, if it cannot. */
bool fuzz_folder_make(void);
void fuzz_folder_remove(void);

/* Writes the input into the folder, runs the target, removes what it has left. An error without a
 * text aborts. */
void fuzz_run(const struct fuzz_target *target, struct processes *processes, const void *data,
              size_t size);

#endif
